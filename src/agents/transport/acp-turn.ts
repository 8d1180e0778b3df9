/**
 * One iteration over the Agent Client Protocol: handshake, open or resume a session, choose the model, send the prompt, answer permission
 * requests, cancel. It does not touch processes, so tests run it against an agent in the same process. Ralph offers no file services:
 * agents have their own, and one failed on new files when offered ours. It offers terminals only if the settings say so.
 */
import * as acp from '@agentclientprotocol/sdk'
import type { AgentEvent, AgentRequest } from '../../core/calls/agent-io.ts'
import { messageOf } from '../../core/error.ts'
import { MCP_SERVER_NAME } from '../../core/agent-output/calls/agent-report-calls.ts'
import type { PermissionHandler } from './acp-permission-handler.ts'
import { toolRequestOf, permissionOutcome } from './acp-permission.ts'
import { registerTerminalMethods, type Terminals } from './acp-terminal.ts'
import { createUpdateReader, type AcpUpdateReader } from './acp-update.ts'
import { failedEndEvents, failureEvent } from '../error-text/classify-failure.ts'
import { externalFolders, promptWithSystem } from '../driver.ts'
import { asObject, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../core/text/json.ts'
import { remarkEvent, shortMessage, startedEvent, usageAt } from './normalize.ts'
import { resolvePermissionMode } from '../tool-permission.ts'

/**
 * Replaces the protocol's `session/update` on incoming messages. Under its original name the library validates each one against its own
 * schema: one odd field would lose the agent's text and print a complaint on the user's terminal.
 */
export const ACP_UPDATE_METHOD = '_ralph/update'

export interface AcpTurnOptions {
  target: acp.Stream | acp.AgentApp
  request: AgentRequest
  emit: (event: AgentEvent) => void
  /** The session is open and the prompt is about to be sent. */
  onReady: () => void
  /** Answers permission requests. */
  permissions: PermissionHandler
  /** Null: it runs its commands itself. */
  terminals: Terminals | null
}

export interface AcpTurn {
  /** Resolves when the prompt was answered or the agent is gone. Never rejects. */
  done: Promise<void>
  /** Asks the agent to stop; resolves when the prompt has returned. */
  cancel: () => Promise<void>
}

export function startAcpTurn({ target, request, emit, onReady, permissions, terminals }: AcpTurnOptions): AcpTurn {
  const reader = createUpdateReader(emit)
  const handleUpdate = ownUpdates(reader, emit)
  /** Null until the prompt is sent: earlier updates (a loaded session replays its history) are not news. */
  let prompting: string | null = null
  /** Updates after the answer belong to no turn. */
  let answered = false
  let cancelled = false
  let told = 0

  function takeUpdate({ params }: { params: JsonObject }): void {
    told += 1
    if (prompting !== null && !answered) handleUpdate(params, prompting)
  }

  const app = acp
    .client({ name: 'ralph' })
    .onNotification('session/update', raw, takeUpdate)
    .onNotification(ACP_UPDATE_METHOD, raw, takeUpdate)
    .onRequest('session/request_permission', raw, async ({ params, signal }) => {
      // A person is not asked about a request that has no option to allow.
      const answerable = permissionOutcome(params, true).outcome === 'selected'
      const allow = answerable && (await permissions.may(toolRequestOf(objectAt(params, 'toolCall')), signal))
      return { outcome: cancelled ? { outcome: 'cancelled' } : permissionOutcome(params, allow) }
    })
  registerTerminalMethods(app, terminals)
  // One overload at a time: a stream and an agent in this process are connected the same way.
  const connection = target instanceof acp.AgentApp ? app.connect(target) : app.connect(target)
  const call: Call = async (method, params) => raw(await connection.agent.request<unknown, JsonObject>(method, params))

  async function talk(): Promise<void> {
    const agent = await call('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: terminals === null ? {} : { terminal: true },
      clientInfo: { name: 'ralph', title: 'Ralph', version: '1' },
    })
    if (agent['protocolVersion'] !== acp.PROTOCOL_VERSION)
      return emit({ type: 'failed', kind: 'bad-request', message: versionMessage(agent) })
    const { session, id } = await openSession(call, { agent, request, emit, told: () => told })
    const version = textAt(objectAt(agent, 'agentInfo'), 'version')
    emit(startedEvent(id, { version }))
    await choose(call, { session, id, request, emit })
    onReady()
    prompting = id
    if (cancelled) return
    const text = isCalled(agent, /claude/i) ? request.prompt : promptWithSystem(request)
    const answer = await call('session/prompt', { sessionId: id, prompt: [{ type: 'text', text }] })
    answered = true
    emitUsage(answer, emit)
    emit(endOf(answer, { hasFailed: reader.hasFailed(), refused: permissions.refused(), cancelled }))
  }

  const done = talk()
    .catch((thrown: unknown) => emitFailure(thrown, { emit, wasPrompting: prompting !== null }))
    .finally(() => {
      permissions.close()
      connection.close()
    })
  return {
    done,
    async cancel() {
      cancelled = true
      permissions.close()
      if (prompting === null) return
      await connection.agent.notify('session/cancel', { sessionId: prompting }).catch(() => {})
      await done
    },
  }
}

