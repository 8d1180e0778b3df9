/** How the end of a run stands today. The record says how it ended; a person may have answered since, or the moment to do so is gone. */
import { EXIT } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import { reasonOf } from '../domain/outcome-words.ts'
import type { Outcome } from '../domain/loop/outcome.ts'
import { answerAbout, baseOf } from '../store/bases.ts'
import type { Sql } from '../store/sql.ts'

export async function settled(
  sql: Sql,
  { run, workspace, outcome }: { run: RunId; workspace: string; outcome: Outcome },
): Promise<Outcome> {
  if (outcome.acceptance === undefined) return outcome
  const { acceptance: _, ...asked } = outcome
  const ended = { ...asked, reason: reasonOf(outcome) }
  const said = await answerAbout(sql, run)
  if (said !== null) {
    return said.answer === 'yes'
      ? { ...ended, verdict: 'proven', exit: EXIT.done, reason: `${ended.reason}; accepted by ${said.who}` }
      : {
          ...ended,
          verdict: 'failed',
          reason: `${ended.reason}; not accepted by ${said.who}: ${said.files.join(', ')}`,
        }
  }
  const kept = await baseOf(sql, workspace)
  if (kept !== null && kept.run === run && kept.acceptance !== null) return outcome
  return {
    ...ended,
    verdict: 'unproven',
    reason: `${ended.reason}; nobody answered, and the tree has moved on`,
  }
}
