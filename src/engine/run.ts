/**
 * One engine for one working tree: takes hold of it, begins a run or takes up the one that was cut off, serves it to its end,
 * and lets go. Everything a person sees of it goes through the watcher.
 */
import { join } from 'node:path'
import type { Agents, Settings } from '../config/resolve.ts'
import { EXIT, RalphError, type ExitCode } from '../domain/error.ts'
import type { Event, EventOf, Request } from '../domain/event.ts'
import type { House } from '../domain/house.ts'
import type { RunId } from '../domain/ids.ts'
import { type Outcome, isStopped } from '../domain/loop/outcome.ts'
import { type Orphan, orphansIn } from '../domain/orphan.ts'
import type { Rules } from '../domain/rules.ts'
import { foldView, type View } from '../domain/view.ts'
import { findEvidence } from '../store/evidence.ts'
import { openStore, type Store } from '../store/open.ts'
import { allRows } from '../store/record.ts'
import { findRun, unfinishedRun } from '../store/runs.ts'
import { randomId, realClock, type Clock } from '../system/clock.ts'
import { me } from '../system/identity.ts'
import { isRunning } from '../system/process-table.ts'
import { processEnv } from '../system/process.ts'
import type { StopSignal } from '../system/signals.ts'
import { openRepo } from '../workspace/git.ts'
import { storeFolder, type Repo } from '../workspace/place.ts'
import { removeIndexes } from '../workspace/private-index.ts'
import { advance, type Position } from './advance.ts'
import { openBus, type Watcher } from './bus.ts'
import { drive, type Engine } from './drive.ts'
import { endChildren, leaveNote, shut } from './emergency.ts'
import { isInline } from './handler.ts'
import { openInbox } from './inbox.ts'
import { inherited } from './old-state.ts'
import { listenForSignals } from './stop-signals.ts'
import { openPerforming } from './performing.ts'
import { preflight, type Preflight } from './preflight.ts'
import { openNotifier, type Notifier } from './notify.ts'
import { editedSince, projectPrograms, sayEdited, withProject } from './programs.ts'
import { openProjections, type Projections } from './projections.ts'
import { prune } from './prune.ts'
import { startPulse } from './pulse.ts'
import { whileHolding } from './hold.ts'
import { leaveReport, type LeftReport } from './report-file.ts'
import { loadPosition, recover } from './recover.ts'
import { wire } from './wire.ts'
import type { World } from './world.ts'

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
  notice?(text: string): void
  /** The run is served: whoever watches may ask something of it. */
  serving?(ask: (request: Request) => void): void
  /** The first stop signal arrived; ending children may take a few seconds. */
  stopping?(signal: StopSignal): void
  /** Somebody should look up. */
  bell?(): void
}

export interface RunOptions {
  root: string
  /** Whoever begins a run has asked about the programs that the project's files name (`settings.executed`): the engine starts them. */
  settings: Settings
  rules: Rules
  /** As typed, for whoever finds the working tree taken. */
  command: string
  version: string
  /** Give up an unfinished run and begin a new one. */
  fresh: boolean
  /** Take up this run and no other; an error if it has ended. */
  resume: string | null
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
}

export async function serveRun(options: RunOptions): Promise<RunResult> {
  const { root, watcher } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const notice = (text: string): void => watcher.notice?.(text)
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice })
  try {
    return await whileHolding(store, options, () => serve({ ...options, repo, folder, store }))
  } finally {
    await store.close()
  }
}

interface Held extends RunOptions {
  repo: Repo
  folder: string
  store: Store
}

async function serve(held: Held): Promise<RunResult> {
  const entry = await runToTakeUp(held)
  const begun = entry === null ? await begin(held) : await takeUp(held, entry)
  return serveToEnd(held, begun)
}

/** The unfinished run to go on with, or null for a new one. */
async function runToTakeUp({ store, root, fresh, resume, ...held }: Held): Promise<RunId | null> {
  if (resume !== null) {
    const run = await findRun(store.sql, resume)
    if (run.end === null) return run.id
    throw new RalphError('usage', `run ${run.id} has ended already (${run.end.outcome})`, {
      hint: 'Start a new one: ralph loop',
    })
  }
  const left = await unfinishedRun(store.sql, root)
  if (left === null || !fresh) return left?.id ?? null
  await abandon({ ...held, store, root, fresh, resume }, left.id)
  return null
}

async function abandon(held: Held, run: RunId): Promise<void> {
  const kept = await loadPosition(held.store.sql, run)
  const clock = realClock(kept.up)
  const world = worldOf(held, { run, clock, rules: kept.house.run.rules, agents: held.settings })
  await endChildren(
    world,
    Object.values(kept.house.run.open).filter((effect) => !isInline(effect)),
  )
  const request: Request = { id: null, from: '--fresh', do: 'abandon' }
  await advance(held.store, kept, [{ type: 'request-received', request }], () => stamp(clock))
  held.watcher.notice?.(`The unfinished run ${run} was given up; what it changed stays in the tree.`)
}

interface Begun {
  position: Position
  clock: Clock
  rules: Rules
  /** Named before this process took the run up. */
  orphans: Orphan[]
  /** What is started for an agent: of the project what the record says, the rest as the user says it today. */
  agents: Agents
  start(engine: Engine): Promise<void>
}

