/** Runs a new or resumed run to its end: sets up the runtime and its listeners, runs the loop, and takes them down. */
import { isRunning } from '../../system/process/process-table.ts'
import { isOneStageRun, runKindOf } from '../../core/state/run-kind.ts'
import { isStopOutcome, type Outcome } from '../../core/state/outcome.ts'
import type { RunState } from '../../core/state/state.ts'
import { addTaskLogEntry } from '../../store/task/task-log.ts'
import { readClock, type Clock } from '../../system/clock.ts'
import { closeTreeDiffer, openTreeDiffer } from '../../workspace/snapshot/compare-snapshots.ts'
import { removeSnapshotIndexes } from '../../workspace/snapshot/snapshot-index.ts'
import type { TreeArchive } from '../../workspace/archive/tree-archive.ts'
import { runEventLoop, type Engine } from '../runtime/event-loop.ts'
import { writeCrashNote, emergencyStop } from '../runtime/emergency-stop.ts'
import { openInbox, type Inbox } from '../runtime/inbox.ts'
import { openRunningEffects } from '../runtime/running-effects.ts'
import { pollRequestsAndClaims } from '../runtime/poll.ts'
import { handleStopSignals, type StopSignals } from '../runtime/stop-signals.ts'
import type { EventBus } from '../../listeners/event-bus.ts'
import { createHandlers } from '../create-handlers.ts'
import { processMarkOf, LONG_LIVED_GIT_MARK, type HandlerContext } from '../handler-context.ts'
import type { PreparedRun } from './prepare-run.ts'
import { writeReportAndPrune, cleanUpOneStageRun } from './clean-up.ts'
import type { LockedTreeContext } from './locked-tree.ts'
import { openListeners } from './open-listeners.ts'
import type { RunControl, RunResult } from './run-options.ts'
import { createHandlerContext } from './create-handler-context.ts'

export async function runToEnd(lockedTree: LockedTreeContext, preparedRun: PreparedRun): Promise<RunResult> {
  lockedTree.begins()
  const { position } = preparedRun
  const { run } = position
  const world = createHandlerContext(lockedTree, { ...preparedRun, run })
  const listeners = await openListeners(lockedTree, { ...preparedRun, run })
  const served = openEngine(lockedTree, { world, preparedRun, bus: listeners.bus })
  const isAlone = isOneStageRun(runKindOf(lockedTree))
  let stopped = false
  for (const { repo } of world.workspaces()) openTreeDiffer(repo, processMarkOf(world, LONG_LIVED_GIT_MARK))
  try {
    await preparedRun.start(served.engine, world)
    const state = await runEventLoop(served.engine, position)
    const outcome = outcomeOf(state)
    stopped = isStopOutcome(outcome.is)
    const clean = isAlone ? cleanUpOneStageRun : writeReportAndPrune
    const report = await served.signals.duringCleanup(outcome, (repo) =>
      clean({ ...lockedTree, ...checkoutArchive(world, lockedTree), repo }, run),
    )
    const left = listeners.orphans.filter(isRunning)
    const exit = served.signals.exit() ?? outcome.exit
    return { run, outcome, exit, report, left, state, already: false }
  } catch (error) {
    await emergencyStop(world, served.engine.runningEffects, served.state())
    // Runs of one stage are never resumed.
    if (!isAlone) writeCrashNote(world, error)
    throw error
  } finally {
    served.stop()
    for (const { repo } of world.workspaces()) {
      removeSnapshotIndexes(repo)
      await closeTreeDiffer(repo)
    }
    await listeners.close({ stopped })
  }
}

interface RunningEngine {
  engine: Engine
  signals: StopSignals
  /** The state after the last row. */
  state(): RunState | null
  stop(): void
}

/** Opens the engine and the sources of its events: signals, the watcher, requests of other processes. */
function openEngine(
  lockedTree: LockedTreeContext,
  { world, preparedRun: { position, clock }, bus }: { world: HandlerContext; preparedRun: PreparedRun; bus: EventBus },
): RunningEngine {
  let { state } = position
  const inbox = openInbox()
  const runningEffects = openRunningEffects()
  const engine: Engine = {
    store: lockedTree.store,
    inbox,
    bus,
    handlers: createHandlers(world, { words: bus.words, runningEffects }),
    runningEffects,
    onPosition: (now) => void ({ state } = now),
    clock: () => readClock(clock),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const signals = handleStopSignals({
    world,
    inbox,
    runningEffects,
    state: () => state,
    hangsUp: lockedTree.settings.values['run.on_hangup'] !== 'continue' || isOneStageRun(runKindOf(lockedTree)),
    interrupted: () => lockedTree.watcher.interrupted?.() ?? null,
    stopping: (signal) => lockedTree.watcher.stopping?.(signal),
  })
  lockedTree.watcher.serving?.(createRunControl(lockedTree, { inbox, clock }))
  const poll = pollRequestsAndClaims({ sql: lockedTree.store.sql, run: position.run, inbox, clock, state: () => state })
  return {
    engine,
    signals,
    state: () => state,
    stop() {
      poll.stop()
      signals.stop()
    },
  }
}

function createRunControl(
  { store }: LockedTreeContext,
  { inbox, clock }: { inbox: Pick<Inbox, 'put'>; clock: Clock },
): RunControl {
  return {
    ask: (request) => inbox.put({ type: 'request-received', request }),
    async guide(task, text) {
      await addTaskLogEntry(store.sql, { task, at: clock.at(), author: 'human', kind: 'guidance', text })
    },
  }
}

function outcomeOf({ run: { outcome } }: RunState): Outcome {
  if (outcome === null) throw new Error('the run ended without an outcome')
  return outcome
}

/** The tree archive of the user's own checkout, if a worker used it: it knows whether a scan is still running. */
function checkoutArchive(world: HandlerContext, { root }: LockedTreeContext): { archive?: TreeArchive } {
  const here = world.workspaces().find((place) => place.root === root)
  return here === undefined ? {} : { archive: here.proofContext.archive }
}
