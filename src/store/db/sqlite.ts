/**
 * SQLite behind the `Sql` interface. The library is synchronous; this file queues the statements of a connection (a statement waits
 * for the transaction before it), waits while other processes write, and turns errors into messages a person can act on.
 */
import { pathToFileURL } from 'node:url'
import { RalphError } from '../../core/error.ts'
import { systemClock } from '../../system/clock.ts'
import { sqliteLibrary } from '../../system/sqlite-library.ts'
import type { Sql, SqlValue } from './sql.ts'
import { explainSqliteError, isDatabaseBusy } from './sqlite-error.ts'

/** Operations for SQLite only: pragmas, migrations and checks of a possibly damaged file. */
export interface Sqlite extends Sql {
  /** Runs several statements without values. */
  script(text: string): Promise<void>
  /**
   * Reads columns without a prepared statement. One library cannot finalize statements, and a connection with open statements is not
   * closed until they are garbage-collected; then it removes the `-wal` file at its path, which may by then belong to the file that
   * replaced a damaged one. Until a file is known to be intact, use only `peek` on it.
   */
  peek(columns: string, from: string): Promise<SqlValue[][]>
  transaction<T>(work: (tx: Sqlite) => Promise<T>): Promise<T>
}

export interface SqliteOptions {
  /** Open the file as immutable, without locks and side files, for a disk that cannot be written. */
  immutable: boolean
  /** How long to wait while another process writes. */
  busyTimeoutMs?: number
  /** Called once when the wait for another process becomes noticeable. */
  notice: (text: string) => void
}

/** Waiting inside SQLite blocks the event loop, so that wait is short; `patiently` waits longer and lets timers and signals run. */
const BUSY_MS = 50
const PATIENCE_MS = 10_000
const PAUSE_MS = 10
/** Show a notice after a tenth of the wait, about a second. */
const PATIENCE_TO_NOTICE = 10

export function openSqlite(file: string, options: SqliteOptions): Sqlite {
  const { busyTimeoutMs = PATIENCE_MS, immutable, notice } = options
  const clock = systemClock()
  const location = immutable ? `${pathToFileURL(file).href}?immutable=1` : file
  const db = explained(
    () => new (sqliteLibrary() as Library).DatabaseSync(location, { timeout: BUSY_MS, readOnly: immutable }),
  )
  const prepared = new Map<string, Statement>()
  let tail: Promise<unknown> = Promise.resolve()
  let peeked: SqlValue[][] = []
  db.function(PEEK, { varargs: true }, (...values) => void peeked.push(values))

  return {
    ...statements((work) => inTurn(() => patiently(work))),
    transaction: (work) => inTurn(() => transact(work)),
    close: () => inTurn(async () => explained(close)),
  }

  async function transact<T>(work: (tx: Sqlite) => Promise<T>): Promise<T> {
    await patiently(() => db.exec('begin immediate'))
    return guarded(work, { depth: 1, undo: 'rollback', keep: 'commit' })
  }

  /** Runs work, then commits or rolls back. Using the handle afterwards throws, so that no late write is lost silently. */
  async function guarded<T>(
    work: (tx: Sqlite) => Promise<T>,
    plan: { depth: number; undo: string; keep: string },
  ): Promise<T> {
    let over = false
    const tx = handle(plan.depth, () => over)
    try {
      const result = await work(tx)
      over = true
      await patiently(() => db.exec(plan.keep))
      return result
    } catch (error) {
      over = true
      undo(plan.undo)
      throw error
    }
  }

  function handle(depth: number, isOver: () => boolean): Sqlite {
    const part = `part${depth}`
    const inside = async <T>(work: () => T): Promise<T> => {
      if (isOver()) throw new RalphError('bug', 'a transaction was used after its end')
      return explained(work)
    }
    return {
      ...statements(inside),
      close: () => inside(() => bug('a transaction cannot close the store')),
      transaction: async (work) => {
        await inside(() => db.exec(`savepoint ${part}`))
        return guarded(work, {
          depth: depth + 1,
          undo: `rollback to ${part}; release ${part}`,
          keep: `release ${part}`,
        })
      },
    }
  }

  /** Runs one operation at a time per connection, in call order. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work)
    tail = turn.then(
      () => null,
      () => null,
    )
    return turn
  }

  /** Retries while another process writes, and lets the event loop run in between. */
  async function patiently<T>(work: () => T): Promise<T> {
    let began: number | null = null
    let told = false
    for (;;) {
      try {
        return work()
      } catch (error) {
        began ??= clock.up()
        const waited = clock.up() - began
        if (!isDatabaseBusy(error) || waited >= busyTimeoutMs) throw explainSqliteError(error, file)
        if (!told && waited >= busyTimeoutMs / PATIENCE_TO_NOTICE) {
          told = true
          notice('Another Ralph process is writing to the store; waiting for it.')
        }
        await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
      }
    }
  }

  /** `perform`: runs the synchronous work of a statement. */
  function statements(perform: <T>(work: () => T) => Promise<T>): Omit<Sqlite, 'transaction' | 'close'> {
    return {
      all: <T>(text: string, ...values: SqlValue[]) => perform(() => statement(text).all(...values) as T[]),
      get: <T>(text: string, ...values: SqlValue[]) =>
        perform(() => (statement(text).get(...values) ?? null) as T | null),
      run: (text, ...values) => perform(() => ({ changes: Number(statement(text).run(...values).changes) })),
      script: (text) => perform(() => db.exec(text)),
      peek: (columns, from) => perform(() => peek(columns, from)),
    }
  }

  function peek(columns: string, from: string): SqlValue[][] {
    peeked = []
    db.exec(`select ${PEEK}(${columns}) from ${from}`)
    return peeked
  }

  function statement(text: string): Statement {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const fresh = db.prepare(text)
    prepared.set(text, fresh)
    return fresh
  }

  function undo(text: string): void {
    try {
      db.exec(text)
    } catch {
      // After a full disk or an I/O error SQLite has rolled back already; the caller reports the first error.
    }
  }

  function close(): void {
    prepared.clear()
    db.close()
  }

  function explained<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw explainSqliteError(error, file)
    }
  }
}

/** The SQL function through which `peek` gets its rows. */
const PEEK = 'ralph_peek'

/** The part of `DatabaseSync` that Ralph uses; both libraries have it. */
interface Statement {
  all(...values: SqlValue[]): unknown[]
  get(...values: SqlValue[]): unknown
  run(...values: SqlValue[]): { changes: number | bigint }
}
interface Database {
  exec(text: string): void
  prepare(text: string): Statement
  function(name: string, options: { varargs: true }, call: (...values: SqlValue[]) => void): void
  close(): void
}
interface Library {
  DatabaseSync: new (file: string, options: { timeout: number; readOnly: boolean }) => Database
}

function bug(text: string): never {
  throw new RalphError('bug', text)
}
