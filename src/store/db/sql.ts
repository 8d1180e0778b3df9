/**
 * The interface to the database: SQL text with `?` placeholders, asynchronous for every database. SQLite answers at once; Postgres may
 * be remote. Booleans are stored as 0 and 1, times as milliseconds.
 */

export type SqlValue = string | number | null | Uint8Array

export interface Sql {
  all<T>(text: string, ...values: SqlValue[]): Promise<T[]>
  /** The first row, or null. */
  get<T>(text: string, ...values: SqlValue[]): Promise<T | null>
  /** `changes`: number of changed rows. Use `returning` to get the key of a new row. */
  run(text: string, ...values: SqlValue[]): Promise<{ changes: number }>
  /**
   * All or nothing. `work` must use the given `tx` and await nothing but SQL: other statements of this connection wait until it ends,
   * and other processes cannot write meanwhile. It may run twice after a conflict with another transaction, so its effects outside the
   * database must be idempotent. A nested transaction can be rolled back alone.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}
