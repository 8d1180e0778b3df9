/** OpenCode's `run --format json`, as written by version 1.18.33: steps, and one line per tool call when it is over. */
import type { Usage } from '../src/core/calls/agent-io.ts'
import {
  type ToolOutput,
  type ToolCall,
  type Dialect,
  toolInputOf,
  jsonLine,
  toolNameOf,
  type LimitRefusal,
  HTTP_STATUS,
  type TurnState,
} from './dialect.ts'

const NAMES = { write: 'write', edit: 'edit', read: 'read', shell: 'bash' }
const KEYS = { path: 'filePath', content: 'content', find: 'oldString', with: 'newString' }

export const opencode: Dialect = {
  version: '1.18.33',
  greeting: '',
  conversation: (uuid) => `ses_${uuid.replaceAll('-', '').slice(0, 26)}`,
  begin: (turnState) => stepStart(turnState),
  say: (turnState, text) =>
    part(turnState, 'text', { type: 'text', text, time: { start: turnState.now(), end: turnState.now() } }),
  think: (turnState, text) =>
    part(turnState, 'reasoning', {
      type: 'reasoning',
      text,
      time: { start: turnState.now(), end: turnState.now() },
    }),
  call: () => '',
  answer: (turnState, call, answer) =>
    toolUse(turnState, call, stateOf(call, answer)) + stepFinish(turnState, 'tool-calls') + stepStart(turnState),
  deny: (turnState, call) => {
    const error = 'The user rejected permission to use this specific tool call.'
    return (
      toolUse(turnState, call, { status: 'error', input: toolInputOf(call.work, KEYS), error }) +
      stepFinish(turnState, 'tool-calls') +
      stepStart(turnState)
    )
  },
  fail: (turnState, refusal) => ({ stdout: apiError(turnState, refusal), stderr: '', exit: 1 }),
  end: (turnState) => stepFinish(turnState, 'stop'),
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

function part(turnState: TurnState, type: string, fields: Record<string, unknown>): string {
  const ids = {
    id: `prt_${turnState.uuid()}`,
    messageID: `msg_${turnState.calls + 1}`,
    sessionID: turnState.conversation,
  }
  return jsonLine({
    type,
    timestamp: turnState.now(),
    sessionID: turnState.conversation,
    part: { ...ids, ...fields },
  })
}

function stepStart(turnState: TurnState): string {
  return part(turnState, 'step_start', { type: 'step-start' })
}

/** The tokens of a turn are the sum of its steps: the last step has what the others did not report. */
function stepFinish(turnState: TurnState, reason: 'tool-calls' | 'stop'): string {
  const {
    input = 0,
    output = 0,
    reasoning = 0,
    cacheRead = 0,
    cacheWrite = 0,
    usd = 0,
  } = reason === 'stop' ? rest(turnState) : turnState.messageUsage
  return part(turnState, 'step_finish', {
    reason,
    type: 'step-finish',
    tokens: {
      total: input + output + cacheRead + cacheWrite,
      input,
      // Reasoning is counted separately here.
      output: output - reasoning,
      reasoning,
      cache: { write: cacheWrite, read: cacheRead },
    },
    cost: usd,
  })
}

function rest({ usage, messageUsage, calls }: TurnState): Usage {
  const left = { ...usage }
  for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning', 'usd'] as const) {
    const told = (messageUsage[key] ?? 0) * calls
    if (left[key] !== undefined) left[key] = Math.max(0, left[key] - told)
  }
  return left
}

function toolUse(turnState: TurnState, call: ToolCall, state: Record<string, unknown>): string {
  const time = { start: turnState.now(), end: turnState.now() }
  return part(turnState, 'tool_use', {
    type: 'tool',
    tool: toolNameOf(call.work, NAMES),
    callID: `call_${call.id}`,
    state: { ...state, time },
  })
}

/** A failed command is a completed call with an exit code; only a failed tool is an error. */
function stateOf(call: ToolCall, answer: ToolOutput): Record<string, unknown> {
  const input = toolInputOf(call.work, KEYS)
  if (!answer.ok && answer.exit === null) return { status: 'error', input, error: answer.output }
  const exit = answer.exit === null ? {} : { exit: answer.exit }
  return {
    status: 'completed',
    input,
    output: answer.output,
    metadata: { output: answer.output, ...exit, truncated: false },
  }
}

function apiError(turnState: TurnState, refusal: LimitRefusal): string {
  const limit = refusal.kind === 'usage-limit' || refusal.kind === 'rate-limit'
  const wait = refusal.resetsAt === null || !limit ? null : Math.ceil((refusal.resetsAt - turnState.now()) / 1000)
  const message = refusal.message ?? WORDS[refusal.kind]
  return jsonLine({
    type: 'error',
    timestamp: turnState.now(),
    sessionID: turnState.conversation,
    error: {
      name: 'APIError',
      data: {
        message,
        statusCode: HTTP_STATUS[refusal.kind],
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
