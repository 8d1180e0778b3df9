/** Cursor's `cursor-agent -p --output-format stream-json`, after its published description. */
import { never } from '../src/domain/machine.ts'
import {
  type ToolAnswer,
  type ToolCall,
  type Dialect,
  line,
  type LimitRefusal,
  type Talk,
  whenAgain,
  type Work,
} from './dialect.ts'

export const cursor: Dialect = {
  version: '2026.10.02-bd871ac',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (talk) =>
    event(talk, 'system', {
      subtype: 'init',
      apiKeySource: 'login',
      cwd: talk.cwd,
      model: talk.model ?? 'Auto',
      permissionMode: 'default',
    }) + event(talk, 'user', { message: { role: 'user', content: [{ type: 'text', text: talk.prompt }] } }),
  say: (talk, text) =>
    event(talk, 'assistant', { message: { role: 'assistant', content: [{ type: 'text', text }] } }),
  // Thoughts are not printed.
  think: () => '',
  call: (talk, call) => toolCall(talk, call, 'started', {}),
  answer: (talk, call, answer) => toolCall(talk, call, 'completed', { result: resultOf(answer) }),
  deny: (talk, call) =>
    toolCall(talk, call, 'started', {}) +
    toolCall(talk, call, 'completed', {
      result: { rejected: { reason: 'Rejected by the permission settings' } },
    }),
  // On failure the stream just ends; the reason is on stderr.
  fail: (talk, refusal) => ({
    stdout: '',
    stderr: `${refusal.message ?? `${WORDS[refusal.kind]}.${whenAgain(talk, refusal)}`}\n`,
    exit: 1,
  }),
  end: (talk) => {
    const duration = talk.now() - talk.startedAt
    return event(talk, 'result', {
      subtype: 'success',
      duration_ms: duration,
      duration_api_ms: duration,
      is_error: false,
      result: talk.lastText,
      request_id: talk.uuid(),
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

function event(talk: Talk, type: string, fields: Record<string, unknown>): string {
  return line({ type, ...fields, session_id: talk.conversation })
}

function toolCall(
  talk: Talk,
  call: ToolCall,
  subtype: 'started' | 'completed',
  more: Record<string, unknown>,
): string {
  const [name, args] = toolOf(call.work)
  return event(talk, 'tool_call', {
    subtype,
    call_id: `toolu_${call.id}`,
    tool_call: { [name]: { args, ...more } },
  })
}

function toolOf(work: Work): [name: string, args: Record<string, unknown>] {
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
      return never(work)
  }
}

function resultOf(answer: ToolAnswer): Record<string, unknown> {
  if (!answer.ok) return { failure: { exitCode: answer.exit ?? 1, stderr: answer.output } }
  return { success: { content: answer.output } }
}
