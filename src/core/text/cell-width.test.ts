import { expect, test } from 'vitest'
import { cellWidth, truncateToCells } from './cell-width.ts'

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
  expect(cellWidth(text)).toBe(wanted)
})

/** Blocks of wide letters, each with its first and last one, and a narrow one behind it. */
test.each([
  ['Hangul Jamo', 0x1100, 0x115f, 0x1200],
  ['radicals and marks', 0x2e80, 0x303e, 0x303f],
  ['kana', 0x3041, 0x33ff, 0x4dc0],
  ['ideographs, extension A', 0x3400, 0x4dbf, 0x4dc0],
  ['ideographs and Yi', 0x4e00, 0xa4cf, 0xa4d0],
  ['Hangul Jamo, extended', 0xa960, 0xa97f, 0xaa40],
  ['Hangul', 0xac00, 0xd7a3, 0xd7b0],
  ['ideographs for compatibility', 0xf900, 0xfaff, 0xfb00],
  ['vertical forms', 0xfe10, 0xfe19, 0xfe70],
  ['small forms', 0xfe30, 0xfe6f, 0xfe70],
  ['full width', 0xff00, 0xff60, 0xff61],
  ['full width, signs', 0xffe0, 0xffe6, 0xffe8],
  ['Tangut and Khitan', 0x16fe0, 0x18cff, 0x1d400],
  ['old kana and Nushu', 0x1b000, 0x1b2ff, 0x1d400],
  ['ideographs in frames', 0x1f200, 0x1f265, 0x1f321],
  ['ideographs, the other planes', 0x20000, 0x3fffd, 0x40000],
])('%s take two cells each', (_, first, last, behind) => {
  expect([first, last, behind].map((code) => cellWidth(String.fromCodePoint(code)))).toEqual([2, 2, 1])
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
      (point) => odd.test(point) || cellWidth(point) !== 1,
    ),
  )
  expect(wrong).toEqual([])
})

test.each([
  ['日本語', 5, '日本'],
  ['plain', 3, 'pla'],
  ['a·b', 2, 'a·'],
  ['plain', 0, ''],
  ['plain', -1, ''],
])('of %j there is room in %i cells for %j', (text, room, wanted) => {
  expect(truncateToCells(text, room)).toBe(wanted)
})
