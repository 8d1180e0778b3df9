/**
 * Any program that reads a prompt on stdin and answers on stdout: as text, or as JSON lines whose fields the settings name.
 *
 *     [agents.mine]
 *     command = ["my-agent", "--batch"]
 *     output = "jsonl"
 *     fields = { text = "message.content", conversation = "id", done = "finished", usd = "usage.cost" }
 *
 * The chosen model and conversation reach it as RALPH_MODEL and RALPH_CONVERSATION.
 */
import type { AgentEvent, AgentRequest, CustomAgent, Invocation, Usage } from '../core/calls/agent-io.ts'
import { RalphError } from '../core/error.ts'
import { failureEvent } from './error-text/classify-failure.ts'
import {
  createDriver,
  promptWithSystem,
  unrestrictedAccess,
  FULL_USER_ACCESS_TEXT,
  type OutputChannel,
  type Driver,
} from './driver.ts'
import { valueAt, type JsonObject } from '../core/text/json.ts'
import {
  createJsonLineReader,
  remarkEvent,
  shortMessage,
  shortOutput,
  startedEvent,
  toUsage,
} from './transport/normalize.ts'

/** The keys of `fields`. */
type Field =
  | 'text'
  | 'delta'
  | 'thought'
  | 'conversation'
  | 'model'
  | 'tool'
  | 'tool_input'
  | 'tool_output'
  | 'input'
  | 'output'
  | 'cache_read'
  | 'cache_write'
  | 'reasoning'
  | 'usd'
  | 'error'
  | 'denied'
  | 'done'

export function createCustomDriver(agent: CustomAgent & { name: string }): Driver {
  const told = (field: Field) => agent.output === 'jsonl' && agent.fields[field] !== undefined
  const can = (field: Field) => (told(field) ? 'yes' : 'no')
  return createDriver({
    name: agent.name,
    title: agent.name,
    program: agent.command[0] ?? '',
    install: 'It is your own program: see [agents] in .ralph.toml.',
    capabilities: {
      resume: told('conversation') ? 'partly' : 'no',
      tokens: can('input'),
      cost: can('usd'),
      readOnly: 'no',
      model: 'partly',
      effort: 'no',
      mcp: 'no',
    },
    liveUsage: told('usd') ? 'money' : told('input') || told('output') ? 'tokens' : 'nothing',
    keys: [],
    finalEvent: told('done'),
    onDenied: () => ({ say: "Allow it in the program's own settings.", args: [] }),
    login: { env: [], files: [], complete: false },
    command: (request) => command(agent, request),
    access: () => unrestrictedAccess(`your own program: ${FULL_USER_ACCESS_TEXT}`),
    read:
      agent.output === 'text'
        ? readText
        : createJsonLineReader({
            event(json) {
              const events = eventsOf(agent.fields, json)
              return events.length === 0 ? null : events
            },
          }),
  })
}

/** `agent = "plain"` with `agent.command`: a program without further settings. */
export const plain = createCustomDriver({ name: 'plain', command: [], output: 'text', fields: {}, env: {} })

function command(agent: CustomAgent & { name: string }, request: AgentRequest): Invocation {
  const argv = request.program ?? agent.command
  if (argv.length === 0) {
    throw new RalphError('agent-unusable', `agent "${agent.name}" has no command`, {
      hint: 'Set agent.command, for example: command = ["my-agent", "--batch"]',
    })
  }
  return {
    argv,
    env: {
      ...agent.env,
      ...(request.model === undefined ? {} : { RALPH_MODEL: request.model }),
      ...(request.resume === undefined ? {} : { RALPH_CONVERSATION: request.resume }),
    },
    stdin: promptWithSystem(request),
  }
}

/** Each line continues the previous one: the complete output is the agent's message. */
function readText(line: string, from: OutputChannel): AgentEvent[] {
  if (from === 'stdout') return [{ type: 'text', text: `${line}\n`, delta: true }]
  return line.trim() === '' ? [] : [remarkEvent(line)]
}

function eventsOf(fields: Record<string, string>, json: JsonObject): AgentEvent[] {
  const value = (field: Field): unknown => (fields[field] === undefined ? undefined : valueAt(json, fields[field]))
  const words = (field: Field): string | undefined => wordsOf(value(field))
  const events: AgentEvent[] = []
  const [conversation, model] = [words('conversation'), words('model')]
  if (conversation !== undefined) events.push(startedEvent(conversation, { model }))
  const [thought, text, delta] = [words('thought'), words('text'), words('delta')]
  if (thought !== undefined) events.push({ type: 'thought', text: thought })
  if (text !== undefined) events.push({ type: 'text', text, delta: false })
  if (delta !== undefined) events.push({ type: 'text', text: delta, delta: true })
  const [tool, output, denied] = [words('tool'), words('tool_output'), words('denied')]
  if (tool !== undefined) {
    const input = shortMessage(words('tool_input') ?? '')
    events.push({ type: 'tool', id: null, name: tool, input, paths: [] })
  }
  if (output !== undefined) events.push({ type: 'tool-ended', id: null, ok: true, output: shortOutput(output) })
  if (denied !== undefined) events.push({ type: 'denied', tool: denied })
  const usage = usageIn(value)
  if (Object.keys(usage).length > 0) events.push({ type: 'usage', counts: 'add', usage })
  const error = words('error')
  if (error !== undefined) events.push(failureEvent(error))
  const done = value('done')
  if (done !== undefined && done !== null && done !== false) {
    const ok = error === undefined
    events.push({ type: 'ended', ok, reason: ok ? 'done' : 'error' })
  }
  return events
}

function usageIn(value: (field: Field) => unknown): Usage {
  const number = (field: Field): number | undefined => {
    const told = value(field)
    return typeof told === 'number' && Number.isFinite(told) ? told : undefined
  }
  return toUsage({
    input: number('input'),
    output: number('output'),
    cacheRead: number('cache_read'),
    cacheWrite: number('cache_write'),
    reasoning: number('reasoning'),
    usd: number('usd'),
  })
}

function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
