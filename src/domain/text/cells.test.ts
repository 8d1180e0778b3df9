import { expect, test } from 'vitest'
import { cells, firstCells } from './cells.ts'

test.each([
  ['', 0],
  ['plain', 5],
  ['✓ 1 file +1 −1 · "done" …', 25],
  ['naïve', 5],
  ['e\u0301', 1],
  ['soft\u00adhyphen', 10],
  ['日本', 4],
  ['✅', 2],
  ['✊', 2],
  ['✨', 2],
  ['⌚', 2],
  ['a\u200bb', 2],
])('%j takes %i cells', (text, wanted) => {
  expect(cells(text)).toBe(wanted)
})

test('what is said to be narrow without a look at the patterns is narrow by them too', () => {
  const odd = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff\p{Emoji_Presentation}]/u
  const ranges: [number, number][] = [
    [0x20, 0x7e],
    [0xae, 0x2ff],
    [0x2010, 0x2027],
    [0x2190, 0x2319],
    [0x270c, 0x2727],
  ]
  const wrong = ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).filter(
      (point) => odd.test(point) || cells(point) !== 1,
    ),
  )
  expect(wrong).toEqual([])
})

test('a text is cut where its cells end', () => {
  expect([firstCells('日本語', 5), firstCells('plain', 3), firstCells('a·b', 2)]).toEqual([
    '日本',
    'pla',
    'a·',
  ])
})
