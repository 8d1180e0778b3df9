/** Runs the breaker on a file of steps, one JSON object per line, and returns its state after each. */
import { messageOf, RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import {
  closedBreaker,
  halfOpenIfCooledDown,
  breakerAfterIteration,
  type Breaker,
  type BreakerInput,
} from '../../core/admission/breaker.ts'
import type { BreakerRules } from '../../core/state/rules.ts'
import { isObject, parseJson, type JsonObject } from '../../core/text/json.ts'
import { suggest } from '../../core/text/suggest.ts'
import { clip } from '../../core/text/sanitize.ts'
import { readText } from '../../system/files/files.ts'

/** `inspect breaker --json`: a list of these, one per line of the file that is not empty. */
export interface SimulatedBreakerStep {
  line: number
  /** Null: the line only lets time pass. */
  moved: BreakerInput | null
  breaker: Breaker
}

export function simulateBreaker(path: string, rules: BreakerRules): SimulatedBreakerStep[] {
  const moves = readMoves(path)
  let at = moves[0]?.at ?? 0
  let breaker = closedBreaker(at)
  return moves.map(({ line, moved, at: said }) => {
    at = said ?? at
    breaker = halfOpenIfCooledDown(breaker, rules, at)
    if (moved !== null) breaker = breakerAfterIteration(breaker, moved, rules, at)
    return { line, moved, breaker }
  })
}

interface Move {
  line: number
  moved: BreakerInput | null
  /** Milliseconds; null: no time has passed since the line before. */
  at: Instant | null
}

function readMoves(path: string): Move[] {
  return readText(path)
    .split(/\r?\n/)
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, line }) => readMove(text, { line, where: `${path}:${line}` }))
}

const KEYS = ['progress', 'question', 'error', 'denied', 'declined'] as const

function readMove(text: string, { line, where }: { line: number; where: string }): Move {
  const json = parse(text, where)
  for (const [key, value] of Object.entries(json)) {
    if (key !== 'at' && !KEYS.some((known) => known === key)) throw unknownKey(key, where)
    const expected = key === 'at' ? 'number' : 'boolean'
    if (typeof value !== expected) throw badLine(where, `"${key}" is ${JSON.stringify(value)}, expected a ${expected}`)
  }
  const at = typeof json['at'] === 'number' ? json['at'] : null
  if (!KEYS.some((key) => key in json) && at !== null) return { line, moved: null, at }
  const told = (key: (typeof KEYS)[number]): boolean => json[key] === true
  const moved = {
    progress: told('progress'),
    question: told('question'),
    error: told('error'),
    denied: told('denied'),
    declined: told('declined'),
  }
  return { line, moved, at }
}

function parse(text: string, where: string): JsonObject {
  const parsed = parseJson(text)
  if (!parsed.ok) throw badLine(where, `not JSON: ${clip(messageOf(parsed.cause), 120)}`)
  if (isObject(parsed.value)) return parsed.value
  throw badLine(where, `found ${clip(text.trim(), 60)}, expected an object`)
}

function unknownKey(key: string, where: string): RalphError {
  const near = suggest(key, [...KEYS, 'at'])
  return badLine(where, `unknown key "${key}"${near === null ? '' : `; did you mean "${near}"?`}`)
}

function badLine(where: string, problem: string): RalphError {
  return new RalphError('bad-file', `${where}: ${problem}`, {
    hint: 'Each line is like {"progress": false, "error": true, "at": 60000}; missing keys are false.',
  })
}
