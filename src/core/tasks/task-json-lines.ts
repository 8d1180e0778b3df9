/**
 * Many tasks as text: one JSON object per line. All or nothing: the first unreadable line is reported by its number, and an unknown key
 * is an error.
 */
import { RalphError } from '../error.ts'
import { asObject, jsonOrNull, asText } from '../text/json.ts'
import { suggest } from '../text/suggest.ts'
import { newTask, type NewTask } from './task.ts'
import { isInstantInRange, parseDateTime } from './parse-when.ts'

export function parseTaskJsonLines(content: string): NewTask[] {
  return content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [readLine(line.trim(), i + 1)]))
}

/** What a value must be, and how it is parsed; null: not such a value. */
interface Kind {
  is: string
  read: (value: unknown) => unknown
}

const TEXT: Kind = { is: 'a text', read: asText }
const TEXTS: Kind = { is: 'a list of texts', read: textsOf }
const WHOLE: Kind = { is: 'a whole number', read: (value) => (Number.isSafeInteger(value) ? value : null) }
const MOMENT: Kind = { is: 'a date with a time (2027-03-01T08:00:00Z), or milliseconds since 1970', read: instantOf }

/** Each key, its field of the task, and what its value must be. A null value means the same as no key. */
const KEYS: Record<string, Kind & { field: keyof NewTask }> = {
  id: { field: 'id', ...TEXT },
  title: { field: 'title', ...TEXT },
  description: { field: 'description', ...TEXT },
  parent: { field: 'parent', ...TEXT, is: 'an id' },
  blockers: { field: 'blockers', ...TEXTS, is: 'a list of ids' },
  feature: { field: 'feature', ...TEXT, is: 'a name or an id' },
  priority: { field: 'priority', ...WHOLE },
  max_retries: { field: 'maxRetries', ...WHOLE },
  not_before: { field: 'notBefore', ...MOMENT },
  checks: { field: 'checks', ...TEXTS },
  tests: { field: 'tests', ...TEXTS },
  criteria: { field: 'criteria', ...TEXTS },
}

function readLine(said: string, line: number): NewTask {
  const object = asObject(jsonOrNull(said))
  if (object === null) throw wrong(line, `not a JSON object: ${start(said)}`)
  const task: Partial<NewTask> = {}
  const entries = Object.entries(object)
  for (const entry of entries) Object.assign(task, readEntry(entry, line))
  if (keysIn(said) !== entries.length) throw wrong(line, `duplicate key: ${start(said)}`)
  if (task.title === undefined) throw wrong(line, 'title is missing')
  return newTask(task.title, { ...task, line })
}

function readEntry([key, value]: [string, unknown], line: number): Partial<NewTask> {
  const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (known === undefined) throw wrong(line, `unknown key ${JSON.stringify(key)}`, hintFor(key))
  if (value === null) return {}
  const read = known.read(value)
  if (read === null) throw wrong(line, `${key} must be ${known.is}, not ${start(wordsOf(value))}`)
  return { [known.field]: read }
}

/** JSON keeps the last of a repeated key. No value here is an object, so every colon outside a string belongs to a key. */
function keysIn(text: string): number {
  let keys = 0
  let isText = false
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]
    if (sign === '"') isText = !isText
    else if (isText && sign === '\\') i += 1
    else if (!isText && sign === ':') keys += 1
  }
  return keys
}

function hintFor(key: string): string {
  const near = suggest(key, Object.keys(KEYS))
  const meant = near === null ? `Valid keys: ${Object.keys(KEYS).join(', ')}.` : `Did you mean "${near}"?`
  return `${meant} Nothing was added.`
}

function wrong(line: number, what: string, hint = 'Nothing was added. Fix the line and try again.'): RalphError {
  return new RalphError('usage', `line ${line}: ${what}`, { hint, more: { lines: [], facts: { line } } })
}

/** JavaScript reads a number that is too large as Infinity, which JSON cannot represent. */
function wordsOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

const START_MAX = 60

function start(text: string): string {
  return text.length > START_MAX ? `${text.slice(0, START_MAX)}…` : text
}

function textsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  const entries: unknown[] = value
  return entries.every((entry) => typeof entry === 'string') ? entries : null
}

function instantOf(value: unknown): number | null {
  if (typeof value === 'string') return parseDateTime(value)
  return typeof value === 'number' && isInstantInRange(value) ? value : null
}
