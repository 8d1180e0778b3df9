/** The tree as it was last looked at. */
import type { EventOf } from '../state/event.ts'
import type { Seen } from '../state/state.ts'

/** Whoever stops a run wants to know what the agent changed, but not to wait for it: most looks take a tenth of this. */
export const LAST_LOOK_MS = 1_000

/** What is in no commit when the run begins is nobody's of this run. */
export function seenNow(
  before: Seen | null,
  { snapshot, plan = null }: EventOf<'surveyed'> | (EventOf<'put-back'> & { is: 'back' }),
): Seen {
  const { tree, head, uncommitted = before?.uncommitted } = snapshot
  const paths = snapshot.uncommitted === undefined ? before?.uncommittedPaths : snapshot.uncommittedPaths
  const first = before === null ? uncommitted : before.uncommittedBefore
  return {
    tree,
    head,
    fresh: true,
    plan,
    ...(uncommitted === undefined ? {} : { uncommitted }),
    ...(first === undefined ? {} : { uncommittedBefore: first }),
    ...(paths === undefined ? {} : { uncommittedPaths: paths }),
    ...(before?.edited === undefined ? {} : { edited: before.edited }),
  }
}

/** The run goes by the settings of its start. */
export function editedWords(names: string[]): string {
  return `settings were edited during the run (${names.join(', ')}); they hold from the next start, which asks about the programs they name`
}