function versionMessage(agent: JsonObject): string {
  const version = numberAt(agent, 'protocolVersion') ?? 'unknown'
  return `the agent uses protocol version ${version}, Ralph uses ${acp.PROTOCOL_VERSION}`
}

/** Updates of our own session. Those of other sessions are ignored, with one remark. */
function ownUpdates(
  reader: Pick<AcpUpdateReader, 'take'>,
  emit: (event: AgentEvent) => void,
): (params: JsonObject, own: string) => void {
  const others = new Set<string>()
  return (params, own) => {
    const session = textAt(params, 'sessionId') ?? own
    if (session === own) return reader.take(objectAt(params, 'update'))
    if (others.has(session)) return
    others.add(session)
    emit(remarkEvent(`ignoring updates from another session: ${session}`))
  }
}

/** Foreign JSON is read leniently, field by field, instead of being rejected as a whole. */
function raw(params: unknown): JsonObject {
  return asObject(params) ?? {}
}

type Call = (method: string, params: JsonObject) => Promise<JsonObject>

interface Opening {
  agent: JsonObject
  request: AgentRequest
  emit: (event: AgentEvent) => void
  /** How many updates have arrived. */
  told: () => number
}

/** Opens a new session, or continues one, without a replay (`resume`) if the agent supports it. */
async function openSession(
  call: Call,
  { agent, request, emit, told }: Opening,
): Promise<{ session: JsonObject; id: string }> {
  const capabilities = objectAt(agent, 'agentCapabilities')
  const able = objectAt(capabilities, 'sessionCapabilities')
  // Codex's sandbox mounts git's own folder read-only unless it is among the extra ones.
  const dirs = isCalled(agent, /codex/i) ? request.extraDirs : externalFolders(request)
  const params: JsonObject = {
    cwd: request.cwd,
    mcpServers: mcpServers(request),
    ...(able['additionalDirectories'] !== undefined && dirs.length > 0 ? { additionalDirectories: dirs } : {}),
    ...(isCalled(agent, /claude/i) ? { _meta: claudeMeta(request) } : {}),
  }
  if (request.resume !== undefined) {
    const method =
      able['resume'] !== undefined ? 'session/resume' : capabilities['loadSession'] === true ? 'session/load' : null
    const id = request.resume
    if (method !== null) {
      const session = await reopen(call, method, { ...params, sessionId: id })
      if (method === 'session/load') await untilQuiet(call, told)
      return { session, id }
    }
    emit(remarkEvent('the agent cannot resume a session; started a new one'))
  }
  const session = await call('session/new', params)
  const id = textAt(session, 'sessionId') ?? ''
  if (id === '') throw new NoSession('it opened a session without an ID, which the protocol requires')
  return { session, id }
}

