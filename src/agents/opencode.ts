/** OpenCode: `opencode run --format json`. Facts measured on 1.18.33. */
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { canWriteFiles, parseToolEntry } from '../core/calls/tool-list.ts'
import { MCP_SERVER_NAME } from '../core/agent-output/calls/agent-report-calls.ts'
import { ownEnvironment } from '../system/environment.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { failedEndEvents, failureEvent } from './error-text/classify-failure.ts'
import {
  createDriver,
  flagArgs,
  toolListAccess,
  unrestrictedAccess,
  FULL_USER_ACCESS_TEXT,
  type AgentAccess,
  type ToolPermissions,
} from './driver.ts'
import { type JsonObject, numberAt, objectAt, objectsAt, parseObject, textAt } from '../core/text/json.ts'
import {
  deniedEvent,
  describeToolInput,
  messageIdField,
  createJsonLineReader,
  remarkEvent,
  shortOutput,
  startedEvent,
  toUsage,
} from './transport/normalize.ts'
import { resolvePermissionMode } from './tool-permission.ts'
import { splitWords } from '../core/text/split-words.ts'

const CONFIG = 'OPENCODE_CONFIG_CONTENT'

/** A key for any of these providers is a login, and decides which account pays. */
const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'OPENCODE_API_KEY', CONFIG]

export const opencode = createDriver({
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  minVersion: '1.0.0',
  capabilities: { tools: 'partly', cost: 'partly' },
  // If it knows the model's price.
  liveUsage: 'money',
  keys: splitWords(`
    OPENCODE_* ANTHROPIC_* OPENAI_* OPENROUTER_* GEMINI_* GOOGLE_* GROQ_* MISTRAL_* DEEPSEEK_* XAI_*
  `),
  // It reports a tool call only when it ends, so a long test run is silent throughout; and on some errors it sleeps silently for as long
  // as the provider asks. Longer than a test run, shorter than a night.
  idleMs: 15 * 60_000,
  lookUp: { args: ['session', 'list', '--format', 'json'], read: newestSession },
  onDenied: (denials, wishes) =>
    resolvePermissionMode(wishes, null) === 'bypass'
      ? { say: 'Allow it under "permission" in opencode.json.', args: [] }
      : suggestAllowedTools(denials, wishes.tools ?? []),
  login: {
    env: KEYS,
    files: ['.local/share/opencode/auth.json'],
    complete: false,
    command: 'opencode auth login',
    // Without credentials its free models work, and so do providers of its settings.
    status: {
      args: ['auth', 'list'],
      read: ({ text }) => (/\b[1-9]\d* (?:credential|environment variable)/.test(text) ? 'yes' : 'unknown'),
    },
  },
  account: {
    vendor: 'opencode',
    programs: ['opencode-ai'],
    env: KEYS,
    folder: { env: 'XDG_DATA_HOME', inHome: '.local/share' },
  },
  call,
  access,
  read: createJsonLineReader({ event, stderr: readLog }),
})

function call(request: AgentRequest) {
  const rules = request.readOnly === true ? { edit: 'deny', bash: 'deny' } : rulesFor(request)
  return {
    args: [
      'run',
      '--format',
      'json',
      '--thinking',
      // Without a title it makes one more paid model call to generate one.
      '--title',
      'Ralph',
      // The only sign of errors that it retries itself.
      '--print-logs',
      '--log-level',
      'ERROR',
      ...(rules === null ? ['--auto'] : []),
      ...flagArgs('-m', request.model),
      ...flagArgs('--variant', request.effort),
      ...flagArgs('--session', request.resume),
    ],
    env: { ...(rules === null ? {} : { OPENCODE_PERMISSION: JSON.stringify(rules) }), ...mcp(request) },
  }
}

/** Added to the user's own servers. A value already in the variable is the user's; if we cannot parse it, it stays unchanged. */
function mcp({ mcp: server }: AgentRequest): Record<string, string> {
  if (server === undefined) return {}
  const given = ownEnvironment()[CONFIG]
  const config = given === undefined || given.trim() === '' ? {} : parseObject(given)
  if (config === null) return {}
  const { command, args, env } = server
  const environment = Object.fromEntries(Object.keys(env).map((name) => [name, `{env:${name}}`]))
  const ours = { type: 'local', command: [command, ...args], environment, enabled: true }
  return { [CONFIG]: JSON.stringify({ ...config, mcp: { ...objectAt(config, 'mcp'), [MCP_SERVER_NAME]: ours } }) }
}

