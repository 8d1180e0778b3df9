import { expect, test } from 'vitest'
import { createQuotationMatcher } from './quotations.ts'

/** With a point for all that is quoted, the mark before it included. */
function pointed(text: string): string {
  const isQuoted = createQuotationMatcher(text)
  return text.replace(/./g, (sign, at: number) => (isQuoted(at) ? '.' : sign))
}

test.each([
  ['none at all', 'none at all'],
  ['"a" b "c"', '.." b .."'],
  ['„a“ »b« «c» ”d”', '..“ ..« ..» ..”'],
  ['「a」と『b』', '..」と..』'],
  ['《a》，〈b〉', '..》，..〉'],
  ['〝a〟 ＂b＂', '..〟 ..＂'],
  ['“a "b" c”', '........”'],
  ['a 5" disk', 'a 5" disk'],
  ['a 5" disk, "b"', 'a 5" disk, "b"'],
  ['"a\nb\nc" d\ne "f" g', '..\n.\n." d\ne .." g'],
  ['"a" "b\nc" "d" e', '"a" ..\n." "d" e'],
  ['"a\nb" c\n"d\ne', '..\n." c\n"d\ne'],
  ['"a\n“b', '"a\n“b'],
])('%j', (text, points) => {
  expect(pointed(text)).toBe(points)
})