/** Every agent of the protocol supports servers that are started by a command. */
function mcpServers({ mcp }: AgentRequest): JsonObject[] {
  if (mcp === undefined) return []
  const env = Object.entries(mcp.env).map(([name, value]) => ({ name, value }))
  return [{ name: MCP_SERVER_NAME, command: mcp.command, args: mcp.args, env }]
}

/** One agent answers first and then replays the history of the loaded session, with old completions in it. It sends updates in order,
 *  so a request during which no update arrives shows that the replay is over. No agent knows this method; the error is answer enough. */
async function untilQuiet(call: Call, told: () => number): Promise<void> {
  let before
  do {
    before = told()
    await call('_ralph/quiet', {}).catch(() => {})
  } while (told() > before)
}

class BadConversation extends Error {}

class NoSession extends Error {}

async function reopen(call: Call, method: string, params: JsonObject): Promise<JsonObject> {
  try {
    return await call(method, params)
  } catch (thrown) {
    if (thrown instanceof acp.RequestError && thrown.code !== AUTH_REQUIRED) throw new BadConversation(wordsOf(thrown))
    throw thrown
  }
}

function isCalled(agent: JsonObject, name: RegExp): boolean {
  return name.test(textAt(objectAt(agent, 'agentInfo'), 'name') ?? '')
}

/** Claude's extensions of the protocol. Its plan mode writes files, so read-only means only reading tools; the list of removed tools is
 *  for adapters that support nothing else. */
function claudeMeta(request: AgentRequest): JsonObject {
  const writing = ['Bash', 'Edit', 'EnterWorktree', 'MultiEdit', 'NotebookEdit', 'Task', 'Agent', 'Write']
  return {
    ...(request.system === undefined ? {} : { systemPrompt: { append: request.system } }),
    claudeCode: {
      options: {
        // Otherwise it makes a paid model call after each turn to suggest what a person might type next.
        promptSuggestions: false,
        ...(request.readOnly === true ? { tools: ['Read', 'Glob', 'Grep'], disallowedTools: writing } : {}),
        ...(request.maxTurns === undefined ? {} : { maxTurns: request.maxTurns }),
      },
    },
  }
}

interface Choosing {
  session: JsonObject
  id: string
  request: AgentRequest
  emit: (event: AgentEvent) => void
}

/** Sets model, effort and mode if the agent has them; a rejected value is reported. */
async function choose(call: Call, { session, id, request, emit }: Choosing): Promise<void> {
  const options = objectsAt(session, 'configOptions')
  const option = (...names: string[]) =>
    options.find((one) => names.includes(textAt(one, 'category') ?? '') || names.includes(textAt(one, 'id') ?? ''))
  const set = (one: JsonObject, value: string) =>
    call('session/set_config_option', { sessionId: id, configId: textAt(one, 'id') ?? '', value })

  async function attempt(what: string, value: string, chosen: Promise<JsonObject> | null): Promise<void> {
    const refusal =
      chosen === null
        ? 'the agent has no such option'
        : await chosen.then(() => null).catch((thrown: unknown) => messageOf(thrown))
    if (refusal !== null) emit(remarkEvent(`could not set the ${what} to ${value}: ${refusal}`))
  }

  if (request.model !== undefined) {
    const one = option('model')
    const legacy =
      asObject(session['models']) === null
        ? null
        : () => call('session/set_model', { sessionId: id, modelId: request.model })
    await attempt('model', request.model, one !== undefined ? set(one, request.model) : (legacy?.() ?? null))
  }
  if (request.effort !== undefined) {
    const one = option('thought_level', 'effort')
    await attempt('effort', request.effort, one === undefined ? null : set(one, request.effort))
  }
  const modes = objectAt(session, 'modes')
  const offered = objectsAt(modes, 'availableModes').map((mode) => textAt(mode, 'id'))
  const modeId = modesFor(request).find((mode) => offered.includes(mode))
  if (modeId !== undefined && modeId !== textAt(modes, 'currentModeId'))
    await attempt('mode', modeId, call('session/set_mode', { sessionId: id, modeId }))
}

