/** Gemini CLI: `gemini -o stream-json`. Facts measured on 0.61.0. */
import type { AgentEvent, AgentRequest, FailureKind } from '../core/calls/agent-io.ts'
import { permissionModesOf } from '../core/calls/known-agents.ts'
import { commandPrefixes, canWriteFiles, describeTools } from '../core/calls/tool-list.ts'
import { assetPath } from '../system/files/files.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { failedEndEvents, failureEvent, failureAtExit } from './error-text/classify-failure.ts'
import {
  createDriver,
  restrictedAccess,
  externalFolders,
  flagArgs,
  unrestrictedAccess,
  FULL_USER_ACCESS_TEXT,
  type Exit,
  type AgentAccess,
  type ToolPermissions,
} from './driver.ts'
import { numberAt, objectAt, textAt, type JsonObject } from '../core/text/json.ts'
import {
  describeToolInput,
  createJsonLineReader,
  remarkEvent,
  shortOutput,
  startedEvent,
  usageAt,
  usageWithCachedInput,
} from './transport/normalize.ts'
import { resolvePermissionMode } from './tool-permission.ts'
import { GOOGLE_PRICES } from './prices.ts'

export const gemini = createDriver({
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  minVersion: '0.30.0',
  capabilities: { tools: 'partly', effort: 'no', mcp: 'no' },
  // Names that always mean the newest model of their kind.
  models: { light: 'flash-lite', medium: 'flash', strong: 'pro' },
  prices: GOOGLE_PRICES,
  keys: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_*'],
  onDenied: (denials, wishes) => {
    if (modeOf(wishes) === 'yolo') return { say: 'Allow it in ~/.gemini/settings.json.', args: [] }
    if (isListed(wishes)) return suggestAllowedTools(denials, wishes.tools ?? [])
    const say = `Approval mode ${modeOf(wishes)} denies it (agent.permission).`
    return { say, args: ['--permission', 'list'] }
  },
  login: {
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json', '.gemini/google_accounts.json'],
    complete: false,
    command: 'gemini',
    inside: '/auth',
  },
  account: {
    vendor: 'google',
    programs: ['gemini-cli'],
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT'],
    folder: { env: null, inHome: '.gemini' },
  },
  call,
  access,
  read: createJsonLineReader({ event, stderr: readStderr }),
  exited,
})

