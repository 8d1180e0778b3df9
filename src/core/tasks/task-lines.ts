/**
 * Many tasks as text: one JSON object a line. All or nothing: the first line that cannot be read is refused by its number, and a key
 * nobody knows is a mistake, not a remark.
 */
import { RalphError } from '../error.ts'
import { asObject, json } from '../text/json.ts'
import { suggest } from '../text/suggest.ts'
import { newTask, type NewTask } from './task.ts'
import { isValidInstant, parseDateTime } from './parse-when.ts'

export function readTaskLines(content: string): NewTask[] {
  const tasks: NewTask[] = []
  let line = 0
  let from = content.startsWith('\uFEFF') ? 1 : 0
  while (from < content.length) {
    const end = content.indexOf('\n', from)
    const to = end === -1 ? content.length : end
    line += 1
    const text = content.slice(from, to).trim()
    if (text !== '') tasks.push(readLine(text, line))
    from = to + 1
  }
  return tasks
}

type Reading = (value: unknown) => Partial<NewTask> | null

const STRING = 'a text'
const STRINGS = 'a list of texts'
const WHOLE = 'a whole number'

/** Each key, what it must be, and what it says. Null says what leaving it out says. */
const KEYS: Record<string, { is: string; read: Reading }> = {
  id: { is: STRING, read: (value) => said(textOf(value), 'id') },
  title: { is: STRING, read: (value) => said(textOf(value), 'title') },
  description: { is: STRING, read: (value) => said(textOf(value), 'description') },
  parent: { is: 'an id', read: (value) => said(textOf(value), 'parent') },
  blockers: { is: 'a list of ids', read: (value) => said(textsOf(value), 'blockers') },
  feature: { is: 'a name or an id', read: (value) => said(textOf(value), 'feature') },
  priority: { is: WHOLE, read: (value) => said(wholeOf(value), 'priority') },
  max_retries: { is: WHOLE, read: (value) => said(wholeOf(value), 'maxRetries') },
  not_before: {
    is: 'a date with a time (2027-03-01T08:00:00Z), or milliseconds since 1970',
    read: (value) => said(instantOf(value), 'notBefore'),
  },
  checks: { is: STRINGS, read: (value) => said(textsOf(value), 'checks') },
  tests: { is: STRINGS, read: (value) => said(textsOf(value), 'tests') },
  criteria: { is: STRINGS, read: (value) => said(textsOf(value), 'criteria') },
}

function readLine(text: string, line: number): NewTask {
  const object = asObject(json(text))
  if (object === null) throw wrong(line, `it is no JSON object: ${start(text)}`)
  const task: Partial<NewTask> = {}
  const entries = Object.entries(object)
  for (const entry of entries) Object.assign(task, readEntry(entry, line))
  if (keysIn(text) !== entries.length) throw wrong(line, `a key stands in it twice: ${start(text)}`)
  if (task.title === undefined) throw wrong(line, 'it has no title')
  return newTask(task.title, { ...task, line })
}

function readEntry([key, value]: [string, unknown], line: number): Partial<NewTask> {
  const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (known === undefined) throw wrong(line, `${JSON.stringify(key)} is no key of a task`, hintFor(key))
  if (value === null) return {}
  const read = known.read(value)
  if (read === null) throw wrong(line, `${key} must be ${known.is}, not ${start(wordsOf(value))}`)
  return read
}

/** Of a key that stands twice JSON keeps the last. No value of ours is an object, so every colon outside of a text belongs to a key. */
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
  const meant = near === null ? `Known are: ${Object.keys(KEYS).join(', ')}.` : `Did you mean "${near}"?`
  return `${meant} Nothing was added.`
}

function wrong(
  line: number,
  what: string,
  hint = 'Nothing was added. Mend the line and try again.',
): RalphError {
  return new RalphError('usage', `line ${line}: ${what}`, { hint, more: { lines: [], facts: { line } } })
}

/** A number that is too large for any is read as infinite, which JSON cannot say. */
function wordsOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

const START_MAX = 60

function start(text: string): string {
  return text.length > START_MAX ? `${text.slice(0, START_MAX)}…` : text
}

function said<K extends keyof NewTask>(value: NewTask[K] | null, key: K): Partial<NewTask> | null {
  if (value === null) return null
  const found: Partial<NewTask> = {}
  found[key] = value
  return found
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function textsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  const entries: unknown[] = value
  return entries.every((entry) => typeof entry === 'string') ? entries : null
}

function wholeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function instantOf(value: unknown): number | null {
  if (typeof value === 'string') return parseDateTime(value)
  return typeof value === 'number' && isValidInstant(value) ? value : null
}
