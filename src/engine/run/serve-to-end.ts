/** A run that has begun or was taken up is served: the circle is set going with all that stands around it, and taken down again. */
import { isRunning } from '../../system/process/process-table.ts'
import { isOneStage, kindOf } from '../../domain/state/kind.ts'
import { isStopped, type Outcome } from '../../domain/state/outcome.ts'
import type { House } from '../../domain/state/state.ts'
import { addTaskLog } from '../../store/task/log.ts'
import { nowBy, type Clock } from '../../system/clock.ts'
import { closeDiffer, keepDiffer } from '../../workspace/snapshot/measure.ts'
import { removeIndexes } from '../../workspace/snapshot/private-index.ts'
import type { Witness } from '../../workspace/witness/witness.ts'
import { drive, type Engine } from '../circle/drive.ts'
import { leaveNote, shut } from '../circle/emergency.ts'
import { openInbox, type Inbox } from '../circle/inbox.ts'
import { openPerforming } from '../circle/performing.ts'
import { startPulse } from '../circle/pulse.ts'
import { listenForSignals, type StopSignals } from '../circle/stop-signals.ts'
import type { Bus } from '../../listeners/bus.ts'
import { wire } from '../wire.ts'
import { markOf, STANDING, type World } from '../world.ts'
import type { Begun } from './begin.ts'
import { cleanUp, cleanUpStage } from './clean-up.ts'
import type { HeldTree } from './held-tree.ts'
import { openListeners } from './listeners.ts'
import type { RunDoor, RunResult } from './options.ts'
import { worldOf } from './world-of.ts'

export async function serveToEnd(held: HeldTree, begun: Begun): Promise<RunResult> {
  held.begins()
  const { position } = begun
  const { run } = position
  const world = worldOf(held, { ...begun, run })
  const listeners = await openListeners(held, { ...begun, run })
  const served = openServed(held, { world, begun, bus: listeners.bus })
  const isAlone = isOneStage(kindOf(held))
  let stopped = false
  for (const { repo } of world.places()) keepDiffer(repo, markOf(world, STANDING))
  try {
    await begun.start(served.engine, world)
    const house = await drive(served.engine, position)
    const outcome = outcomeOf(house)
    stopped = isStopped(outcome.is)
    const clean = isAlone ? cleanUpStage : cleanUp
    const report = await served.signals.whileCleaning(outcome, (repo) =>
      clean({ ...held, ...lookedThrough(world, held), repo }, run),
    )
    const left = listeners.orphans.filter(isRunning)
    const exit = served.signals.exit() ?? outcome.exit
    return { run, outcome, exit, report, left, house, already: false }
  } catch (error) {
    await shut(world, served.engine.performing, served.house())
    // Nobody resumes a run of one stage.
    if (!isAlone) leaveNote(world, error)
    throw error
  } finally {
    served.stop()
    for (const { repo } of world.places()) {
      removeIndexes(repo)
      await closeDiffer(repo)
    }
    await listeners.close({ stopped })
  }
}

interface Served {
  engine: Engine
  signals: StopSignals
  /** As the last row left it. */
  house(): House | null
  stop(): void
}

/** The circle, and the doors by which others ask something of it: signals, whoever watches, rows of other processes. */
function openServed(
  held: HeldTree,
  { world, begun: { position, clock }, bus }: { world: World; begun: Begun; bus: Bus },
): Served {
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
    clock: () => nowBy(clock),
    after: (ms, fire) => clock.after(ms, fire),
  }
  const signals = listenForSignals({
    world,
    inbox,
    performing,
    house: () => house,
    hangsUp: held.settings.values['run.on_hangup'] !== 'continue' || isOneStage(kindOf(held)),
    interrupted: () => held.watcher.interrupted?.() ?? null,
    stopping: (signal) => held.watcher.stopping?.(signal),
  })
  held.watcher.serving?.(doorOf(held, { inbox, clock }))
  const pulse = startPulse({ sql: held.store.sql, run: position.run, inbox, clock, house: () => house })
  return {
    engine,
    signals,
    house: () => house,
    stop() {
      pulse.stop()
      signals.stop()
    },
  }
}

function doorOf({ store }: HeldTree, { inbox, clock }: { inbox: Pick<Inbox, 'put'>; clock: Clock }): RunDoor {
  return {
    ask: (request) => inbox.put({ type: 'request-received', request }),
    async guide(task, text) {
      await addTaskLog(store.sql, { task, at: clock.at(), author: 'human', kind: 'guidance', text })
    },
  }
}

function outcomeOf({ run: { outcome } }: House): Outcome {
  if (outcome === null) throw new Error('the run ended without an outcome')
  return outcome
}

/** The witness of the user's own checkout, if a worker had it: it knows whether a look is still under way. */
function lookedThrough(world: World, { root }: HeldTree): { witness?: Witness } {
  const here = world.places().find((place) => place.root === root)
  return here === undefined ? {} : { witness: here.judging.witness }
}