/** The first of these that the agent has: one in which it asks us, instead of acting freely or asking another model for money. Codex
 *  has sandboxes, and asks when it wants to leave one. */
function modesFor(request: AgentRequest): string[] {
  if (request.readOnly === true) return ['read-only', 'default']
  const how = resolvePermissionMode(request, 'any')
  if (typeof how !== 'string') return [how.own]
  return ['default', how === 'bypass' ? 'agent-full-access' : 'workspace-write']
}

function emitUsage(answer: JsonObject, emit: (event: AgentEvent) => void): void {
  const told = usageAt(objectAt(answer, 'usage'), {
    input: 'inputTokens',
    output: 'outputTokens',
    cacheRead: 'cachedReadTokens',
    cacheWrite: 'cachedWriteTokens',
    reasoning: 'thoughtTokens',
  })
  if (Object.keys(told).length > 0) emit({ type: 'usage', counts: 'total', usage: told })
}

function endOf(
  answer: JsonObject,
  { hasFailed, refused, cancelled }: { hasFailed: boolean; refused: boolean; cancelled: boolean },
): Extract<AgentEvent, { type: 'ended' }> {
  const reason = textAt(answer, 'stopReason')
  if (hasFailed) return { type: 'ended', ok: false, reason: 'broke-down' }
  if (reason === 'cancelled' && cancelled) return { type: 'ended', ok: false, reason }
  // Some agents end their turn after a denial. Their earlier work counts, and the denial is reported.
  if (reason === 'cancelled' && refused) return { type: 'ended', ok: true, reason: 'denied' }
  if (reason === 'end_turn' || reason === 'max_turn_requests') return { type: 'ended', ok: true, reason }
  return { type: 'ended', ok: false, reason: sayStop(reason) }
}

/** For people: the reason shown beside a failed iteration. */
function sayStop(reason: string | undefined): string {
  if (reason === undefined) return 'it ended its turn without a reason'
  const unknown = `it ended its turn for an unknown reason (${reason})`
  return STOPS.get(reason) ?? shortMessage(unknown)
}

const STOPS = new Map([
  ['refusal', 'the model refused to continue (refusal)'],
  ['max_tokens', "its answer reached the model's token limit (max_tokens)"],
  ['cancelled', 'it cancelled its own turn (cancelled)'],
])

const AUTH_REQUIRED = -32_000

/** An error answer is the agent's final event; a broken connection is not: the exit of the process says more. */
function emitFailure(
  thrown: unknown,
  { emit, wasPrompting }: { emit: (event: AgentEvent) => void; wasPrompting: boolean },
): void {
  if (thrown instanceof BadConversation)
    return emit({ type: 'failed', kind: 'bad-conversation', message: shortMessage(thrown.message) })
  if (thrown instanceof NoSession) return emit({ type: 'failed', kind: 'bad-request', message: thrown.message })
  if (!(thrown instanceof acp.RequestError)) return emit(remarkEvent(messageOf(thrown)))
  const text = wordsOf(thrown)
  const status = thrown.code === AUTH_REQUIRED ? 401 : statusIn(text)
  if (wasPrompting) for (const event of failedEndEvents(text, status)) emit(event)
  else emit(failureEvent(text, { status }))
}

/** "401 Incorrect API key": the form of errors of OpenAI's library. */
function statusIn(text: string): number | undefined {
  const told = /^[45]\d\d(?= )/.exec(text)?.[0]
  return told === undefined ? undefined : Number(told)
}

/** The message alone is often "Internal error"; the cause is beside it. */
function wordsOf(thrown: acp.RequestError): string {
  const detail = raw(thrown.data)
  const kind = textAt(detail, 'errorKind')
  const what = textAt(detail, 'message') ?? textAt(detail, 'details')
  const message = messageOf(thrown)
  const said = [
    what !== undefined && message === 'Internal error' ? undefined : message,
    what,
    kind === undefined ? undefined : `(${kind})`,
  ]
  return said.filter((part) => part !== undefined).join(' ')
}
