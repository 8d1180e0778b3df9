/**
 * The few points at which databases need words of their own; every other statement of this room is written so that SQLite and
 * Postgres take it alike. `portable.test.ts` reads them all.
 */

/** A table read by this index: left to itself SQLite's planner sometimes passes a partial one by. Postgres needs no hint. */
export function indexHint(table: string, index: string): string {
  return `${table} indexed by ${index}`
}

export interface TextSearch {
  /** What is looked through; joined with the table it belongs to. */
  from: string
  where: string
  /** Best first. */
  order: string
  /** The value of the one placeholder in `where`. */
  question: string
}

/** Rows of `table` whose text holds any of the words. */
export function textSearch(table: string, words: string[]): TextSearch {
  const index = `${table}_words`
  return {
    from: `${index} join ${table} on ${table}.id = ${index}.rowid`,
    where: `${index} match ?`,
    order: `${index}.rank`,
    // Quoted, an operator is a word like any other.
    question: words.map((word) => `"${word}"`).join(' OR '),
  }
}

/** Makes the index of a table's words anew, out of the table itself: damage to it costs nobody a note. */
export function rebuildTextIndex(table: string): string {
  return `insert into ${table}_words (${table}_words) values ('rebuild')`
}

/** Whether it is the index that is damaged, by what SQLite says of it. */
export function isIndexDamage(said: string): boolean {
  return said.includes('fts5') || said.includes('journal_words')
}

/** How many of so many pieces a text holds, each the value of one placeholder. Postgres says `strpos`. */
export function matchCountSql(column: string, pieces: number): string {
  return Array.from({ length: pieces }, () => `(case when instr(${column}, ?) > 0 then 1 else 0 end)`).join(' + ')
}
