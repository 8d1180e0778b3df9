/** Cursor's `cursor-agent -p --output-format stream-json`, following its documentation. */
import { assertNever } from '../src/core/assert-never.ts'
import {
  type ToolOutput,
  type ToolCall,
  type Dialect,
  jsonLine,
  type LimitRefusal,
  type TurnState,
  retryTimeText,
  type ToolAction,
} from './dialect.ts'

export const cursor: Dialect = {
  version: '2026.10.02-bd871ac',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (turnState) =>
    event(turnState, 'system', {
      subtype: 'init',
      apiKeySource: 'login',
      cwd: turnState.cwd,
      model: turnState.model ?? 'Auto',
      permissionMode: 'default',
    }) +
    event(turnState, 'user', {
      message: { role: 'user', content: [{ type: 'text', text: turnState.prompt }] },
    }),
  say: (turnState, text) =>
    event(turnState, 'assistant', { message: { role: 'assistant', content: [{ type: 'text', text }] } }),
  // Thoughts are not printed.
  think: () => '',
  call: (turnState, call) => toolCall(turnState, call, 'started', {}),
  answer: (turnState, call, answer) => toolCall(turnState, call, 'completed', { result: resultOf(answer) }),
  deny: (turnState, call) =>
    toolCall(turnState, call, 'started', {}) +
    toolCall(turnState, call, 'completed', {
      result: { rejected: { reason: 'Rejected by the permission settings' } },
    }),
  // On failure the stream just ends; the reason is on stderr.
  fail: (turnState, refusal) => ({
    stdout: '',
    stderr: `${refusal.message ?? `${WORDS[refusal.kind]}.${retryTimeText(turnState, refusal)}`}\n`,
    exit: 1,
  }),
  end: (turnState) => {
    const duration = turnState.now() - turnState.startedAt
    return event(turnState, 'result', {
      subtype: 'success',
      duration_ms: duration,
      duration_api_ms: duration,
      is_error: false,
      result: turnState.lastText,
      request_id: turnState.uuid(),
    })
  },
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': "You've hit your usage limit",
  'rate-limit': 'Error: rate limit exceeded (429)',
  balance: "Error: You've hit your spend limit",
  model: 'Error: Cannot use this model: gpt-nine. Available models: auto',
  network: 'ConnectError: connect ECONNREFUSED',
  tls: 'ConnectError: self-signed certificate',
  auth: "Error: Not authenticated. Please run 'cursor-agent login'",
  overload: 'Error: the service is overloaded (529)',
}

function event(turnState: TurnState, type: string, fields: Record<string, unknown>): string {
  return jsonLine({ type, ...fields, session_id: turnState.conversation })
}

function toolCall(
  turnState: TurnState,
  call: ToolCall,
  subtype: 'started' | 'completed',
  more: Record<string, unknown>,
): string {
  const [name, args] = toolOf(call.work)
  return event(turnState, 'tool_call', {
    subtype,
    call_id: `toolu_${call.id}`,
    tool_call: { [name]: { args, ...more } },
  })
}

function toolOf(work: ToolAction): [name: string, args: Record<string, unknown>] {
  switch (work.is) {
    case 'write':
      return ['writeToolCall', { path: work.path, fileText: work.content }]
    case 'edit':
      return ['editToolCall', { path: work.path, oldText: work.find, newText: work.with }]
    case 'read':
      return ['readToolCall', { path: work.path }]
    case 'shell':
      return ['shellToolCall', { command: work.command }]
    case 'other':
      return [`${work.name}ToolCall`, work.input]
    default:
      return assertNever(work)
  }
}

function resultOf(answer: ToolOutput): Record<string, unknown> {
  if (!answer.ok) return { failure: { exitCode: answer.exit ?? 1, stderr: answer.output } }
  return { success: { content: answer.output } }
}
