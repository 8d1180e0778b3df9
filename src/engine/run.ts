/**
 * One engine for one working tree: takes hold of it, begins a run or takes up the one that was cut off, serves it to its end,
 * and lets go. Everything a person sees of it goes through the watcher.
 */
import { join } from 'node:path'
import { executedByRecord, flagInRecord, projectPrograms } from '../config/recorded.ts'
import { credentialsOf } from '../agents/credentials.ts'
import { agentsNamed, type Agents, type Settings } from '../config/resolve.ts'
import type { AskPerson } from '../system/terminal/ask-person.ts'
import type { ProjectPrograms } from '../domain/call/agent.ts'
import type { DraftWanted } from '../domain/draft/draft.ts'
import { RalphError, type ExitCode } from '../domain/error.ts'
import type { Event, EventOf, Request } from '../domain/run/event.ts'
import type { House, Steered } from '../domain/run/house.ts'
import type { RunId } from '../domain/ids.ts'
import { CHANGEABLE, sayRule } from '../domain/run/change-rules.ts'
import { isStopped, type Outcome } from '../domain/run/outcome.ts'
import { type Orphan, orphansIn } from '../domain/iteration/orphan.ts'
import type { Rules } from '../domain/run/rules.ts'
import { scopeKey, type Scope, type TaskId } from '../domain/task/task.ts'
import type { Executed } from '../domain/trust/trust.ts'
import { answerWords } from '../domain/tell/answer.ts'
import type { View } from '../domain/tell/view.ts'
import { findEvidence } from '../store/evidence.ts'
import { followMove } from '../store/db/moved.ts'
import { noteNewest, readNewest, type Newest } from '../store/db/newest.ts'
import type { Store } from '../store/db/open.ts'
import { untoldAnswers } from '../store/questions.ts'
import { firstOf } from '../store/record.ts'
import { loadState } from '../store/state.ts'
import { countTasks } from '../store/task/counts.ts'
import { deleteRun, findRun, unfinishedRun, type RunEntry, type RunKind } from '../store/runs.ts'
import { NO_SCREENS } from '../store/screens.ts'
import { taskTexts } from '../store/task/texts.ts'
import { addTaskLog } from '../store/task/log.ts'
import { markTold } from '../store/told.ts'
import { useStore } from '../store/db/use.ts'
import { ifPossible } from '../store/db/writers.ts'
import { randomId, realClock, type Clock } from '../system/clock.ts'
import { me } from '../system/process/identity.ts'
import { processEnv } from '../system/environment.ts'
import { isRunning } from '../system/process/process-table.ts'
import type { StopSignal } from '../system/signals.ts'
import { readPaper } from '../workspace/prompt-files.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, type Repo, treeOf } from '../workspace/repo/repository-at.ts'
import type { Witness } from '../workspace/witness/witness.ts'
import { closeDiffer, keepDiffer } from '../workspace/snapshot/measure.ts'
import { removeIndexes } from '../workspace/snapshot/private-index.ts'
import { clearRefLocks } from '../workspace/repo/refs.ts'
import { advance, type Position } from './circle/advance.ts'
import { endedUntold } from './before/already.ts'
import { arrive, tellLoss } from './circle/arrive.ts'
import { openBus, type Watcher } from '../listeners/bus.ts'
import { drive, type Engine } from './circle/drive.ts'
import { leaveNote, openIn, shut } from './circle/emergency.ts'
import { openInbox, type Inbox } from './circle/inbox.ts'
import { judgingFor } from './perform/judging.ts'
import { setLostLogsAside } from './circle/lost-logs.ts'
import { refuseUnasked } from './before/asking.ts'
import { inherited } from './before/inherited.ts'
import { withSetUp } from './before/set-up.ts'
import { listenForSignals } from './circle/stop-signals.ts'
import { openPerforming } from './circle/performing.ts'
import { preflight, type Preflight } from './before/preflight.ts'
import { openNotifier, type Notifier } from '../listeners/notify.ts'
import { maskFor } from './mask-for.ts'
import { closeToOthers } from './before/privacy.ts'
import { editedSince, sayEdited, withProject } from './before/programs.ts'
import { hideState, openProjections, wantsProjections, type Projections } from '../listeners/projections.ts'
import { prune } from '../listeners/prune.ts'
import { startPulse } from './circle/pulse.ts'
import { whileHolding } from './circle/hold.ts'
import { leaveReport, type LeftReport } from '../listeners/report-file.ts'
import { endLeftovers, loadPosition, recover, shownOf } from './circle/recover.ts'
import { wire } from './wire.ts'
import { openFlights } from './perform/flights.ts'
import { personOf } from './person.ts'
import { endChildren, markOf, type Place, STANDING, type World } from './world.ts'

