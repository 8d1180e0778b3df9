/**
 * The port to the database: SQL text with `?` placeholders, asynchronous in its types whatever lies behind it. SQLite answers at
 * once; Postgres may come over a network. Booleans are stored as 0 and 1, times as milliseconds.
 */

export type SqlValue = string | number | null | Uint8Array

export interface Sql {
  all<T>(text: string, ...values: SqlValue[]): Promise<T[]>
  /** The first row, or null. */
  get<T>(text: string, ...values: SqlValue[]): Promise<T | null>
  /** `changes`: rows touched. The key of a new row is asked for with `returning`. */
  run(text: string, ...values: SqlValue[]): Promise<{ changes: number }>
  /**
   * All of it or nothing. Work must use the `tx` it is given and await nothing but SQL: other statements of this connection wait
   * until it is over, other processes cannot write meanwhile. It may be done twice, where another's transaction came between: what it
   * changes beside the database must be the same then. Inside a transaction it is a part that can be undone alone.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}
