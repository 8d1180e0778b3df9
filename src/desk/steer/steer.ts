/** Asks something of a running engine from another process: leaves a request, waits for its receipt, and for a stop, sees to it. */
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'
import type { Orphan } from '../../domain/tree/orphan.ts'
import { holderOf, type Holder } from '../../store/holder.ts'
import { orphansOf } from '../../store/screens.ts'
import { addRequest, requestState, type NewRequest, type RequestState } from '../../store/requests.ts'
import type { RunKind } from '../../domain/state/kind.ts'
import { unfinishedRun } from '../../store/runs.ts'
import type { Store } from '../../store/db/open.ts'
import type { Sql } from '../../store/db/sql.ts'
import { pauseFor, realClock } from '../../system/clock.ts'
import { isAlive } from '../../system/process/identity.ts'
import { endTree, sendSignal } from '../../system/process/kill.ts'
import { isRunning } from '../../system/process/process-table.ts'
import { processNotes } from '../../workspace/repo/repository-at.ts'
import { withStore } from '../store-at.ts'

export interface Receipt {
  run: RunId
  id: number
  state: RequestState
  note: string | null
  iteration: number | null
}

/** The engine looks four times a second; after this long it does not answer. */
const ACCEPT_MS = 1_000
const LOOK_MS = 50

interface Live {
  run: RunId
  kind: RunKind
  holder: Holder
}

/** The run that an engine serves in this working tree at the moment. */
export async function liveRun(root: string): Promise<Live | null> {
  try {
    return await withStore(root, (store) => liveIn(store, root))
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run') return null
    throw error
  }
}

async function liveIn(store: Store, root: string): Promise<Live | null> {
  const holder = await holderOf(store.sql, root)
  const run = holder === null ? null : await unfinishedRun(store.sql, root)
  return holder === null || run === null ? null : { run: run.id, kind: run.kind, holder }
}

export function askEngine(root: string, request: NewRequest): Promise<Receipt> {
  return withStore(root, async (store) => {
    const live = await liveIn(store, root)
    if (live === null) throw notRunning()
    return leaveRequest(store.sql, live.run, request)
  })
}

/** Of a run that an engine serves. */
export async function leaveRequest(sql: Sql, run: RunId, request: NewRequest): Promise<Receipt> {
  const clock = realClock()
  const id = await addRequest(sql, run, request, clock.at())
  const until = clock.up() + ACCEPT_MS
  for (;;) {
    const status = await requestState(sql, id)
    if (status !== null && (status.state !== 'waiting' || clock.up() >= until)) return { run, id, ...status }
    await pauseFor(LOOK_MS)
  }
}

export interface Stopped {
  run: RunId
  /** Null: nobody served it any more. */
  pid: number | null
  /** `left`: its engine was gone already; what was left of the run is ended. */
  how: 'asked' | 'signalled' | 'killed' | 'left'
  /** Orphans of its iterations that still run, because nobody saw an agent start them. */
  left: Orphan[]
}

/** The engine gives an agent three seconds to end; a stop that takes longer than this is not obeyed. */
const STOP_MS = 5_000
/** As much as the engine itself gives an agent. */
const GRACE_MS = 3_000

/** Stops the engine: by request, by signal, by force. Returns only when the process and all that was seen to descend from it are
 *  gone. */
export function stopEngine(root: string, { now }: { now: boolean }): Promise<Stopped> {
  return withStore(root, async (store, folder) => {
    const live = await liveIn(store, root)
    if (live === null) return endCutOff(store, { root, folder })
    const { run, holder } = live
    const receipt = await leaveRequest(store.sql, run, { from: 'ralph stop', do: 'stop', now })
    const how = await seeItGone(holder, {
      asked: receipt.state !== 'waiting',
      notes: processNotes(folder, run),
    })
    return { run, pid: holder.pid, how, left: await livingOrphans(store, run) }
  })
}

/** What an engine that was killed left running: nobody else ends it before the run is taken up again. */
async function endCutOff(store: Store, { root, folder }: { root: string; folder: string }): Promise<Stopped> {
  const unfinished = await unfinishedRun(store.sql, root)
  if (unfinished === null) throw notRunning()
  const { id: run } = unfinished
  // What starts programs is only loaded by commands that need it.
  const { endNoted } = await import('../../system/process/process.ts')
  if ((await endNoted(processNotes(folder, run), { graceMs: GRACE_MS })) === 0)
    throw notRunning(`Run ${run} is unfinished, and nothing of it runs. Go on with it: ralph resume`)
  return { run, pid: null, how: 'left', left: await livingOrphans(store, run) }
}

async function seeItGone(
  holder: Holder,
  { asked, notes }: { asked: boolean; notes: string },
): Promise<Stopped['how']> {
  if (asked && (await gone(holder))) return 'asked'
  sendSignal(holder.pid, 'SIGTERM')
  if (await gone(holder)) return 'signalled'
  await endTree(holder.pid, { graceMs: 0 })
  // What starts programs is only loaded by commands that need it.
  const { endNoted } = await import('../../system/process/process.ts')
  await endNoted(notes, { graceMs: 0 })
  return 'killed'
}

async function livingOrphans(store: Store, run: RunId): Promise<Orphan[]> {
  const named = await orphansOf(store.sql, run)
  return named.filter(isRunning)
}

async function gone(holder: Holder): Promise<boolean> {
  const clock = realClock()
  const until = clock.up() + STOP_MS
  while (isAlive(holder)) {
    if (clock.up() >= until) return false
    await pauseFor(LOOK_MS)
  }
  return true
}

function notRunning(hint = 'Start one: ralph loop'): RalphError {
  return new RalphError('no-run', 'no run is going on in this project', { hint })
}
