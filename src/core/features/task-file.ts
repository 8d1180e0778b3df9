/**
 * The task file, `tasks.json`, in which an agent delivers the tasks of a feature. Parsed by hand, because every problem is reported with
 * its place, to the agent or the person who fixes it. Whether the tasks make sense together is up to `validator.ts`.
 */
import { descriptionProblem, listProblem, numberProblem, titleProblem } from '../tasks/validate-task.ts'
import { isObject, parseJson, type JsonObject } from '../text/json.ts'
import { suggest } from '../text/suggest.ts'
import { clip, utf8Length, escapeInvisible } from '../text/sanitize.ts'
import { findJsonProblems, type JsonProblems } from './json-problems.ts'

export const TASK_SIZES = ['small', 'medium', 'large'] as const

export interface DraftTask {
  /** The name by which other tasks of the file refer to it. */
  key: string
  title: string
  description: string
  parent: string | null
  /** Keys of the tasks that must be done before it. */
  after: string[]
  /** Paths or globs that it will write. */
  files: string[]
  checks: string[]
  criteria: string[]
  tests: string[]
  priority: number
  size: (typeof TASK_SIZES)[number] | null
}

export interface ParsedTaskFile {
  /** Complete only if there are no problems. */
  tasks: DraftTask[]
  /** Each with its place: `tasks[3].title: …`. */
  problems: string[]
}

/** More than anybody plans at once; a task takes about 500 bytes. */
export const TASK_FILE_MAX_BYTES = 1024 * 1024
const TASKS_MAX = 500
/** A longer list helps nobody. */
const PROBLEMS_MAX = 20

export function parseTaskFile(text: string): ParsedTaskFile {
  const bytes = utf8Length(text)
  if (bytes > TASK_FILE_MAX_BYTES)
    return refused(`the document has ${bytes} bytes; the limit is ${TASK_FILE_MAX_BYTES}`)
  const content = text.replace(/^\uFEFF/, '')
  if (content.trim() === '') return refused('the document is empty')
  const parsed = parseJson(content)
  const scan = findJsonProblems(content)
  if (!parsed.ok) return refused(noJson(content, scan))
  const { value } = parsed
  if (!isObject(value)) return refused(`the document must be an object, not ${kindOf(value)}: ${SHAPE}`)
  const problems = scan.repeated.map(({ place, key }) => `${at(place, key)}: duplicate key`)
  problems.push(...unknownKeys('', value, TOP_KEYS))
  if (own(value, 'version') !== 1) problems.push('version: must be 1')
  const tasks = readTasks(own(value, 'tasks'), problems)
  return { tasks, problems: fewOf(problems) }
}

const SHAPE = '{"version": 1, "tasks": [{"key": "…", "title": "…"}]}'
const TOP_KEYS = ['version', 'tasks']

function refused(problem: string): ParsedTaskFile {
  return { tasks: [], problems: [problem] }
}

function fewOf(problems: string[]): string[] {
  const more = problems.length - PROBLEMS_MAX
  return more <= 0 ? problems : [...problems.slice(0, PROBLEMS_MAX), `and ${more} more problems`]
}

