import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { BreakerRules } from '../../core/state/rules.ts'
import { simulateBreaker } from './simulate-breaker.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-breaker-'))
const file = join(folder, 'ops.jsonl')
afterAll(() => rmSync(folder, { recursive: true }))

const RULES: BreakerRules = {
  noProgress: 3,
  sameError: 5,
  denials: 2,
  outputDecline: 70,
  halfOpenAt: 2,
  cooldownMs: 1_000,
  autoReset: false,
  wait: false,
}

function after(text: string): ReturnType<typeof simulateBreaker> {
  writeFileSync(file, text)
  return simulateBreaker(file, RULES)
}

test('three lines without progress open the breaker, two warn, and empty lines do not count', () => {
  expect(after('{}\n\n{}\n{}\n').map(({ line, breaker }) => [line, breaker.is])).toEqual([
    [1, 'closed'],
    [3, 'half-open'],
    [4, 'open'],
  ])
})

test('what is left out of a line is false', () => {
  expect(after('{"denied": true, "at": 7}')).toEqual([
    {
      line: 1,
      moved: { progress: false, question: false, error: false, denied: true, declined: false },
      breaker: {
        is: 'closed',
        counts: { idle: 1, failed: 0, denied: 1, declined: 0 },
        opens: 0,
        changedAt: 7,
      },
    },
  ])
})

test('a line with only a time lets the cool-down pass and is no iteration', () => {
  const moves = after('{"at": 0}\n{}\n{}\n{}\n{"at": 999}\n{"at": 1000}\n')
  expect(moves.map(({ moved, breaker }) => [moved === null, breaker.is])).toEqual([
    [true, 'closed'],
    [false, 'closed'],
    [false, 'half-open'],
    [false, 'open'],
    [true, 'open'],
    [true, 'half-open'],
  ])
})

test.each([
  ['{}\nnonsense', ':2: not JSON: '],
  ['{}\n\n[1]', ':3: found [1], expected an object'],
  ['{"progres": true}', ':1: unknown key "progres"; did you mean "progress"?'],
  ['{"error": "yes"}', ':1: "error" is "yes", expected a boolean'],
  ['{"at": "now"}', ':1: "at" is "now", expected a number'],
])('the line that cannot be used is named: %j', (text, message) => {
  expect(() => after(text)).toThrow(`${file}${message}`)
})
