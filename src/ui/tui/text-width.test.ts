import { describe, expect, test } from 'vitest'
import { cellWidth, truncateToCells, toPrintable, wrapText } from './text-width.ts'

test.each([
  ['plain', 5],
  ['日本', 4],
  ['ｶﾅ', 2],
  ['ＡＢ', 4],
  ['한글', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['✅', 2],
  ['✓', 1],
  ['🎉', 2],
  ['█░─│', 4],
  ['', 0],
])('%s takes %i cells', (text, width) => {
  expect(cellWidth(text)).toBe(width)
})

test('what makes a width doubtful is not shown', () => {
  expect(toPrintable('👨\u200d👩\u200d👧 ❤\ufe0f 👍🏽 a\u200bb')).toBe('👨👩👧 ❤ 👍 ab')
})

test('a wide character is not cut in two', () => {
  expect(truncateToCells('日本語', 5)).toBe('日本')
})

describe('wrapping', () => {
  test('breaks between words', () => {
    expect(wrapText('the quick brown fox jumps', 11)).toEqual(['the quick', 'brown fox', 'jumps'])
  })
  test('breaks a word that is too long for any line', () => {
    expect(wrapText('ab abcdefghij', 4)).toEqual(['ab', 'abcd', 'efgh', 'ij'])
  })
  test('breaks wide characters at even places', () => {
    expect(wrapText('日本語日本語', 5)).toEqual(['日本', '語日', '本語'])
  })
  test('comes to an end even where nothing fits', () => {
    expect(wrapText('日本', 1)).toEqual(['日', '本'])
  })
  test('keeps a line that fits, and an empty one', () => {
    expect([wrapText('fits', 4), wrapText('', 4)]).toEqual([['fits'], ['']])
  })
})
