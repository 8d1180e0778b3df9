/**
 * The breaker and the conversation of a project: as the run that goes on has them, or as the next one would begin with. Resets by
 * hand are kept in the store, because that is where the next run looks; the files for other tools' monitors follow.
 */
import { join } from 'node:path'
import {
  breakerFile,
  breakerHistory,
  conversationHistory,
  resetSession,
  type Times,
} from '../../compat/bash/run-files.ts'
import { firstWorker } from '../../domain/tell/focus.ts'
import { foldPast, NO_PAST, withUntold, type BashPast, type Turn } from '../../compat/bash/run-files-past.ts'
import type { RunFile } from '../../domain/control-files.ts'
import { RalphError } from '../../domain/error.ts'
import type { Instant, RunId } from '../../domain/ids.ts'
import { closedBreaker } from '../../domain/admission/breaker.ts'
import { houseFrom } from '../../domain/state/upgrade.ts'
import { carriedOver, withoutReset, type Carried } from '../../store/inheritance.ts'
import { holderOf, type Holder } from '../../store/holder.ts'
import { loadState } from '../../store/state.ts'
import { addReset, resetsOf, type Resettable } from '../../store/resets.ts'
import { latestRun } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { oldTurns, tellingRows } from '../../store/turns.ts'
import { useStore } from '../../store/db/use.ts'
import { realClock } from '../../system/clock.ts'
import { exists } from '../../system/files/files.ts'
import { localSeconds, utcSeconds } from '../../system/local-time.ts'
import { bashState } from '../../sources/bash-state.ts'
import { runFilePath, writeRunFile } from '../../workspace/run-files.ts'
import { foldersOf, withStore } from '../store-at.ts'

export type { Turn }

export interface BreakerAndConversation extends Pick<Carried, 'breaker' | 'conversation'> {
  /** The run they belong to; null: an earlier tool's, or nobody's. */
  run: RunId | null
  /** That run goes on now, served by this process. */
  live: Pick<Holder, 'pid' | 'command' | 'since'> | null
  /** That run has not ended: if it goes on, it keeps what it has. */
  unfinished: boolean
  at: Instant
}

export async function keptOf(root: string): Promise<BreakerAndConversation> {
  const at = realClock().at()
  return orWithout(
    () => withStore(root, ({ sql }) => keptIn(sql, root, at)),
    () => ({ ...oldKept(root, at), run: null, live: null, unfinished: false, at }),
  )
}

export async function keptIn(sql: Sql, root: string, at: Instant): Promise<BreakerAndConversation> {
  const last = await latestRun(sql, root)
  const live = await holderOf(sql, root)
  if (last === null) {
    const carried = await withoutReset(sql, root, { ...oldKept(root, at), limited: {} }, null)
    return {
      breaker: carried.breaker,
      conversation: carried.conversation,
      run: null,
      live,
      unfinished: false,
      at,
    }
  }
  const { breaker, conversation } =
    last.end === null ? await ownOf(sql, last.id) : await carriedOver(sql, root)
  return { breaker, conversation, run: last.id, live, unfinished: last.end === null, at }
}

async function ownOf(sql: Sql, run: RunId): Promise<Pick<Carried, 'breaker' | 'conversation'>> {
  const state = await loadState(sql, run)
  const worker = state === null ? undefined : firstWorker(houseFrom(state, run).workers)
  return { breaker: worker?.breaker ?? null, conversation: worker?.conversation ?? null }
}

function oldKept(root: string, at: Instant): Pick<Carried, 'breaker' | 'conversation'> {
  const { breaker, conversation } = bashState(root, at)
  return { breaker, conversation }
}

/** As many runs as are kept by default. */
const RUNS_TOLD = 50

/** The turns of breaker and conversation in all the runs that are kept, oldest first. */
export async function pastOf(root: string): Promise<BashPast> {
  return orWithout(
    () => withStore(root, ({ sql }) => pastIn(sql, root)),
    () => {
      const { turns } = bashState(root, realClock().at())
      return { ...NO_PAST, breakerTurns: turns.breaker, conversationTurns: turns.conversation }
    },
  )
}

async function pastIn(sql: Sql, root: string): Promise<BashPast> {
  const rows = await tellingRows(sql, root, { runs: RUNS_TOLD })
  const resets = {
    breaker: await resetsOf(sql, root, 'breaker'),
    conversation: await resetsOf(sql, root, 'conversation'),
  }
  return withUntold(rows.reduce(foldPast, NO_PAST), { old: await oldTurns(sql, root), resets })
}

export interface ResetDone {
  reset: Resettable[]
  at: Instant
  /** A run that is unfinished keeps what it has if it goes on; only a new one begins with the reset. */
  unfinished: RunId | null
  /** What happened to the store meanwhile. */
  said: string[]
}

/** Holds from the next run on; refused while one goes on, which has its own. */
export async function resetByHand(
  root: string,
  what: { of: Resettable; reason: string }[],
): Promise<ResetDone> {
  const { folder } = await foldersOf(root)
  const at = realClock().at()
  const said: string[] = []
  const options = { create: true, notice: (text: string) => void said.push(text) }
  return useStore(join(folder, 'ralph.db'), options, async ({ sql }) => {
    const holder = await holderOf(sql, root)
    if (holder !== null) throw goingOn(holder)
    for (const { of, reason } of what) await addReset(sql, root, of, { at, reason })
    const last = await latestRun(sql, root)
    await showReset(sql, root, at)
    return {
      reset: what.map(({ of }) => of),
      at,
      unfinished: last !== null && last.end === null ? last.id : null,
      said,
    }
  })
}

function goingOn(holder: Holder): RalphError {
  return new RalphError(
    'held',
    `"${holder.command}" (process ${holder.pid}) is going on, and a run keeps its own breaker and conversation`,
    {
      hint: 'Stop it first: ralph stop. Or tell the agent something: ralph steer "…".',
    },
  )
}

const TIMES: Times = { utc: utcSeconds, local: localSeconds }

/** Only files that are there are changed: whoever wants none gets none. */
async function showReset(sql: Sql, root: string, at: Instant): Promise<void> {
  const past = await pastIn(sql, root)
  const breakerReset = (await resetsOf(sql, root, 'breaker')).at(-1)
  const conversationReset = (await resetsOf(sql, root, 'conversation')).at(-1)
  const files: Partial<Record<RunFile, string | null>> = {}
  if (breakerReset?.at === at) {
    files['.circuit_breaker_state'] = breakerFile(closedBreaker(at), {
      lastProgress: 0,
      iteration: 0,
      times: TIMES,
    })
    files['.circuit_breaker_history'] = breakerHistory(past.breakerTurns, TIMES)
  }
  if (conversationReset?.at === at) {
    files['.claude_session_id'] = null
    files['.ralph_session'] = resetSession(conversationReset, TIMES)
    files['.ralph_session_history'] = conversationHistory(past.conversationTurns, TIMES)
  }
  for (const [name, text] of Object.entries(files)) {
    if (exists(runFilePath(root, name))) writeRunFile(root, name, text)
  }
}

/** A project in which nothing has run has no store yet, and none is made for a question. */
async function orWithout<T>(ask: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run') return otherwise()
    throw error
  }
}
