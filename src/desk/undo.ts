/** Puts the working tree back to where it was before a run. The present is kept first, so an undo can be undone. */
import type { Snapshot } from '../domain/change.ts'
import { RalphError } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import { holderOf } from '../store/holder.ts'
import { realClock } from '../system/clock.ts'
import { undoTo, type Undone } from '../workspace/restore.ts'
import { noteOwnChange, type OwnChange } from './own-change.ts'
import { placeOf, withStore } from './place.ts'
import { allRows } from '../store/record.ts'
import { chooseRun } from './runs.ts'

export interface UndoPlan {
  run: RunId
  before: Snapshot
}

/** What an undo would go back to; refused while a run works in this tree. */
export function planUndo(root: string, named: string | null): Promise<UndoPlan> {
  return withStore(root, async ({ sql }) => {
    const holder = await holderOf(sql, root)
    if (holder !== null) {
      throw new RalphError('held', `"${holder.command}" (process ${holder.pid}) is working in ${root}`, {
        hint: 'Stop it first: ralph stop',
      })
    }
    const run = await chooseRun(sql, root, named)
    for await (const { event } of allRows(sql, run.id)) {
      if (event.type === 'surveyed') return { run: run.id, before: event.snapshot }
    }
    throw new RalphError(
      'not-found',
      `run ${run.id} ended before it looked at the tree, so there is nothing to undo`,
    )
  })
}

export async function undo(
  root: string,
  plan: UndoPlan,
  whose: Pick<OwnChange, 'plan' | 'env' | 'home'>,
): Promise<Undone> {
  const { repo } = await placeOf(root)
  const done = await undoTo(repo, plan.before, { at: realClock().at() })
  await noteOwnChange(root, { ...whose, repo })
  return done
}
