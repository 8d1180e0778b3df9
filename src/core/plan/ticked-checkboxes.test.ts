import { expect, test } from 'vitest'
import { tickedBetween } from './ticked-checkboxes.ts'

test.each([
  ['two at once', '- [ ] a\n- [ ] b\n- [ ] c', '- [x] a\n- [ ] b\n- [x] c', ['a', 'c'], []],
  ['none', '- [x] a\n- [ ] b', '- [x] a\n- [ ] b', [], []],
  ['one that was ticked before and got a remark', '- [x] a', '- [x] a (in 3 files)', [], []],
  [
    'one that was reworded a little as it was ticked',
    '- [ ] add dates',
    '- [x] **add dates** done',
    ['**add dates** done'],
    [],
  ],
  ['two of the same text, one after the other', '- [x] a\n- [ ] a', '- [x] a\n- [x] a', ['a'], []],
  [
    'one whose text begins as that of another',
    '- [x] add\n- [ ] add dates',
    '- [x] add\n- [x] add dates',
    ['add dates'],
    [],
  ],
  ['one that came in ticked', '- [ ] a', '- [ ] a\n- [x] b', ['b'], []],
  ['one that is open again', '- [x] a\n- [x] b', '- [x] a\n- [ ] b', [], ['b']],
  ['an optional one', '# Later\n- [ ] a', '# Later\n- [x] a', ['a'], []],
])('%s', (_, before, now, done, undone) => {
  expect(tickedBetween(before, now, ['Later'])).toEqual({ done, undone })
})
