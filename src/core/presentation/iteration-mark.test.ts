import { expect, test } from 'vitest'
import { iterationMarkOf } from './iteration-mark.ts'

const NOTHING = { files: 0, added: 0, removed: 0, commits: [] }
const SOME = { ...NOTHING, files: 1 }
const IDLE = {
  outcome: 'no-progress',
  end: 'success',
  change: NOTHING,
  ticked: false,
  rejection: null,
  limit: null,
} as const

test.each([
  ['running', { ...IDLE, outcome: null }, '▸', null],
  ['changed a file', { ...IDLE, change: SOME }, '✓', null],
  ['only committed', { ...IDLE, change: { ...NOTHING, commits: [{ sha: 'a', subject: 's' }] } }, '✓', null],
  ['only ticked a box', { ...IDLE, ticked: true }, '✓', null],
  ['changed nothing', IDLE, '·', null],
  ['could not be measured', { ...IDLE, change: null }, '·', null],
  ['claimed and was refused, whatever it changed', { ...IDLE, change: SOME, rejection: 'no' }, '✗', null],
  ['could not be started', { ...IDLE, outcome: 'lost', end: null, change: null }, '·', 'lost'],
  ['failed', { ...IDLE, end: 'failed' }, '·', 'failed'],
  ['worked until its time was up', { ...IDLE, end: 'timed-out', change: SOME }, '✓', 'timed out'],
  ['ran into a limit', { ...IDLE, end: 'failed', limit: 'usage-limit' }, '·', 'limited'],
  ['met a limit and went on', { ...IDLE, change: SOME, limit: 'rate-limit' }, '✓', null],
] as const)('an iteration that %s', (_, one, glyph, word) => {
  const mark = iterationMarkOf({
    ...one,
    change: one.change === null ? null : { ...one.change, commits: [...one.change.commits] },
  })
  expect([mark.glyph, mark.word]).toEqual([glyph, word])
})