function call(request: AgentRequest) {
  const mode = modeOf(request)
  return {
    args: [
      '-o',
      'stream-json',
      '--skip-trust',
      ...(request.readOnly === true ? readOnly() : ['--approval-mode', mode, ...listed(request)]),
      ...flagArgs('-m', request.model),
      ...externalFolders(request).flatMap((dir) => ['--include-directories', dir]),
      ...flagArgs('--resume', request.resume),
    ],
    // Otherwise it runs in a child process that ignores signals and outlives its parent.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  }
}

function modeOf(wishes: ToolPermissions): string {
  const how = resolvePermissionMode(wishes, permissionModesOf('gemini'))
  if (typeof how !== 'string') return how.own
  if (how === 'bypass') return 'yolo'
  return how === 'edits' || canWriteFiles(wishes.tools ?? []) ? 'auto_edit' : 'default'
}

/** A mode of its own restricts commands by a list only if there is one. */
function isListed(wishes: ToolPermissions): boolean {
  return modeOf(wishes) !== 'yolo' && (wishes.tools !== undefined || wishes.permission === 'edits')
}

/** Commands that its policy allows in addition to the mode; it would ask about all others, so they are denied. */
function listed(wishes: ToolPermissions): string[] {
  if (!isListed(wishes)) return []
  const { all, commands } = commandPrefixes(wishes.tools ?? [])
  const shell = all ? ['run_shell_command'] : commands.map((command) => `run_shell_command(${command})`)
  return shell.flatMap((tool) => ['--allowed-tools', tool])
}

/** No person answers: tools that a mode would ask about are not offered to the model. */
function access(request: ToolPermissions): AgentAccess {
  const commands = isListed(request) ? describeTools(request.tools ?? []) : ''
  const { all, commands: allowed } = commandPrefixes(isListed(request) ? (request.tools ?? []) : [])
  const list = { commands: all ? ('any' as const) : allowed.length, otherwise: 'denied' as const }
  const orListed = (none: string): string => (commands === '' ? none : `allowed without asking: ${commands}`)
  switch (modeOf(request)) {
    case 'default':
      return restrictedAccess(
        `approval mode default: reads the project; ${orListed('neither writes files nor runs commands')}`,
        { ...list, edits: false },
      )
    case 'auto_edit':
      return restrictedAccess(
        `approval mode auto_edit: reads and writes the project; ${orListed('runs no commands')}`,
        { ...list, edits: true },
      )
    case 'plan':
      return unrestrictedAccess(`approval mode plan; if the model leaves this mode, it ${FULL_USER_ACCESS_TEXT}`)
    default:
      return unrestrictedAccess()
  }
}

/** None of its modes is read-only: unattended, the model may enter plan mode and leave it again, and then has every tool. */
function readOnly(): string[] {
  return ['--approval-mode', 'default', '--admin-policy', assetPath('agents/gemini-read-only.toml')]
}

function event(json: JsonObject, line: string): AgentEvent[] | null {
  switch (json['type']) {
    case 'init':
      return [startedEvent(textAt(json, 'session_id'), { model: textAt(json, 'model') })]
    case 'message': {
      // It echoes the complete prompt.
      if (json['role'] !== 'assistant') return []
      return [{ type: 'text', text: textAt(json, 'content') ?? '', delta: json['delta'] === true }]
    }
    case 'tool_use': {
      const [id, name] = [textAt(json, 'tool_id') ?? null, textAt(json, 'tool_name') ?? 'tool']
      return [{ type: 'tool', id, name, ...describeToolInput(objectAt(json, 'parameters')) }]
    }
    case 'tool_result':
      return readToolEnd(json)
    case 'error': {
      const message = textAt(json, 'message') ?? line
      return [json['severity'] === 'warning' ? remarkEvent(message) : failureEvent(message)]
    }
    case 'result':
      return readResult(json)
    default:
      return null
  }
}

const DENIED = /^Tool execution denied by policy/

function readToolEnd(json: JsonObject): AgentEvent[] {
  const id = textAt(json, 'tool_id')
  const output = textAt(json, 'output') ?? textAt(objectAt(json, 'error'), 'message') ?? ''
  const ok = json['status'] === 'success'
  const ended: AgentEvent = { type: 'tool-ended', id: id ?? null, ok, output: shortOutput(output) }
  if (ok || !DENIED.test(output)) return [ended]
  // The id begins with the name of the tool.
  const tool = id?.split('__')[0] ?? 'tool'
  return [{ type: 'denied', tool, ...(id === undefined ? {} : { call: id }) }, ended]
}

function readResult(json: JsonObject): AgentEvent[] {
  const usage = readStats(objectAt(json, 'stats'))
  if (json['status'] === 'success') return [...usage, { type: 'ended', ok: true, reason: 'success' }]
  return [...usage, ...failedEndEvents(textAt(objectAt(json, 'error'), 'message') ?? 'error')]
}

/** Per model if it reports models: it uses small ones for small things, at a tenth of the price. */
function readStats(stats: JsonObject): AgentEvent[] {
  const models = objectAt(stats, 'models')
  const names = Object.keys(models)
  if (names.length === 0) return [{ type: 'usage', counts: 'total', usage: usageIn(stats) }]
  return names.map((model) => ({ type: 'usage', counts: 'add', usage: usageIn(objectAt(models, model)), model }))
}

function usageIn(stats: JsonObject) {
  const others = { output: 'output_tokens', cacheRead: 'cached' }
  return numberAt(stats, 'input') === undefined
    ? usageWithCachedInput(stats, { input: 'input_tokens', ...others })
    : usageAt(stats, { input: 'input', ...others })
}

/** Its start messages, and the remaining lines of an error that its first line has reported. */
const NOISE = /^(?:Warning: |YOLO mode is enabled|Loaded cached credentials|  ?status: \d+$|\}$)/

/** It retries for minutes with nothing on stdout; stderr is the only sign. */
function readStderr(line: string): AgentEvent[] {
  if (NOISE.test(line)) return []
  const retry = /^Attempt \d+ failed(?: with status (\d+))?/.exec(line)
  if (retry === null) return [remarkEvent(line)]
  const status = retry[1] === undefined ? undefined : Number(retry[1])
  return [failureEvent(line, { status })]
}

/** From its source; an API failure exits with the HTTP status modulo 256. */
const EXITS: Record<number, FailureKind> = {
  41: 'authentication',
  42: 'bad-conversation',
  44: 'permission',
  52: 'bad-request',
  55: 'permission',
  144: 'bad-request',
  145: 'authentication',
  147: 'permission',
  244: 'server',
  247: 'server',
}

function exited(end: Exit): AgentEvent | null {
  const said = failureAtExit({ ...end, stderrTail: withoutNoise(end.stderrTail) })
  const kind = end.code === null ? undefined : EXITS[end.code]
  if (kind === undefined || (said !== null && said.kind !== 'unknown')) return said
  const message = said?.message ?? `exit code ${end.code}`
  return { type: 'failed', kind, message }
}

function withoutNoise(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !NOISE.test(line))
    .join('\n')
}
