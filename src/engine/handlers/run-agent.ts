/**
 * Runs one iteration's agent: builds the prompt, starts the program through `startAgent`, folds its output into a reply.
 * After a crash it never adopts a running agent: it ends it and builds the reply from the log.
 */
import { join, resolve } from 'node:path'
import { startAgent, usageFileEvents } from '../../agents/transport/agent-process.ts'
import { openAgentStreams } from '../../agents/transport/agent-streams.ts'
import { driverForFormat, failureFixesOf, toolPermissionsOf, type Driver } from '../../agents/driver.ts'
import { createMessageMasker } from '../../agents/transport/mask-messages.ts'
import { priceOf } from '../../agents/prices.ts'
import { driverFor } from '../../agents/registry.ts'
import type { AgentEvent, AgentRequest } from '../../core/calls/agent-io.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { EventsFor } from '../../core/state/event.ts'
import { spentTenths } from '../../core/admission/budget.ts'
import { orphansField } from '../../core/tree/orphan.ts'
import { NOTHING_RECALLED } from '../../core/memory/recall.ts'
import type { DraftCall } from '../../core/features/draft.ts'
import { importPromptPath, importWorkspacePath } from '../../core/features/import-job.ts'
import { initialModel, canHintModel } from '../../core/calls/choose-model.ts'
import { buildDraftPrompt, draftPromptFile, interviewPromptFile } from '../../core/prompt/draft-prompt.ts'
import { withNextModelHint, LOOP_PROMPT_FILES, buildLoopPrompt } from '../../core/prompt/loop-prompt.ts'
import { TASK_PROMPT_FILES, buildTaskPrompt } from '../../core/prompt/task-prompt.ts'
import type { Rules } from '../../core/state/rules.ts'
import { createReplyFold, type ReplyFold } from '../../core/agent-output/reply-fold.ts'
import { maskReply } from '../../core/agent-output/mask-reply.ts'
import { emptyAgentReport, withoutVerdicts } from '../../core/agent-output/agent-report.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { MCP_TOKEN_VARIABLE } from '../../core/agent-output/calls/agent-report-calls.ts'
import {
  ensureFolder,
  exists,
  hashText,
  readFileChunks,
  readText,
  sizeOf,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { answerTo, type Handler, type RecoveryAnswer } from '../runtime/handler.ts'
import { iterationLogFolder, draftCopyFolders } from '../../workspace/log-folders.ts'
import {
  copyDraftFolder,
  saveInterviewEntry,
  saveTurnStart,
  listDraftDocuments,
  readInterview,
  readDraftSource,
} from '../../workspace/draft-documents.ts'
import { readRolePrompt } from '../../workspace/prompt-files.ts'
import { recallKnowledge } from './recall-knowledge.ts'
import { type McpCalls, readMcpCalls, prepareMcpServer, addMcpCallsToReply } from './mcp-server.ts'
import {
  type Checkout,
  endProcessesOfEffect,
  type WorkerContext,
  processMarkOf,
  descendantFilePath,
  transcriptMark,
  type HandlerContext,
} from '../handler-context.ts'

type RunAgent = EffectOf<'run-agent'>

export interface AgentOutputListener {
  words(worker: string, event: AgentEvent): void
}

export function runAgentHandler(world: WorkerContext, watcher: AgentOutputListener): Handler<RunAgent> {
  return {
    async perform(effect, put, aborting) {
      if ((await world.mayStartAgent?.(effect.agent)) === false)
        return put({
          type: 'effect-failed',
          ...answerTo(effect),
          problem: `${effect.agent} is not approved to start`,
          hint: null,
        })
      const driver = driverForFormat(driverFor(effect.agent, world.custom), effect.how.format)
      const { request, promptHash, log } = await prepare(world, effect, driver)
      const fold = createReplyFold(foldOptions(effect, driver))
      const report = reporter(effect, fold, put)
      const words = createMessageMasker(world.mask, (event) => {
        fold.take(event)
        report(event)
        watcher.words(effect.worker, event)
      })
      const talk = startAgent({
        driver,
        request,
        limits: { ...effect.limits, idleMs: idleOf(world, effect, driver) },
        log,
        effect: processMarkOf(world, effect.id),
        notes: descendantFilePath(world, effect.id),
        runId: world.run,
        clock: world.clock,
        envPolicy: world.envPolicy,
        mask: world.mask,
        ...(world.askPerson === undefined ? {} : { askPerson: world.askPerson }),
        onBegan: ({ pid, startTime }) =>
          put({ type: 'agent-started', ...answerTo(effect), pid, startTime, promptHash, log }),
        onEvent: (event) => words.take(event),
      })
      const stopped: Promise<void>[] = []
      aborting.onAbort(({ now }) => stopped.push(talk.stop({ now })))
      const end = await talk.ended
      await Promise.all(stopped)
      const calls = readMcpCalls(request.scratch, {
        given: request.mcp?.env[MCP_TOKEN_VARIABLE] ?? '',
        mask: createTextMasker(world),
      })
      reportMcpRemark(calls, words)
      words.end()
      const by = aborting.told?.why === 'budget' ? 'over-budget' : end.by
      const heard = fold.finish({ ...end, by, log: { path: log, bytes: end.bytes } })
      const reply = addMcpCallsToReply(maskReply(heard, createTextMasker(world)), calls)
      put({ type: 'agent-ended', ...answerTo(effect), reply, ...orphansField(end.orphans) })
    },

    async recoverAnswer(effect) {
      await endProcessesOfEffect(world, effect, { graceMs: effect.limits.stopGraceMs })
      return recoverFromLog(world, effect)
    },
  }
}

async function prepare(
  world: WorkerContext,
  effect: RunAgent,
  driver: Driver,
): Promise<{ request: AgentRequest; promptHash: string; log: string }> {
  const folder = agentFolder(world, effect)
  ensureFolder(folder)
  const text = await promptOf(world, effect)
  // A draft asks its questions in its text, and has no task to report as done.
  const wanted = world.mcp && effect.draft === undefined && effect.import === undefined
  const mcp = prepareMcpServer(folder, { role: effect.role, driver, wanted })
  const env = { ...rustToolVariables(world, effect), ...mcp?.env }
  const request = requestFor(world, { ...effect, ...importOverlay(effect, driver), scratch: folder, text, env })
  if (mcp !== null) request.mcp = mcp
  // The agent gets the original prompt; the saved copy is masked.
  const kept = world.mask.text(request.prompt)
  writeWithoutSync(join(folder, 'prompt.md'), kept)
  return { request, promptHash: hashText(kept), log: join(folder, 'agent.log') }
}

/** An import works in its own folder, with the tools of its rules if the agent has tools of these names. */
function importOverlay(
  { import: asked, iteration, how }: RunAgent,
  { toolNames }: Driver,
): Partial<Pick<Wanted, 'cwd' | 'how'>> {
  if (asked === undefined) return {}
  const cwd = importWorkspacePath(asked, iteration)
  ensureFolder(cwd)
  const isKnown = how.tools?.every((tool) => toolNames?.includes(tool)) === true
  return { cwd, how: { ...how, permission: null, tools: isKnown ? how.tools : null } }
}

/** A review of an iteration has its own folder inside the iteration's. */
function agentFolder(world: HandlerContext, effect: RunAgent): string {
  const folder = iterationLogFolder(world, effect.worker, effect.iteration)
  return effect.role === 'review' ? join(folder, `opinion-${effect.id}`) : folder
}

type From = Pick<HandlerContext, 'programs' | 'terminal'> & Checkout & { project: Pick<Checkout, 'root'> }
type Wanted = Pick<RunAgent, 'agent' | 'role' | 'how' | 'resume'> & {
  /** Absent: the workspace. */
  cwd?: string
  scratch: string
  text: string
  env: Record<string, string>
}

async function promptOf(world: WorkerContext, effect: RunAgent): Promise<string> {
  const { root } = world.project
  // The import command has written the whole prompt.
  if (effect.import !== undefined) return readText(importPromptPath(effect.import))
  if (effect.draft !== undefined) return draftedPrompt(world, { ...effect, draft: effect.draft })
  if (effect.task === undefined) return loopPrompt(root, effect)
  const own = readRolePrompt(root, TASK_PROMPT_FILES[effect.role])
  const texts = await world.taskTexts(effect.task.id)
  const knowledge = effect.role === 'work' ? recallKnowledge(world, effect, texts) : NOTHING_RECALLED
  return buildTaskPrompt(effect.role, { own, ...texts, knowledge }, effect).text
}

/** Saves the person's message when the prompt contains it: an interrupted turn has received it. */
function draftedPrompt(world: WorkerContext, effect: RunAgent & { draft: DraftCall }): string {
  const { root } = world.project
  const { draft, context, iteration } = effect
  const { folder } = draft
  const texts = {
    own: readRolePrompt(root, draftPromptFile(draft)).text,
    ways: readRolePrompt(root, interviewPromptFile(draft)).text,
    interview: readInterview(root, folder),
    source: readDraftSource(root, folder),
    documents: listDraftDocuments(root, folder),
  }
  const text = context.steering.join('\n\n')
  if (text !== '')
    saveInterviewEntry(root, folder, {
      by: 'person',
      mark: transcriptMark(world, iteration),
      text: world.mask.text(text),
    })
  saveTurnStart(root, folder, { mark: transcriptMark(world, iteration), document: draft.document })
  copyDraftFolder(root, folder, draftCopyFolders(world, effect.worker, iteration).before)
  return buildDraftPrompt(texts, effect)
}

function loopPrompt(
  root: string,
  { role, prompt, context, hints }: Pick<RunAgent, 'role' | 'prompt' | 'context' | 'hints'>,
): string {
  const task = readText(resolve(root, prompt))
  const own = withNextModelHint(readRolePrompt(root, LOOP_PROMPT_FILES[role]).text, { hints })
  return buildLoopPrompt(role, { task, own }, context)
}

function requestFor({ root, repo, programs, terminal }: From, wanted: Wanted): AgentRequest {
  const { how } = wanted
  const request: AgentRequest = {
    cwd: wanted.cwd ?? root,
    prompt: wanted.text,
    // A sandboxed agent must be able to commit, and the git folder is not always inside the project.
    extraDirs: wanted.cwd !== undefined || repo.git === null ? [] : [...new Set([repo.git.commonDir, repo.git.gitDir])],
    env: wanted.env,
    scratch: wanted.scratch,
  }
  if (how.model !== null) request.model = how.model
  if (how.effort !== null) request.effort = how.effort
  if (how.tools !== null) request.tools = how.tools
  if (how.permission !== null) request.permission = how.permission
  if (how.maxTurns !== null) request.maxTurns = how.maxTurns
  if (how.format !== undefined) request.format = how.format
  if (wanted.resume !== null) request.resume = wanted.resume
  if (wanted.role === 'review') request.readOnly = true
  if (terminal) request.terminal = true
  const program = programs[wanted.agent]
  if (program !== undefined) request.program = program
  return request
}

/** Environment variables of the Rust tool, for scripts that read them. A total of 0: there is no limit. */
function rustToolVariables({ loop }: HandlerContext, { task, iteration, how }: RunAgent): Record<string, string> {
  if (task === undefined) return {}
  return {
    RALPH_ITERATION: String(iteration),
    RALPH_TOTAL: String(loop.iterationsMax),
    ...(how.model === null ? {} : { RALPH_MODEL: how.model }),
  }
}

/** The request of the first iteration, for `--dry-run`. `text`: the prompt; absent: that of the prompt file. */
export function firstAgentRequest(place: From & { folder: string }, rules: Rules, text?: string): AgentRequest {
  const context = { iteration: 1, openCheckboxes: null, breaker: null, previous: null, corrections: [], steering: [] }
  const [agent = ''] = rules.agent.order
  const asked = { role: 'work', prompt: rules.loop.prompt, context } as const
  return requestFor(place, {
    agent,
    role: 'work',
    how: { ...rules.agent, model: initialModel(rules, agent).model },
    resume: null,
    scratch: place.folder,
    env: {},
    text: text ?? loopPrompt(place.project.root, { ...asked, ...(canHintModel(rules, agent) ? { hints: true } : {}) }),
  })
}

/** Some agents are silent while they retry or run a tool: their drivers have their own idle limit, unless the user set one. */
function idleOf(world: HandlerContext, effect: RunAgent, driver: Driver): number {
  // Without streaming, the agent is silent until it has finished.
  if (effect.how.format !== undefined && driver.formats !== undefined) return 0
  return world.idleByDefault && driver.idleMs !== null ? driver.idleMs : effect.limits.idleMs
}

function foldOptions(effect: RunAgent, driver: Driver): Parameters<typeof createReplyFold>[0] {
  return {
    words: effect.how.output === 'text',
    previousConversationUsage: effect.resumeUsage,
    previousLength: effect.previousLength,
    priceOf: (model) => priceOf(driver.prices, model ?? effect.how.model),
    fixes: failureFixesOf(driver),
    allow: (denials) => driver.onDenied(denials, toolPermissionsOf(effect.how)),
  }
}

/** Turns a few agent events into events of the run: 4 to 8 per iteration, never one per line. */
function reporter(
  effect: RunAgent,
  fold: ReplyFold,
  put: (event: EventsFor<'run-agent'>) => void,
): (event: AgentEvent) => void {
  let conversation: string | null = null
  let tenth = 0
  const denied = new Set<string>()
  return (event) => {
    if (event.type === 'started' && event.conversation !== null && event.conversation !== conversation) {
      conversation = event.conversation
      put({ type: 'conversation-known', ...answerTo(effect), conversation, model: event.model ?? null })
    }
    if (event.type === 'denied' && !denied.has(event.tool)) {
      denied.add(event.tool)
      const denial = event.command === undefined ? { tool: event.tool } : { tool: event.tool, command: event.command }
      put({ type: 'agent-denied', ...answerTo(effect), denial })
    }
    if (event.type === 'usage') {
      const usage = fold.usage()
      if (usage === null) return
      const reached = spentTenths(usage, { usd: effect.remainingUsd, tokens: effect.remainingTokens })
      if (reached > tenth) {
        tenth = reached
        put({ type: 'spend-threshold-crossed', ...answerTo(effect), usage, tenth })
      }
    }
  }
}

function reportMcpRemark(calls: McpCalls | null, words: { take: (event: AgentEvent) => void }): void {
  if (calls !== null && calls.remark !== null) words.take({ type: 'remark', text: calls.remark })
}

function createTextMasker({ mask }: HandlerContext): (text: string) => string {
  return (text) => (mask.mayContainSecret(text) ? mask.text(text) : text)
}

/** Builds the answer of an interrupted iteration from its log. No log: the agent was never started, so it may start now. */
async function recoverFromLog(world: HandlerContext, effect: RunAgent): Promise<RecoveryAnswer> {
  const folder = agentFolder(world, effect)
  const log = join(folder, 'agent.log')
  if (!exists(log)) return { is: 'not-begun' }
  const driver = driverFor(effect.agent, world.custom)
  const fold = createReplyFold(foldOptions(effect, driver))
  const words = createMessageMasker(world.mask, (event) => fold.take(event))
  const said = openAgentStreams({ driver, clock: null, onEvent: (event) => words.take(event) })
  for await (const chunk of readFileChunks(log)) said.stdout.push(chunk)
  said.stdout.end()
  for (const event of usageFileEvents(driver, usageFileOf(driver, folder))) words.take(event)
  // The MCP server runs without the engine: every acknowledged call is there.
  const calls = readMcpCalls(folder, { given: null, mask: createTextMasker(world) })
  reportMcpRemark(calls, words)
  words.end()
  const heard = fold.finish({
    by: 'itself',
    code: null,
    signal: null,
    problem: null,
    missing: false,
    sawEnd: said.listener.sawEnd,
    durationMs: 0,
    log: { path: log, bytes: sizeOf(log) ?? 0 },
    finalEvent: said.finalEvent(),
    stderrTail: '',
  })
  // The log of a resumed session begins with its old messages, and nothing marks where they end.
  const replayed = driver.protocol === 'acp' && effect.resume !== null
  const own = replayed ? { ...heard, told: emptyAgentReport() } : heard
  const known = said.listener.sawEnd ? own : markInterrupted(own)
  const reply = addMcpCallsToReply(maskReply(known, createTextMasker(world)), calls)
  return { is: 'answered', event: { type: 'agent-ended', ...answerTo(effect), reply } }
}

function markInterrupted(heard: Reply): Reply {
  const told = heard.told === undefined ? {} : { told: withoutVerdicts(heard.told) }
  return { ...heard, ...told, end: 'interrupted', failure: null }
}

/** The path of the vendor's usage file; it does not depend on the request. */
function usageFileOf(driver: Driver, scratch: string): string | undefined {
  if (driver.readUsageFile === undefined) return undefined
  return driver.command({ cwd: scratch, prompt: '', extraDirs: [], env: {}, scratch }).usageFile
}
