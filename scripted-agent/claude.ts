/** Claude Code's `--output-format stream-json`, as written by version 2.1.197, and its whole answers: `json`, and text without a flag. */
import type { Usage } from '../src/domain/calls/agent.ts'
import {
  type ToolCall,
  type Dialect,
  inputOf,
  line,
  nameOf,
  type LimitRefusal,
  STATUS_OF,
  type Talk,
} from './dialect.ts'

const NAMES = { write: 'Write', edit: 'Edit', read: 'Read', shell: 'Bash' }
const KEYS = {
  path: 'file_path',
  content: 'content',
  find: 'old_string',
  with: 'new_string',
  edit: { replace_all: false },
}
const TOOLS = ['Task', 'Bash', 'Edit', 'Read', 'WebFetch', 'WebSearch', 'Write']
const VERSION = '2.1.197'
const MODEL = 'claude-opus-4-8'

export const claude: Dialect = {
  version: `${VERSION} (Claude Code)`,
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (talk) =>
    line({
      type: 'system',
      subtype: 'init',
      cwd: talk.cwd,
      session_id: talk.conversation,
      tools: TOOLS,
      mcp_servers: [],
      model: talk.model ?? MODEL,
      permissionMode: 'bypassPermissions',
      apiKeySource: 'ANTHROPIC_API_KEY',
      claude_code_version: VERSION,
      output_style: 'default',
      uuid: talk.uuid(),
    }),
  say: (talk, text) => assistant(talk, talk.calls + 1, { type: 'text', text }),
  think: (talk, text) =>
    assistant(talk, talk.calls + 1, { type: 'thinking', thinking: text, signature: 'sig' }),
  call: (talk, call) => toolUse(talk, call),
  answer: (talk, call, answer) =>
    toolResult(
      talk,
      call,
      answer.exit ? `Exit code ${answer.exit}\n${answer.output}` : answer.output,
      answer.ok,
    ),
  deny: (talk, call) =>
    toolUse(talk, call) +
    toolResult(
      talk,
      call,
      `Claude requested permissions to use ${nameOf(call.work, NAMES)}, but you haven't granted it yet.`,
      false,
    ),
  fail: (talk, refusal) => {
    const message = refusal.message ?? WORDS[refusal.kind]
    const status = STATUS_OF[refusal.kind] ?? null
    const stdout =
      rateLimit(talk, refusal) + lament(talk, message, refusal) + result(talk, { message, status })
    return { stdout, stderr: '', exit: 1 }
  },
  end: (talk) => result(talk, null),
  asked(format) {
    if (format === 'json') return whole((event) => event)
    return format === 'text' ? whole((_event, words) => `${words}\n`) : claude
  },
}

/** Nothing before the end, and then one answer: the result as an event, or its words alone. */
function whole(write: (event: string, words: string) => string): Dialect {
  return {
    ...claude,
    begin: () => '',
    say: () => '',
    think: () => '',
    call: () => '',
    answer: () => '',
    deny: () => '',
    fail(talk, refusal) {
      const message = refusal.message ?? WORDS[refusal.kind]
      const event = result(talk, { message, status: STATUS_OF[refusal.kind] ?? null })
      return { stdout: write(event, message), stderr: '', exit: 1 }
    },
    end: (talk) => write(result(talk, null), talk.lastText),
  }
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': "You've hit your limit",
  'rate-limit': 'API Error: Request rejected (429) · Number of requests has exceeded your rate limit',
  balance: 'Credit balance is too low',
  auth: 'Failed to authenticate. API Error: 401 Invalid API key',
  overload:
    'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.',
  model:
    "There's an issue with the selected model (claude-nine). It may not exist or you may not have access to it. Run --model to pick a different model.",
  network: 'API Error: Unable to connect to API (ECONNREFUSED)',
  tls: 'API Error: Unable to connect to API: Self-signed certificate detected. Check your proxy or corporate SSL certificates',
}

