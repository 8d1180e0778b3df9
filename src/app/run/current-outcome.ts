/** The outcome of a run as of today. The record says how it ended; a person may have answered since, or the question has expired. */
import { EXIT } from '../../core/error.ts'
import type { Instant, RunId } from '../../core/ids.ts'
import { outcomeReason } from '../../core/presentation/outcome-text.ts'
import { isCompleteOutcome, type Outcome } from '../../core/state/outcome.ts'
import { loadAcceptanceAnswer, loadBase } from '../../store/bases.ts'
import { loadLatestRun } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findUndo } from '../../store/undos.ts'

interface Ended {
  run: RunId
  workspace: string
  outcome: Outcome
  /** The time of its last row. */
  at: Instant
}

export async function currentOutcome(sql: Sql, ended: Ended): Promise<Outcome> {
  const { run, workspace, outcome } = ended
  if (outcome.acceptance === undefined) return verifiedSince(sql, ended)
  const { acceptance: _, ...asked } = outcome
  const then = { ...asked, reason: outcomeReason(outcome) }
  const said = await loadAcceptanceAnswer(sql, run)
  if (said !== null) {
    return said.answer === 'yes'
      ? { ...then, verdict: 'proven', exit: EXIT.done, reason: `${then.reason}; accepted by ${said.who}` }
      : {
          ...then,
          verdict: 'failed',
          reason: `${then.reason}; not accepted by ${said.who}: ${said.files.join(', ')}`,
        }
  }
  const kept = await loadBase(sql, workspace)
  if (kept !== null && kept.run === run && kept.acceptance !== null) return outcome
  return { ...then, verdict: 'unproven', reason: `${then.reason}; the working tree changed before anybody reviewed it` }
}

/** `ralph verify` has proven the work since: the base was written after the last row, and nothing else writes one. */
async function verifiedSince(sql: Sql, { run, workspace, outcome, at }: Ended): Promise<Outcome> {
  if (outcome.verdict === 'proven' || !isClaimed(outcome.is)) return outcome
  const kept = await loadBase(sql, workspace)
  if (kept === null || kept.base.from !== 'proven' || kept.at <= at) return outcome
  // The proof is about the tree that the last run left, which an undo has removed.
  if ((await findUndo(sql, run)) !== null) return outcome
  if ((await loadLatestRun(sql, workspace))?.id !== run) return outcome
  const { cause: _, ...then } = outcome
  return { ...then, verdict: 'proven', exit: EXIT.done, reason: `${then.reason}; proven later by ralph verify` }
}

/** A run that a limit, a person or a breaker ended never claimed completion, so a later proof does not make it done. */
function isClaimed(is: Outcome['is']): boolean {
  return isCompleteOutcome(is) || is === 'cannot_prove' || is === 'room_failed'
}
