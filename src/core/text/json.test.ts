import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as read from './json.ts'

test('whatever is written there, nothing throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (content, key) => {
      const value = read.jsonOrNull(content)
      const object = read.parseObject(content) ?? {}
      read.asRecord(value, read.asText)
      read.asTexts(read.ownField(value, key))
      read.objectsAt(object, key)
      read.numberAt(read.objectAt(object, key), key)
      read.valueAt(object, `${key}.${key}`)
    }),
  )
})

test.each<[what: string, found: unknown, expected: unknown]>([
  ['no JSON', read.jsonOrNull('{'), null],
  ['a null that is one', read.parseJson('null'), { ok: true, value: null }],
  ['why it is no JSON', read.parseJson('{'), { ok: false, cause: expect.any(SyntaxError) as unknown }],
  ['a list is no object', read.parseObject('[{}]'), null],
  ['blanks around an object', read.parseObject(' {"a":1}\n'), { a: 1 }],
  ['a field that is inherited', read.ownField({}, 'toString'), null],
  ['a field of a list', read.ownField([1], '0'), null],
  ['a number that is none', read.asNumber(Number.NaN), null],
  ['one text', read.asTexts('a'), ['a']],
  ['texts among others', read.asTexts(['a', 1, 'b']), ['a', 'b']],
  ['objects among others', read.objectsAt({ list: [{ a: 1 }, null, [], 'x'] }, 'list'), [{ a: 1 }]],
  ['entries that can be read', read.asRecord({ a: 'x', b: 1 }, read.asText), { a: 'x' }],
  ['a path', read.valueAt({ a: { b: { c: 3 } } }, 'a.b.c'), 3],
  ['a path that ends early', read.valueAt({ a: 1 }, 'a.b.c'), undefined],
])('%s', (_what, found, expected) => expect(found).toEqual(expected))
