import { expect, test } from 'vitest'
import { DECISIONS, weightOf, type Decision, type Weight } from './decision.ts'

/** What stands out on a screen: somebody may have to do something, or would be surprised. */
const LOUD = [
  'loop/trouble',
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
  'draft/paper',
  'draft/put-back',
  'draft/refuse',
  'draft/stays',
  'limit/rest',
  'retry/outage',
  'retry/leave',
  'agent/switch',
  'model/change',
  'steer/refuse',
  'proof/unfit',
  'proof/empty',
  'proof/note',
  'proof/refuse',
  'proof/put-back',
  'proof/stays',
  'guard/note',
  'guard/warn',
  'guard/astray',
  'task/claim',
  'task/retry',
  'task/done',
  'task/failed',
  'task/lost',
  'task/put-back',
  'task/stays',
  'task/told',
  'task/breaker',
]

/** What the line of the iteration or the result says already. */
const TOLD = ['iteration/ended', 'draft/turn-ended', 'exit/end', 'proof/check', 'proof/ask']

test('every decision is loud, told elsewhere, or quiet', () => {
  const words = Object.entries(DECISIONS).flatMap(([by, list]) =>
    Object.keys(list).map((what) => ({ by, what }) as Pick<Decision, 'by' | 'what'>),
  )
  const of = (weight: Weight): string[] =>
    words.filter((one) => weightOf(one) === weight).map(({ by, what }) => `${by}/${what}`)
  expect(of('loud').toSorted()).toEqual(LOUD.toSorted())
  expect(of('told').toSorted()).toEqual(TOLD.toSorted())
  expect(of('quiet').length).toBe(words.length - LOUD.length - TOLD.length)
})

test.each([
  ['loop', 'of-tomorrow'],
  ['nobody', 'at-all'],
])('a word of another version is quiet: %s/%s', (by, what) => {
  expect(weightOf({ by, what } as unknown as Decision)).toBe('quiet')
})
