/** Claude Code: `claude -p --output-format stream-json`, or another format on request. Facts measured on 2.1.325. */
import type { AgentEvent, AgentRequest, Capabilities, Usage } from '../core/calls/agent-io.ts'
import { permissionModesOf } from '../core/calls/known-agents.ts'
import { jsonReplyFromDocuments } from '../core/agent-output/json-reply.ts'
import { MCP_SERVER_NAME } from '../core/agent-output/calls/agent-report-calls.ts'
import type { AllowAdvice, Denial } from '../core/agent-output/reply.ts'
import { canWriteFiles, parseToolEntry, describeTools } from '../core/calls/tool-list.ts'
import { suggestAllowedTools } from './suggest-allowed-tools.ts'
import { failedEndEvents, failureEvent, failureAtExit } from './error-text/classify-failure.ts'
import {
  createDriver,
  listAllowance,
  restrictedAccess,
  externalFolders,
  flagArgs,
  promptWithSystem,
  unrestrictedAccess,
  type Exit,
  type AgentAccess,
  type LoginState,
  type ToolPermissions,
} from './driver.ts'
import { asObject, numberAt, objectAt, asObjects, objectsAt, textAt, type JsonObject } from '../core/text/json.ts'
import {
  deniedEvent,
  describeToolInput,
  messageIdField,
  createJsonLineReader,
  remarkEvent,
  shortOutput,
  startedEvent,
  toUsage,
  usageAt,
} from './transport/normalize.ts'
import { trailingLimitNotice, findLimitNotice } from './error-text/limit-notice.ts'
import { resolvePermissionMode, type NonInteractiveMode } from './tool-permission.ts'
import { ANTHROPIC_PRICES } from './prices.ts'
import { splitWords } from '../core/text/split-words.ts'

const CAPABILITIES: Capabilities = {
  tools: 'yes',
  resume: 'yes',
  streaming: 'yes',
  tokens: 'yes',
  cost: 'yes',
  readOnly: 'yes',
  model: 'yes',
  effort: 'yes',
  system: 'yes',
  maxTurns: 'yes',
  mcp: 'yes',
}

/** Partial messages; the complete message follows. */
const PIECE = '{"type":"stream_event"'
const FROM_USER = '{"type":"user","message":{'

export const claude = createDriver({
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  minVersion: '2.0.76',
  capabilities: CAPABILITIES,
  // Text output is the final message and nothing else: no conversation, usage or denials.
  formats: {
    json: { ...CAPABILITIES, streaming: 'no' },
    text: { ...CAPABILITIES, streaming: 'no', resume: 'no', tokens: 'no', cost: 'no' },
  },
  // Names that always mean the newest model of their kind.
  models: { light: 'haiku', medium: 'sonnet', strong: 'opus' },
  liveUsage: 'tokens',
  prices: ANTHROPIC_PRICES,
  keys: splitWords(`
    ANTHROPIC_* CLAUDE_* AWS_BEARER_TOKEN_BEDROCK API_TIMEOUT_MS BASH_DEFAULT_TIMEOUT_MS
    BASH_MAX_TIMEOUT_MS DISABLE_AUTOUPDATER DISABLE_ERROR_REPORTING DISABLE_TELEMETRY IS_SANDBOX
    MAX_THINKING_TOKENS MCP_TIMEOUT MCP_TOOL_TIMEOUT
  `),
  toolNames: splitWords(`
    Agent AskUserQuestion Bash BashOutput Edit Glob Grep KillShell MultiEdit NotebookEdit
    NotebookRead Read Skill Task TodoWrite WebFetch WebSearch Write
  `),
  onDenied,
  login: {
    env: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: ['.claude/.credentials.json'],
    // macOS keeps the login in its keychain.
    complete: false,
    command: 'claude auth login',
    status: { args: ['auth', 'status'], read: readLogin },
  },
  account: {
    vendor: 'anthropic',
    programs: ['claude-code', 'claude-agent-acp', 'claude-code-acp'],
    env: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'AWS_BEARER_TOKEN_BEDROCK',
    ],
    folder: { env: 'CLAUDE_CONFIG_DIR', inHome: '.claude' },
  },
  // As root, bypassPermissions ends with exit 1 unless this declares the machine disposable.
  whenRoot: { IS_SANDBOX: '1' },
  call,
  access,
  // Partial messages make up most of a stream that has them, and are not worth parsing.
  read: createJsonLineReader({ event: readEvent, noise: (line) => line.startsWith(PIECE) }),
  brief: [
    { begins: PIECE, read: () => [] },
    { begins: FROM_USER, read: briefResult },
  ],
  shapes: { event: readEvent, answer: readAnswer, text: readText },
  exited,
})