export interface RunWatcher extends Watcher {
  /** Before the first spawn of a new run. */
  ready?(facts: Preflight & { run: RunId }): void
  /** A run is taken up again instead; `view` is what its record has told so far. */
  continued?(facts: {
    run: RunId
    after: EventOf<'run-continued'>['after']
    iteration: number
    view: View
  }): void
  /** The last run ended before anybody was told: that is told now, and nothing is started. */
  already?(facts: { run: RunId; view: View }): void
  /** How the run ended. When this returns it counts as told. */
  ended?(result: RunResult): void
  notice?(text: string): void
  /** The run is served: whoever watches may ask something of it. */
  serving?(door: RunDoor): void
  /** The first Ctrl+C, before it stops anything. Null: nobody takes it. Else whoever watches has the run pause, and says in the end whether
   *  it goes on; the next Ctrl+C before that leaves at once. */
  interrupted?(): Promise<boolean> | null
  /** The first stop signal arrived; ending children may take a few seconds. */
  stopping?(signal: StopSignal): void
  /** Somebody should look up. */
  bell?(): void
}

/** What may be asked of a run by whoever watches it in the same process. */
export interface RunDoor {
  ask: (request: Request) => void
  /** Kept with the task: the next prompt about it has it. */
  guide: (task: TaskId, text: string) => Promise<void>
}

export interface RunOptions {
  root: string
  /** Whoever begins a run has asked about the programs that the project's files name (`settings.executed`): the engine starts them. */
  settings: Settings
  rules: Rules
  /** As typed, for whoever finds the working tree taken. */
  command: string
  version: string
  /** The tasks to work through; absent: the prompt, again and again. */
  tasks?: Scope
  /** The papers to draft; absent: none. */
  draft?: DraftWanted
  /** Whether somebody answers what a draft asks. Absent: nobody does. */
  asks?: boolean
  /** Give up an unfinished run and begin a new one. */
  fresh: boolean
  /** Take up this run and no other; an error if it has ended. */
  resume: string | null
  /** That run may be of another kind than those that the command begins. */
  anyKind?: true
  /**
   * Asked before an unfinished run is taken up, with what its record would start: throws if that may not be. The record may have come
   * with the repository. Absent: nobody is asked, and whoever calls answers for the record as for the settings.
   */
  mayTakeUp?: (run: RunId, programs: Executed[]) => Promise<void>
  /** Asked before a new run begins, with all that is known: throws if it shall not. Absent: nobody is asked. */
  mayBegin?: (facts: Preflight) => Promise<void>
  /** Asked what an agent wants to do, where the rules have a person decide. Absent: such a run is refused. */
  askPerson?: AskPerson
  watcher: RunWatcher
}

export interface RunResult {
  run: RunId
  outcome: Outcome
  exit: ExitCode
  /** Null: it could not be written. */
  report: LeftReport | null
  /** Orphans of its iterations that still run. */
  left: Orphan[]
  house: House
  /** It had ended before this command, which started nothing. */
  already: boolean
}

export async function serveRun(options: RunOptions): Promise<RunResult> {
  const { root, watcher } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const file = join(folder, 'ralph.db')
  const newest = readNewest(file)
  let serving = false
  const use = {
    create: true,
    notice: (text: string): void => watcher.notice?.(text),
    // A run stands on its record: once it is served, there is no other store to go on with.
    again: () => !serving,
  }
  return useStore(file, use, async (store) => {
    await followMove(store.sql, root, treeOf(repo, folder))
    return whileHolding(store, options, () =>
      serve({ ...options, repo, folder, store, newest, begins: () => (serving = true) }),
    )
  })
}

interface Held extends RunOptions {
  repo: Repo
  folder: string
  store: Store
  /** As it was noted when this command began. */
  newest: Newest | null
  /** Called when a run is served from now on. */
  begins(): void
  /** What the run has looked through: it knows whether a look is still under way. */
  witness?: Witness
}

async function serve(held: Held): Promise<RunResult> {
  const { store, watcher } = held
  const notice = (text: string): void => watcher.notice?.(text)
  closeToOthers(held, notice)
  const arrival = { ...held, notice }
  await arrive(arrival)
  const entry = await runToTakeUp(held)
  tellLoss(arrival, entry)
  const result =
    (entry === null ? await toldNow(held) : null) ?? (await serveToEnd(held, await begun(held, entry)))
  watcher.ended?.(result)
  // Not being able to note it costs no more than telling it once again.
  await ifPossible(() => markTold(store.sql, result.run))
  return result
}