/** Its rules; the last one that matches decides. It checks each command of a joined line separately. */
function rulesFor(wishes: ToolPermissions): Record<string, unknown> | null {
  const how = resolvePermissionMode(wishes, null)
  if (how === 'bypass') return null
  const tools = wishes.tools ?? []
  const shell = tools.map(parseToolEntry).filter(({ name }) => name === 'Bash')
  const rule = (pattern: string | null): string => (pattern ?? '*').replace(/:\*$/, ' *')
  return {
    edit: how === 'edits' || canWriteFiles(tools) ? 'allow' : 'deny',
    bash: {
      '*': 'deny',
      ...Object.fromEntries(shell.filter(({ never }) => !never).map(({ pattern }) => [rule(pattern), 'allow'])),
      ...Object.fromEntries(shell.filter(({ never }) => never).map(({ pattern }) => [rule(pattern), 'deny'])),
    },
    external_directory: 'deny',
  }
}

function access(wishes: ToolPermissions): AgentAccess {
  const how = resolvePermissionMode(wishes, null)
  return how === 'bypass'
    ? unrestrictedAccess(`${FULL_USER_ACCESS_TEXT}, except what "permission" in opencode.json denies`)
    : toolListAccess(how, wishes.tools)
}

function event(json: JsonObject): AgentEvent[] | null {
  const part = objectAt(json, 'part')
  switch (json['type']) {
    case 'step_start':
      return [startedEvent(textAt(json, 'sessionID'))]
    case 'text':
      return [{ type: 'text', text: textAt(part, 'text') ?? '', delta: false, ...messageIdField(part['messageID']) }]
    case 'reasoning':
      return [{ type: 'thought', text: textAt(part, 'text') ?? '' }]
    case 'tool_use':
      return readTool(part)
    case 'step_finish':
      return readStep(part)
    case 'error':
      return readError(objectAt(json, 'error'))
    default:
      return null
  }
}

/** Without `--format json` it would hide errors here; with it, only those that it retries. */
function readLog(line: string): AgentEvent[] {
  const error = /\blevel=ERROR\b.*\bmessage="stream error".*\berror\.error="(?:\w+: )?(.*)"/.exec(line)?.[1]
  return [error === undefined ? remarkEvent(line) : failureEvent(error)]
}

const REFUSED = /rejected permission|rule which prevents/

/** One line, when the call is over. A command that exits 3 is `completed`, too. */
function readTool(part: JsonObject): AgentEvent[] {
  const state = objectAt(part, 'state')
  const input = objectAt(state, 'input')
  const id = textAt(part, 'callID') ?? null
  const name = textAt(part, 'tool') ?? 'tool'
  const error = textAt(state, 'error')
  const exit = numberAt(objectAt(state, 'metadata'), 'exit') ?? 0
  const events: AgentEvent[] = [{ type: 'tool', id, name, ...describeToolInput(input) }]
  if (error !== undefined && REFUSED.test(error)) events.push(deniedEvent(name, textAt(input, 'command')))
  const ok = state['status'] === 'completed' && exit === 0
  events.push({ type: 'tool-ended', id, ok, output: shortOutput(error ?? textAt(state, 'output') ?? '') })
  return events
}

function readStep(part: JsonObject): AgentEvent[] {
  const tokens = objectAt(part, 'tokens')
  const cache = objectAt(tokens, 'cache')
  const reasoning = numberAt(tokens, 'reasoning')
  const output = numberAt(tokens, 'output')
  const cost = numberAt(part, 'cost')
  const usage = toUsage({
    input: numberAt(tokens, 'input'),
    output: output === undefined ? undefined : output + (reasoning ?? 0),
    cacheRead: numberAt(cache, 'read'),
    cacheWrite: numberAt(cache, 'write'),
    reasoning,
    // It reports zero when it does not know the price.
    usd: cost === 0 ? undefined : cost,
  })
  const reason = textAt(part, 'reason') ?? 'unknown'
  const ended: AgentEvent[] = reason === 'tool-calls' ? [] : [{ type: 'ended', ok: reason === 'stop', reason }]
  return [{ type: 'usage', counts: 'add', usage }, ...ended]
}

function readError(error: JsonObject): AgentEvent[] {
  const data = objectAt(error, 'data')
  const name = textAt(error, 'name') ?? 'error'
  const message = textAt(data, 'message') ?? name
  const headers = objectAt(data, 'responseHeaders')
  const [seconds, ms] = [textAt(headers, 'retry-after'), textAt(headers, 'retry-after-ms')]
  const wait = ms === undefined ? seconds : `${ms} ms`
  const said = `${message}${name === 'ContextOverflowError' ? ' (ContextOverflow)' : ''}${wait === undefined ? '' : ` (retry-after: ${wait})`}`
  return failedEndEvents(said, numberAt(data, 'statusCode'))
}

/** Finds the most recently used session of this folder in its list, in whatever order. */
function newestSession(stdout: string, cwd: string): string | null {
  const list = parseObject(`{"sessions":${stdout.trim() === '' ? '[]' : stdout}}`)
  const here = list === null ? [] : objectsAt(list, 'sessions').filter((one) => one['directory'] === cwd)
  const newest = here.toSorted((a, b) => (numberAt(b, 'updated') ?? 0) - (numberAt(a, 'updated') ?? 0))[0]
  return newest === undefined ? null : (textAt(newest, 'id') ?? null)
}
