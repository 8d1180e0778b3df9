/** The journal for people: list, search and add notes. Notes outlive the runs and tasks they are about. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { NOTE_MAX, noteProblem } from '../../core/tasks/validate-task.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import {
  addNote,
  findNote,
  hasSearchTerms,
  hasNotes,
  recentNotes,
  searchNotes,
  loadLostWorkLookup,
  type Note,
  type NoteFilter,
  type LostWorkReason,
} from '../../store/journal.ts'
import { findRunByPrefix } from '../../store/runs.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { readFileOrStdin } from '../read-input.ts'
import { PERSON_AUTHOR } from '../task/change.ts'
import { useOrCreateStore, useStoreIfAny, type StoreLocation } from '../task/task-store.ts'

/** One note, for programs. */
export interface NoteFacts {
  id: number
  at: string
  author: string
  run: RunId | null
  iteration: number | null
  task: TaskId | null
  /** Why the work the note is about was lost: reverted, or its task failed. Null: the work stayed. */
  lost: LostWorkReason | null
  text: string
}

/** A query as the user typed it. */
export interface NoteQuery {
  run: string | null
  task: string | null
  limit: number | null
}

/** As many as fit on a screen or two. */
export const DEFAULT_NOTE_LIMIT = 20

/** The newest first. */
export async function listNotes(location: StoreLocation, asked: NoteQuery): Promise<NoteFacts[]> {
  const found = await useStoreIfAny(location, async (sql) => {
    const notes = await recentNotes(sql, { ...(await notesOf(sql, asked)), limit: limitOf(asked) })
    return factsOfAll(sql, notes)
  })
  return found ?? []
}

/** The best match first. */
export async function searchJournal(location: StoreLocation, question: string, asked: NoteQuery): Promise<NoteFacts[]> {
  if (!hasSearchTerms(question))
    throw new RalphError('usage', 'the search text has no words', {
      hint: 'Like this: ralph journal search "empty files". All notes: ralph journal list',
    })
  const found = await useStoreIfAny(location, async (sql) => {
    const notes = await searchNotes(sql, question, limitOf(asked), await notesOf(sql, asked))
    return factsOfAll(sql, notes)
  })
  return found ?? []
}

export async function findNoteFacts(location: StoreLocation, typed: string): Promise<NoteFacts> {
  const number = /^#?(\d{1,15})$/.exec(typed)?.[1]
  if (number === undefined)
    throw new RalphError('usage', `notes are found by number, not by ${JSON.stringify(typed)}`, {
      hint: 'List them: ralph journal list',
    })
  const found = await useStoreIfAny(location, async (sql) => {
    const note = await findNote(sql, Number(number))
    return note === null ? null : factsOf(note, (await loadLostWorkLookup(sql, [note]))(note))
  })
  if (found !== null) return found
  throw new RalphError('not-found', `there is no note ${number}`, { hint: 'List all notes: ralph journal list' })
}

export function writeNote(
  location: StoreLocation,
  { text, task }: { text: string; task: string | null },
): Promise<NoteFacts> {
  const problem = noteProblem(text)
  if (problem !== null)
    throw new RalphError('usage', problem, {
      hint: 'Nothing was saved. Example: ralph journal add "what to remember"',
    })
  return useOrCreateStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const about = task === null ? null : (await findTaskByPrefix(tx, task)).id
      const note = { run: null, iteration: null, task: about, at: systemClock().at(), author: PERSON_AUTHOR, text }
      return factsOf({ id: await addNote(tx, note), ...note }, null)
    }),
  )
}

/** UTF-8 needs at most four bytes a character. */
const PIPE_MAX = 4 * NOTE_MAX

export async function readPipedNote(): Promise<string> {
  return (await readFileOrStdin('-', { max: PIPE_MAX })).replaceAll('\r\n', '\n').trimEnd()
}

async function notesOf(sql: Sql, { run, task }: NoteQuery): Promise<NoteFilter> {
  return {
    run: run === null ? null : await nameFor(sql, 'run', run, findRunByPrefix),
    task: task === null ? null : await nameFor(sql, 'task', task, findTaskByPrefix),
  }
}

/** A pruned run or a deleted task is still found by its full id, if a note has it. */
async function nameFor(
  sql: Sql,
  of: 'run' | 'task',
  typed: string,
  find: (sql: Sql, typed: string) => Promise<{ id: string }>,
): Promise<string> {
  try {
    return (await find(sql, typed)).id
  } catch (error) {
    if (await hasNotes(sql, of, typed)) return typed
    throw error
  }
}

function limitOf({ limit }: NoteQuery): number {
  return limit ?? DEFAULT_NOTE_LIMIT
}

async function factsOfAll(sql: Sql, notes: Note[]): Promise<NoteFacts[]> {
  const lostOf = await loadLostWorkLookup(sql, notes)
  return notes.map((note) => factsOf(note, lostOf(note)))
}

function factsOf({ id, at, author, run, iteration, task, text }: Note, lost: LostWorkReason | null): NoteFacts {
  return { id, at: isoTime(at), author, run, iteration, task, lost, text }
}
