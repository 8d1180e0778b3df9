/** Gemini CLI's `-o stream-json`, as written by version 0.61.0. It echoes the whole prompt. */
import {
  type ToolCall,
  type Dialect,
  inputOf,
  line,
  nameOf,
  type LimitRefusal,
  STATUS_OF,
  type Talk,
  whenAgain,
} from './dialect.ts'

const NAMES = { write: 'write_file', edit: 'replace', read: 'read_file', shell: 'run_shell_command' }
const KEYS = { path: 'file_path', content: 'content', find: 'old_string', with: 'new_string' }
const MODEL = 'gemini-2.5-pro'

export const gemini: Dialect = {
  version: '0.61.0',
  greeting: 'YOLO mode is enabled. All tool calls will be automatically approved.\n',
  conversation: (uuid) => uuid,
  begin: (talk) =>
    event(talk, 'init', { session_id: talk.conversation, model: talk.model ?? MODEL }) +
    event(talk, 'message', { role: 'user', content: talk.prompt }),
  say: (talk, text) => event(talk, 'message', { role: 'assistant', content: text, delta: true }),
  // Its stream has no event for thoughts.
  think: () => '',
  call: (talk, call) => toolUse(talk, call),
  // A command that fails is still a tool call that went well: its exit code is not in the stream.
  answer: (talk, call, answer) => toolResult(talk, call, answer.output, answer.ok || answer.exit !== null),
  deny: (talk, call) =>
    toolUse(talk, call) + toolResult(talk, call, 'Tool execution denied by policy.', false),
  fail: (talk, refusal) => {
    const status = STATUS_OF[refusal.kind]
    const message = refusal.message ?? WORDS[refusal.kind] + whenAgain(talk, refusal)
    const error = { code: status, message, status: CODES[refusal.kind] }
    // What came over HTTP is wrapped in Google's own shape.
    const said = status === undefined ? message : JSON.stringify({ error })
    const stdout = result(talk, { type: 'unknown', message: `[API Error: ${said}]` })
    // An API failure exits with the HTTP status as far as an exit code can hold it.
    return {
      stdout,
      stderr: `Error when talking to Gemini API _ApiError: ${said}\n`,
      exit: status === undefined ? 1 : status % 256,
    }
  },
  end: (talk) => result(talk, null),
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

function event(talk: Talk, type: string, fields: Record<string, unknown>): string {
  return line({ type, timestamp: new Date(talk.now()).toISOString(), ...fields })
}

function toolUse(talk: Talk, call: ToolCall): string {
  return event(talk, 'tool_use', {
    tool_name: nameOf(call.work, NAMES),
    tool_id: idOf(call),
    parameters: inputOf(call.work, KEYS),
  })
}

function toolResult(talk: Talk, call: ToolCall, output: string, ok: boolean): string {
  const fields = ok
    ? { status: 'success', output }
    : { status: 'error', output, error: { type: 'tool_error', message: output } }
  return event(talk, 'tool_result', { tool_id: idOf(call), ...fields })
}

function idOf(call: ToolCall): string {
  const name = nameOf(call.work, NAMES)
  return `${name}__${name}_${call.id}`
}

function result(talk: Talk, error: { type: string; message: string } | null): string {
  const { input = 0, output = 0, cacheRead: cached = 0 } = error === null ? talk.usage : {}
  const tokens = {
    total_tokens: input + cached + output,
    input_tokens: input + cached,
    output_tokens: output,
    cached,
    input,
  }
  const stats = {
    ...tokens,
    duration_ms: talk.now() - talk.startedAt,
    tool_calls: talk.calls,
    models: { [talk.model ?? MODEL]: tokens },
  }
  return event(
    talk,
    'result',
    error === null ? { status: 'success', stats } : { status: 'error', error, stats },
  )
}
