/** A double of the database that shows what a transaction must bear. */
import type { Sql } from '../../src/store/db/sql.ts'

class Undone extends Error {}

/** Every transaction is done, undone and done again, as it may be in a database where another's can come between. */
export function twice(sql: Sql): Sql {
  return {
    ...sql,
    async transaction(work) {
      try {
        await sql.transaction(async (tx) => {
          await work(tx)
          throw new Undone()
        })
      } catch (error) {
        if (!(error instanceof Undone)) throw error
      }
      return sql.transaction(work)
    },
  }
}