/** It prints JSON; older versions, which lack the command, print something else. */
function readLogin({ text }: { text: string }): LoginState {
  const said = /"loggedIn":\s*(true|false)/.exec(text)?.[1]
  return said === undefined ? 'unknown' : said === 'true' ? 'yes' : 'no'
}

const BYPASS = 'bypassPermissions'

/** One argument may be 128 KiB on Linux; longer system text goes in front of the prompt, over stdin. */
const ARGUMENT_MAX = 100_000

function call(request: AgentRequest) {
  const systemFits = request.system !== undefined && Buffer.byteLength(request.system) <= ARGUMENT_MAX
  return {
    args: [
      '-p',
      ...FORMAT[request.format ?? 'stream-json'],
      ...permissions(request),
      ...flagArgs('--model', request.model),
      ...flagArgs('--effort', request.effort),
      ...flagArgs('--max-turns', request.maxTurns),
      ...flagArgs('--resume', request.resume),
      ...flagArgs('--mcp-config', mcpConfig(request)),
      ...externalFolders(request).flatMap((dir) => ['--add-dir', dir]),
      ...(systemFits ? flagArgs('--append-system-prompt', request.system) : []),
    ],
    stdin: systemFits ? request.prompt : promptWithSystem(request),
  }
}

/** Added to the user's own servers. The program fills in variables of its environment, so that no command line shows a secret. */
function mcpConfig({ mcp }: AgentRequest): string | undefined {
  if (mcp === undefined) return undefined
  const { command, args } = mcp
  const env = Object.fromEntries(Object.keys(mcp.env).map((name) => [name, `\${${name}}`]))
  return JSON.stringify({ mcpServers: { [MCP_SERVER_NAME]: { command, args, env, alwaysLoad: true } } })
}

/** Without a format it writes text. */
const FORMAT = {
  'stream-json': ['--output-format', 'stream-json', '--verbose'],
  json: ['--output-format', 'json'],
  text: [],
}

/** Newer versions call `default` `manual` and accept both. */
const OWN_MODES: Record<NonInteractiveMode, string> = { list: 'default', edits: 'acceptEdits', bypass: BYPASS }

/** A tool list under bypassPermissions restricts nothing, so the two are never combined; in every other mode tools that are not listed
 *  are denied. Read-only removes the other tools altogether. */
function permissions(request: AgentRequest): string[] {
  if (request.readOnly === true) {
    return ['--permission-mode', 'default', '--strict-mcp-config', '--tools', 'Read,Glob,Grep']
  }
  const mode = modeOf(request)
  const ours = request.mcp === undefined ? [] : [`mcp__${MCP_SERVER_NAME}`]
  const tools = mode === BYPASS ? [] : [...listFor(mode, request), ...ours]
  return [
    '--permission-mode',
    mode,
    ...many(
      '--allowedTools',
      tools.filter((entry) => !parseToolEntry(entry).never),
    ),
    ...many(
      '--disallowedTools',
      tools.filter((entry) => parseToolEntry(entry).never).map((entry) => entry.replace(/^\s*!\s*/, '')),
    ),
  ]
}

/** In plan mode an allowed editor would write files all the same, so those are left out. */
function listFor(mode: string, { tools = [] }: ToolPermissions): string[] {
  return mode === 'plan' ? tools.filter((entry) => !canWriteFiles([entry])) : tools
}

function many(flag: string, values: string[]): string[] {
  return values.length === 0 ? [] : [flag, ...values]
}

function modeOf(wishes: ToolPermissions): string {
  const how = resolvePermissionMode(wishes, permissionModesOf('claude'))
  return typeof how === 'string' ? OWN_MODES[how] : how.own
}

function onDenied(denials: Denial[], wishes: ToolPermissions): AllowAdvice {
  const mode = modeOf(wishes)
  if (mode === BYPASS) return { say: 'A "permissions" rule in a settings file of Claude Code denies it.', args: [] }
  if (wishes.tools === undefined || mode === 'plan')
    return { say: `Permission mode ${mode} denies it (agent.permission).`, args: ['--permission', 'list'] }
  return suggestAllowedTools(denials, wishes.tools)
}

