/** Gemini CLI's `-o stream-json`, as written by version 0.61.0. It echoes the complete prompt. */
import {
  type ToolCall,
  type Dialect,
  toolInputOf,
  jsonLine,
  toolNameOf,
  type LimitRefusal,
  HTTP_STATUS,
  type TurnState,
  retryTimeText,
} from './dialect.ts'

const NAMES = { write: 'write_file', edit: 'replace', read: 'read_file', shell: 'run_shell_command' }
const KEYS = { path: 'file_path', content: 'content', find: 'old_string', with: 'new_string' }
const MODEL = 'gemini-2.5-pro'

export const gemini: Dialect = {
  version: '0.61.0',
  greeting: 'YOLO mode is enabled. All tool calls will be automatically approved.\n',
  conversation: (uuid) => uuid,
  begin: (turnState) =>
    event(turnState, 'init', { session_id: turnState.conversation, model: turnState.model ?? MODEL }) +
    event(turnState, 'message', { role: 'user', content: turnState.prompt }),
  say: (turnState, text) => event(turnState, 'message', { role: 'assistant', content: text, delta: true }),
  // Its stream has no event for thoughts.
  think: () => '',
  call: (turnState, call) => toolUse(turnState, call),
  // A failed command is still a successful tool call: the stream does not contain its exit code.
  answer: (turnState, call, answer) => toolResult(turnState, call, answer.output, answer.ok || answer.exit !== null),
  deny: (turnState, call) =>
    toolUse(turnState, call) + toolResult(turnState, call, 'Tool execution denied by policy.', false),
  fail: (turnState, refusal) => {
    const status = HTTP_STATUS[refusal.kind]
    const message = refusal.message ?? WORDS[refusal.kind] + retryTimeText(turnState, refusal)
    const error = { code: status, message, status: CODES[refusal.kind] }
    // An HTTP error is wrapped in Google's own format.
    const said = status === undefined ? message : JSON.stringify({ error })
    const stdout = result(turnState, { type: 'unknown', message: `[API Error: ${said}]` })
    // An API failure exits with the HTTP status, as far as an exit code can hold it.
    return {
      stdout,
      stderr: `Error when talking to Gemini API _ApiError: ${said}\n`,
      exit: status === undefined ? 1 : status % 256,
    }
  },
  end: (turnState) => result(turnState, null),
}

const CODES: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'RESOURCE_EXHAUSTED',
  'rate-limit': 'RESOURCE_EXHAUSTED',
  balance: 'RESOURCE_EXHAUSTED',
  auth: 'UNAUTHENTICATED',
  model: 'NOT_FOUND',
  overload: 'UNAVAILABLE',
  network: '',
  tls: '',
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'You have reached your usage limit.',
  'rate-limit': 'Resource has been exhausted (e.g. check rate limit).',
  balance: 'You exceeded your current quota, please check your plan and billing details.',
  auth: 'API key not valid. Please pass a valid API key.',
  model: 'models/nine is not found for API version v1beta, or is not supported for generateContent.',
  overload: 'The model is overloaded.',
  network: 'exception TypeError: fetch failed sending request',
  tls: 'exception TypeError: fetch failed: unable to verify the first certificate',
}

function event(turnState: TurnState, type: string, fields: Record<string, unknown>): string {
  return jsonLine({ type, timestamp: new Date(turnState.now()).toISOString(), ...fields })
}

function toolUse(turnState: TurnState, call: ToolCall): string {
  return event(turnState, 'tool_use', {
    tool_name: toolNameOf(call.work, NAMES),
    tool_id: idOf(call),
    parameters: toolInputOf(call.work, KEYS),
  })
}

function toolResult(turnState: TurnState, call: ToolCall, output: string, ok: boolean): string {
  const fields = ok
    ? { status: 'success', output }
    : { status: 'error', output, error: { type: 'tool_error', message: output } }
  return event(turnState, 'tool_result', { tool_id: idOf(call), ...fields })
}

function idOf(call: ToolCall): string {
  const name = toolNameOf(call.work, NAMES)
  return `${name}__${name}_${call.id}`
}

function result(turnState: TurnState, error: { type: string; message: string } | null): string {
  const { input = 0, output = 0, cacheRead: cached = 0 } = error === null ? turnState.usage : {}
  const tokens = {
    total_tokens: input + cached + output,
    input_tokens: input + cached,
    output_tokens: output,
    cached,
    input,
  }
  const stats = {
    ...tokens,
    duration_ms: turnState.now() - turnState.startedAt,
    tool_calls: turnState.calls,
    models: { [turnState.model ?? MODEL]: tokens },
  }
  return event(turnState, 'result', error === null ? { status: 'success', stats } : { status: 'error', error, stats })
}
