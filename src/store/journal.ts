/** The journal: notes that iterations leave for later ones, with a text search. */
import { messageOf } from '../core/error.ts'
import type { Instant, RunId } from '../core/ids.ts'
import { isTextIndexDamage, matchCountSql, rebuildTextIndexSql, textSearchSql } from './db/dialect.ts'
import type { Sql } from './db/sql.ts'
import { isStoreDamage } from './db/sqlite-error.ts'

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

const COLUMNS = 'journal.id, journal.run, journal.iteration, journal.task, journal.at, journal.author, journal.text'

/** Searches this many of the first words and as many of the others: 10 MB of notes take a tenth of a second. */
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

/** Selects notes; null or absent: all. */
export interface NoteFilter {
  run?: RunId | null
  task?: string | null
  /** None younger than this. */
  until?: Instant | null
}

/** The newest notes, newest first. */
export async function recentNotes(sql: Sql, { limit, ...of }: NoteFilter & { limit: number }): Promise<Note[]> {
  const { where, values } = conditions(of)
  return copyNotes(
    await sql.all<Note>(`select ${COLUMNS} from journal where ${where} order by id desc limit ?`, ...values, limit),
  )
}

export async function findNote(sql: Sql, id: number): Promise<Note | null> {
  const row = await sql.get<Note>(`select ${COLUMNS} from journal where id = ?`, id)
  return row === null ? null : { ...row }
}

/** Whether a note names this run or task, which itself may be deleted. */
export async function hasNotes(sql: Sql, of: 'run' | 'task', id: string): Promise<boolean> {
  return (await sql.get(`select id from journal where ${of} = ? limit 1`, id)) !== null
}

/** Why the work around a note was lost: its run or task was undone, or its task failed. */
export type LostWorkReason = 'undone' | 'failed'

/** For these notes; `until`: ignores later undos and failures. Notes of people belong to no work. */
export async function loadLostWorkLookup(
  sql: Sql,
  notes: Note[],
  until: Instant | null = null,
): Promise<(note: Note) => LostWorkReason | null> {
  const ours = notes.filter(({ run }) => run !== null)
  if (ours.length === 0) return () => null
  const latest = until ?? Number.MAX_SAFE_INTEGER
  const undos = await sql.all<{ run: RunId; task: string | null; at: Instant }>(
    `select run, task, at from undos where state <> 'returned' and at <= ?`,
    latest,
  )
  const failed: FailedClaim[] = []
  for (const task of new Set(ours.map((note) => note.task)))
    if (task !== null)
      failed.push(
        ...(await sql.all<FailedClaim>(
          `select task, run, claimed_at as began, ended_at as ended from claims
           where task = ? and state = 'failed' and ended_at <= ?`,
          task,
          latest,
        )),
      )
  return ({ run, task, at }) => {
    if (run === null) return null
    const isUndone = undos.some((undo) => at <= undo.at && (undo.task === null ? undo.run === run : undo.task === task))
    if (isUndone) return 'undone'
    const isFailed = failed.some(
      (claim) => claim.task === task && claim.run === run && claim.began <= at && at <= claim.ended,
    )
    return isFailed ? 'failed' : null
  }
}

interface FailedClaim {
  task: string
  run: RunId
  began: Instant
  ended: Instant
}

/** Notes that contain any of the words, best match first. The question may be any text: operators and quotes have no meaning. */
export async function searchNotes(sql: Sql, question: string, limit: number, of: NoteFilter = {}): Promise<Note[]> {
  const { words, pieces } = searchTermsOf(question)
  const spaced = await byWords(sql, words, limit, of)
  const unspaced = await byPieces(sql, pieces, limit, of)
  return unspaced.length === 0 ? spaced : bothRanked(spaced, unspaced).slice(0, limit)
}

/** Scripts without spaces between words: the text index takes a whole line of them for one word, and ignores emoji. */
const UNSPACED =
  /[\p{Extended_Pictographic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** Whether a question contains anything to search for. */
export function hasSearchTerms(question: string): boolean {
  const { words, pieces } = searchTermsOf(question)
  return words.length + pieces.length > 0
}

function searchTermsOf(question: string): { words: string[]; pieces: string[] } {
  const runs = question.normalize('NFC').match(UNSPACED) ?? []
  const rest = question.replace(UNSPACED, ' ')
  const words = [...new Set(rest.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu))]
  return { words: mostTelling(words), pieces: [...new Set(runs.flatMap(pairs))].slice(0, WORDS_MAX) }
}

/** The first words, and the longest of the others: a long description names its subject late, among many small common words. */
function mostTelling(words: string[]): string[] {
  const others = words.slice(WORDS_MAX).toSorted((one, other) => other.length - one.length)
  return [...words.slice(0, WORDS_MAX), ...others.slice(0, WORDS_MAX)]
}

/** Two characters are most words of Chinese, and enough of any other. */
function pairs(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}

async function byWords(sql: Sql, words: string[], limit: number, of: NoteFilter): Promise<Note[]> {
  if (words.length === 0) return []
  const { from, where, order, question } = textSearchSql('journal', words)
  const also = conditions(of)
  const find = (): Promise<Note[]> =>
    sql.all<Note>(
      `select ${COLUMNS} from ${from} where ${where} and ${also.where} order by ${order}, journal.id desc limit ?`,
      question,
      ...also.values,
      limit,
    )
  try {
    return copyNotes(await find())
  } catch (error) {
    if (!isStoreDamage(error) && !isTextIndexDamage(messageOf(error))) throw error
    // If more than the index is damaged, the rebuild fails too, and the first error is thrown.
    const isMended = await sql.run(rebuildTextIndexSql('journal')).then(
      () => true,
      () => false,
    )
    if (!isMended) throw error
    return copyNotes(await find())
  }
}

/** This search reads the texts, so it covers only the newest notes: 10 MB would take seconds. */
const LOOKED_THROUGH = 4_000

async function byPieces(sql: Sql, pieces: string[], limit: number, of: NoteFilter): Promise<Note[]> {
  if (pieces.length === 0) return []
  const { where, values } = conditions(of)
  const rows = await sql.all<Note>(
    `select ${COLUMNS} from (select ${COLUMNS}, ${matchCountSql('journal.text', pieces.length)} as held
       from (select * from journal where ${where} order by id desc limit ${LOOKED_THROUGH}) as journal) as journal
     where held > 0 order by held desc, id desc limit ?`,
    ...pieces,
    ...values,
    limit,
  )
  return copyNotes(rows)
}

/** Merges two ranked lists: notes that rank high in both come first. The 60 keeps a first place from outweighing everything. */
function bothRanked(...lists: Note[][]): Note[] {
  const scores = new Map<number, { note: Note; score: number }>()
  for (const list of lists)
    for (const [place, note] of list.entries()) {
      const before = scores.get(note.id)?.score ?? 0
      scores.set(note.id, { note, score: before + 1 / (60 + place) })
    }
  return [...scores.values()].toSorted((a, b) => b.score - a.score).map(({ note }) => note)
}

function conditions({ run = null, task = null, until = null }: NoteFilter): {
  where: string
  values: (string | number)[]
} {
  const named = [
    { says: 'journal.run = ?', value: run },
    { says: 'journal.task = ?', value: task },
    { says: 'journal.at <= ?', value: until },
  ]
  const values = named.flatMap(({ value }) => (value === null ? [] : [value]))
  const said = named.flatMap(({ says, value }) => (value === null ? [] : [says]))
  return { where: said.length === 0 ? '1 = 1' : said.join(' and '), values }
}

function copyNotes(rows: Note[]): Note[] {
  return rows.map((row) => ({ ...row }))
}
