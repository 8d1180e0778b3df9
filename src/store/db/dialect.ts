/**
 * SQL that differs between databases. Every other statement in this folder works in both SQLite and Postgres; `portable.test.ts`
 * checks them all.
 */

/** Forces an index: SQLite's planner sometimes ignores a partial one. Postgres needs no hint. */
export function indexHint(table: string, index: string): string {
  return `${table} indexed by ${index}`
}

export interface TextSearchSql {
  /** The index, joined with its table. */
  from: string
  where: string
  /** Best first. */
  order: string
  /** The value of the one placeholder in `where`. */
  question: string
}

/** Rows of `table` whose text holds any of the words. */
export function textSearchSql(table: string, words: string[]): TextSearchSql {
  const index = `${table}_words`
  return {
    from: `${index} join ${table} on ${table}.id = ${index}.rowid`,
    where: `${index} match ?`,
    order: `${index}.rank`,
    // Quoted, an operator is an ordinary word.
    question: words.map((word) => `"${word}"`).join(' OR '),
  }
}

/** Rebuilds the text index from its table: a damaged index loses no note. */
export function rebuildTextIndexSql(table: string): string {
  return `insert into ${table}_words (${table}_words) values ('rebuild')`
}

/** Whether SQLite's message is about the text index. */
export function isTextIndexDamage(said: string): boolean {
  return said.includes('fts5') || said.includes('journal_words')
}

/** Counts how many of the pieces a text contains, each the value of one placeholder. Postgres uses `strpos`. */
export function matchCountSql(column: string, pieces: number): string {
  return Array.from({ length: pieces }, () => `(case when instr(${column}, ?) > 0 then 1 else 0 end)`).join(' + ')
}
