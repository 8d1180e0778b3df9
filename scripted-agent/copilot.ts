/** GitHub Copilot CLI's `--output-format json`, as written by version 1.0.102, and the usage file it leaves behind. */
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
  retryTimeText,
  type ToolAction,
} from './dialect.ts'

const NAMES = { write: 'create', edit: 'edit', read: 'view', shell: 'bash' }
const KEYS = { path: 'path', content: 'file_text', find: 'old_str', with: 'new_str' }
const MODEL = 'gpt-4.1'

export const copilot: Dialect = {
  version: 'GitHub Copilot CLI 1.0.102',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (turnState) =>
    event(turnState, 'session.tools_updated', { model: modelOf(turnState) }, { ephemeral: true }) +
    event(turnState, 'user.message', {
      content: turnState.prompt,
      messageId: turnState.uuid(),
      turnId: '0',
    }) +
    event(turnState, 'assistant.turn_start', { turnId: '0' }),
  say: (turnState, text) => {
    const messageId = turnState.uuid()
    return (
      event(turnState, 'assistant.message_start', { messageId }, { ephemeral: true }) +
      event(turnState, 'assistant.message_delta', { messageId, deltaContent: text }, { ephemeral: true }) +
      event(turnState, 'assistant.message', {
        messageId,
        model: modelOf(turnState),
        content: text,
        toolRequests: [],
      })
    )
  },
  think: (turnState, text) => event(turnState, 'assistant.reasoning', { reasoningId: turnState.uuid(), content: text }),
  call: (turnState, call) => request(turnState, call),
  answer: (turnState, call, answer) => complete(turnState, call, outcomeOf(call, answer)),
  deny: (turnState, call) =>
    request(turnState, call) +
    complete(turnState, call, {
      success: false,
      error: {
        message: 'Permission denied because no interactive user response was available.',
        code: 'denied',
      },
      toolTelemetry: { properties: isShell(call.work) ? { shell_error_category: 'permission_denied' } : {} },
    }),
  fail: (turnState, refusal) => {
    const statusCode = HTTP_STATUS[refusal.kind]
    const stdout =
      event(turnState, 'assistant.turn_end', { turnId: turnOf(turnState) }) +
      event(turnState, 'session.error', {
        errorType: TYPES[refusal.kind],
        message: refusal.message ?? WORDS[refusal.kind] + retryTimeText(turnState, refusal),
        statusCode,
      }) +
      result(turnState, 1)
    return { stdout, stderr: '', exit: 1 }
  },
  end: (turnState) => event(turnState, 'assistant.turn_end', { turnId: turnOf(turnState) }) + result(turnState, 0),
}

function isShell(work: ToolAction): boolean {
  return work.is === 'shell' || (work.is === 'other' && 'command' in work.input)
}

/** Tokens are not in Copilot's stream, only in the file named by `--usage-output-file`. */
export function copilotUsage({ usage, model }: TurnState): string {
  const tokens = {
    inputTokens: (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage.output ?? 0,
    cacheReadTokens: usage.cacheRead ?? 0,
    cacheWriteTokens: usage.cacheWrite ?? 0,
    reasoningTokens: usage.reasoning ?? 0,
  }
  const modelMetrics = { [model ?? MODEL]: { requests: { count: 1, cost: 0 }, usage: tokens } }
  return `${JSON.stringify({ totalPremiumRequestCost: 0, totalUserRequests: 1, modelMetrics }, null, 2)}\n`
}

const TYPES: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'quota',
  'rate-limit': 'rate_limit',
  balance: 'quota',
  auth: 'authentication',
  model: 'query',
  overload: 'query',
  network: 'query',
  tls: 'query',
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'You have hit your usage limit of premium requests.',
  'rate-limit':
    'Failed to get response from the AI model; retried 5 times Last error: 429 rate limit reached, try again later',
  balance: 'You exceeded your current quota, please check your plan and billing details.',
  auth: 'Authentication failed with provider (HTTP 401).',
  model: 'Model "gpt-nine" from --model flag is not available.',
  network: 'Failed to get response from the AI model; retried 5 times Last error: fetch failed (ECONNREFUSED)',
  tls: 'Failed to get response from the AI model; retried 5 times Last error: self-signed certificate',
  overload: 'Failed to get response from the AI model; retried 5 times Last error: 529 Overloaded',
}

function event(
  turnState: TurnState,
  type: string,
  data: Record<string, unknown>,
  mark: { ephemeral?: true } = {},
): string {
  return jsonLine({
    type,
    data,
    ...mark,
    id: turnState.uuid(),
    timestamp: new Date(turnState.now()).toISOString(),
    parentId: null,
  })
}

function modelOf(turnState: TurnState): string {
  return turnState.model ?? MODEL
}

function turnOf(turnState: TurnState): string {
  return String(turnState.calls)
}

function request(turnState: TurnState, call: ToolCall): string {
  const toolCallId = idOf(call)
  const asked = {
    toolCallId,
    name: toolNameOf(call.work, NAMES),
    arguments: toolInputOf(call.work, KEYS),
    type: 'function',
  }
  return (
    event(turnState, 'assistant.message', {
      messageId: turnState.uuid(),
      model: modelOf(turnState),
      content: '',
      toolRequests: [asked],
    }) +
    event(turnState, 'tool.execution_start', {
      toolCallId,
      toolName: asked.name,
      arguments: asked.arguments,
      model: modelOf(turnState),
    })
  )
}

function complete(turnState: TurnState, call: ToolCall, outcome: Record<string, unknown>): string {
  return (
    event(turnState, 'tool.execution_complete', {
      toolCallId: idOf(call),
      model: modelOf(turnState),
      ...outcome,
    }) +
    event(turnState, 'assistant.turn_end', { turnId: String(turnState.calls - 1) }) +
    event(turnState, 'assistant.turn_start', { turnId: turnOf(turnState) })
  )
}

/** A command that fails is a call that succeeded, with an exit code. */
function outcomeOf(call: ToolCall, answer: ToolOutput): Record<string, unknown> {
  if (!answer.ok && answer.exit === null) return { success: false, error: { message: answer.output, code: 'failure' } }
  const edits = call.work.is === 'write' || call.work.is === 'edit' ? { fileEdits: [editOf(call.work)] } : {}
  const shell = answer.exit === null ? {} : { shellExecution: { exitCode: answer.exit } }
  return { ...edits, ...shell, success: true, result: { content: answer.output } }
}

function editOf(work: Extract<ToolAction, { is: 'write' | 'edit' }>): Record<string, unknown> {
  return { path: work.path, kind: work.is === 'write' && !work.existed ? 'create' : 'update' }
}

function idOf(call: ToolCall): string {
  return `call_${call.id}`
}

/** Last, and in an envelope of its own: the only place that names the conversation. */
function result(turnState: TurnState, exitCode: number): string {
  const sessionDurationMs = turnState.now() - turnState.startedAt
  return jsonLine({
    type: 'result',
    timestamp: new Date(turnState.now()).toISOString(),
    sessionId: turnState.conversation,
    exitCode,
    usage: { premiumRequests: 0, totalApiDurationMs: 0, sessionDurationMs },
  })
}
