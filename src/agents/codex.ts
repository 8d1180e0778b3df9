/** OpenAI Codex: `codex exec --json`. Facts measured on 0.166.0. */
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { permissionModesOf } from '../core/calls/known-agents.ts'
import { MCP_SERVER_NAME } from '../core/agent-output/calls/agent-report-calls.ts'
import { failedEndEvents, failureEvent } from './error-text/classify-failure.ts'
import {
  createDriver,
  restrictedAccess,
  flagArgs,
  unrestrictedAccess,
  FULL_USER_ACCESS_TEXT,
  type AgentAccess,
  type ToolPermissions,
} from './driver.ts'
import { objectAt, objectsAt, textAt, type JsonObject } from '../core/text/json.ts'
import { splitCommand } from '../core/text/shell.ts'
import {
  deniedEvent,
  describeToolInput,
  messageIdField,
  createJsonLineReader,
  remarkEvent,
  shortMessage,
  shortOutput,
  startedEvent,
  usageWithCachedInput,
} from './transport/normalize.ts'
import { resolvePermissionMode } from './tool-permission.ts'
import { OPENAI_PRICES } from './prices.ts'

export const codex = createDriver({
  name: 'codex',
  title: 'OpenAI Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  minVersion: '0.100.0',
  // As its own model list (0.166) describes them: for easier tasks, the workhorse, for the most demanding work.
  models: { light: 'gpt-6-luna', medium: 'gpt-6.1-sol', strong: 'gpt-6-astra' },
  prices: OPENAI_PRICES,
  keys: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  onDenied: (_denials, wishes) =>
    sandboxOf(wishes) === FREE
      ? { say: "A rule in Codex's own settings (~/.codex) denies it.", args: [] }
      : {
          say: 'Codex runs in a sandbox that can only write to the project (agent.permission).',
          args: ['--permission', 'bypass'],
        },
  login: {
    env: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    files: ['.codex/auth.json'],
    complete: true,
    command: 'codex login',
    status: {
      args: ['login', 'status'],
      read: ({ text }) => (/^not logged in/im.test(text) ? 'no' : /^logged in/im.test(text) ? 'yes' : 'unknown'),
    },
  },
  account: {
    vendor: 'openai',
    programs: ['codex-acp'],
    env: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'],
    folder: { env: 'CODEX_HOME', inHome: '.codex' },
  },
  call,
  access,
  read: createJsonLineReader({ event, noise: (line) => line === 'Reading additional input from stdin...' }),
})

