/**
 * The keys of the status block and how their values are parsed. Every parser returns a value or undefined: a placeholder from a
 * template (`false | true`, `<number>`) is not a value.
 */
import { oneLine } from '../../text/sanitize.ts'
import type { StatusBlock } from '../reply.ts'

type Read = { [K in keyof StatusBlock]-?: readonly [K, (value: string) => StatusBlock[K] | undefined] }

const STATUS: Read['status'] = ['status', (value) => oneOf(value, STATUSES)]
const TASKS: Read['tasksCompleted'] = ['tasksCompleted', count]
const FILES: Read['filesModified'] = ['filesModified', count]
const TEST_STATUS: Read['tests'] = ['tests', (value) => oneOf(value, TESTS)]

/** Every name of a key, with its field of the block and the parser of its value. */
const KEYS = new Map<string, Read[keyof StatusBlock]>([
  ['STATUS', STATUS],
  ['TASKS_COMPLETED_THIS_LOOP', TASKS],
  ['TASKS_COMPLETED_THIS_ITERATION', TASKS],
  ['TASKS_COMPLETED', TASKS],
  ['FILES_MODIFIED', FILES],
  ['FILES_CHANGED', FILES],
  ['TESTS_STATUS', TEST_STATUS],
  ['TEST_STATUS', TEST_STATUS],
  ['WORK_TYPE', ['workType', workType]],
  ['EXIT_SIGNAL', ['exitSignal', exitSignal]],
  ['RECOMMENDATION', ['recommendation', recommendation]],
])

export function isStatusKey(key: string): boolean {
  return KEYS.has(keyName(key))
}

/** Sets one line's key and value in the block; ignores unknown keys. */
export function setStatusKey(block: StatusBlock, key: string, value: string): void {
  const name = keyName(key)
  // `completion_status` counts in JSON only; it is no key of a block of lines.
  const [field, read] = (name === 'COMPLETION_STATUS' ? STATUS : KEYS.get(name)) ?? []
  const found = read?.(undecorated(value))
  // Two different exit signals in one block: the agent is not sure, so it is not done.
  if (field === undefined || found === undefined || (field === 'exitSignal' && block[field] === false)) return
  Object.assign(block, { [field]: found })
}

/** `exitSignal`, `exit-signal`, `Exit signal` and `EXIT_SIGNAL` are one key. */
function keyName(key: string): string {
  return key
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toUpperCase()
}

const STATUSES = {
  IN_PROGRESS: 'IN_PROGRESS',
  COMPLETE: 'COMPLETE',
  COMPLETED: 'COMPLETE',
  BLOCKED: 'BLOCKED',
} as const

const TESTS = {
  PASSING: 'PASSING',
  PASSED: 'PASSING',
  PASS: 'PASSING',
  FAILING: 'FAILING',
  FAILED: 'FAILING',
  FAIL: 'FAILING',
  NOT_RUN: 'NOT_RUN',
} as const

/** The value's first word, if it is in the list and no alternative follows. */
function oneOf<T extends string>(value: string, words: Readonly<Record<string, T>>): T | undefined {
  const found = /^(in[\s_-]+progress|not[\s_-]+run|[a-z]+)(?![\p{L}\p{N}_])(.*)$/isu.exec(value)
  if (found === null || offersChoice(found[2] ?? '')) return undefined
  const word = keyName(found[1] ?? '')
  return Object.hasOwn(words, word) ? words[word] : undefined
}

function exitSignal(value: string): boolean | undefined {
  const found = /^(true|false|yes|no)(?![\p{L}\p{N}_])(.*)$/isu.exec(value)
  const rest = found?.[2] ?? ''
  if (found === null || offersChoice(rest)) return undefined
  const word = found[1]?.toLowerCase()
  if (word === 'false' || word === 'no') return false
  return CONDITION.test(rest) ? undefined : true
}

/** "true once the tests pass" is a promise, not a signal. */
const CONDITION = /^[\s,;:(–—-]*(?:if|when|once|unless|only|after|until|provided|assuming|pending|except)\b/i

/** Whether another alternative follows, as in an unfilled template. */
function offersChoice(rest: string): boolean {
  return /^\s*(?:\||\/|or\b)/i.test(rest)
}

function count(value: string): number | undefined {
  const digits = /^~?\s*(\d{1,9})(?![\p{L}\d_])/u.exec(value)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function workType(value: string): string | undefined {
  const found = /^([\p{L}][\p{L}_-]*(?: [\p{L}_-]+){0,3})(.*)$/su.exec(value)
  if (found === null || offersChoice(found[2] ?? '')) return undefined
  return keyName(found[1] ?? '').slice(0, 40)
}

function recommendation(value: string): string | undefined {
  const line = oneLine(value, 200)
  return line === '' || /^<.*>$/.test(line) ? undefined : line
}

/** The value without the Markdown, quotes and ticks that agents put around it. */
function undecorated(value: string): string {
  return value
    .replace(/^(?:[\s*_`"'✅✔☑❌⚠]|\ufe0f)+/u, '')
    .replace(/[\s*`"']+$/u, '')
    .replace(/^(\w+)[*`"']+/, '$1')
}
