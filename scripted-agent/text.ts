/** A plain program: its text on stdout, tool output behind a bar, and an exit code. */
import { type Dialect, toolNameOf, type LimitRefusal, retryTimeText, type ToolAction } from './dialect.ts'

const NAMES = { write: 'write', edit: 'edit', read: 'read', shell: '$' }

export const text: Dialect = {
  version: 'scripted-agent 1.0.0',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: () => '',
  say: (_talk, words) => `${words.replace(/\n$/, '')}\n`,
  think: () => '',
  call: (_talk, call) => `> ${toolNameOf(call.work, NAMES)} ${toolSummary(call.work)}\n`,
  answer: (_talk, _call, answer) => barred(answer.output),
  deny: (_talk, call) => `> ${toolNameOf(call.work, NAMES)} ${toolSummary(call.work)}\n${barred('Permission denied.')}`,
  fail: (turnState, refusal) => ({
    stdout: '',
    stderr: `Error: ${refusal.message ?? `${WORDS[refusal.kind]}.${retryTimeText(turnState, refusal)}`}\n`,
    exit: 1,
  }),
  end: () => '',
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'usage limit reached',
  'rate-limit': 'HTTP 429 Too Many Requests',
  balance: 'insufficient credits',
  model: 'model not found: nine',
  network: 'connect ECONNREFUSED 127.0.0.1:9',
  tls: 'self-signed certificate',
  auth: 'HTTP 401 Unauthorized',
  overload: 'HTTP 529 Overloaded',
}

/** A one-line summary of a call. */
function toolSummary(work: ToolAction): string {
  if (work.is === 'shell') return work.command
  return work.is === 'other' ? JSON.stringify(work.input) : work.path
}

function barred(output: string): string {
  const lines = output.replace(/\n$/, '')
  return lines === '' ? '' : lines.replace(/^/gm, '│ ') + '\n'
}