function kindOf({ tasks, draft }: Pick<Held, 'tasks' | 'draft'>): RunKind {
  if (draft !== undefined) return 'feature'
  return tasks === undefined ? 'loop' : 'tasks'
}

function begun(held: Held, entry: RunId | null): Promise<Begun> {
  return entry === null ? begin(held) : takeUp(held, entry)
}

/** The end of the last run, if nobody has been told of it; what its process may not have got to is done. */
async function toldNow(held: Held): Promise<RunResult | null> {
  const notice = (text: string): void => held.watcher.notice?.(text)
  const ended = held.fresh ? null : await endedUntold({ ...held, notice, kind: kindOf(held) })
  const outcome = ended?.house.run.outcome ?? null
  if (ended === null || outcome === null) return null
  held.watcher.already?.(ended)
  await (await project(held, ended.run, realClock()))?.close()
  const report = await reportOf(held, ended.run)
  await clearAway(held, ended.run)
  const left = ended.view.orphans.filter(isRunning)
  return { run: ended.run, outcome, exit: outcome.exit, report, left, house: ended.house, already: true }
}

/** The unfinished run to go on with, or null for a new one. */
async function runToTakeUp(held: Held): Promise<RunId | null> {
  const { store, root, fresh, resume } = held
  if (resume !== null) {
    const run = await findRun(store.sql, resume)
    if (run.end === null) {
      if (held.anyKind !== true) await refuseOther(run, held)
      return run.id
    }
    throw new RalphError('usage', `run ${run.id} has ended already (${run.end.outcome})`, {
      hint: 'Start a new one: ralph loop',
    })
  }
  const left = await unfinishedRun(store.sql, root)
  if (left === null) return null
  if (fresh) {
    await abandon(held, left.id)
    return null
  }
  await refuseOther(left, held)
  return left.id
}

/** A run of another kind, or a draft of something else, is neither gone on with nor given up without a word. */
async function refuseOther(left: RunEntry, held: Held): Promise<void> {
  const [theirs, ours] = [await commandOf(left, held), ourCommand(held)]
  if (theirs === ours) return
  throw new RalphError('usage', `run ${left.id} is unfinished, and it is one of ${theirs}`, {
    hint: `Go on with it: ${theirs}. Or give it up: ${ours} --fresh`,
  })
}

const COMMANDS: Readonly<Record<RunKind, string>> = {
  loop: 'ralph loop',
  tasks: 'ralph run',
  feature: 'ralph feature create',
}

async function commandOf({ id, kind }: RunEntry, { store }: Held): Promise<string> {
  if (kind !== 'feature' || (await loadState(store.sql, id)) === null) return COMMANDS[kind]
  const { house } = await loadPosition(store.sql, id)
  const job = Object.values(house.workers)[0]?.job
  return job?.is === 'draft' ? draftCommand(job) : COMMANDS[kind]
}

function ourCommand(held: Held): string {
  return held.draft === undefined ? COMMANDS[kindOf(held)] : draftCommand(held.draft)
}

function draftCommand({ feature, name }: Pick<DraftWanted, 'feature' | 'name'>): string {
  return feature === null ? 'ralph init "what I want"' : `${COMMANDS.feature} ${name}`
}

async function abandon(held: Held, run: RunId): Promise<void> {
  if ((await loadState(held.store.sql, run)) === null) return forget(held, run)
  const kept = await loadPosition(held.store.sql, run)
  const clock = realClock(kept.up)
  const world = worldOf(held, { run, clock, rules: kept.house.run.rules, agents: held.settings })
  await endChildren(world, openIn(kept.house), { agentsGraceMs: 0 })
  const request: Request = { id: null, from: '--fresh', do: 'abandon' }
  await advance(held.store, kept, [{ type: 'request-received', request }], () => stamp(clock))
  held.watcher.notice?.(`The unfinished run ${run} was given up; what it changed stays in the tree.`)
}

/** A run without its state cannot even be told to end. */
async function forget({ store, watcher }: Held, run: RunId): Promise<void> {
  await store.sql.transaction((tx) => deleteRun(tx, run))
  watcher.notice?.(`The unfinished run ${run} has lost its state and was removed; its logs are there.`)
}

