/** The journal: notes one iteration leaves for later ones, found again by their words. */
import type { Instant, RunId } from '../domain/ids.ts'
import { search } from './db/dialect.ts'
import type { Sql } from './db/sql.ts'

export interface Note {
  id: number
  run: RunId | null
  iteration: number | null
  task: string | null
  at: Instant
  /** An agent's name, or `human`. */
  author: string
  text: string
}

const COLUMNS =
  'journal.id, journal.run, journal.iteration, journal.task, journal.at, journal.author, journal.text'

/** More words than this say nothing more and only cost. */
const WORDS_MAX = 32

export async function addNote(sql: Sql, note: Omit<Note, 'id'>): Promise<number> {
  const added = await sql.get<{ id: number }>(
    'insert into journal (run, iteration, task, at, author, text) values (?, ?, ?, ?, ?, ?) returning id',
    note.run,
    note.iteration,
    note.task,
    note.at,
    note.author,
    note.text,
  )
  return added?.id ?? 0
}

/** The latest moment there is: nothing is younger. */
const EVER = Number.MAX_SAFE_INTEGER

/** The newest notes, newest first; of one run if given, and none younger than `until`. */
export async function recentNotes(
  sql: Sql,
  of: { run: RunId | null; limit: number; until?: Instant | null },
): Promise<Note[]> {
  const until = of.until ?? EVER
  const rows =
    of.run === null
      ? await sql.all<Note>(
          `select ${COLUMNS} from journal where at <= ? order by id desc limit ?`,
          until,
          of.limit,
        )
      : await sql.all<Note>(
          `select ${COLUMNS} from journal where run = ? and at <= ? order by id desc limit ?`,
          of.run,
          until,
          of.limit,
        )
  return rows.map((row) => ({ ...row }))
}

/**
 * Notes that hold any of the words, best match first, and none younger than `until`. Any text is a fair question: operators and quotes
 * are only letters here.
 */
export async function searchNotes(
  sql: Sql,
  question: string,
  limit: number,
  { until = null }: { until?: Instant | null } = {},
): Promise<Note[]> {
  const words = [...new Set(question.match(/[\p{L}\p{N}]+/gu))].slice(0, WORDS_MAX)
  if (words.length === 0) return []
  const { from, where, order, question: asked } = search('journal', words)
  const rows = await sql.all<Note>(
    `select ${COLUMNS} from ${from} where ${where} and journal.at <= ? order by ${order}, journal.id desc limit ?`,
    asked,
    until ?? EVER,
    limit,
  )
  return rows.map((row) => ({ ...row }))
}
