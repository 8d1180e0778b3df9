/**
 * Cursor: `cursor-agent -p --output-format stream-json`. Its program was not available where the others were measured: flags and events
 * follow its documentation and the driver of an earlier tool, and are tested on written examples only.
 */
import { join } from 'node:path'
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { listFolder } from '../system/files/files.ts'
import { findProgram } from '../system/process/process.ts'
import { failedEndEvents } from './error-text/classify-failure.ts'
import { createDriver, flagArgs, unrestrictedAccess, FULL_USER_ACCESS_TEXT, type Environment } from './driver.ts'
import { asObject, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../core/text/json.ts'
import {
  deniedEvent,
  describeToolInput,
  createJsonLineReader,
  shortOutput,
  startedEvent,
  usageAt,
} from './transport/normalize.ts'
import { resolvePermissionMode } from './tool-permission.ts'
import { ANY_VENDOR_PRICES } from './prices.ts'

export const cursor = createDriver({
  name: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  // It requires an account, so it was never tested against the real program.
  tested: 'tables',
  install: 'curl https://cursor.com/install -fsS | bash',
  capabilities: {
    tokens: 'partly',
    readOnly: 'partly',
    effort: 'no',
    // Only through a file of the project or of the user, which Ralph does not change.
    mcp: 'no',
  },
  prices: ANY_VENDOR_PRICES,
  keys: ['CURSOR_*'],
  onDenied: () => ({ say: 'Allow it under "permissions" in ~/.cursor/cli-config.json.', args: [] }),
  login: {
    env: ['CURSOR_API_KEY'],
    files: ['.cursor/cli-config.json'],
    complete: false,
    command: 'cursor-agent login',
    status: {
      args: ['status'],
      read: ({ text }) => (/not logged in/i.test(text) ? 'no' : /logged in/i.test(text) ? 'yes' : 'unknown'),
    },
  },
  account: {
    vendor: 'cursor',
    programs: ['cursor'],
    env: ['CURSOR_API_KEY'],
    folder: { env: null, inHome: '.cursor' },
  },
  call,
  // Without --force its changes are only proposals, so there is nothing between full access and none.
  access: (wishes) => ({
    ...unrestrictedAccess(`${FULL_USER_ACCESS_TEXT}, except what "permissions" in ~/.cursor/cli-config.json denies`),
    ...(resolvePermissionMode(wishes, null) === 'bypass'
      ? {}
      : {
          unsupported: 'Cursor has no tool list: only "permissions" in ~/.cursor/cli-config.json restricts it',
        }),
  }),
  read: createJsonLineReader({ event }),
  find,
})

function call(request: AgentRequest) {
  return {
    args: [
      '-p',
      '--output-format',
      'stream-json',
      // Without it, changes are proposed and not made.
      ...(request.readOnly === true ? [] : ['--force']),
      ...flagArgs('--model', request.model),
      ...flagArgs('--resume', request.resume),
    ],
  }
}

const NAMES = ['cursor-agent', 'cursor-agent.cmd', 'agent', 'agent.cmd']

function find(env: Environment): string | null {
  for (const name of NAMES) {
    const path = findProgram(name, env)
    if (path !== null) return path
  }
  const local = env['LOCALAPPDATA']
  if (local === undefined) return null
  const folder = join(local, 'cursor-agent')
  const script = listFolder(folder).find((file) => file.endsWith('.cmd'))
  return script === undefined ? null : join(folder, script)
}

function event(json: JsonObject): AgentEvent[] | null {
  switch (json['type']) {
    case 'system':
      if (json['subtype'] !== 'init') return []
      return [startedEvent(textAt(json, 'session_id'), { model: textAt(json, 'model') })]
    // The prompt, echoed.
    case 'user':
      return []
    case 'assistant':
      return objectsAt(objectAt(json, 'message'), 'content').flatMap((block): AgentEvent[] =>
        block['type'] === 'text' ? [{ type: 'text', text: textAt(block, 'text') ?? '', delta: false }] : [],
      )
    case 'thinking': {
      const text = textAt(json, 'text') ?? ''
      return text === '' ? [] : [{ type: 'thought', text }]
    }
    case 'tool_call':
      return readTool(json)
    case 'result':
      return readResult(json)
    default:
      return null
  }
}

/** `{"tool_call":{"writeToolCall":{"args":{…},"result":{"success":{…}}}}}`: the tool is the name of the only key. */
function readTool(json: JsonObject): AgentEvent[] {
  const calls = objectAt(json, 'tool_call')
  const key = Object.keys(calls).find((name) => asObject(calls[name]) !== null) ?? ''
  const call = objectAt(calls, key)
  const id = textAt(json, 'call_id') ?? null
  const name = textAt(call, 'name') ?? (key.replace(/ToolCall$/, '') || 'tool')
  if (json['subtype'] === 'started') return [{ type: 'tool', id, name, ...describeToolInput(objectAt(call, 'args')) }]
  if (json['subtype'] !== 'completed') return []
  const result = objectAt(call, 'result')
  const rejected = asObject(result['rejected']) ?? asObject(result['permissionDenied'])
  const outcome = asObject(result['success'])
  const exit = outcome === null ? 0 : (numberAt(outcome, 'exitCode') ?? 0)
  const ended: AgentEvent = { type: 'tool-ended', id, ok: outcome !== null && exit === 0, output: outputOf(result) }
  if (rejected === null) return [ended]
  const command = textAt(objectAt(call, 'args'), 'command') ?? textAt(rejected, 'command')
  return [deniedEvent(name, command), ended]
}

function outputOf(result: JsonObject): string {
  const [outcome] = Object.keys(result)
  const detail = outcome === undefined ? {} : objectAt(result, outcome)
  const words = ['stdout', 'stderr', 'content', 'message', 'error', 'reason'].map((key) => textAt(detail, key) ?? '')
  return shortOutput(words.filter((text) => text !== '').join('\n'))
}

function readResult(json: JsonObject): AgentEvent[] {
  const text = textAt(json, 'result')
  const final = text === undefined ? {} : { text }
  const told = usageAt(objectAt(json, 'usage'), {
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: 'cacheReadTokens',
    cacheWrite: 'cacheWriteTokens',
  })
  const spent: AgentEvent[] = Object.keys(told).length === 0 ? [] : [{ type: 'usage', counts: 'total', usage: told }]
  const subtype = textAt(json, 'subtype') ?? 'unknown'
  if (json['is_error'] !== true && subtype === 'success') {
    return [...spent, { type: 'ended', ok: true, reason: subtype, ...final }]
  }
  return [...spent, ...failedEndEvents(text ?? textAt(json, 'error') ?? subtype)]
}
