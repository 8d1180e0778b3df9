/**
 * Changes that need a confirmation. They are made in a transaction and committed only if their consequences were confirmed; otherwise
 * nothing changes and the caller can ask. If another process changes the graph meanwhile, the consequences differ and are shown again.
 */
import type { Sql } from '../../store/db/sql.ts'

/** Which consequences are accepted: any, those that were shown, or only harmless ones. */
export type Confirmation<T> = 'anything' | { to: T } | 'harmless'

export interface ChangeAttempt<T> {
  applied: boolean
  what: T
}

class NotAgreed extends Error {}

export async function applyIfConfirmed<T>(
  sql: Sql,
  work: (tx: Sql) => Promise<T>,
  { confirmed, isHarmless }: { confirmed: Confirmation<T>; isHarmless: (what: T) => boolean },
): Promise<ChangeAttempt<T>> {
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
