import { describe, expect, test } from 'vitest'
import { scoreCompletionText } from './completion-score.ts'

const NOTHING = { change: false, declined: false }
const score = (text: string, facts = NOTHING) => scoreCompletionText(text, facts).confidence

describe('the score', () => {
  test.each([
    ['no phrase', 'I looked at the code.', 0],
    ['one phrase', 'It is done.', 10],
    ['the same phrase twice counts once', 'Done, done and done.', 10],
    ['a phrase within a phrase is two', 'All tasks complete.', 20],
    ['across a line end', 'all tasks\ncomplete', 20],
    ['nothing left to do', 'Everything is up to date.', 15],
    ['two ways of nothing count once', 'No changes: it is already implemented.', 15],
    ['part of a word', 'The incomplete, abandoned and unfinished parts.', 0],
    ['part of a hyphenated word', 'A half-done, well-done job.', 0],
    ['a file name', 'See done.md and complete.ts.', 0],
    ['the end of a sentence', 'It is finished.', 10],
    ['denied', "It is not done. It isn't complete. We are never finished.", 0],
    ['denied with a typographic apostrophe', 'It isn’t really complete.', 0],
    ['put off', 'I stop once it is done, or when the work is complete.', 0],
    ['denied once, said once', 'It was not done. Now it is done.', 10],
    ['another language', 'Alles fertig, erledigt. Terminé. 完成。', 0],
    ['in code', '```\ndone complete finished\n```', 0],
    ['in a quotation', '> done, complete, finished', 0],
    ['in a status block', '---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---', 0],
    ['tests that pass', 'All tests pass.', 0],
  ])('%s', (_what, text, expected) => {
    expect(score(text)).toBe(expected)
  })

  test('change adds 20 and decline 10', () => {
    expect(score('', { change: true, declined: false })).toBe(20)
    expect(score('', { change: false, declined: true })).toBe(10)
    expect(score('done', { change: true, declined: true })).toBe(40)
  })
})

describe('complete at 70 with a phrase', () => {
  const ALL = 'All tasks complete. Project complete: done, finished, ready for review.'

  test.each([
    ['every phrase', ALL, NOTHING, 60, false],
    ['every phrase and decline', ALL, { change: false, declined: true }, 70, true],
    ['every phrase and nothing left', `${ALL} Nothing to do.`, NOTHING, 75, true],
    ['every phrase and a change', ALL, { change: true, declined: false }, 80, true],
    [
      'five phrases and a change',
      'All tasks complete, project complete, done and finished.',
      { change: true, declined: false },
      70,
      true,
    ],
    ['four phrases and a change', 'Project complete, done, finished.', { change: true, declined: false }, 60, false],
    ['all but the phrases', 'Nothing to do.', { change: true, declined: true }, 45, false],
  ])('%s', (_what, text, facts, confidence, complete) => {
    const words = scoreCompletionText(text, facts)
    expect({ confidence: words.confidence, complete: words.complete }).toEqual({ confidence, complete })
  })
})

test('the reasons name what counted', () => {
  expect(scoreCompletionText('Done. Nothing to do.', { change: true, declined: true })).toEqual({
    confidence: 55,
    complete: false,
    testOnly: false,
    noWork: true,
    reasons: [
      'says "done" (+10)',
      'says "nothing to do" (+15)',
      'changed something (+20)',
      'wrote less than half of last time (+10)',
    ],
  })
})

test.each([
  ['Running tests now: 12 passed.', true],
  ['I ran npm test and pytest again.', true],
  ['cargo test is green.', true],
  ['I implemented the parser, then ran npm test.', false],
  ['Added a function; go test passes.', false],
  ['Nothing about them.', false],
])('test-only: %s', (text, expected) => {
  expect(scoreCompletionText(text, NOTHING).testOnly).toBe(expected)
})
