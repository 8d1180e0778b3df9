/** The journal as people read it and write into it. Notes outlive the runs and tasks they are about. */
import { RalphError } from '../../domain/error.ts'
import type { RunId } from '../../domain/ids.ts'
import { NOTE_MAX, noteProblem } from '../../domain/task/check.ts'
import type { TaskId } from '../../domain/task/task.ts'
import { isoTime, realClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import {
  addNote,
  findNote,
  isAsked,
  isNoted,
  recentNotes,
  searchNotes,
  workLost,
  type Note,
  type NotesOf,
  type WorkLost,
} from '../../store/journal.ts'
import { findRun } from '../../store/runs.ts'
import { taskFor } from '../../store/task/find.ts'
import { textFrom } from '../read-text.ts'
import { PERSON } from '../task/change.ts'
import { beginAt, lookAt, type TaskPlace } from '../task/task-store.ts'

/** One note, for programs. */
export interface NoteFacts {
  id: number
  at: string
  author: string
  run: RunId | null
  iteration: number | null
  task: TaskId | null
  /** Where the work it was left at did not stay: taken back, or of a task that failed. */
  lost: WorkLost | null
  text: string
}

/** What was asked for, as somebody typed it. */
export interface NotesAsked {
  run: string | null
  task: string | null
  limit: number | null
}

/** As many as fit on a screen or two. */
export const NOTES_SHOWN = 20

/** The newest first. */
export function listNotes(place: TaskPlace, asked: NotesAsked): Promise<NoteFacts[]> {
  return lookAt(
    place,
    async (sql) => {
      const notes = await recentNotes(sql, { ...(await notesOf(sql, asked)), limit: limitOf(asked) })
      return factsOfAll(sql, notes)
    },
    () => [],
  )
}

/** The best match first. */
export function searchJournal(place: TaskPlace, question: string, asked: NotesAsked): Promise<NoteFacts[]> {
  if (!isAsked(question))
    throw new RalphError('usage', 'there is no word in it to search for', {
      hint: 'Like this: ralph journal search "empty files". All notes: ralph journal list',
    })
  return lookAt(
    place,
    async (sql) => {
      const notes = await searchNotes(sql, question, limitOf(asked), await notesOf(sql, asked))
      return factsOfAll(sql, notes)
    },
    () => [],
  )
}

export function showNote(place: TaskPlace, typed: string): Promise<NoteFacts> {
  const number = /^#?(\d{1,15})$/.exec(typed)?.[1]
  if (number === undefined)
    throw new RalphError('usage', `a note is named by its number, not by ${JSON.stringify(typed)}`, {
      hint: 'See the numbers: ralph journal list',
    })
  const none = (): RalphError =>
    new RalphError('not-found', `there is no note ${number}`, { hint: 'See all of them: ralph journal list' })
  return lookAt(
    place,
    async (sql) => {
      const note = await findNote(sql, Number(number))
      if (note === null) throw none()
      return factsOf(note, (await workLost(sql, [note]))(note))
    },
    () => {
      throw none()
    },
  )
}

export function noteDown(
  place: TaskPlace,
  { text, task }: { text: string; task: string | null },
): Promise<NoteFacts> {
  const problem = noteProblem(text)
  if (problem !== null)
    throw new RalphError('usage', problem, {
      hint: 'Nothing was noted. Like this: ralph journal add "what to remember"',
    })
  return beginAt(place, (sql) =>
    sql.transaction(async (tx) => {
      const about = task === null ? null : (await taskFor(tx, task)).id
      const note = { run: null, iteration: null, task: about, at: realClock().at(), author: PERSON, text }
      return factsOf({ id: await addNote(tx, note), ...note }, null)
    }),
  )
}

/** A byte for each character would be too few for most writings, and four are enough for all. */
const PIPE_MAX = 4 * NOTE_MAX

export async function pipedNote(): Promise<string> {
  return (await textFrom('-', { max: PIPE_MAX })).replaceAll('\r\n', '\n').trimEnd()
}

async function notesOf(sql: Sql, { run, task }: NotesAsked): Promise<NotesOf> {
  return {
    run: run === null ? null : await nameFor(sql, 'run', run, findRun),
    task: task === null ? null : await nameFor(sql, 'task', task, taskFor),
  }
}

/** A run that was pruned or a task that was deleted is still known by its whole name, if a note has it. */
async function nameFor(
  sql: Sql,
  of: 'run' | 'task',
  typed: string,
  find: (sql: Sql, typed: string) => Promise<{ id: string }>,
): Promise<string> {
  try {
    return (await find(sql, typed)).id
  } catch (error) {
    if (await isNoted(sql, of, typed)) return typed
    throw error
  }
}

function limitOf({ limit }: NotesAsked): number {
  return limit ?? NOTES_SHOWN
}

async function factsOfAll(sql: Sql, notes: Note[]): Promise<NoteFacts[]> {
  const lostOf = await workLost(sql, notes)
  return notes.map((note) => factsOf(note, lostOf(note)))
}

function factsOf({ id, at, author, run, iteration, task, text }: Note, lost: WorkLost | null): NoteFacts {
  return { id, at: isoTime(at), author, run, iteration, task, lost, text }
}
