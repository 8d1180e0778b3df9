import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStreamDecoder } from './text-decoder.ts'

test('text is the same wherever its bytes were cut, broken characters included', () => {
  const some = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('plain', '\ufeff', 'é', '✓').map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(fc.array(some, { maxLength: 8 }), (pieces) => {
      const decoder = createStreamDecoder()
      const text = pieces.map((piece) => decoder.push(piece)).join('') + decoder.end()
      expect(text).toBe(new TextDecoder().decode(Buffer.concat(pieces)))
    }),
    { numRuns: 2_000 },
  )
})
