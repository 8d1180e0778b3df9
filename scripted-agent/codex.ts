/** Codex's `exec --json`, as written by version 0.166.0. */
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

export const codex: Dialect = {
  version: 'codex-cli 0.166.0',
  greeting: 'Reading additional input from stdin...\n',
  conversation: (uuid) => uuid,
  begin: (turnState) =>
    jsonLine({ type: 'thread.started', thread_id: turnState.conversation }) + jsonLine({ type: 'turn.started' }),
  say: (turnState, text) => completed({ id: messageId(turnState), type: 'agent_message', text }),
  think: (turnState, text) => completed({ id: messageId(turnState), type: 'reasoning', text }),
  call: (_talk, call) => started(call),
  answer: (_talk, call, answer) => completed({ ...itemOf(call), ...outcomeOf(call, answer) }),
  deny: (_talk, call) =>
    started(call) + completed({ ...itemOf(call), aggregated_output: '', exit_code: null, status: 'declined' }),
  fail: (turnState, refusal) => {
    const message = refusal.message ?? WORDS[refusal.kind] + retryTimeText(turnState, refusal)
    const stdout = jsonLine({ type: 'error', message }) + jsonLine({ type: 'turn.failed', error: { message } })
    return { stdout, stderr: '', exit: 1 }
  },
  // Codex counts over the whole thread, resumed turns included, and cached tokens as input.
  end: ({ conversationUsage: usage }) =>
    jsonLine({
      type: 'turn.completed',
      usage: {
        input_tokens: (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
        cached_input_tokens: usage.cacheRead ?? 0,
        cache_write_input_tokens: usage.cacheWrite ?? 0,
        output_tokens: usage.output ?? 0,
        reasoning_output_tokens: usage.reasoning ?? 0,
      },
    }),
}

const WORDS: Record<LimitRefusal['kind'], string> = {
  'usage-limit': 'You’ve hit your usage limit.',
  'rate-limit': 'exceeded retry limit, last status: 429 Too Many Requests',
  balance: 'Quota exceeded. Check your plan and billing details.',
  auth: 'unexpected status 401 Unauthorized: Incorrect API key provided',
  model: 'The model `gpt-nine` does not exist or you do not have access to it.',
  network: 'stream disconnected before completion: error sending request',
  tls: 'stream disconnected before completion: invalid peer certificate: UnknownIssuer',
  overload: 'We’re currently experiencing high demand, which may cause temporary errors.',
}

function started(call: ToolCall): string {
  const item = { ...itemOf(call), ...IN_PROGRESS[shown(call.work)], status: 'in_progress' }
  return jsonLine({ type: 'item.started', item })
}

function completed(item: Record<string, unknown>): string {
  return jsonLine({ type: 'item.completed', item })
}

/** Codex has two kinds of call: a file change, and a command for everything else. */
type Shown = 'file_change' | 'command_execution'

function shown(work: ToolAction): Shown {
  return work.is === 'write' || work.is === 'edit' ? 'file_change' : 'command_execution'
}

const IN_PROGRESS: Record<Shown, Record<string, unknown>> = {
  file_change: {},
  command_execution: { aggregated_output: '', exit_code: null },
}

function itemOf(call: ToolCall): Record<string, unknown> {
  const id = `item_${call.id}`
  const { work } = call
  switch (work.is) {
    case 'write':
      return {
        id,
        type: 'file_change',
        changes: [{ path: work.path, kind: work.existed ? 'update' : 'add' }],
      }
    case 'edit':
      return { id, type: 'file_change', changes: [{ path: work.path, kind: 'update' }] }
    case 'read':
      return command(id, `cat ${work.path}`)
    case 'shell':
      return command(id, work.command)
    case 'other':
      return command(id, typeof work.input['command'] === 'string' ? work.input['command'] : work.name)
    default:
      return assertNever(work)
  }
}

function command(id: string, text: string): Record<string, unknown> {
  return { id, type: 'command_execution', command: `/bin/bash -lc '${text}'` }
}

function outcomeOf(call: ToolCall, answer: ToolOutput): Record<string, unknown> {
  const status = answer.ok ? 'completed' : 'failed'
  if (shown(call.work) === 'file_change') return { status }
  return { aggregated_output: answer.output, exit_code: answer.exit ?? (answer.ok ? 0 : 1), status }
}

/** In the original, message items and call items share one counter; here they only have to differ. */
function messageId(turnState: TurnState): string {
  return `item_m${turnState.uuid().slice(0, 8)}`
}