/** In addition to these, the user's own Claude settings apply. A command that may run is not sandboxed. */
function access(request: ToolPermissions): AgentAccess {
  const mode = modeOf(request)
  const tools = listFor(mode, request)
  const listed = tools.length === 0 ? '' : `; allowed without asking: ${describeTools(tools)}`
  const rest = 'everything else is denied; commands run with your permissions'
  switch (mode) {
    case BYPASS:
      return unrestrictedAccess()
    case 'plan':
      return restrictedAccess(`permission mode plan: reads the project, edits no files${listed}; ${rest}`)
    case 'acceptEdits':
      return restrictedAccess(
        `permission mode acceptEdits: reads and writes the project${listed}; ${rest}`,
        listAllowance('edits', tools),
      )
    case 'auto':
      return restrictedAccess(
        'permission mode auto: Claude Code decides about each call itself; allowed calls run with your permissions',
      )
    default:
      return restrictedAccess(
        `permission mode ${mode}: reads the project${listed}; ${rest}`,
        listAllowance('list', tools),
      )
  }
}

/** The result of a tool call that succeeded: nine tenths of a stream. */
function briefResult(line: Buffer): AgentEvent[] | null {
  const result = RESULT.exec(line.toString('latin1', 0, RESULT_MAX))
  if (result === null || line[line.length - 1] !== BRACE || mayHaveFailed(line)) return null
  return [{ type: 'tool-ended', id: result[1] ?? result[2] ?? null, ok: true, output: '' }]
}

