/** GitHub Copilot CLI's `--output-format json`, as written by version 1.0.102, and the usage file it leaves behind. */
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
  whenAgain,
  type Work,
} from './dialect.ts'

const NAMES = { write: 'create', edit: 'edit', read: 'view', shell: 'bash' }
const KEYS = { path: 'path', content: 'file_text', find: 'old_str', with: 'new_str' }
const MODEL = 'gpt-4.1'

export const copilot: Dialect = {
  version: 'GitHub Copilot CLI 1.0.102',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (talk) =>
    event(talk, 'session.tools_updated', { model: modelOf(talk) }, { ephemeral: true }) +
    event(talk, 'user.message', { content: talk.prompt, messageId: talk.uuid(), turnId: '0' }) +
    event(talk, 'assistant.turn_start', { turnId: '0' }),
  say: (talk, text) => {
    const messageId = talk.uuid()
    return (
      event(talk, 'assistant.message_start', { messageId }, { ephemeral: true }) +
      event(talk, 'assistant.message_delta', { messageId, deltaContent: text }, { ephemeral: true }) +
      event(talk, 'assistant.message', { messageId, model: modelOf(talk), content: text, toolRequests: [] })
    )
  },
  think: (talk, text) => event(talk, 'assistant.reasoning', { reasoningId: talk.uuid(), content: text }),
  call: (talk, call) => request(talk, call),
  answer: (talk, call, answer) => complete(talk, call, outcomeOf(call, answer)),
  deny: (talk, call) =>
    request(talk, call) +
    complete(talk, call, {
      success: false,
      error: {
        message: 'Permission denied because no interactive user response was available.',
        code: 'denied',
      },
      toolTelemetry: { properties: isShell(call.work) ? { shell_error_category: 'permission_denied' } : {} },
    }),
  fail: (talk, refusal) => {
    const statusCode = STATUS_OF[refusal.kind]
    const stdout =
      event(talk, 'assistant.turn_end', { turnId: turnOf(talk) }) +
      event(talk, 'session.error', {
        errorType: TYPES[refusal.kind],
        message: refusal.message ?? WORDS[refusal.kind] + whenAgain(talk, refusal),
        statusCode,
      }) +
      result(talk, 1)
    return { stdout, stderr: '', exit: 1 }
  },
  end: (talk) => event(talk, 'assistant.turn_end', { turnId: turnOf(talk) }) + result(talk, 0),
}

function isShell(work: Work): boolean {
  return work.is === 'shell' || (work.is === 'other' && 'command' in work.input)
}

/** Tokens are not in Copilot's stream, only in the file named by `--usage-output-file`. */
export function copilotUsage({ usage, model }: Talk): string {
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
  network:
    'Failed to get response from the AI model; retried 5 times Last error: fetch failed (ECONNREFUSED)',
  tls: 'Failed to get response from the AI model; retried 5 times Last error: self-signed certificate',
  overload: 'Failed to get response from the AI model; retried 5 times Last error: 529 Overloaded',
}

function event(
  talk: Talk,
  type: string,
  data: Record<string, unknown>,
  mark: { ephemeral?: true } = {},
): string {
  return line({
    type,
    data,
    ...mark,
    id: talk.uuid(),
    timestamp: new Date(talk.now()).toISOString(),
    parentId: null,
  })
}

function modelOf(talk: Talk): string {
  return talk.model ?? MODEL
}

function turnOf(talk: Talk): string {
  return String(talk.calls)
}

function request(talk: Talk, call: ToolCall): string {
  const toolCallId = idOf(call)
  const asked = {
    toolCallId,
    name: nameOf(call.work, NAMES),
    arguments: inputOf(call.work, KEYS),
    type: 'function',
  }
  return (
    event(talk, 'assistant.message', {
      messageId: talk.uuid(),
      model: modelOf(talk),
      content: '',
      toolRequests: [asked],
    }) +
    event(talk, 'tool.execution_start', {
      toolCallId,
      toolName: asked.name,
      arguments: asked.arguments,
      model: modelOf(talk),
    })
  )
}

function complete(talk: Talk, call: ToolCall, outcome: Record<string, unknown>): string {
  return (
    event(talk, 'tool.execution_complete', { toolCallId: idOf(call), model: modelOf(talk), ...outcome }) +
    event(talk, 'assistant.turn_end', { turnId: String(talk.calls - 1) }) +
    event(talk, 'assistant.turn_start', { turnId: turnOf(talk) })
  )
}

/** A command that fails is a call that succeeded, with an exit code. */
function outcomeOf(call: ToolCall, answer: ToolAnswer): Record<string, unknown> {
  if (!answer.ok && answer.exit === null)
    return { success: false, error: { message: answer.output, code: 'failure' } }
  const edits = call.work.is === 'write' || call.work.is === 'edit' ? { fileEdits: [editOf(call.work)] } : {}
  const shell = answer.exit === null ? {} : { shellExecution: { exitCode: answer.exit } }
  return { ...edits, ...shell, success: true, result: { content: answer.output } }
}

function editOf(work: Extract<Work, { is: 'write' | 'edit' }>): Record<string, unknown> {
  return { path: work.path, kind: work.is === 'write' && !work.existed ? 'create' : 'update' }
}

function idOf(call: ToolCall): string {
  return `call_${call.id}`
}

/** Last, and in an envelope of its own: the only place where the conversation is named. */
function result(talk: Talk, exitCode: number): string {
  const sessionDurationMs = talk.now() - talk.startedAt
  return line({
    type: 'result',
    timestamp: new Date(talk.now()).toISOString(),
    sessionId: talk.conversation,
    exitCode,
    usage: { premiumRequests: 0, totalApiDurationMs: 0, sessionDurationMs },
  })
}
