/**
 * The scenario file: what the scripted agent does, turn by turn. Each start of the program plays the next turn; the last one repeats for
 * ever, unless the scenario says `"once": true`: then a start beyond the last turn fails with exit code 66. If turns have `for`, the
 * first one that matches the prompt is played instead, any number of times: such a scenario can be interrupted anywhere and continues.
 * The table below is the whole language: the types are derived from it, and a wrong or unknown key is rejected with its position in the
 * file, because a typing error in a scenario would otherwise look like a well-behaved agent.
 */
import type { Usage } from '../src/core/calls/agent-io.ts'
import { messageOf, RalphError } from '../src/core/error.ts'
import { parseJson } from '../src/core/text/json.ts'
import { DIALECT_NAMES, type DialectName } from './dialects.ts'

export interface Scenario {
  /** Absent: the program's name decides. */
  dialect?: DialectName
  /** True: a start beyond the last turn fails instead of playing the last turn again. */
  once?: boolean
  turns: ScenarioTurn[]
}

export interface ScenarioTurn {
  steps: ScenarioStep[]
  /** Played for prompts that match. All turns of a scenario have it, or none. */
  for?: RegExp
  /** Exit code; absent: 0, or the vendor's exit code after a `limit`. */
  exit?: number
  /** The usage of the whole turn. */
  usage?: Usage
  /** The usage of each message of the model, for vendors that report it while they work. */
  messageUsage?: Usage
  /** The conversation id to report; absent: the resumed one, or a fresh one. */
  conversation?: string
  /** False: no start event, like an agent that fails before it begins. */
  begin?: boolean
}

export type ScenarioStep = {
  [Name in keyof typeof STEPS]: { do: Name } & Fields<(typeof STEPS)[Name]>
}[keyof typeof STEPS]
export type StepOf<Name extends ScenarioStep['do']> = Extract<ScenarioStep, { do: Name }>
export type Limit = StepOf<'limit'>

/** Parses a scenario or reports what is wrong with it, and where. */
export function readScenario(text: string, file: string): Scenario {
  const parsed = parseJson(text)
  if (!parsed.ok) throw bad(file, 'the file', `is not JSON (${messageOf(parsed.cause)})`)
  return readFields(parsed.value, SCENARIO, file, WHOLE)
}

const WHOLE = 'the scenario'

interface Field<T> {
  wants: string
  optional: boolean
  /** Undefined: the value is invalid. */
  read(value: unknown, file: string, place: string): T | undefined
}

type Shape = Record<string, Field<unknown>>
type Optional<S extends Shape> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S]
type Value<F> = F extends Field<infer T> ? T : never
type Fields<S extends Shape> = { [K in Exclude<keyof S, Optional<S>>]: Value<S[K]> } & {
  [K in Optional<S>]?: Value<S[K]>
}

const text = must('a text', (value) => (typeof value === 'string' ? value : undefined))
/** A text, or a list of lines: easier to read in JSON. */
const lines = must('a text or a list of lines', (value) => {
  if (typeof value === 'string') return value
  return isTexts(value) ? value.map((line) => `${line}\n`).join('') : undefined
})
const count = must('a whole number of 0 or more', (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
)
const amount = must('a number of 0 or more', (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined,
)
const yes = must('true or false', (value) => (typeof value === 'boolean' ? value : undefined))
const record = must('an object', (value) => (isRecord(value) ? value : undefined))
const pattern = must('a regular expression', (value) => {
  if (typeof value !== 'string') return undefined
  try {
    return new RegExp(value)
  } catch {
    return undefined
  }
})
/** The keys of a status block as written there: `STATUS`, `EXIT_SIGNAL` … */
const status = must('an object of texts, numbers and booleans', (value) =>
  isRecord(value) && Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each))
    ? (value as Record<string, string | number | boolean>)
    : undefined,
)
const instant = must('milliseconds since 1970 or an ISO time', (value) => {
  const at = typeof value === 'string' ? Date.parse(value) : value
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined
})

