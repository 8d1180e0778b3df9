/** A plain program that writes one JSON object per line, for agents described by `[agents.NAME] output = "jsonl"`. */
import { type Dialect, line, nameOf } from './dialect.ts'
import { subject, text } from './text.ts'

const NAMES = { write: 'write', edit: 'edit', read: 'read', shell: 'shell' }

/** Where each thing stands in the lines: the `fields` of the settings that describe this agent. */
export const JSONL_FIELDS = {
  text: 'text',
  thought: 'thought',
  conversation: 'session',
  model: 'model',
  tool: 'tool.name',
  tool_input: 'tool.input',
  tool_output: 'result',
  denied: 'denied',
  error: 'error',
  input: 'usage.input',
  output: 'usage.output',
  cache_read: 'usage.cacheRead',
  cache_write: 'usage.cacheWrite',
  reasoning: 'usage.reasoning',
  usd: 'usage.usd',
  done: 'done',
}

export const jsonl: Dialect = {
  version: 'scripted-agent 1.0.0',
  greeting: '',
  conversation: (uuid) => uuid,
  begin: (talk) => line({ session: talk.conversation, model: talk.model ?? 'scripted' }),
  say: (_talk, words) => line({ text: words }),
  think: (_talk, words) => line({ thought: words }),
  call: (_talk, call) => line({ tool: { name: nameOf(call.work, NAMES), input: subject(call.work) } }),
  answer: (_talk, _call, answer) => line({ result: answer.output, ok: answer.ok }),
  deny: (_talk, call) => line({ denied: nameOf(call.work, NAMES) }),
  fail: (talk, refusal) => {
    const { stderr, exit } = text.fail(talk, refusal)
    return { stdout: line({ error: stderr.trim(), done: true }), stderr: '', exit }
  },
  end: (talk) => line({ usage: talk.usage, done: true }),
}
