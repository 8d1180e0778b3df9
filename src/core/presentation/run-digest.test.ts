import { expect, test } from 'vitest'
import { playRun } from '../../../test/kit/core.ts'
import { DIGEST_VERSION, foldDigest, EMPTY_DIGEST, type RunDigest } from './run-digest.ts'

test('whoever changes what is kept in a digest counts its shape up', () => {
  const { report: fold, traces } = playRun([{ files: 1 }]).reduce(foldDigest, EMPTY_DIGEST)
  if (fold === null) throw new Error('nothing was folded')
  const { report, ...rest } = fold
  const keys = (of: object): string => Object.keys(of).toSorted().join(' ')
  expect({
    shape: DIGEST_VERSION,
    report: keys(report),
    rest: keys(rest),
    trace: keys(traces['1'] ?? {}),
  }).toEqual({
    shape: 4,
    report:
      'adviceContext agents at changed checkboxes command commitCount commits done drift durationMs gates inGit iterations left nextCheckbox outcome paused project proofSteps refused refusedCount remarks run spent startedAt trees',
    rest: 'asked quarantine start up workers',
    trace: 'asked gated hasPaused ownChanges unmeasured',
  })
})

test('it may be kept after any row', () => {
  const night = playRun([
    { files: 1, commits: ['a change'] },
    { done: true, green: false },
    { done: true, green: true },
  ])
  const read = (text: string): RunDigest => JSON.parse(text) as RunDigest
  const kept = night.reduce((before, row) => foldDigest(read(JSON.stringify(before)), row), EMPTY_DIGEST)
  expect(kept).toEqual(night.reduce(foldDigest, EMPTY_DIGEST))
})

test('a row of a newer version changes nothing but how far it goes', () => {
  const night = playRun([{ files: 1 }])
  const before = night.reduce(foldDigest, EMPTY_DIGEST)
  const [last] = night.slice(-1)
  if (last === undefined) throw new Error('nothing happened')
  const odd = { ...last, seq: 9_999, event: { type: 'snapshot-taken', tea: 'made' } as never, decisions: [] }
  expect(foldDigest(before, odd)).toEqual({ ...before, seq: 9_999 })
})
