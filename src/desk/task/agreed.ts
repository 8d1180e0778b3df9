/**
 * Changes that somebody has to agree to. They are made, looked at, and kept only if what follows from them was agreed to; if not, nothing
 * has changed and it can be asked about. What another process does to the graph meanwhile is noticed: then it is no longer what was agreed to.
 */
import type { Sql } from '../../store/db/sql.ts'

/** Which consequences may be: whatever they are, those that were shown, or only such as cost nothing. */
export type Agreement<T> = 'anything' | { to: T } | 'harmless'

export interface Tried<T> {
  kept: boolean
  what: T
}

class NotAgreed extends Error {}

export async function ifAgreed<T>(
  sql: Sql,
  work: (tx: Sql) => Promise<T>,
  { agreed, isHarmless }: { agreed: Agreement<T>; isHarmless: (what: T) => boolean },
): Promise<Tried<T>> {
  const found: T[] = []
  try {
    const what = await sql.transaction(async (tx) => {
      const would = await work(tx)
      found.push(would)
      if (agreed === 'anything') return would
      const isFine =
        agreed === 'harmless' ? isHarmless(would) : JSON.stringify(agreed.to) === JSON.stringify(would)
      if (!isFine) throw new NotAgreed()
      return would
    })
    return { kept: true, what }
  } catch (error) {
    const [what] = found
    if (!(error instanceof NotAgreed) || what === undefined) throw error
    return { kept: false, what }
  }
}
