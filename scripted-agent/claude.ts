/** Claude Code's `--output-format stream-json`, as written by version 2.1.197, and its single answers: `json`, and text without a flag. */
import type { Usage } from '../src/core/calls/agent-io.ts'
import {
  type ToolCall,
  type Dialect,
  toolInputOf,
  jsonLine,
  toolNameOf,
  type LimitRefusal,
  HTTP_STATUS,
  type TurnState,
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
  begin: (turnState) =>
    jsonLine({
      type: 'system',
      subtype: 'init',
      cwd: turnState.cwd,
      session_id: turnState.conversation,
      tools: TOOLS,
      mcp_servers: [],
      model: turnState.model ?? MODEL,
      permissionMode: 'bypassPermissions',
      apiKeySource: 'ANTHROPIC_API_KEY',
      claude_code_version: VERSION,
      output_style: 'default',
      uuid: turnState.uuid(),
    }),
  say: (turnState, text) => assistant(turnState, turnState.calls + 1, { type: 'text', text }),
  think: (turnState, text) =>
    assistant(turnState, turnState.calls + 1, { type: 'thinking', thinking: text, signature: 'sig' }),
  call: (turnState, call) => toolUse(turnState, call),
  answer: (turnState, call, answer) =>
    toolResult(turnState, call, answer.exit ? `Exit code ${answer.exit}\n${answer.output}` : answer.output, answer.ok),
  deny: (turnState, call) =>
    toolUse(turnState, call) +
    toolResult(
      turnState,
      call,
      `Claude requested permissions to use ${toolNameOf(call.work, NAMES)}, but you haven't granted it yet.`,
      false,
    ),
  fail: (turnState, refusal) => {
    const message = refusal.message ?? WORDS[refusal.kind]
    const status = HTTP_STATUS[refusal.kind] ?? null
    const stdout =
      rateLimit(turnState, refusal) + lament(turnState, message, refusal) + result(turnState, { message, status })
    return { stdout, stderr: '', exit: 1 }
  },
  end: (turnState) => result(turnState, null),
  asked(format) {
    if (format === 'json') return whole((event) => event)
    return format === 'text' ? whole((_event, words) => `${words}\n`) : claude
  },
}

/** Writes nothing before the end, and then one answer: the result as an event, or its text alone. */
function whole(write: (event: string, words: string) => string): Dialect {
  return {
    ...claude,
    begin: () => '',
    say: () => '',
    think: () => '',
    call: () => '',
    answer: () => '',
    deny: () => '',
    fail(turnState, refusal) {
      const message = refusal.message ?? WORDS[refusal.kind]
      const event = result(turnState, { message, status: HTTP_STATUS[refusal.kind] ?? null })
      return { stdout: write(event, message), stderr: '', exit: 1 }
    },
    end: (turnState) => write(result(turnState, null), turnState.lastText),
  }
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': "You've hit your limit",
  'rate-limit': 'API Error: Request rejected (429) · Number of requests has exceeded your rate limit',
  balance: 'Credit balance is too low',
  auth: 'Failed to authenticate. API Error: 401 Invalid API key',
  overload: 'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.',
  model:
    "There's an issue with the selected model (claude-nine). It may not exist or you may not have access to it. Run --model to pick a different model.",
  network: 'API Error: Unable to connect to API (ECONNREFUSED)',
  tls: 'API Error: Unable to connect to API: Self-signed certificate detected. Check your proxy or corporate SSL certificates',
}

/** A text and the call that follows it are one message: each block is a line, with the same id and the usage of the whole message. */
function assistant(turnState: TurnState, message: number, content: Record<string, unknown>): string {
  return jsonLine({
    type: 'assistant',
    message: {
      id: `msg_${turnState.conversation.slice(0, 8)}_${message}`,
      type: 'message',
      role: 'assistant',
      model: turnState.model ?? MODEL,
      content: [content],
      stop_reason: null,
      stop_sequence: null,
      // Its output has only begun; the result reports the total.
      usage: { ...tokens(turnState.messageUsage), output_tokens: 1 },
      context_management: null,
    },
    parent_tool_use_id: null,
    session_id: turnState.conversation,
    uuid: turnState.uuid(),
  })
}

function toolUse(turnState: TurnState, call: ToolCall): string {
  return assistant(turnState, turnState.calls, {
    type: 'tool_use',
    id: idOf(call),
    name: toolNameOf(call.work, NAMES),
    input: toolInputOf(call.work, KEYS),
  })
}

function toolResult(turnState: TurnState, call: ToolCall, content: string, ok: boolean): string {
  return jsonLine({
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: idOf(call), type: 'tool_result', content, ...(ok ? {} : { is_error: true }) }],
    },
    parent_tool_use_id: null,
    session_id: turnState.conversation,
    uuid: turnState.uuid(),
    timestamp: new Date(turnState.now()).toISOString(),
    tool_use_result: ok ? { content } : `Error: ${content}`,
  })
}

function idOf(call: ToolCall): string {
  return `toolu_${call.id}`
}

/** Claude reports the state of the subscription's windows in an event of its own. */
function rateLimit(turnState: TurnState, refusal: LimitRefusal): string {
  if (refusal.kind !== 'usage-limit') return ''
  return jsonLine({
    type: 'rate_limit_event',
    rate_limit_info: {
      status: 'rejected',
      ...(refusal.resetsAt === null ? {} : { resetsAt: Math.ceil(refusal.resetsAt / 1000) }),
      rateLimitType: 'five_hour',
      isUsingOverage: false,
    },
    uuid: turnState.uuid(),
    session_id: turnState.conversation,
  })
}

/** The failure as a message that no model wrote. */
function lament(turnState: TurnState, text: string, refusal: LimitRefusal): string {
  return jsonLine({
    type: 'assistant',
    message: {
      id: turnState.uuid(),
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
    session_id: turnState.conversation,
    uuid: turnState.uuid(),
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

/** An API failure still says `subtype: success`: only `is_error` and the status show it. */
function result(turnState: TurnState, failure: { message: string; status: number | null } | null): string {
  const usage = failure === null ? turnState.usage : {}
  const duration = turnState.now() - turnState.startedAt
  return jsonLine({
    type: 'result',
    subtype: 'success',
    is_error: failure !== null,
    api_error_status: failure?.status ?? null,
    duration_ms: duration,
    duration_api_ms: failure === null ? duration : 0,
    num_turns: turnState.calls + 1,
    result: failure?.message ?? turnState.lastText,
    stop_reason: failure === null ? 'end_turn' : 'stop_sequence',
    session_id: turnState.conversation,
    total_cost_usd: usage.usd ?? 0,
    usage: { ...tokens(usage), service_tier: 'standard' },
    modelUsage: failure === null ? { [turnState.model ?? MODEL]: modelUsage(usage) } : {},
    permission_denials: turnState.denied.map((call) => ({
      tool_name: toolNameOf(call.work, NAMES),
      tool_use_id: idOf(call),
      tool_input: toolInputOf(call.work, KEYS),
    })),
    terminal_reason: 'completed',
    uuid: turnState.uuid(),
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