interface Begun {
  position: Position
  clock: Clock
  rules: Rules
  /** Named before this process took the run up. */
  orphans: Orphan[]
  /** What is started for an agent: of the project what the record says, the rest as the user says it today. */
  agents: Agents
  start(engine: Engine, world: World): Promise<void>
}

async function begin(held: Held): Promise<Begun> {
  const { root, repo, settings, watcher, store, command, version } = held
  refuseUnasked(held.rules.agent.permission, held)
  const asked = withSetUp(held.rules, root)
  const facts = await preflight({
    root,
    repo,
    settings,
    rules: asked,
    mayStart: 'anything',
    kind: kindOf(held),
  })
  const rules = withCredentials(facts.rules, settings)
  const run: RunId = randomId(6)
  const clock = realClock()
  const carried = await inherited({
    sql: store.sql,
    root,
    at: clock.at(),
    rules: rules.agent,
    notice: (text) => watcher.notice?.(text),
  })
  const tasks = held.tasks === undefined ? null : await countTasks(store.sql, held.tasks)
  watcher.ready?.({ ...facts, tasks, draft: held.draft ?? null, run })
  await held.mayBegin?.(facts)
  const started: Event = {
    type: 'run-started',
    run,
    rules,
    workers: 1,
    project: root,
    command,
    ...carried,
    // What a loop was in the middle of is nothing that a task should know.
    ...(held.tasks === undefined ? {} : { breaker: null, conversation: null, tasks: held.tasks }),
    ...(held.draft === undefined ? {} : { breaker: null, conversation: null, draft: held.draft }),
    // Whoever begins anew on purpose may have paid, changed the model or the account meanwhile: everybody is asked again.
    ...(held.fresh ? { limited: {} } : {}),
    pid: me().pid,
    version,
    programs: projectPrograms(settings, rules),
  }
  return {
    position: { run, house: null, seq: 0, screens: NO_SCREENS },
    clock,
    rules,
    orphans: [],
    agents: settings,
    async start({ inbox }) {
      inbox.put(started)
      if (held.tasks === undefined) await tellAnswers(held, { inbox, known: [] })
    },
  }
}

/** Agents on one account are limited together. Which they are is looked up once, when the run begins. */
function withCredentials(rules: Rules, settings: Settings): Rules {
  const { agents, programs, handover, values } = settings
  const credentials = credentialsOf(agentsNamed(values), { custom: agents, programs, handover })
  return Object.keys(credentials).length === 0 ? rules : { ...rules, agent: { ...rules.agent, credentials } }
}

async function takeUp(held: Held, run: RunId): Promise<Begun> {
  const kept = await loadPosition(held.store.sql, run)
  const programs = await programsOf(held, run)
  refuseFlags(kept.house)
  refuseUnasked(kept.house.run.rules.agent.permission, held, { begun: true })
  await held.mayTakeUp?.(run, executedByRecord({ run, house: kept.house, programs }, held.settings))
  const { is } = kept.house.run
  const after = is === 'paused' ? 'pause' : is === 'left' ? 'outage' : 'crash'
  const iteration = Math.max(...Object.values(kept.house.workers).map((worker) => worker.iteration))
  const { rules } = kept.house.run
  const view = shownOf(kept)
  const others = othersMeant(view, held)
  held.watcher.continued?.({ run, after, iteration, view })
  if (others !== null) held.watcher.notice?.(others)
  clearRefLocks(held.repo, run)
  if (held.store.lost?.run === run) {
    const logs = setLostLogsAside({ folder: held.folder, run }, kept.house)
    if (logs.length > 0) held.watcher.notice?.(`What the lost iterations said is kept in ${logs.join(', ')}.`)
  }
  const edited = editedSince({ rules, programs }, held.settings)
  if (edited.length > 0) held.watcher.notice?.(sayEdited(run, edited))
  return {
    position: kept,
    clock: realClock(kept.up),
    rules,
    agents: withProject(held.settings.users, programs),
    orphans: view.orphans,
    async start(engine, world) {
      await endLeftovers(world, kept.house)
      await recover(engine, kept.house, {
        type: 'run-continued',
        pid: me().pid,
        after,
        version: held.version,
        ...(isDraft(kept.house) ? { asks: held.asks === true } : {}),
      })
      for (const request of typedNow(held)) engine.inbox.put({ type: 'request-received', request })
      const known = Object.values(kept.house.workers).flatMap(({ steering }) => steering)
      if (kept.house.run.tasks === null) await tellAnswers(held, { inbox: engine.inbox, known })
    },
  }
}

