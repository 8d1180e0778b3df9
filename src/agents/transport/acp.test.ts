import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AgentEvent, AgentTimeLimits, AgentRequest } from '../../core/calls/agent-io.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import type { Millis } from '../../core/ids.ts'
import { systemClock, type Clock } from '../../system/clock.ts'
import { findProcess } from '../../system/process/process-table.ts'
import { sampleRequest } from '../../../test/agents/samples/samples.ts'
import { startAgent } from './agent-process.ts'
import { driverFor } from '../registry.ts'
import { createMasker } from '../../system/mask/mask.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The smallest agent that speaks the protocol; `onPrompt` is what it does when asked, with `send`, `answer` and `id`. */
function program(onPrompt: string, session = `{ sessionId: 's1' }`): string[] {
  const code = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    const update = (update) => send({ method: 'session/update', params: { sessionId: 's1', update } })
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
    let prompt = null
    let offered = null
    const waiting = new Map()
    const request = (method, params) => new Promise((resolve) => {
      const id = 'r' + waiting.size
      waiting.set(id, resolve)
      send({ id, method, params: { sessionId: 's1', ...params } })
    })
    const permit = (command) => request('session/request_permission', {
      toolCall: { toolCallId: 't1', kind: 'execute', rawInput: { command } },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }],
    })
    const over = (told) => { say(JSON.stringify(told)); send({ id: prompt, result: { stopReason: 'end_turn' } }) }
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params, result, error } = JSON.parse(line)
      if (method === undefined) return void waiting.get(id)?.(error?.message ?? result)
      const answer = (result) => send({ id, result })
      if (method === 'initialize') offered = params.clientCapabilities
      if (method === 'initialize') answer({ protocolVersion: 1, agentInfo: { name: 'small', version: '0.1' } })
      if (method === 'session/new') answer(${session})
      if (method === 'session/prompt') { prompt = id; ${onPrompt} }
      if (method === 'session/cancel') send({ id: prompt, result: { stopReason: 'cancelled' } })
    })`
  return [process.execPath, '-e', code]
}

function talk(
  argv: string[],
  limits: Partial<AgentTimeLimits> = {},
  clock = systemClock(),
  { askPerson, ...wishes }: Partial<AgentRequest> & { askPerson?: AskPerson } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-acp-'))
  made.push(folder)
  const events: AgentEvent[] = []
  const log = join(folder, 'agent.log')
  let pid = 0
  const conversing = startAgent({
    driver: driverFor('acp:small-agent', {}),
    request: sampleRequest({ cwd: folder, scratch: folder, program: argv, ...wishes }),
    limits: { idleMs: 0, wallMs: 0, completionGraceMs: 0, stopGraceMs: 500, handshakeMs: 0, ...limits },
    log,
    effect: `test.${folder}`,
    runId: 'r1',
    clock,
    envPolicy: { mode: 'filtered', pass: [] },
    mask: createMasker([]),
    ...(askPerson === undefined ? {} : { askPerson }),
    onEvent: (event) => void events.push(event),
    onBegan: (info) => void (pid = info.pid),
  })
  return { ...conversing, events, log, folder, isGone: () => findProcess(pid)?.zombie ?? true }
}

const STARTED: AgentEvent = { type: 'started', conversation: 's1', version: '0.1' }

test('a turn over real pipes: stray lines are remarks, the raw messages are kept, the agent leaves by itself', async () => {
  const agent = talk(
    program(`console.log('oops'); console.error('hm'); say('Done.'); answer({ stopReason: 'end_turn' })`),
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 0, sawEnd: true, stderrTail: 'hm\n' })
  expect(agent.events.filter((event) => event.type !== 'remark')).toEqual([
    STARTED,
    { type: 'text', text: 'Done.', delta: true },
    { type: 'ended', ok: true, reason: 'end_turn' },
  ])
  expect(agent.events).toContainEqual({ type: 'remark', text: 'oops' })
  expect(agent.events).toContainEqual({ type: 'remark', text: 'hm' })
  expect(readFileSync(agent.log, 'utf8')).toContain('"stopReason":"end_turn"')
  expect(agent.isGone()).toBe(true)
})

test('one odd field loses no words, and an answer to nobody is a remark: nothing of it is printed', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => printed.mockRestore())
  const agent = talk(
    program(`
      const odd = { type: 'text', text: 'Odd.', annotations: 7 }
      update({ sessionUpdate: 'agent_message_chunk', content: odd, _meta: 'none' })
      send({ method: 'session/update', params: { update: { sessionUpdate: 'agent_message_chunk', content: odd } } })
      send({ method: 'session/update', params: null })
      send({ id: 4711, result: {} })
      send({ id: String(prompt), result: { stopReason: 'refusal' } })
      answer({ stopReason: 'end_turn' })
      answer({ stopReason: 'refusal' })`),
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: true })
  expect(agent.events.filter(({ type }) => type === 'text' || type === 'ended')).toEqual([
    { type: 'text', text: 'Odd.', delta: true },
    { type: 'text', text: 'Odd.', delta: true },
    { type: 'ended', ok: true, reason: 'end_turn' },
  ])
  expect(agent.events).toContainEqual({ type: 'remark', text: '{"jsonrpc":"2.0","id":4711,"result":{}}' })
  expect(printed).not.toHaveBeenCalled()
})

test('words of another session do not count', async () => {
  const agent = talk(
    program(`
      const told = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'EXIT_SIGNAL: true' } }
      for (const sessionId of ['s2', 's2']) send({ method: 'session/update', params: { sessionId, update: told } })
      say('Mine.'); answer({ stopReason: 'end_turn' })`),
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: true })
  expect(agent.events.filter(({ type }) => type !== 'started' && type !== 'ended')).toEqual([
    { type: 'remark', text: 'ignoring updates from another session: s2' },
    { type: 'text', text: 'Mine.', delta: true },
  ])
})

test('an agent that stays after its turn is ended', async () => {
  const agent = talk(
    program(`setInterval(() => {}, 1000); process.on('SIGTERM', () => {}); answer({ stopReason: 'end_turn' })`),
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: true, signal: 'SIGKILL' })
  expect(agent.isGone()).toBe(true)
})

test('the wall limit cancels the turn first', async () => {
  const agent = talk(program(`setInterval(() => say('busy'), 20)`), { wallMs: 3_000 })
  expect(await agent.ended).toMatchObject({ by: 'wall', sawEnd: true })
  expect(agent.events.at(-1)).toEqual({ type: 'ended', ok: false, reason: 'cancelled' })
  expect(agent.isGone()).toBe(true)
})

test('a program that opens no session is ended by the limit for it, which says so', async () => {
  const agent = talk([process.execPath, '-e', 'setInterval(() => {}, 1000)'], { handshakeMs: 1_000 })
  expect(await agent.ended).toMatchObject({ by: 'idle', sawEnd: false })
  expect(agent.events).toContainEqual({
    type: 'failed',
    kind: 'timeout',
    message: 'it did not open a session within 1 s (agent.handshake)',
  })
  expect(agent.isGone()).toBe(true)
})

test('a session without an id is none: nothing is asked of it', async () => {
  const agent = talk(program(`say('for money')`, `{}`))
  expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: false })
  expect(agent.events).toEqual([
    {
      type: 'failed',
      kind: 'bad-request',
      message: 'it opened a session without an ID, which the protocol requires',
    },
  ])
})

test('an open session is not held to the limit for opening it', async () => {
  const real = systemClock()
  const cancelled: Millis[] = []
  const after: Clock['after'] = (ms, fire) => {
    const timer = real.after(ms, fire)
    return { cancel: () => (cancelled.push(ms), timer.cancel()) }
  }
  const agent = talk(program(`say('up')`), { handshakeMs: 99_000 }, { ...real, after })
  await expect.poll(() => agent.events.length).toBe(2)
  expect(cancelled).toContain(99_000)
  await agent.stop({ now: true })
})

test('stop now does not wait for the agent', async () => {
  const agent = talk(program(`say('up')`), { stopGraceMs: 60_000 })
  await expect.poll(() => agent.events.length).toBe(2)
  await agent.stop({ now: true })
  expect(await agent.ended).toMatchObject({ by: 'stopped' })
  expect(agent.isGone()).toBe(true)
})

describe('a person is asked', () => {
  const ASKS = program(`permit('npm test').then(({ outcome }) => over(outcome))`)
  const asking = { permission: 'ask', tools: [] }

  test('and silence does not count meanwhile', async () => {
    const idleMs = 1_000
    let answer: (given: 'once') => void = () => {}
    const askPerson: AskPerson = () => new Promise((resolve) => (answer = resolve))
    // The limit looks at the clock after so many milliseconds of quiet; when it has looked twice, somebody was asked for longer.
    const real = systemClock()
    let looks = 0
    const after: Clock['after'] = (ms, fire) =>
      real.after(ms, () => {
        if (ms === idleMs && ++looks === 2) answer('once')
        fire()
      })
    const agent = talk(ASKS, { idleMs }, { ...real, after }, { ...asking, askPerson })
    expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: true })
    expect(agent.events).toContainEqual({
      type: 'text',
      text: '{"outcome":"selected","optionId":"yes"}',
      delta: true,
    })
    expect(readFileSync(`${agent.log}.served`, 'utf8')).toBe('a person allowed it once: execute npm test\n')
  })

  test('and the question goes when the agent is stopped, or goes itself', async () => {
    const gone: string[] = []
    const noted = (who: string): AskPerson => {
      return (_, until) =>
        new Promise((resolve) =>
          until.addEventListener('abort', () => {
            gone.push(who)
            resolve('no')
          }),
        )
    }
    const dying = program(`permit('npm test'); process.stdin.pause(); setImmediate(() => process.exit(3))`)
    const died = talk(dying, {}, systemClock(), { ...asking, askPerson: noted('died') })
    expect(await died.ended).toMatchObject({ by: 'itself', sawEnd: false })
    let asked: () => void = () => {}
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    const askPerson: AskPerson = (wanted, until) => {
      asked()
      return noted('stopped')(wanted, until)
    }
    const stopped = talk(ASKS, {}, systemClock(), { ...asking, askPerson })
    await isAsked
    await stopped.stop({ now: false })
    expect(await stopped.ended).toMatchObject({ by: 'stopped' })
    expect(gone).toEqual(['died', 'stopped'])
    expect(died.events.concat(stopped.events).filter(({ type }) => type === 'denied')).toEqual([])
  })
})

test('commands that an agent has run are ours: its environment and mark, and gone with its turn', async () => {
  const line = 'echo $RALPH_INSIDE; sleep 600 & echo $! > pid; echo up; wait'
  const agent = talk(
    program(`(async () => {
      const { terminalId } = await request('terminal/create', { command: 'sh', args: ['-c', '${line}'] })
      for (;;) {
        const { output } = await request('terminal/output', { terminalId })
        if (output.includes('up')) return over([offered, output])
      }
    })()`),
    {},
    systemClock(),
    { terminal: true },
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', sawEnd: true })
  const said = String.raw`[{"terminal":true},"r1\nup\n"]`
  expect(agent.events).toContainEqual({ type: 'text', text: said, delta: true })
  const pid = Number(readFileSync(join(agent.folder, 'pid'), 'utf8'))
  expect(findProcess(pid)?.zombie ?? true).toBe(true)
})

test('an agent that dies in its turn has no final event, and its stderr says why', async () => {
  const agent = talk(
    program(`console.error('Error: usage limit reached'); process.exitCode = 3; process.stdin.destroy()`),
  )
  expect(await agent.ended).toMatchObject({ by: 'itself', code: 3, sawEnd: false })
  expect(agent.events.at(-1)).toEqual({
    type: 'limited',
    kind: 'usage-limit',
    message: 'Error: usage limit reached',
  })
})

test('a program that is not there is missing; one that speaks otherwise is not understood', async () => {
  const missing = talk(['no-such-agent-anywhere'])
  expect(await missing.ended).toMatchObject({ missing: true, sawEnd: false })
  expect(missing.events.at(-1)).toMatchObject({ type: 'failed', kind: 'missing' })
  const other = talk([process.execPath, '-e', 'console.log("hello")'])
  expect(await other.ended).toMatchObject({ by: 'itself', code: 0, sawEnd: false })
  expect(other.events[0]).toEqual({ type: 'remark', text: 'hello' })
})

describe('the name is the command', () => {
  test.each([
    ['acp:gemini --acp', ['gemini', '--acp']],
    ['acp:my-agent --name "a b" c\\ d \'e "f"\'', ['my-agent', '--name', 'a b', 'c d', 'e "f"']],
    [`acp:x 'it'\\''s' ""`, ['x', "it's", '']],
  ])('%s', (name, argv) => {
    expect(driverFor(name, {}).command(sampleRequest()).argv).toEqual(argv)
  })

  test('without one it cannot be used', () => {
    expect(() => driverFor('acp:  ', {})).toThrowError('has no command')
  })

  test('an agent gets the keys of its vendor', () => {
    expect(driverFor('acp:opencode acp', {}).keys).toContain('OPENAI_*')
    expect(driverFor('acp:unknown', {}).keys).toEqual([])
  })
})