/** Words and the call that follows them are one message: each block is a line, with the same id and the usage of the whole. */
function assistant(talk: Talk, message: number, content: Record<string, unknown>): string {
  return line({
    type: 'assistant',
    message: {
      id: `msg_${talk.conversation.slice(0, 8)}_${message}`,
      type: 'message',
      role: 'assistant',
      model: talk.model ?? MODEL,
      content: [content],
      stop_reason: null,
      stop_sequence: null,
      // Its output has only begun; what it came to is told with the result.
      usage: { ...tokens(talk.messageUsage), output_tokens: 1 },
      context_management: null,
    },
    parent_tool_use_id: null,
    session_id: talk.conversation,
    uuid: talk.uuid(),
  })
}

function toolUse(talk: Talk, call: ToolCall): string {
  return assistant(talk, talk.calls, {
    type: 'tool_use',
    id: idOf(call),
    name: nameOf(call.work, NAMES),
    input: inputOf(call.work, KEYS),
  })
}

function toolResult(talk: Talk, call: ToolCall, content: string, ok: boolean): string {
  return line({
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: idOf(call), type: 'tool_result', content, ...(ok ? {} : { is_error: true }) }],
    },
    parent_tool_use_id: null,
    session_id: talk.conversation,
    uuid: talk.uuid(),
    timestamp: new Date(talk.now()).toISOString(),
    tool_use_result: ok ? { content } : `Error: ${content}`,
  })
}

function idOf(call: ToolCall): string {
  return `toolu_${call.id}`
}

/** Claude announces the state of the subscription's windows in an event of its own. */
function rateLimit(talk: Talk, refusal: LimitRefusal): string {
  if (refusal.kind !== 'usage-limit') return ''
  return line({
    type: 'rate_limit_event',
    rate_limit_info: {
      status: 'rejected',
      ...(refusal.resetsAt === null ? {} : { resetsAt: Math.ceil(refusal.resetsAt / 1000) }),
      rateLimitType: 'five_hour',
      isUsingOverage: false,
    },
    uuid: talk.uuid(),
    session_id: talk.conversation,
  })
}

/** The failure as a message that no model wrote. */
function lament(talk: Talk, text: string, refusal: LimitRefusal): string {
  return line({
    type: 'assistant',
    message: {
      id: talk.uuid(),
      model: '<synthetic>',
      role: 'assistant',
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      type: 'message',
      usage: tokens({}),
      content: [{ type: 'text', text }],
      context_management: null,
    },
    parent_tool_use_id: null,
    session_id: talk.conversation,
    uuid: talk.uuid(),
    error: ERRORS[refusal.kind],
  })
}

const ERRORS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'rate_limit',
  'rate-limit': 'rate_limit',
  balance: 'billing_error',
  auth: 'authentication_failed',
  model: 'invalid_request',
  overload: 'server_error',
  network: 'unknown',
  tls: 'unknown',
}

/** An API failure still says `subtype: success`: only `is_error` and the status tell. */
function result(talk: Talk, failure: { message: string; status: number | null } | null): string {
  const usage = failure === null ? talk.usage : {}
  const duration = talk.now() - talk.startedAt
  return line({
    type: 'result',
    subtype: 'success',
    is_error: failure !== null,
    api_error_status: failure?.status ?? null,
    duration_ms: duration,
    duration_api_ms: failure === null ? duration : 0,
    num_turns: talk.calls + 1,
    result: failure?.message ?? talk.lastText,
    stop_reason: failure === null ? 'end_turn' : 'stop_sequence',
    session_id: talk.conversation,
    total_cost_usd: usage.usd ?? 0,
    usage: { ...tokens(usage), service_tier: 'standard' },
    modelUsage: failure === null ? { [talk.model ?? MODEL]: modelUsage(usage) } : {},
    permission_denials: talk.denied.map((call) => ({
      tool_name: nameOf(call.work, NAMES),
      tool_use_id: idOf(call),
      tool_input: inputOf(call.work, KEYS),
    })),
    terminal_reason: 'completed',
    uuid: talk.uuid(),
  })
}

function tokens(usage: Usage): Record<string, number> {
  return {
    input_tokens: usage.input ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: usage.output ?? 0,
  }
}

function modelUsage(usage: Usage): Record<string, number> {
  return {
    inputTokens: usage.input ?? 0,
    outputTokens: usage.output ?? 0,
    cacheReadInputTokens: usage.cacheRead ?? 0,
    cacheCreationInputTokens: usage.cacheWrite ?? 0,
    webSearchRequests: 0,
    costUSD: usage.usd ?? 0,
  }
}