const STEPS = {
  /** A message of the agent. */
  say: { text: lines },
  think: { text: lines },
  /** A message that ends in a status block. */
  status: { text: maybe(lines), fields: status },
  /** Paths are relative to the working folder. These steps are really done and reported as tool calls. */
  write: { path: text, content: lines },
  append: { path: text, content: lines },
  replace: { path: text, find: text, with: text },
  delete: { path: text },
  shell: { command: text },
  /** Really runs `git add -A && git commit`. */
  commit: { message: text },
  /** A tool call that does nothing. */
  tool: { name: text, input: record, output: text, ok: maybe(yes) },
  /** The agent reads a file that contains a status block: tool output, not the agent's text. */
  quote: { path: text, fields: status },
  denied: { tool: text, command: maybe(text) },
  delay: { ms: count },
  /** Waits for ever, until killed. */
  hang: {},
  'ignore-term': {},
  /** This many messages of this many characters each. */
  flood: { lines: count, size: count },
  /** Random bytes, the same for the same seed, and a newline after them. */
  garbage: { bytes: count, seed: maybe(count) },
  /** Megabytes without a newline; one follows. */
  longline: { megabytes: count },
  stderr: { text: lines },
  /** A child that outlives the agent: with the agent's stdout open, or in a session of its own, or both. */
  grandchild: { ms: count, keepPipe: maybe(yes), setsid: maybe(yes), pidFile: maybe(text) },
  /** Ends the turn as the vendor does when it refuses to continue. */
  limit: {
    kind: choice(['usage-limit', 'rate-limit', 'balance', 'auth', 'model', 'overload', 'network', 'tls']),
    message: maybe(text),
    resetsAt: maybe(instant),
    resetsInMs: maybe(count),
  },
  /** Ends in the middle of a line. */
  cut: {},
  /** The turn ends without the vendor's final event. */
  'no-final': {},
  crash: { signal: choice(['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGTERM']) },
  /** Exit code 65 if the prompt from stdin does not match. */
  'expect-prompt': { matches: pattern },
  'save-prompt': { path: text },
} satisfies Record<string, Shape>

const USAGE = {
  input: maybe(count),
  output: maybe(count),
  cacheRead: maybe(count),
  cacheWrite: maybe(count),
  reasoning: maybe(count),
  usd: maybe(amount),
} satisfies Shape

const TURN = {
  for: maybe(pattern),
  steps: list((value, file, place): ScenarioStep => readStep(value, file, place), 0),
  exit: maybe(count),
  usage: maybe(nested(USAGE)),
  messageUsage: maybe(nested(USAGE)),
  conversation: maybe(text),
  begin: maybe(yes),
} satisfies Shape

const SCENARIO = {
  dialect: maybe(choice(DIALECT_NAMES)),
  once: maybe(yes),
  turns: list((value, file, place): ScenarioTurn => readFields(value, TURN, file, place), 1),
} satisfies Shape

function readStep(value: unknown, file: string, place: string): ScenarioStep {
  const name = isRecord(value) ? value['do'] : undefined
  if (!isRecord(value) || typeof name !== 'string' || !isStep(name)) {
    throw bad(file, `${place}.do`, `must be one of: ${Object.keys(STEPS).join(', ')}`)
  }
  const { do: _, ...rest } = value
  // Each name's fields were read by its own row of the table; only the compiler cannot follow the pair through the union.
  return { do: name, ...readFields(rest, STEPS[name] as Shape, file, place) } as ScenarioStep
}

function readFields<S extends Shape>(value: unknown, shape: S, file: string, place: string): Fields<S> {
  if (!isRecord(value)) throw bad(file, place, 'must be an object')
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key))
  if (unknown !== undefined)
    throw bad(file, place, `has no field '${unknown}' (it has: ${Object.keys(shape).join(', ')})`)
  const read = Object.entries(shape).flatMap(([key, field]) => {
    if (value[key] === undefined && field.optional) return []
    const at = place === WHOLE ? key : `${place}.${key}`
    const got = field.read(value[key], file, at)
    if (got === undefined) throw bad(file, at, `must be ${field.wants}`)
    return [[key, got] as const]
  })
  return Object.fromEntries(read) as Fields<S>
}

function must<T>(wants: string, read: (value: unknown) => T | undefined): Field<T> & { optional: false } {
  return { wants, optional: false, read }
}

function maybe<T>(field: Field<T>): Field<T> & { optional: true } {
  return { ...field, optional: true }
}

function choice<const T extends string>(names: readonly T[]): Field<T> & { optional: false } {
  return must(`one of: ${names.join(', ')}`, (value) => names.find((name) => name === value))
}

function nested<S extends Shape>(shape: S): Field<Fields<S>> & { optional: false } {
  return {
    wants: 'an object',
    optional: false,
    read: (value, file, place) => readFields(value, shape, file, place),
  }
}

function list<T>(
  read: (value: unknown, file: string, place: string) => T,
  atLeast: 0 | 1,
): Field<T[]> & { optional: false } {
  return {
    wants: atLeast === 0 ? 'a list' : 'a list with at least one entry',
    optional: false,
    read: (value, file, place) => {
      if (!Array.isArray(value) || value.length < atLeast) return undefined
      return value.map((each: unknown, index) => read(each, file, `${place}[${index}]`))
    },
  }
}

function isStep(name: string): name is keyof typeof STEPS {
  return Object.hasOwn(STEPS, name)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function bad(file: string, place: string, problem: string): RalphError {
  return new RalphError('bad-file', `scenario ${file}: ${place} ${problem}`, {
    hint: 'A scenario is { "turns": [{ "steps": [{ "do": …, … }] }] }.',
  })
}
