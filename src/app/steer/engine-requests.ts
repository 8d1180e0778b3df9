/** Sends a request to a running engine from another process and waits for its receipt; for a stop, makes sure the engine stops. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import { lockOwnerOf, type LockOwner } from '../../store/lock.ts'
import { loadOrphans } from '../../store/run-views.ts'
import { addRequest, loadRequestReceipt, type NewRequest, type RequestState } from '../../store/requests.ts'
import type { RunKind } from '../../core/state/run-kind.ts'
import { loadUnfinishedRun } from '../../store/runs.ts'
import type { Store } from '../../store/db/open-store.ts'
import type { Sql } from '../../store/db/sql.ts'
import { sleepFor, systemClock } from '../../system/clock.ts'
import { isAlive } from '../../system/process/process-identity.ts'
import { endProcessTree, sendSignal } from '../../system/process/kill.ts'
import { isRunning } from '../../system/process/process-table.ts'
import { descendantFilesFolder } from '../../workspace/repo/find-repo.ts'
import { withStore, withStoreIfAny } from '../open-store.ts'

export interface Receipt {
  run: RunId
  id: number
  state: RequestState
  note: string | null
  iteration: number | null
}

/** The engine polls four times a second; after this long it does not respond. */
const ACCEPT_MS = 1_000
const LOOK_MS = 50

interface Live {
  run: RunId
  kind: RunKind
  lockOwner: LockOwner
}

export function findLiveRun(root: string): Promise<Live | null> {
  return withStoreIfAny(root, (store) => liveRunIn(store, root))
}

/** The run of the engine that works in this working tree. */
export async function liveRunIn(store: Store, root: string): Promise<Live | null> {
  const lockOwner = await lockOwnerOf(store.sql, root)
  const run = lockOwner === null ? null : await loadUnfinishedRun(store.sql, root)
  return lockOwner === null || run === null ? null : { run: run.id, kind: run.kind, lockOwner }
}

export function sendRequest(root: string, request: NewRequest): Promise<Receipt> {
  return withStore(root, async (store) => {
    const live = await liveRunIn(store, root)
    if (live === null) throw notRunning()
    return sendRequestToRun(store.sql, live.run, request)
  })
}

/** For a run that an engine runs. */
export async function sendRequestToRun(sql: Sql, run: RunId, request: NewRequest): Promise<Receipt> {
  const clock = systemClock()
  const id = await addRequest(sql, run, request, clock.at())
  const until = clock.up() + ACCEPT_MS
  for (;;) {
    const status = await loadRequestReceipt(sql, id)
    if (status !== null && (status.state !== 'waiting' || clock.up() >= until)) return { run, id, ...status }
    await sleepFor(LOOK_MS)
  }
}

export interface StopResult {
  run: RunId
  /** Null: no process ran it any more. */
  pid: number | null
  /** `left`: its engine was gone already; what it had left running is ended. */
  how: 'asked' | 'signalled' | 'killed' | 'left'
  /** Orphans of its iterations that still run, because Ralph cannot attribute them to an agent. */
  left: Orphan[]
}

/** The engine gives an agent three seconds to exit; a stop that takes longer than this has failed. */
const STOP_MS = 5_000
/** As long as the engine itself gives an agent. */
const GRACE_MS = 3_000

/** Stops the engine: by request, by signal, by force. Returns when the process and all its known descendants are gone. */
export function stopEngine(root: string, { now }: { now: boolean }): Promise<StopResult> {
  return withStore(root, async (store, folder) => {
    const live = await liveRunIn(store, root)
    if (live === null) return endRemainingProcesses(store, { root, folder })
    const { run, lockOwner } = live
    const receipt = await sendRequestToRun(store.sql, run, { from: 'ralph stop', do: 'stop', now })
    const how = await waitOrKill(lockOwner, {
      asked: receipt.state !== 'waiting',
      notes: descendantFilesFolder(folder, run),
    })
    return { run, pid: lockOwner.pid, how, left: await livingOrphans(store, run) }
  })
}

/** Ends what a killed engine left running: nothing else does so before the run is resumed. */
async function endRemainingProcesses(
  store: Store,
  { root, folder }: { root: string; folder: string },
): Promise<StopResult> {
  const unfinished = await loadUnfinishedRun(store.sql, root)
  if (unfinished === null) throw notRunning()
  const { id: run } = unfinished
  // Loads the code that starts programs only in commands that need it.
  const { endRecordedProcesses } = await import('../../system/process/process.ts')
  if ((await endRecordedProcesses(descendantFilesFolder(folder, run), { graceMs: GRACE_MS })) === 0)
    throw notRunning(`Run ${run} is unfinished, and none of its processes is running. Continue it: ralph resume`)
  return { run, pid: null, how: 'left', left: await livingOrphans(store, run) }
}

async function waitOrKill(
  lockOwner: LockOwner,
  { asked, notes }: { asked: boolean; notes: string },
): Promise<StopResult['how']> {
  if (asked && (await waitUntilGone(lockOwner))) return 'asked'
  sendSignal(lockOwner.pid, 'SIGTERM')
  if (await waitUntilGone(lockOwner)) return 'signalled'
  await endProcessTree(lockOwner.pid, { graceMs: 0 })
  // Loads the code that starts programs only in commands that need it.
  const { endRecordedProcesses } = await import('../../system/process/process.ts')
  await endRecordedProcesses(notes, { graceMs: 0 })
  return 'killed'
}

async function livingOrphans(store: Store, run: RunId): Promise<Orphan[]> {
  const named = await loadOrphans(store.sql, run)
  return named.filter(isRunning)
}

async function waitUntilGone(lockOwner: LockOwner): Promise<boolean> {
  const clock = systemClock()
  const until = clock.up() + STOP_MS
  while (isAlive(lockOwner)) {
    if (clock.up() >= until) return false
    await sleepFor(LOOK_MS)
  }
  return true
}

function notRunning(hint = 'Start one: ralph loop'): RalphError {
  return new RalphError('no-run', 'no run is active in this project', { hint })
}
