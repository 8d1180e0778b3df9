import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeFileName, decodeFileName, displayFileName } from './non-utf8-names.ts'

test('a name that is UTF-8 is the text it reads as', () => {
  for (const name of ['a', 'ü/😀', '\uFFFD', ''])
    expect([decodeFileName(Buffer.from(name)), encodeFileName(name)]).toEqual([name, name])
})

test('one that is not loses nothing, and reads as it would for anybody', () => {
  const bytes = Buffer.concat([Buffer.from('ü\uFFFD'), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('/😀')])
  expect(decodeFileName(bytes)).toBe('ü\uFFFD\udcff\udce2\udc82/😀')
  expect(encodeFileName(decodeFileName(bytes))).toEqual(bytes)
  expect(displayFileName(decodeFileName(bytes))).toBe(bytes.toString('utf8'))
})

test('whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (array) => {
      const bytes = Buffer.from(array)
      expect(Buffer.from(encodeFileName(decodeFileName(bytes)))).toEqual(bytes)
    }),
  )
})