async function begin(held: Held): Promise<Begun> {
  const { root, repo, settings, watcher, store, command, version } = held
  const facts = await preflight({ root, repo, settings, rules: held.rules, mayStart: 'anything' })
  const { rules } = facts
  const run: RunId = randomId(6)
  const clock = realClock()
  const carried = await inherited({
    sql: store.sql,
    root,
    at: clock.at(),
    rules: rules.agent,
    notice: (text) => watcher.notice?.(text),
  })
  watcher.ready?.({ ...facts, run })
  const started: Event = {
    type: 'run-started',
    run,
    rules,
    workers: 1,
    project: root,
    command,
    ...carried,
    pid: me().pid,
    version,
    programs: projectPrograms(settings, rules),
  }
  return {
    position: { run, house: null, seq: 0 },
    clock,
    rules,
    orphans: [],
    agents: settings,
    start: (engine) => Promise.resolve(engine.inbox.put(started)),
  }
}

async function takeUp(held: Held, run: RunId): Promise<Begun> {
  const kept = await loadPosition(held.store.sql, run)
  const { is } = kept.house.run
  const after = is === 'paused' ? 'pause' : is === 'left' ? 'outage' : 'crash'
  const iteration = Math.max(...Object.values(kept.house.workers).map((worker) => worker.iteration))
  const { rules } = kept.house.run
  let view: View | null = null
  // An early version did not note them; whoever takes such a run up was asked about what the files say now.
  let programs = projectPrograms(held.settings, held.settings.rules())
  for await (const row of allRows(held.store.sql, run)) {
    view = foldView(view, row)
    if (row.event.type === 'run-started') programs = row.event.programs ?? programs
  }
  if (view !== null) held.watcher.continued?.({ run, after, iteration, view })
  const edited = editedSince({ rules, programs }, held.settings)
  if (edited.length > 0) held.watcher.notice?.(sayEdited(run, edited))
  return {
    position: kept,
    clock: realClock(kept.up),
    rules,
    agents: withProject(held.settings.users, programs),
    orphans: view?.orphans ?? [],
    start: (engine) =>
      recover(engine, kept.house, { type: 'run-continued', pid: me().pid, after, version: held.version }),
  }
}

async function serveToEnd(held: Held, begun: Begun): Promise<RunResult> {
  const { position, clock } = begun
  const world = worldOf(held, { run: position.run, clock, rules: begun.rules, agents: begun.agents })
  const bus = openBus()
  const orphans = [...begun.orphans]
  bus.watch({ rows: (rows) => void orphans.push(...rows.flatMap((row) => orphansIn(row.event))) })
  bus.watch(held.watcher)
  const projections = await project(held, position.run, clock)
  if (projections !== null) bus.watch(projections)
  const notifier = notifierOf(held)
  if (notifier !== null) bus.watch(notifier)
  const inbox = openInbox()
  const performing = openPerforming()
  const engine: Engine = {
    store: held.store,
    inbox,
    bus,
    handlers: wire(world, { words: bus.words, performing }),
    performing,
    clock: () => stamp(clock),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const signals = listenForSignals({
    world,
    inbox,
    performing,
    hangsUp: held.settings.values['run.on_hangup'] !== 'continue',
    stopping: (signal) => held.watcher.stopping?.(signal),
  })
  held.watcher.serving?.((request) => inbox.put({ type: 'request-received', request }))
  const pulse = startPulse({ sql: held.store.sql, run: position.run, inbox, clock })
  let stopped = false
  try {
    await begun.start(engine)
    const house = await drive(engine, position)
    const { outcome } = house.run
    if (outcome === null) throw new Error('the run ended without an outcome')
    stopped = isStopped(outcome.is)
    const report = await signals.whileCleaning(outcome, (repo) => cleanUp({ ...held, repo }, position.run))
    const left = orphans.filter(isRunning)
    return { run: position.run, outcome, exit: signals.exit() ?? outcome.exit, report, left, house }
  } catch (error) {
    await shut(world, performing)
    leaveNote(world, error)
    throw error
  } finally {
    pulse.stop()
    signals.stop()
    removeIndexes(world.repo)
    await projections?.close()
    await notifier?.close({ stopped })
  }
}

/** Leaves the report and forgets what is too old. Cut off, it leaves the rest to the next run. */
async function cleanUp(held: Held, run: RunId): Promise<LeftReport | null> {
  const report = await reportOf(held, run)
  await prune(held, run).catch((error: unknown) => {
    if (held.repo.by?.signal.aborted !== true) throw error
  })
  return report
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

/** The files that monitors of the earlier tools read, unless the user wants none. */
async function project(
  { root, settings: { values }, store, watcher }: Held,
  run: RunId,
  clock: Clock,
): Promise<Projections | null> {
  if (!values['ui.projections']) return null
  const notice = (text: string): void => watcher.notice?.(text)
  return openProjections({ root, run, sql: store.sql, clock, toolArgs: values['ui.tool_args'], notice })
}

function worldOf(held: Held, run: { run: RunId; clock: Clock; rules: Rules; agents: Agents }): World {
  const { root, repo, folder, settings } = held
  return {
    run: run.run,
    root,
    repo,
    folder,
    clock: run.clock,
    loop: run.rules.loop,
    custom: run.agents.agents,
    programs: run.agents.programs,
    pass: settings.values['env.pass'],
    backup: settings.values['loop.backup'],
    idleByDefault: settings.origin('agent.idle').from === 'default',
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
