/**
 * Changes that somebody has to agree to. They are made, looked at, and kept only if what follows from them was agreed to; if not, nothing
 * has changed and it can be asked about. What another process does to the graph meanwhile is noticed: then it is no longer what was agreed to.
 */
import type { Sql } from '../../store/db/sql.ts'

/** Which consequences may be: whatever they are, those that were shown, or only such as cost nothing. */
export type Confirmation<T> = 'anything' | { to: T } | 'harmless'

export interface TentativeChange<T> {
  applied: boolean
  what: T
}

class NotAgreed extends Error {}

export async function applyIfConfirmed<T>(
  sql: Sql,
  work: (tx: Sql) => Promise<T>,
  { confirmed, isHarmless }: { confirmed: Confirmation<T>; isHarmless: (what: T) => boolean },
): Promise<TentativeChange<T>> {
  const found: T[] = []
  try {
    const what = await sql.transaction(async (tx) => {
      const would = await work(tx)
      found.push(would)
      if (confirmed === 'anything') return would
      const isFine =
        confirmed === 'harmless' ? isHarmless(would) : JSON.stringify(confirmed.to) === JSON.stringify(would)
      if (!isFine) throw new NotAgreed()
      return would
    })
    return { applied: true, what }
  } catch (error) {
    const [what] = found
    if (!(error instanceof NotAgreed) || what === undefined) throw error
    return { applied: false, what }
  }
}
