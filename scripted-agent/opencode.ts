/** OpenCode's `run --format json`, as written by version 1.18.33: steps, and one line per tool call when it is over. */
import type { Usage } from '../src/domain/calls/agent.ts'
import {
  type ToolAnswer,
  type ToolCall,
  type Dialect,
  inputOf,
  line,
  nameOf,
  type LimitRefusal,
  STATUS_OF,
  type Talk,
} from './dialect.ts'

const NAMES = { write: 'write', edit: 'edit', read: 'read', shell: 'bash' }
const KEYS = { path: 'filePath', content: 'content', find: 'oldString', with: 'newString' }

export const opencode: Dialect = {
  version: '1.18.33',
  greeting: '',
  conversation: (uuid) => `ses_${uuid.replaceAll('-', '').slice(0, 26)}`,
  begin: (talk) => stepStart(talk),
  say: (talk, text) =>
    part(talk, 'text', { type: 'text', text, time: { start: talk.now(), end: talk.now() } }),
  think: (talk, text) =>
    part(talk, 'reasoning', { type: 'reasoning', text, time: { start: talk.now(), end: talk.now() } }),
  call: () => '',
  answer: (talk, call, answer) =>
    toolUse(talk, call, stateOf(call, answer)) + stepFinish(talk, 'tool-calls') + stepStart(talk),
  deny: (talk, call) => {
    const error = 'The user rejected permission to use this specific tool call.'
    return (
      toolUse(talk, call, { status: 'error', input: inputOf(call.work, KEYS), error }) +
      stepFinish(talk, 'tool-calls') +
      stepStart(talk)
    )
  },
  fail: (talk, refusal) => ({ stdout: apiError(talk, refusal), stderr: '', exit: 1 }),
  end: (talk) => stepFinish(talk, 'stop'),
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'You have hit your usage limit',
  'rate-limit': 'Rate limit reached for requests',
  balance: 'You exceeded your current quota, please check your plan and billing details.',
  auth: 'Incorrect API key provided',
  model: 'Model not found: openai/gpt-nine.',
  overload: 'Overloaded',
  network: 'Cannot connect to API: The socket connection was closed unexpectedly.',
  tls: 'Cannot connect to API: unable to verify the first certificate',
}

function part(talk: Talk, type: string, fields: Record<string, unknown>): string {
  const ids = { id: `prt_${talk.uuid()}`, messageID: `msg_${talk.calls + 1}`, sessionID: talk.conversation }
  return line({ type, timestamp: talk.now(), sessionID: talk.conversation, part: { ...ids, ...fields } })
}

function stepStart(talk: Talk): string {
  return part(talk, 'step_start', { type: 'step-start' })
}

/** The tokens of a turn are those of its steps together: the last one has what the others have not told. */
function stepFinish(talk: Talk, reason: 'tool-calls' | 'stop'): string {
  const {
    input = 0,
    output = 0,
    reasoning = 0,
    cacheRead = 0,
    cacheWrite = 0,
    usd = 0,
  } = reason === 'stop' ? rest(talk) : talk.messageUsage
  return part(talk, 'step_finish', {
    reason,
    type: 'step-finish',
    tokens: {
      total: input + output + cacheRead + cacheWrite,
      input,
      // Reasoning is counted apart here.
      output: output - reasoning,
      reasoning,
      cache: { write: cacheWrite, read: cacheRead },
    },
    cost: usd,
  })
}

function rest({ usage, messageUsage, calls }: Talk): Usage {
  const left = { ...usage }
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const) {
    const told = (messageUsage[key] ?? 0) * calls
    if (left[key] !== undefined) left[key] = Math.max(0, left[key] - told)
  }
  return left
}

function toolUse(talk: Talk, call: ToolCall, state: Record<string, unknown>): string {
  const time = { start: talk.now(), end: talk.now() }
  return part(talk, 'tool_use', {
    type: 'tool',
    tool: nameOf(call.work, NAMES),
    callID: `call_${call.id}`,
    state: { ...state, time },
  })
}

/** A command that fails is a completed call with an exit code; only a tool that fails is an error. */
function stateOf(call: ToolCall, answer: ToolAnswer): Record<string, unknown> {
  const input = inputOf(call.work, KEYS)
  if (!answer.ok && answer.exit === null) return { status: 'error', input, error: answer.output }
  const exit = answer.exit === null ? {} : { exit: answer.exit }
  return {
    status: 'completed',
    input,
    output: answer.output,
    metadata: { output: answer.output, ...exit, truncated: false },
  }
}

function apiError(talk: Talk, refusal: LimitRefusal): string {
  const limit = refusal.kind === 'usage-limit' || refusal.kind === 'rate-limit'
  const wait = refusal.resetsAt === null || !limit ? null : Math.ceil((refusal.resetsAt - talk.now()) / 1000)
  const message = refusal.message ?? WORDS[refusal.kind]
  return line({
    type: 'error',
    timestamp: talk.now(),
    sessionID: talk.conversation,
    error: {
      name: 'APIError',
      data: {
        message,
        statusCode: STATUS_OF[refusal.kind],
        isRetryable: refusal.kind !== 'auth',
        responseHeaders: {
          'content-type': 'application/json',
          ...(wait === null ? {} : { 'retry-after': String(wait) }),
        },
        responseBody: JSON.stringify({ error: { message } }),
      },
    },
  })
}
