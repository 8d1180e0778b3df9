import { expect, test } from 'vitest'
import { DECISIONS, decisionLevelOf, type Decision, type DecisionLevel } from './decision.ts'

/** What stands out on a screen: somebody may have to do something, or would be surprised. */
const LOUD = [
  'loop/failure',
  'loop/stop',
  'loop/pause',
  'loop/warn',
  'loop/note',
  'exit/warn',
  'breaker/half-open',
  'breaker/open',
  'budget/abort',
  'draft/anew',
  'draft/idle',
  'draft/document',
  'draft/revert',
  'draft/refuse',
  'draft/stays',
  'limit/cooldown',
  'retry/outage',
  'retry/suspend',
  'agent/switch',
  'model/change',
  'steer/refuse',
  'proof/clean-room-unusable',
  'proof/empty',
  'proof/note',
  'proof/refuse',
  'proof/revert',
  'proof/stays',
  'guard/note',
  'guard/warn',
  'guard/drift',
  'task/claim',
  'task/retry',
  'task/done',
  'task/failed',
  'task/lost',
  'task/revert',
  'task/stays',
  'task/told',
  'task/breaker',
]

/** What the line of the iteration or the result says already. */
const TOLD = [
  'iteration/ended',
  'draft/turn-ended',
  'exit/end',
  'proof/check',
  'proof/baseline',
  'proof/accept',
  'proof/ask',
]

test('every decision is loud, told elsewhere, or quiet', () => {
  const words = Object.entries(DECISIONS).flatMap(([by, list]) =>
    Object.keys(list).map((what) => ({ by, what }) as Pick<Decision, 'by' | 'what'>),
  )
  const of = (weight: DecisionLevel): string[] =>
    words.filter((one) => decisionLevelOf(one) === weight).map(({ by, what }) => `${by}/${what}`)
  expect(of('loud').toSorted()).toEqual(LOUD.toSorted())
  expect(of('told').toSorted()).toEqual(TOLD.toSorted())
  expect(of('quiet').length).toBe(words.length - LOUD.length - TOLD.length)
})

test.each([
  ['loop', 'of-tomorrow'],
  ['nobody', 'at-all'],
])('a word of another version is quiet: %s/%s', (by, what) => {
  expect(decisionLevelOf({ by, what } as unknown as Decision)).toBe('quiet')
})