/** Whether somebody answers is the affair of who serves it now. */
function isDraft({ workers }: House): boolean {
  return Object.values(workers).some(({ job }) => job.is === 'draft')
}

/**
 * Whoever names tasks means these: a run through others is not gone on with in their place, or its end would be taken for theirs. Whoever
 * names none is told what is left over; null: nothing is.
 */
function othersMeant({ run, tasks: going, command }: View, { tasks: named }: Held): string | null {
  if (named === undefined || going === null || scopeKey(named) === scopeKey(going)) return null
  if (named.is === 'all')
    return `It works through what "${command}" named; the other tasks come with the next ralph run.`
  throw new RalphError('usage', `run ${run} is unfinished, and it was begun for other tasks: ${command}`, {
    hint: 'Go on with it first: ralph resume. Or give it up and begin with these: the same command with --fresh',
  })
}

function refuseFlags(house: House): void {
  const flag = flagInRecord(house)
  if (flag === null) return
  const found = `the record of run ${house.run.id} has ${JSON.stringify(flag)} where a name belongs that does not begin with a dash`
  throw new RalphError('untrusted', `${found}: Ralph did not write that. Nothing was started`, {
    hint: 'Give it up and start anew: ralph loop --fresh',
  })
}

/** What a person answered while nobody was there to be told. */
async function tellAnswers(
  { store, root }: Held,
  { inbox, known }: { inbox: Pick<Inbox, 'put'>; known: Steered[] },
): Promise<void> {
  for (const { id, text, answer } of await untoldAnswers(store.sql, root)) {
    if (known.some(({ answers }) => answers === id)) continue
    const words = { text: answerWords(text, answer), answers: id }
    inbox.put({
      type: 'request-received',
      request: { id: null, from: 'ralph answer', do: 'steer', ...words },
    })
  }
}

/** A run goes on by the rules it began with, but a limit that somebody has just typed is meant: it is set, as `ralph set` would. */
function typedNow({ settings, rules }: Held): Request[] {
  return CHANGEABLE.filter((key) => settings.origin(key).from === 'flag').map((key) => ({
    id: null,
    from: 'flag',
    do: 'set',
    key,
    value: sayRule(rules, key),
  }))
}

/** What the project's files named when the run began. An early version did not note it; then it is what the files say now. */
async function programsOf(held: Held, run: RunId): Promise<ProjectPrograms> {
  const first = await firstOf(held.store.sql, run, 'run-started')
  const noted = first?.event.type === 'run-started' ? first.event.programs : undefined
  return noted ?? projectPrograms(held.settings, held.settings.rules())
}