/** The line and column of the error, as an editor counts them. */
function noJson(content: string, { broken }: JsonProblems): string {
  if (/^\s*```/.test(content)) return 'the document must be plain JSON, without a code fence around it'
  if (broken === null) return 'the document is not valid JSON: it is nested too deeply'
  const before = content.slice(0, broken).split('\n')
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  const [found = ''] = content.slice(broken, broken + 20).split('\n')
  const what = broken === content.length ? 'it ends too early' : `unexpected ${quoteForMessage(found)}`
  return `the document is not valid JSON: ${place}: ${what}`
}

function readTasks(value: unknown, problems: string[]): DraftTask[] {
  if (!Array.isArray(value)) {
    problems.push(`tasks: must be a list of tasks, not ${kindOf(value)}`)
    return []
  }
  const entries: unknown[] = value
  if (entries.length === 0) problems.push('tasks: the list is empty')
  if (entries.length > TASKS_MAX) problems.push(`tasks: there are ${entries.length}; the limit is ${TASKS_MAX}`)
  return entries.slice(0, TASKS_MAX).flatMap((entry, i) => {
    const task = readTask(entry, `tasks[${i}]`, problems)
    return task === null ? [] : [task]
  })
}

/** Reports invalid fields and treats them as missing, so that the rest of the file is still checked. */
function readTask(value: unknown, place: string, problems: string[]): DraftTask | null {
  if (!isObject(value)) {
    problems.push(`${place}: must be an object, not ${kindOf(value)}`)
    return null
  }
  problems.push(...unknownKeys(place, value, Object.keys(FIELDS)))
  const read = Object.entries(FIELDS).map(([key, field]) => {
    const tell = (problem: string | null, entry = ''): void => {
      if (problem !== null) problems.push(`${at(place, key)}${entry}: ${problem}`)
    }
    return [key, field(own(value, key), tell, key)]
  })
  return Object.fromEntries(read) as DraftTask
}

/** Null: nothing is wrong. */
type Problem = (text: string) => string | null
type Field<T> = (value: unknown, tell: (problem: string | null, entry?: string) => void, key: string) => T

const FIELDS: { readonly [K in keyof DraftTask]: Field<DraftTask[K]> } = {
  key: text(keyProblem),
  title: text(titleProblem),
  description: optional('', text(descriptionProblem)),
  parent: optional(null, (value, ...reading) => text()(value, ...reading) || null),
  after: optional([], list()),
  files: optional([], list(pathProblem)),
  checks: optional([], list()),
  criteria: optional([], list()),
  tests: optional([], list(globProblem)),
  priority: optional(0, (value, tell) => {
    const isNumber = typeof value === 'number'
    tell(isNumber ? numberProblem('it', value) : `must be a whole number, not ${kindOf(value)}`)
    return isNumber ? value : 0
  }),
  size: optional(null, (value, tell) => {
    const size = TASK_SIZES.find((one) => one === value) ?? null
    if (size === null) tell(`must be one of ${TASK_SIZES.join(', ')}`)
    return size
  }),
}

/** Null means the same as a missing field. */
function optional<T>(otherwise: T, field: Field<T>): Field<T> {
  return (value, ...reading) => (value === null ? otherwise : field(value, ...reading))
}

function text(problem: Problem = () => null): Field<string> {
  return (value, tell) => {
    tell(textProblem(value, problem))
    return typeof value === 'string' ? value : ''
  }
}

function textProblem(value: unknown, problem: Problem): string | null {
  return typeof value === 'string' ? problem(value) : `must be a text, not ${kindOf(value)}`
}

function list(problem: Problem = () => null): Field<string[]> {
  return (value, tell, key) => {
    if (!Array.isArray(value)) {
      tell(`must be a list of texts, not ${kindOf(value)}`)
      return []
    }
    const entries: unknown[] = value
    const texts = entries.filter((entry) => typeof entry === 'string')
    const wrong = listProblem(key, texts)
    tell(wrong)
    for (const [i, entry] of entries.entries()) tell(textProblem(entry, problem), `[${i}]`)
    return wrong === null ? texts : []
  }
}

const KEY = /^[a-z0-9][a-z0-9-]{0,39}$/

function keyProblem(key: string): string | null {
  if (KEY.test(key)) return null
  return `${quoteForMessage(key)} is not a valid key: use at most 40 characters (a-z, 0-9, "-") and do not start with "-"`
}

/** Accepts relative paths inside the project. */
function pathProblem(path: string): string | null {
  const isInside = !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..')
  return isInside ? null : `${quoteForMessage(path)} is not a path inside the project`
}

/** A pattern with many stars can take very long to compare. */
const STARS_MAX = 6

function globProblem(glob: string): string | null {
  if ((glob.match(/\*+/g) ?? []).length > STARS_MAX) return `${quoteForMessage(glob)} has more than ${STARS_MAX} stars`
  return pathProblem(glob)
}

function unknownKeys(place: string, value: JsonObject, known: readonly string[]): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .slice(0, PROBLEMS_MAX)
    .map((key) => {
      const near = suggest(clip(key, 40), known)
      const meant = near === null ? `known fields: ${known.join(', ')}` : `did you mean "${near}"?`
      return `${at(place, key)}: unknown field; ${meant}`
    })
}

function at(place: string, key: string): string {
  const name = /^\w{1,40}$/.test(key) ? key : quoteForMessage(key)
  return place === '' ? name : `${place}.${name}`
}

/** The object's own field, or null: null means the same as a missing field. */
function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : null
}

export function quoteForMessage(text: string): string {
  return `"${escapeInvisible(clip(text, 60))}"`
}

/** The kind of the value, never the value itself: it may be nested very deeply. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  const words: Readonly<Record<string, string>> = { string: 'a text', number: 'a number', boolean: 'true or false' }
  return words[typeof value] ?? 'an object'
}
