/** Lines that are typed and pasted. */
import { expect, test } from 'vitest'
import { createPasteReader } from './paste-input.ts'

const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`

test('what is pasted is one piece, wherever it is cut, and typed words stay as they are', () => {
  const keys = `a${paste('one\rtwo\r\nthree\r')}b${paste('x'.repeat(100_000))}c\r`
  for (const size of [1, 3, 7, 4_096, keys.length]) {
    const { read, whole } = createPasteReader()
    let line = ''
    // A terminal hands over an escape with what belongs to it.
    for (const piece of keys.split('\u001B').map((one, i) => (i === 0 ? one : `\u001B${one}`)))
      for (let at = 0; at < piece.length; at += Math.max(size, 3)) line += read(piece.slice(at, at + Math.max(size, 3)))
    expect(line).toBe('a[pasted 1: 3 lines]b[pasted 2: 100000 characters]c\r')
    expect(whole(line)).toBe(`aone\ntwo\nthreeb${'x'.repeat(100_000)}c\r`)
  }
})

test('a few words are typed, and keys that look alike are keys', () => {
  const { read, whole } = createPasteReader()
  expect([read(paste('Euro!\n')), read('\u001B'), read('\u001B[2~'), read('\u001B[A')]).toEqual([
    'Euro!',
    '\u001B',
    '\u001B[2~',
    '\u001B[A',
  ])
  expect(whole('Euro!')).toBe('Euro!')
})