async function serveToEnd(held: Held, begun: Begun): Promise<RunResult> {
  const { position, clock } = begun
  held.begins()
  const world = worldOf(held, { run: position.run, clock, rules: begun.rules, agents: begun.agents })
  const bus = openBus()
  const orphans = [...begun.orphans]
  bus.watch({ rows: (rows) => void orphans.push(...rows.flatMap((row) => orphansIn(row.event))) })
  const newest = noteNewest(held.store.file)
  bus.watch(newest)
  bus.watch(held.watcher)
  const projections = await project(held, position.run, clock)
  if (projections !== null) bus.watch(projections)
  const notifier = notifierOf(held)
  if (notifier !== null) bus.watch(notifier)
  let { house } = position
  const inbox = openInbox()
  const performing = openPerforming()
  const engine: Engine = {
    store: held.store,
    inbox,
    bus,
    handlers: wire(world, { words: bus.words, performing }),
    performing,
    stands: (now) => void ({ house } = now),
    clock: () => stamp(clock),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const signals = listenForSignals({
    world,
    inbox,
    performing,
    house: () => house,
    hangsUp: held.settings.values['run.on_hangup'] !== 'continue',
    interrupted: () => held.watcher.interrupted?.() ?? null,
    stopping: (signal) => held.watcher.stopping?.(signal),
  })
  held.watcher.serving?.(doorOf(held, { inbox, clock }))
  const pulse = startPulse({ sql: held.store.sql, run: position.run, inbox, clock, house: () => house })
  let stopped = false
  for (const { repo } of world.places()) keepDiffer(repo, markOf(world, STANDING))
  try {
    await begun.start(engine, world)
    const ended = await drive(engine, position)
    const { outcome } = ended.run
    if (outcome === null) throw new Error('the run ended without an outcome')
    stopped = isStopped(outcome.is)
    const here = world.places().find(({ root }) => root === held.root)
    const seen = here === undefined ? {} : { witness: here.judging.witness }
    const report = await signals.whileCleaning(outcome, (repo) =>
      cleanUp({ ...held, ...seen, repo }, position.run),
    )
    const left = orphans.filter(isRunning)
    const exit = signals.exit() ?? outcome.exit
    return { run: position.run, outcome, exit, report, left, house: ended, already: false }
  } catch (error) {
    await shut(world, performing, house)
    leaveNote(world, error)
    throw error
  } finally {
    pulse.stop()
    signals.stop()
    for (const { repo } of world.places()) {
      removeIndexes(repo)
      await closeDiffer(repo)
    }
    newest.close()
    await projections?.close()
    await notifier?.close({ stopped })
  }
}

function doorOf({ store }: Held, { inbox, clock }: { inbox: Pick<Inbox, 'put'>; clock: Clock }): RunDoor {
  return {
    ask: (request) => inbox.put({ type: 'request-received', request }),
    async guide(task, text) {
      await addTaskLog(store.sql, { task, at: clock.at(), author: 'human', kind: 'guidance', text })
    },
  }
}

/** Leaves the report and forgets what is too old. Cut off, it leaves the rest to the next run. */
async function cleanUp(held: Held, run: RunId): Promise<LeftReport | null> {
  const report = await reportOf(held, run)
  await clearAway(held, run)
  return report
}

/** What was to go can go another time: the run has ended, and its end is the news. */
async function clearAway(held: Held, run: RunId): Promise<void> {
  try {
    await prune(held, run)
  } catch (error) {
    if (held.repo.by?.signal.aborted === true) return
    if (!(error instanceof RalphError) || error.code === 'store-damaged') throw error
    held.watcher.notice?.(`What is older than you keep was not cleared away: ${error.message}`)
  }
}

function notifierOf({ root, settings, watcher }: Held): Notifier | null {
  return openNotifier({
    root,
    values: settings.values,
    env: processEnv(),
    bell: () => watcher.bell?.(),
    notice: (text) => watcher.notice?.(text),
  })
}

function reportOf({ root, repo, store, settings, watcher }: Held, run: RunId): Promise<LeftReport | null> {
  const notice = (text: string): void => watcher.notice?.(text)
  return leaveReport({ root, repo, sql: store.sql, run, keep: settings.values['keep.runs'], notice })
}

/** The files that monitors of the bash tool read, where there may be one. */
async function project(
  { root, repo, folder, settings: { values }, store, watcher }: Held,
  run: RunId,
  clock: Clock,
): Promise<Projections | null> {
  if (!wantsProjections(root, values['ui.projections'])) {
    if (repo.git === null) hideState(root)
    return null
  }
  const notice = (text: string): void => watcher.notice?.(text)
  const { sql } = store
  return openProjections({ root, run, folder, sql, clock, toolArgs: values['ui.tool_args'], notice })
}

function worldOf(held: Held, run: { run: RunId; clock: Clock; rules: Rules; agents: Agents }): World {
  const { root, repo, folder, settings } = held
  const { handover } = settings
  // All work in the user's checkout, which is the place of a plain loop.
  const place: Place = {
    root,
    repo,
    judging: judgingFor({ repo, root, sql: held.store.sql, handover }, run.rules),
  }
  return {
    run: run.run,
    project: { root, repo },
    at: () => place,
    places: () => [place],
    swept: new Set(),
    folder,
    clock: run.clock,
    loop: run.rules.loop,
    custom: run.agents.agents,
    programs: run.agents.programs,
    handover,
    baselines: openFlights(),
    mask: maskFor(settings, root),
    backup: settings.values['loop.backup'],
    snapshotsKept: settings.values['keep.snapshots'],
    mcp: settings.values['agent.mcp'] === 'auto',
    idleByDefault: settings.origin('agent.idle').from === 'default',
    terminal: settings.values['agent.terminal'],
    ...(held.askPerson === undefined ? {} : { askPerson: personOf(held.askPerson) }),
    taskTexts: (task) => taskTexts(held.store.sql, task, { paper: (path) => readPaper(root, path) }),
    knownEvidence: async ({ gate, tree }) => {
      if (tree === null) return null
      const found = await findEvidence(held.store.sql, {
        gate: gate.name,
        command: gate.run,
        tree,
        guarded: '',
      })
      return found === null || found.evidence.timedOut || found.evidence.missing ? null : found.evidence
    },
  }
}

function stamp(clock: Clock): { at: number; up: number } {
  return { at: clock.at(), up: clock.up() }
}
