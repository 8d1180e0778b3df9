/**
 * A small agent that speaks ACP and plays a scenario: a list of turns, each a list of steps. What it hears is written beside the scenario, a
 * line of JSON for each answer. `node acp-agent.mjs SCENARIO`
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [scenario = ''] = process.argv.slice(2)
if (scenario === '--version') {
  console.log('1.0.0')
  process.exit(0)
}
const heard = `${scenario}.heard`
const turns = JSON.parse(readFileSync(scenario, 'utf8'))
const turn = existsSync(`${scenario}.turn`) ? Number(readFileSync(`${scenario}.turn`, 'utf8')) : 0
writeFileSync(`${scenario}.turn`, String(turn + 1))

const waiting = new Map()
let prompt = null
let terminalId = null

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const note = (what) => appendFileSync(heard, `${JSON.stringify(what)}\n`)
const say = (text) =>
  send({
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  })

function request(method, params) {
  const id = `r${waiting.size}`
  send({ id, method, params: { sessionId: 's1', ...params } })
  return new Promise((resolve) => waiting.set(id, resolve))
}

async function play(step) {
  if (step.say !== undefined) return say(step.say)
  if (step.hang === true) return new Promise(() => {})
  if (step.permit !== undefined) {
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ]
    const answer = request('session/request_permission', {
      toolCall: { toolCallId: 't1', ...step.permit },
      options: step.options ?? options,
    })
    if (step.meanwhile !== undefined) say(step.meanwhile)
    const { outcome } = await answer
    return note(outcome.optionId ?? outcome.outcome)
  }
  const answer = await request(step.call, { terminalId, ...step.params })
  terminalId = answer.terminalId ?? terminalId
  note(answer)
}

async function runScenarios() {
  for (const step of turns[turn] ?? []) await play(step)
  send({ id: prompt, result: { stopReason: 'end_turn' } })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result, error } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.(error?.message ?? result)
  switch (method) {
    case 'initialize':
      return send({ id, result: { protocolVersion: 1, agentInfo: { name: 'small', version: '1.0.0' } } })
    case 'session/new':
      return send({ id, result: { sessionId: 's1' } })
    case 'session/prompt':
      prompt = id
      return void runScenarios()
    case 'session/cancel':
      return send({ id: prompt, result: { stopReason: 'cancelled' } })
    default:
      return id === undefined ? undefined : send({ id, error: { code: -32_601, message: 'not known' } })
  }
})
