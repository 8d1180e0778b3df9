import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMultiSearch } from './multi-search.ts'

const letters = (max: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: max })

test('every occurrence of every text is found, wherever it stands', () => {
  fc.assert(
    fc.property(fc.uniqueArray(letters(6), { maxLength: 6 }), letters(60), (texts, said) => {
      const bytes = Buffer.from(said)
      const found: string[] = []
      createMultiSearch(texts.map((text) => Buffer.from(text))).each(bytes, (at, text) =>
        found.push(`${at} ${text.toString()}`),
      )
      const expected = texts.flatMap((text) =>
        Array.from(bytes, (_, at) => at)
          .filter((at) => bytes.indexOf(text, at) === at)
          .map((at) => `${at} ${text}`),
      )
      expect(found.toSorted()).toEqual(expected.toSorted())
    }),
    { numRuns: 2_000 },
  )
})

test('texts longer than a shift can be are found too', () => {
  const long = Buffer.from('x'.repeat(300) + 'y'.repeat(300))
  const found: number[] = []
  createMultiSearch([long]).each(Buffer.concat([Buffer.from('x'.repeat(7)), long]), (at) => void found.push(at))
  expect(found).toEqual([7])
})

test('a text is found at every place of a chunk, once', () => {
  const texts = ['secret-one', 'two'].map((text) => Buffer.from(text))
  const search = createMultiSearch(texts)
  for (const text of texts)
    for (let place = 0; place <= 100 - text.length; place += 1) {
      const chunk = Buffer.alloc(100, '.')
      text.copy(chunk, place)
      const found: number[] = []
      search.each(chunk, (at) => void found.push(at))
      expect(found).toEqual([place])
    }
})
