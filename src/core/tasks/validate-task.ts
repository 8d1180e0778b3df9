/** Validates the fields of a task. A problem is a sentence without a subject: the caller adds the thing and the line. */
import { featureNameProblem, taskIdProblem } from './task-id.ts'
import type { NewTask } from './task.ts'

const TITLE_MAX = 500
const DESCRIPTION_MAX = 64 * 1024
export const NOTE_MAX = DESCRIPTION_MAX
const LIST_MAX = 100
const ENTRY_MAX = 4_000
/** A deeper tree is a mistake, and every ready task needs a row for each level. */
export const DEPTH_MAX = 64
const NUMBER_MAX = 1_000_000

/** What is wrong with a new task, or null. */
export function taskProblem(task: NewTask): string | null {
  return (
    (task.id === null ? null : problemIn('id', taskIdProblem(task.id))) ??
    titleProblem(task.title) ??
    descriptionProblem(task.description) ??
    numberProblem('priority', task.priority) ??
    (task.maxRetries === null ? null : retriesProblem(task.maxRetries)) ??
    listProblem('checks', task.checks) ??
    listProblem('tests', task.tests) ??
    listProblem('criteria', task.criteria) ??
    (task.feature === null || task.feature.startsWith('f-')
      ? null
      : problemIn('feature', featureNameProblem(task.feature)))
  )
}

export function titleProblem(title: string): string | null {
  if (title.trim() === '') return 'the title is empty'
  if (title.length > TITLE_MAX)
    return `the title has ${title.length} characters; at most ${TITLE_MAX} are allowed; put more into the description`
  return controlIn(title, 'the title', /[\p{Cc}\p{Cs}\u2028\u2029]/u)
}

export function descriptionProblem(description: string): string | null {
  if (description.length > DESCRIPTION_MAX)
    return `the description has ${description.length} characters; at most ${DESCRIPTION_MAX} are allowed`
  return controlIn(description, 'the description', /(?![\n\t])[\p{Cc}\p{Cs}]/u)
}

/** What is wrong with a text that is stored with a task. */
export function noteProblem(text: string): string | null {
  // Invisible characters alone are empty too.
  if (/^[\s\p{Cf}]*$/u.test(text)) return 'the note is empty'
  if (text.length > NOTE_MAX) return `the note has ${text.length} characters; at most ${NOTE_MAX} are allowed`
  return controlIn(text, 'the note', /(?![\n\t])[\p{Cc}\p{Cs}]/u)
}

export function numberProblem(what: string, value: number): string | null {
  if (Number.isInteger(value) && Math.abs(value) <= NUMBER_MAX) return null
  return `${what} must be a whole number between -${NUMBER_MAX} and ${NUMBER_MAX}, not ${value}`
}

export function retriesProblem(value: number): string | null {
  if (Number.isInteger(value) && value >= 0 && value <= NUMBER_MAX) return null
  return `max_retries must be a whole number between 0 and ${NUMBER_MAX}, not ${value}`
}

export function listProblem(what: string, entries: string[]): string | null {
  if (entries.length > LIST_MAX) return `${what} has ${entries.length} entries; at most ${LIST_MAX} are allowed`
  for (const entry of entries) {
    if (entry.trim() === '') return `${what} has an empty entry`
    if (entry.length > ENTRY_MAX)
      return `${what} has an entry of ${entry.length} characters; at most ${ENTRY_MAX} are allowed`
    const control = controlIn(entry, `an entry of ${what}`, /(?![\n\t])[\p{Cc}\p{Cs}]/u)
    if (control !== null) return control
  }
  return null
}

function problemIn(what: string, problem: string | null): string | null {
  return problem === null ? null : `${what}: ${problem}`
}

function controlIn(text: string, what: string, unwanted: RegExp): string | null {
  const found = unwanted.exec(text)
  if (found === null) return null
  const code = (found[0].codePointAt(0) ?? 0).toString(16).padStart(4, '0').toUpperCase()
  const name = NAMES[found[0]] ?? (found[0] >= '\ud800' ? 'an unpaired surrogate' : 'a control character')
  return `${what} has ${name} (U+${code}) as its character ${found.index + 1}, which is not allowed`
}

const NAMES: Readonly<Record<string, string>> = {
  '\n': 'a line break',
  '\r': 'a carriage return',
  '\t': 'a tab',
  '\u0000': 'a null character',
  '\u001b': 'an escape character',
}
