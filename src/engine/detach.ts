/**
 * Starts an engine as an independent background process and waits until its run has begun. The caller gets a run to watch, or the
 * engine's error message.
 */
import { join } from 'node:path'
import { RalphError } from '../core/error.ts'
import type { Instant, RunId } from '../core/ids.ts'
import { openStore, type Store } from '../store/db/open-store.ts'
import { listRuns, type RunEntry } from '../store/runs.ts'
import { startBackground, type BackgroundEnd } from '../system/process/background.ts'
import { sleepFor, randomId, systemClock } from '../system/clock.ts'
import { assetPath, ensureFolder, exists, readIfExists, removeIfExists } from '../system/files/files.ts'
import { moveFile } from '../system/files/copy-move.ts'
import { fullEnvironment } from '../system/environment.ts'
import { NODE_PROGRAM } from '../system/platform.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder } from '../workspace/repo/find-repo.ts'

export interface DetachOptions {
  root: string
  /** The folder of the command: the engine finds the same project from there. */
  cwd: string
  /** The command line after `ralph`. */
  words: string[]
}

export type DetachResult =
  | { is: 'begun'; run: RunId; pid: number; log: string; startedAt: Instant }
  /** The engine ended before it had a run. */
  | { is: 'failed'; exit: number; said: string }

/** Asking an agent for its version may take five seconds, a large repository some more. */
const BEGIN_MS = 60_000
const LOOK_MS = 50

export async function startDetachedEngine({ root, cwd, words }: DetachOptions): Promise<DetachResult> {
  const folder = storeFolder(await openRepo(root), root)
  ensureFolder(join(folder, 'logs'))
  const log = join(folder, 'logs', `engine-${randomId(8)}.log`)
  const began = systemClock().at()
  const { pid, ended } = startBackground({ argv: ralphCommand(words), cwd, env: fullEnvironment(), log })
  let end: BackgroundEnd | null = null
  void ended.then((how) => (end = how))
  const entry = await waitForRunStart({ folder, pid, began, ended: () => end })
  if ('id' in entry)
    return {
      is: 'begun',
      run: entry.id,
      pid,
      log: keepWith(folder, entry.id, { log, pid }),
      startedAt: entry.startedAt,
    }
  const said = entry.problem ?? readIfExists(log) ?? ''
  removeIfExists(log)
  return { is: 'failed', exit: entry.code ?? 1, said: said.trim() }
}

/** Starts the same Ralph, whatever the command was called. */
export function ralphCommand(words: string[]): string[] {
  return [NODE_PROGRAM, assetPath('../bin/ralph.cjs'), ...words]
}

export interface WaitForRunStartOptions {
  folder: string
  /** The process that runs it. */
  pid: number
  began: Instant
  /** How it ended; null while it runs. */
  ended: () => BackgroundEnd | null
}

/** The run of this process, as soon as the store has it; or how the process ended without one. */
export async function waitForRunStart({
  folder,
  pid,
  began,
  ended,
}: WaitForRunStartOptions): Promise<RunEntry | BackgroundEnd> {
  const clock = systemClock()
  const until = clock.up() + BEGIN_MS
  const file = join(folder, 'ralph.db')
  let store: Store | null = null
  try {
    for (;;) {
      // Checked before the store, so that an engine that saved its run and ended at once is still found.
      const over = ended()
      store ??= await openIfThere(file)
      const entry =
        store === null ? undefined : (await listRuns(store.sql, RECENT)).find((run) => isOf(run, { pid, began }))
      if (entry !== undefined) return entry
      if (over !== null) return over
      if (clock.up() >= until) throw tooLate(pid)
      await sleepFor(LOOK_MS)
    }
  } finally {
    await store?.close()
  }
}

const RECENT = 20

/** Pids are reused: a run that ended before the start belongs to an earlier process with the same pid. */
function isOf(run: RunEntry, { pid, began }: { pid: number; began: Instant }): boolean {
  return run.pid === pid && (run.end === null || run.end.at >= began)
}

async function openIfThere(file: string): Promise<Store | null> {
  if (!exists(file)) return null
  try {
    return await openStore(file, { create: false, notice: () => {} })
  } catch (error) {
    // The engine has created the file but not its tables yet.
    if (error instanceof RalphError && error.code === 'no-run') return null
    throw error
  }
}

/** Moves the engine's log to the run's logs, so that it is deleted with them. A file can be moved while it is written. */
function keepWith(folder: string, run: RunId, { log, pid }: { log: string; pid: number }): string {
  const own = join(folder, 'logs', run)
  const kept = join(own, `engine-${pid}.log`)
  try {
    ensureFolder(own)
    moveFile(log, kept)
    return kept
  } catch {
    // Windows cannot move an open file; it may stay where it is.
    return log
  }
}

function tooLate(pid: number): RalphError {
  return new RalphError('io', `process ${pid} started, but no run began within ${BEGIN_MS / 1000} s`, {
    hint: 'Check whether the run begins later: ralph status. Stop it: ralph stop.',
  })
}
