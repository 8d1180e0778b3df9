import { expect, test } from 'vitest'
import { markOf } from './iteration-mark.ts'
import type { IterationView } from './view.ts'

const ENDED = { end: 'success', refused: null, limited: false, ticked: 0, change: null }
const CHANGE = { files: 2, added: 3, removed: 1, commits: [] }

test.each([
  ['its agent is at work', { end: null }, 'running'],
  ['its agent has ended and nobody has looked yet', {}, 'running'],
  ['it changed files', { change: CHANGE }, 'moved'],
  ['it only ticked a box', { ticked: 1 }, 'moved'],
  ['it only committed', { change: { ...CHANGE, files: 0, commits: [{ sha: 'a', subject: 'b' }] } }, 'moved'],
  ['nothing changed', { change: { ...CHANGE, files: 0 } }, 'nothing'],
  [
    'its claim did not count, whatever it changed',
    { change: CHANGE, refused: 'gate test failed' },
    'refused',
  ],
  ['its agent was at a limit', { end: 'failed', limited: true }, 'limited'],
  ['its agent failed', { end: 'failed' }, 'failed'],
  ['its time was over and it had changed something', { end: 'timed-out', change: CHANGE }, 'moved'],
])('%s', (_, facts, mark) => {
  expect(markOf({ ...ENDED, ...facts } as unknown as IterationView)).toBe(mark)
})
