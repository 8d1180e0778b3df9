/** GitHub Copilot CLI: `copilot --output-format json`. Facts measured on 1.0.102. */
import { join } from 'node:path'
import type { AgentEvent, AgentRequest } from '../core/calls/agent-io.ts'
import { commandPrefixes, canWriteFiles } from '../core/calls/tool-list.ts'
import { MCP_SERVER_NAME } from '../core/agent-output/calls/agent-report-calls.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { failureEvent } from './error-text/classify-failure.ts'
import {
  createDriver,
  ABORTED_REASON,
  flagArgs,
  toolListAccess,
  unrestrictedAccess,
  type AgentAccess,
  type ToolPermissions,
} from './driver.ts'
import { asObject, numberAt, objectAt, parseObject, textAt, type JsonObject } from '../core/text/json.ts'
import {
  describeToolInput,
  messageIdField,
  createJsonLineReader,
  remarkEvent,
  shortOutput,
  startedEvent,
  usageWithCachedInput,
} from './transport/normalize.ts'
import { resolvePermissionMode } from './tool-permission.ts'
import { ANY_VENDOR_PRICES } from './prices.ts'
import { splitWords } from '../core/text/split-words.ts'

export const copilot = createDriver({
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  minVersion: '1.0.0',
  capabilities: { tools: 'partly' },
  prices: ANY_VENDOR_PRICES,
  keys: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'],
  onDenied: (denials, wishes) =>
    resolvePermissionMode(wishes, null) === 'bypass'
      ? {
          say: 'Copilot denied a tool although it runs with --yolo: check its settings for deny rules.',
          args: [],
        }
      : suggestAllowedTools(denials, wishes.tools ?? []),
  login: {
    env: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: [],
    // It keeps its login in the system's keychain, or uses that of `gh`.
    complete: false,
    command: 'copilot login',
  },
  account: {
    vendor: 'github',
    programs: [],
    env: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST', 'COPILOT_PROVIDER_BASE_URL'],
    folder: { env: null, inHome: '.copilot' },
  },
  call,
  access,
  // Most lines are noise, recognizable without parsing.
  read: createJsonLineReader({ event, noise: (line) => NOISE.has(/^\{"type":"([\w.]+)"/.exec(line)?.[1] ?? '') }),
  readUsageFile,
})

/** Never `--autopilot`: it prompts the model again after its final answer, up to fifty times. */
function call(request: AgentRequest) {
  const usageFile = join(request.scratch, 'copilot-usage.json')
  const readOnly = '--yolo --available-tools view grep glob --deny-tool write --deny-tool shell'.split(' ')
  return {
    args: [
      '--output-format',
      'json',
      '--no-ask-user',
      ...(request.readOnly === true ? readOnly : permissions(request)),
      ...flagArgs('--usage-output-file', usageFile),
      ...flagArgs('--model', request.model),
      ...flagArgs('--reasoning-effort', request.effort),
      ...flagArgs('--resume', request.resume),
      ...mcp(request),
    ],
    env: { COPILOT_AUTO_UPDATE: 'false' },
    usageFile,
  }
}

/** Added to the user's own servers. */
function mcp({ mcp: server }: AgentRequest): string[] {
  if (server === undefined) return []
  const env = Object.fromEntries(Object.keys(server.env).map((name) => [name, `\${${name}}`]))
  const { command, args } = server
  const config = { mcpServers: { [MCP_SERVER_NAME]: { type: 'local', command, args, env, tools: ['*'] } } }
  return ['--additional-mcp-config', JSON.stringify(config), '--allow-tool', MCP_SERVER_NAME]
}

/** Tools that are not listed are denied, because no person answers. */
function permissions(wishes: ToolPermissions): string[] {
  const how = resolvePermissionMode(wishes, null)
  if (how === 'bypass') return ['--yolo']
  const { all, commands } = commandPrefixes(wishes.tools ?? [])
  const shell = all ? ['shell'] : commands.map((command) => `shell(${command}:*)`)
  const write = how === 'edits' || canWriteFiles(wishes.tools ?? []) ? ['write'] : []
  return [...write, ...shell].flatMap((tool) => ['--allow-tool', tool])
}

function access(wishes: ToolPermissions): AgentAccess {
  const how = resolvePermissionMode(wishes, null)
  return how === 'bypass' ? unrestrictedAccess() : toolListAccess(how, wishes.tools)
}

/** Heartbeats, and content that another event repeats. */
const NOISE = new Set([
  ...splitWords(`
    agent.interrupted assistant.idle assistant.message_delta assistant.message_start
    assistant.reasoning_delta assistant.tool_call_delta assistant.turn_end assistant.turn_retry
    assistant.turn_start model.call_final_result model.call_finished model.call_start
    session.background_tasks_changed session.info session.mcp_server_status_changed
    session.mcp_server_tools_loaded session.mcp_servers_loaded session.skills_loaded
    session.tools_updated tool.execution_partial_result tool.shell_output
  `),
  // The complete prompt, echoed.
  'user.message',
])

function event(json: JsonObject): AgentEvent[] | null {
  const data = objectAt(json, 'data')
  switch (json['type']) {
    case 'assistant.message': {
      // Empty if the model only calls tools.
      const text = textAt(data, 'content') ?? ''
      if (text === '') return []
      // A sub-agent does not talk to us.
      return [
        textAt(data, 'parentToolCallId') === undefined
          ? { type: 'text', text, delta: false, ...messageIdField(data['messageId']) }
          : { type: 'thought', text },
      ]
    }
    case 'assistant.reasoning':
      return [{ type: 'thought', text: textAt(data, 'content') ?? '' }]
    case 'tool.execution_start': {
      const name = textAt(data, 'toolName') ?? 'tool'
      const id = textAt(data, 'toolCallId') ?? null
      return [{ type: 'tool', id, name, ...describeToolInput(objectAt(data, 'arguments')) }]
    }
    case 'tool.execution_complete':
      return readToolEnd(data)
    case 'model.call_failure':
      return [
        failureEvent(textAt(data, 'errorMessage') ?? 'the model call failed', { status: numberAt(data, 'statusCode') }),
      ]
    case 'session.error':
      return [failureEvent(errorText(data), { status: numberAt(data, 'statusCode') })]
    // After an interrupt it still ends with a successful result.
    case 'abort':
      return [{ type: 'ended', ok: false, reason: ABORTED_REASON }]
    case 'result':
      return readResult(json)
    default:
      return null
  }
}

function errorText(data: JsonObject): string {
  return textAt(data, 'message') ?? textAt(data, 'errorType') ?? 'error'
}

function readToolEnd(data: JsonObject): AgentEvent[] {
  const error = objectAt(data, 'error')
  const id = textAt(data, 'toolCallId') ?? null
  const exit = numberAt(objectAt(data, 'shellExecution'), 'exitCode') ?? 0
  const output = textAt(error, 'message') ?? textAt(objectAt(data, 'result'), 'content') ?? ''
  const ended: AgentEvent = {
    type: 'tool-ended',
    id,
    ok: data['success'] === true && exit === 0,
    output: shortOutput(output),
  }
  if (textAt(error, 'code') !== 'denied') return [ended]
  return [{ type: 'denied', tool: deniedTool(data), ...(id === null ? {} : { call: id }) }, ended]
}

/** The event does not name its tool, but its telemetry shows whether it was the editor or the shell. */
function deniedTool(data: JsonObject): string {
  const properties = objectAt(objectAt(data, 'toolTelemetry'), 'properties')
  return textAt(properties, 'command') ?? (textAt(properties, 'shell_error_category') === undefined ? 'tool' : 'shell')
}

/** The last line, in an envelope of its own, and the only one that names the conversation. */
function readResult(json: JsonObject): AgentEvent[] {
  const code = numberAt(json, 'exitCode') ?? 1
  return [
    startedEvent(textAt(json, 'sessionId')),
    { type: 'ended', ok: code === 0, reason: code === 0 ? 'success' : `exit code ${code}` },
  ]
}

/** Tokens are not in the stream; they are in the file named by `--usage-output-file`. */
function readUsageFile(text: string): AgentEvent[] {
  const models = asObject(parseObject(text)?.['modelMetrics'])
  if (models === null) return [remarkEvent('the usage file could not be read')]
  return Object.keys(models).map((model): AgentEvent => {
    const usage = objectAt(objectAt(models, model), 'usage')
    const told = usageWithCachedInput(usage, {
      input: 'inputTokens',
      output: 'outputTokens',
      cacheRead: 'cacheReadTokens',
      cacheWrite: 'cacheWriteTokens',
      reasoning: 'reasoningTokens',
    })
    return { type: 'usage', counts: 'add', usage: told, model }
  })
}