const RESULT =
  /^\{"type":"user","message":\{(?:"role":"user",)?"content":\[\{(?:"tool_use_id":"([\w-]{1,64})","type":"tool_result"|"type":"tool_result","tool_use_id":"([\w-]{1,64})"),"content":/
const RESULT_MAX = 180
const BRACE = '}'.charCodeAt(0)

/** `is_error` follows the tool's output, which cannot contain it: inside a text the quotation marks are escaped. */
function mayHaveFailed(line: Buffer): boolean {
  for (let at = line.indexOf(ERROR_KEY); at !== -1; at = line.indexOf(ERROR_KEY, at + 1)) {
    const key = line.toString('latin1', at - 3, at + ERROR_KEY.length + 6)
    if (key.startsWith('"is') && key !== '"is_error":false') return true
  }
  return false
}

/** Searched for by its rarest part. */
const ERROR_KEY = Buffer.from('_error"')

/** Null: an unknown kind of event. */
function readEvent(json: JsonObject): AgentEvent[] | null {
  switch (json['type']) {
    case 'system':
      return readSystem(json)
    case 'assistant':
      return readAssistant(json)
    case 'user':
      return readToolResults(json)
    case 'result':
      return readResult(json)
    case 'rate_limit_event':
      return readRateLimit(objectAt(json, 'rate_limit_info'))
    // Heartbeats, and partial messages that follow in full.
    case 'tool_progress':
    case 'keep_alive':
    case 'stream_event':
      return []
    default:
      return null
  }
}

function readSystem(json: JsonObject): AgentEvent[] {
  switch (json['subtype']) {
    case 'init': {
      const version = textAt(json, 'claude_code_version')
      return [startedEvent(textAt(json, 'session_id'), { model: textAt(json, 'model'), version })]
    }
    case 'api_retry': {
      const status = numberAt(json, 'error_status')
      const message = `${retriedFor(json)}${status === undefined ? '' : ` (${status})`}, retry ${numberAt(json, 'attempt') ?? '?'} of ${numberAt(json, 'max_retries') ?? '?'}`
      return [failureEvent(message, { status })]
    }
    case 'compact_boundary':
      return [{ type: 'remark', text: 'Claude Code compacted the session' }]
    default:
      return []
  }
}

/** A status of null means that no answer came, or only a part of it; the error is called unknown then. */
function retriedFor(json: JsonObject): string {
  const error = textAt(json, 'error') ?? 'error'
  return error === 'unknown' && json['error_status'] === null ? 'connection lost' : error
}

/** Most parsed lines pass through here, so fields are read directly: `textAt` and the like, which accept any name, take several times
 *  as long. */
function readAssistant(json: JsonObject): AgentEvent[] {
  const message = asObject(json['message']) ?? {}
  // Claude Code reports its own errors as assistant messages; the result line repeats them as errors.
  const synthetic = message['model'] === '<synthetic>'
  const subagent = typeof json['parent_tool_use_id'] === 'string'
  const said: AgentEvent[] = []
  for (const block of asObjects(message['content'])) {
    const event = readBlock(block, { synthetic, subagent, id: message['id'] })
    if (event !== null) said.push(event)
  }
  if (!synthetic) said.push(...readUsage(message))
  return said
}

function readBlock(
  block: JsonObject,
  { synthetic, subagent, id }: { synthetic: boolean; subagent: boolean; id: unknown },
): AgentEvent | null {
  switch (block['type']) {
    case 'text': {
      const text = typeof block['text'] === 'string' ? block['text'] : ''
      if (synthetic) return remarkEvent(text)
      // A sub-agent does not talk to us: a status block of its own must not count.
      return subagent ? { type: 'thought', text } : { type: 'text', text, delta: false, ...messageIdField(id) }
    }
    case 'thinking':
      return { type: 'thought', text: textAt(block, 'thinking') ?? '' }
    case 'tool_use':
    case 'server_tool_use': {
      const { input, paths } = describeToolInput(objectAt(block, 'input'))
      return {
        type: 'tool',
        id: typeof block['id'] === 'string' ? block['id'] : null,
        name: typeof block['name'] === 'string' ? block['name'] : 'tool',
        input,
        paths,
      }
    }
    default:
      return null
  }
}

/** Each block of a message is a line of its own with the usage of the whole message: input and cache as billed, output as counted when
 *  the message began. A sub-agent's message costs like any other. */
function readUsage(message: JsonObject): AgentEvent[] {
  if (message['usage'] === undefined) return []
  const id = textAt(message, 'id')
  const usage = tokensIn(objectAt(message, 'usage'))
  if (id === undefined || Object.keys(usage).length === 0) return []
  const model = textAt(message, 'model')
  return [{ type: 'usage', counts: 'message', message: id, usage, ...(model === undefined ? {} : { model }) }]
}

function readToolResults(json: JsonObject): AgentEvent[] {
  return objectsAt(objectAt(json, 'message'), 'content')
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => ({
      type: 'tool-ended',
      id: textAt(block, 'tool_use_id') ?? null,
      ok: block['is_error'] !== true,
      output: shortOutput(textAt(block, 'content') ?? textOf(objectsAt(block, 'content'))),
    }))
}

function textOf(blocks: JsonObject[]): string {
  return blocks.map((block) => textAt(block, 'text') ?? '').join('\n')
}

/** `status` is `allowed`, `allowed_warning` or `rejected`; only the last stops anything. */
function readRateLimit(info: JsonObject): AgentEvent[] {
  if (info['status'] !== 'rejected') return []
  const window = textAt(info, 'rateLimitType')?.replaceAll('_', ' ')
  const resetsAt = numberAt(info, 'resetsAt')
  return [
    {
      type: 'limited',
      kind: 'usage-limit',
      message: window === undefined ? 'usage limit reached' : `usage limit reached (${window})`,
      ...(resetsAt === undefined ? {} : { resetsAt: resetsAt < 1e12 ? resetsAt * 1000 : resetsAt }),
    },
  ]
}

function readResult(json: JsonObject): AgentEvent[] {
  const text = textAt(json, 'result')
  return [
    ...objectsAt(json, 'permission_denials').map(denial),
    { type: 'usage', counts: 'total', usage: usageOfResult(json) },
    ...ending(json, text),
  ]
}

/** A flat answer, as wrappers of the program write it and the bash tool read it. Its text counts like that of a result. */
function readAnswer(documents: JsonObject[]): AgentEvent[] {
  const { words, keys, errors } = jsonReplyFromDocuments(documents)
  const usage = usageOfResult(documents.findLast((each) => Object.keys(usageOfResult(each)).length > 0) ?? {})
  const isError = documents.at(-1)?.['is_error'] === true
  return [
    ...documents.flatMap((each) => objectsAt(each, 'permission_denials')).map(denial),
    ...(Object.keys(usage).length === 0 ? [] : [{ type: 'usage' as const, counts: 'total' as const, usage }]),
    ...(isError
      ? failedEnd(words === '' ? 'the agent marked its answer as an error' : words)
      : endedWell({ text: words, wrapped: { keys, errors } }, 'answer')),
  ]
}

/** Its advice to type `/login` is for its own prompt, which nobody sees here: Ralph adds the command to type instead. */
function failedEnd(said: string, status?: number): AgentEvent[] {
  return failedEndEvents(said, status).map((event) =>
    event.type === 'failed' ? { ...event, message: event.message.replace(/ · Please run \/login$/, '') } : event,
  )
}

/** With text output it writes its final message and nothing else. */
function readText(text: string): AgentEvent[] {
  const said: AgentEvent = { type: 'text', text, delta: false }
  const notice = trailingLimitNotice(text)
  return notice === null ? [said] : [said, notice, { type: 'ended', ok: false, reason: notice.kind }]
}

/** Some versions report a limit as the text of an answer and do not call it an error. */
function endedWell(final: Pick<Ended, 'text' | 'wrapped'>, reason: string): AgentEvent[] {
  const notice = trailingLimitNotice(final.text ?? '')
  if (notice !== null && (final.wrapped?.keys ?? null) === null)
    return [notice, { type: 'ended', ok: false, reason: notice.kind }]
  return [{ type: 'ended', ok: true, reason, ...final }]
}

type Ended = Extract<AgentEvent, { type: 'ended' }>

/** Without a final event: its stderr, or lines of text on stdout, where some versions report a limit. */
function exited(end: Exit): AgentEvent | null {
  const { code, stderrTail, lastLines = '' } = end
  const notice =
    code === null ? null : (findLimitNotice(stderrTail) ?? (code === 0 ? null : findLimitNotice(lastLines)))
  const onStderr = failureAtExit(end)
  if (notice !== null || (onStderr !== null && onStderr.kind !== 'unknown')) return notice ?? onStderr
  return onStdout(end) ?? onStderr
}

/** With text output it reports errors on stdout. A few lines of a program that failed are about the program itself. */
function onStdout({ code, lastLines = '' }: Exit): AgentEvent | null {
  const lines = lastLines.split('\n').filter((line) => line.trim() !== '')
  if (code === 0 || code === null || lines.length === 0 || lines.length > ERROR_LINES) return null
  const event = failureEvent(lines.join('\n'))
  return event.type === 'remark' ? null : event
}

const ERROR_LINES = 3

function denial(json: JsonObject): AgentEvent {
  return deniedEvent(textAt(json, 'tool_name') ?? 'tool', textAt(objectAt(json, 'tool_input'), 'command'))
}

/** Its `usage` excludes sub-agents; its cost and the sums per model include them. */
function usageOfResult(json: JsonObject): Usage {
  const models = objectAt(json, 'modelUsage')
  const names = Object.keys(models)
  const sum = (field: string): number | undefined =>
    names.reduce<number | undefined>((before, name) => {
      const tokens = numberAt(objectAt(models, name), field)
      return tokens === undefined ? before : (before ?? 0) + tokens
    }, undefined)
  const tokens = {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
  }
  return {
    ...tokensIn(objectAt(objectAt(json, 'metadata'), 'usage')),
    ...tokensIn(objectAt(json, 'usage')),
    ...toUsage({ ...tokens, usd: numberAt(json, 'total_cost_usd') }),
  }
}

function tokensIn(usage: JsonObject): Usage {
  return usageAt(usage, {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cache_read_input_tokens',
    cacheWrite: 'cache_creation_input_tokens',
  })
}

/** Keys that a wrapper put beside the result in a flat answer. */
function wrapping(json: JsonObject): Pick<Ended, 'wrapped'> {
  const { keys, errors } = jsonReplyFromDocuments([json])
  return keys === null && errors === 0 ? {} : { wrapped: { keys, errors } }
}

/** An API failure still says `subtype: "success"`; only `is_error` shows it. */
function ending(json: JsonObject, text: string | undefined): AgentEvent[] {
  const subtype = textAt(json, 'subtype') ?? 'unknown'
  const final = text === undefined ? {} : { text }
  // We set the turn limit: the agent stopped in order and its work counts.
  if (subtype === 'error_max_turns') return [{ type: 'ended', ok: true, reason: 'max-turns', ...final }]
  if (json['is_error'] !== true) return endedWell({ ...final, ...wrapping(json) }, subtype)
  const errors: unknown[] = Array.isArray(json['errors']) ? json['errors'] : []
  const said = [text, ...errors].filter((words) => typeof words === 'string' && words !== '').join(' ')
  return failedEnd(said === '' ? subtype : said, numberAt(json, 'api_error_status'))
}