const FREE = 'danger-full-access'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function call(request: AgentRequest) {
  return {
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      ...sandbox(request),
      ...flagArgs('-m', request.model),
      ...(request.effort === undefined ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(request.effort)}`]),
      ...mcp(request),
      // Options come before `resume`, which refuses them. Anything but a UUID would silently start a new thread.
      ...(request.resume !== undefined && UUID.test(request.resume) ? ['resume', request.resume] : []),
      '-',
    ],
  }
}

/** Added to the user's own servers. The variables that a server may read are listed by name. */
function mcp({ mcp: server }: AgentRequest): string[] {
  if (server === undefined) return []
  const { command, args, env } = server
  const table = [
    `command=${JSON.stringify(command)}`,
    `args=${JSON.stringify(args)}`,
    `env_vars=${JSON.stringify(Object.keys(env))}`,
  ]
  return ['-c', `mcp_servers.${MCP_SERVER_NAME}={${table.join(',')}}`]
}

/** The sandbox mounts `.git` read-only: without the extra folders no commit is possible. */
function sandbox(request: AgentRequest): string[] {
  if (request.readOnly === true) return ['--sandbox', 'read-only']
  const mode = sandboxOf(request)
  const dirs = mode === 'workspace-write' ? request.extraDirs.flatMap((dir) => ['--add-dir', dir]) : []
  return [...flagArgs('--sandbox', mode), ...dirs]
}

/** It has no tool list: its sandbox restricts it instead. */
function sandboxOf(wishes: ToolPermissions): string {
  // A call without permissions is sandboxed as well.
  const how = wishes.permission === undefined ? 'list' : resolvePermissionMode(wishes, permissionModesOf('codex'))
  if (typeof how !== 'string') return how.own
  return how === 'bypass' ? FREE : 'workspace-write'
}

/** Reading is not restricted; network and further folders follow the user's own Codex settings. */
function access(request: ToolPermissions): AgentAccess {
  const mode = sandboxOf(request)
  switch (mode) {
    case FREE:
      return unrestrictedAccess(`no sandbox: ${FULL_USER_ACCESS_TEXT}`)
    case 'read-only':
      return restrictedAccess(
        'sandbox read-only: reads anything your user can, writes nothing; no network for commands',
      )
    default:
      return restrictedAccess(
        `sandbox ${mode} (Codex has no tool list): reads anything your user can; writes the project, its git folder and temporary folders; no network for commands`,
      )
  }
}

function event(json: JsonObject, line: string): AgentEvent[] | null {
  switch (json['type']) {
    case 'thread.started':
      return [startedEvent(textAt(json, 'thread_id'))]
    case 'turn.started':
    case 'item.updated':
      return []
    case 'item.started':
      return readStarted(objectAt(json, 'item'))
    case 'item.completed':
      return readCompleted(objectAt(json, 'item'))
    case 'turn.completed':
      return [
        { type: 'usage', counts: 'conversation', usage: usageIn(objectAt(json, 'usage')) },
        { type: 'ended', ok: true, reason: 'completed' },
      ]
    case 'turn.failed':
      return failedEndEvents(textAt(objectAt(json, 'error'), 'message') ?? 'the turn failed')
    case 'error':
      return readError(textAt(json, 'message') ?? line)
    default:
      return null
  }
}

/** Not final in itself: codex reconnects, and a final error is repeated as `turn.failed`. */
function readError(message: string): AgentEvent[] {
  const retry = /^Reconnecting\.\.\. \d+\/\d+ \((.*)\)$/s.exec(message)
  return [failureEvent(retry?.[1] ?? message)]
}

function readStarted(item: JsonObject): AgentEvent[] {
  const id = textAt(item, 'id') ?? null
  switch (item['type']) {
    case 'command_execution':
      return [{ type: 'tool', id, name: 'shell', input: shortMessage(commandOf(item)), paths: [] }]
    case 'file_change': {
      const paths = objectsAt(item, 'changes').flatMap((change) => textAt(change, 'path') ?? [])
      return [{ type: 'tool', id, name: 'edit', input: shortMessage(paths.join(', ')), paths }]
    }
    case 'mcp_tool_call': {
      const name = [textAt(item, 'server'), textAt(item, 'tool')].filter((part) => part !== undefined).join('.')
      return [{ type: 'tool', id, name, ...describeToolInput(objectAt(item, 'arguments')) }]
    }
    case 'web_search':
      return [{ type: 'tool', id, name: 'web_search', input: shortMessage(textAt(item, 'query') ?? ''), paths: [] }]
    default:
      return []
  }
}

/** The model's command, without the shell that codex wraps around it. */
function commandOf(item: JsonObject): string {
  const command = textAt(item, 'command') ?? ''
  const [shell = '', flag = '', inner, ...more] = splitCommand(command) ?? []
  const isWrapped = /^(?:\S*\/)?(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag) && more.length === 0
  return isWrapped && inner !== undefined ? inner : command
}

function readCompleted(item: JsonObject): AgentEvent[] {
  const id = textAt(item, 'id') ?? null
  const status = textAt(item, 'status')
  switch (item['type']) {
    case 'agent_message':
      return [{ type: 'text', text: textAt(item, 'text') ?? '', delta: false, ...messageIdField(id) }]
    case 'reasoning':
      return [{ type: 'thought', text: textAt(item, 'text') ?? '' }]
    case 'command_execution': {
      const output = shortOutput(textAt(item, 'aggregated_output') ?? '')
      const ended: AgentEvent = { type: 'tool-ended', id, ok: status === 'completed', output }
      return status === 'declined' ? [deniedEvent('shell', commandOf(item)), ended] : [ended]
    }
    case 'file_change':
      return [{ type: 'tool-ended', id, ok: status === 'completed', output: '' }]
    case 'mcp_tool_call': {
      const error = textAt(objectAt(item, 'error'), 'message')
      return [{ type: 'tool-ended', id, ok: status === 'completed', output: shortOutput(error ?? '') }]
    }
    case 'web_search':
      return [{ type: 'tool-ended', id, ok: true, output: '' }]
    case 'todo_list':
      return []
    // Only a warning, such as an unknown model.
    case 'error':
      return [remarkEvent(textAt(item, 'message') ?? 'warning')]
    default:
      return [remarkEvent(JSON.stringify(item))]
  }
}

/** Totals of the whole thread, also after a resume. */
function usageIn(usage: JsonObject) {
  return usageWithCachedInput(usage, {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cached_input_tokens',
    cacheWrite: 'cache_write_input_tokens',
    reasoning: 'reasoning_output_tokens',
  })
}
