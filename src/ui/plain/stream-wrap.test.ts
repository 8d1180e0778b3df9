import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellWidth } from '../../core/text/cell-width.ts'
import { createStreamWrap } from './stream-wrap.ts'

function wrap(pieces: string[], columns: number): string {
  const wrapped = createStreamWrap()
  return pieces.map((piece) => wrapped.take(piece, columns)).join('') + wrapped.endLine(columns)
}

test.each([
  ['a line breaks between words', ['one two three'], 'one two\nthree\n'],
  ['a word that arrives in pieces stays whole', ['one tw', 'o th', 'ree'], 'one two\nthree\n'],
  ['line ends and indentation stay', ['a\n\n  b c\n'], 'a\n\n  b c\n'],
  ['a word longer than a line is left to the terminal', ['1234567890 ab'], '1234567890 ab\n'],
  ['wide characters count twice', ['日本 日本語'], '日本\n日本語\n'],
  ['nothing', [''], ''],
])('%s', (_, pieces, expected) => {
  expect(wrap(pieces, 8)).toBe(expected)
})

test('after the end of a line, text begins at the left edge', () => {
  const wrapped = createStreamWrap()
  expect(wrapped.take('one two', 8) + wrapped.endLine(8)).toBe('one two\n')
  expect(wrapped.take('three four ', 8)).toBe('three\nfour')
})

test('no line of short words is wider than the terminal, and no word is lost', () => {
  const pieces = fc.array(fc.stringMatching(/^[ab\n ]{0,6}$/), { maxLength: 30 })
  fc.assert(
    fc.property(pieces, (given) => {
      const text = wrap(given, 40)
      const words = given.join('').split(/\s+/).filter(Boolean)
      expect(text.split(/\s+/).filter(Boolean)).toEqual(words)
      if (words.every((word) => word.length <= 40))
        for (const line of text.split('\n')) expect(cellWidth(line.trimEnd())).toBeLessThanOrEqual(40)
    }),
  )
})
