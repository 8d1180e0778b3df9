import { expect, test } from 'vitest'
import { parseKeys } from './parse-keys.ts'

test.each([
  ['q', [{ is: 'char', char: 'q' }]],
  [
    '日é',
    [
      { is: 'char', char: '日' },
      { is: 'char', char: 'é' },
    ],
  ],
  ['👍', [{ is: 'char', char: '👍' }]],
  ['\u001b[A\u001b[B', [{ is: 'up' }, { is: 'down' }]],
  ['\u001bOA', [{ is: 'up' }]],
  ['\u001b[5~\u001b[6~', [{ is: 'page-up' }, { is: 'page-down' }]],
  ['\u001b[H\u001b[4~', [{ is: 'home' }, { is: 'end' }]],
  ['\t\u001b[Z', [{ is: 'tab' }, { is: 'back-tab' }]],
  ['\r', [{ is: 'enter' }]],
  ['\u007f', [{ is: 'backspace' }]],
  ['\u0003', [{ is: 'interrupt' }]],
  ['\u001b', [{ is: 'escape' }]],
  ['\u001b\u001b', [{ is: 'escape' }, { is: 'escape' }]],
])('%j is read', (input, keys) => {
  expect(parseKeys(input)).toEqual(keys)
})

test('a sequence that nobody knows is no key, not even a part of it', () => {
  expect(parseKeys('\u001b[1;5Cx\u001b[<0;10;10M')).toEqual([{ is: 'char', char: 'x' }])
})

test('pasted text is one piece, whatever keys it would be', () => {
  expect(parseKeys('\u001b[200~xq\ny\u001b[201~s')).toEqual([
    { is: 'paste', text: 'xq\ny' },
    { is: 'char', char: 's' },
  ])
})
