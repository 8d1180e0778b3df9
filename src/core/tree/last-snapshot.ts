/** The tree as it was last looked at. */
import type { EventOf } from '../state/event.ts'
import type { LastSnapshot } from '../state/state.ts'

/** Limit of the snapshot after a stop, so that the stop stays quick: most snapshots take a tenth of this. */
export const FINAL_SNAPSHOT_MS = 1_000

/** Files that are uncommitted when the run begins are not the run's. */
export function lastSnapshotFrom(
  before: LastSnapshot | null,
  { snapshot, plan = null }: EventOf<'snapshot-taken'> | (EventOf<'reverted'> & { is: 'back' }),
): LastSnapshot {
  const { tree, head, uncommitted = before?.uncommitted } = snapshot
  const paths = snapshot.uncommitted === undefined ? before?.uncommittedPaths : snapshot.uncommittedPaths
  const first = before === null ? uncommitted : before.uncommittedAtStart
  return {
    tree,
    head,
    fresh: true,
    plan,
    ...(uncommitted === undefined ? {} : { uncommitted }),
    ...(first === undefined ? {} : { uncommittedAtStart: first }),
    ...(paths === undefined ? {} : { uncommittedPaths: paths }),
    ...(before?.edited === undefined ? {} : { edited: before.edited }),
  }
}

/** The run goes by the settings of its start. */
export function describeEditedSettings(names: string[]): string {
  return `settings changed during the run (${names.join(', ')}); the next run uses them, after you approve any new commands`
}
