import { describe, expect, test } from 'vitest'
import { createTailBuffer } from './tail-buffer.ts'

function kept(maxBytes: number, ...chunks: (string | Buffer)[]): [text: string, cut: boolean] {
  const last = createTailBuffer(maxBytes)
  for (const chunk of chunks) last.push(Buffer.from(chunk))
  return [last.text(), last.cut()]
}

describe('the end of a stream', () => {
  const euro = Buffer.from('€')

  test.each<[string, number, (string | Buffer)[], [string, boolean]]>([
    ['all of it', 8, ['abc', 'def'], ['abcdef', false]],
    ['all of it, to the byte', 6, ['abc', 'def'], ['abcdef', false]],
    ['its last bytes', 4, ['abc', 'def'], ['cdef', true]],
    ['the end of one large chunk', 3, ['abcdefghij'], ['hij', true]],
    ['no half character at its beginning', 4, ['a€€'], ['€', true]],
    ['no half character at its end', 9, ['a', euro.subarray(0, 2)], ['a', false]],
    ['a character in two chunks', 9, [euro.subarray(0, 1), euro.subarray(1)], ['€', false]],
    ['nothing', 0, ['abc'], ['', true]],
    ['of nothing', 4, [], ['', false]],
  ])('%s', (_, maxBytes, chunks, expected) => {
    expect(kept(maxBytes, ...chunks)).toEqual(expected)
  })

  test('is kept of a flood in few bytes', () => {
    const last = createTailBuffer(1_000)
    const line = Buffer.from('y\n')
    for (let n = 0; n < 200_000; n += 1) last.push(line)
    expect([last.text().length, last.cut()]).toEqual([1_000, true])
  })
})
