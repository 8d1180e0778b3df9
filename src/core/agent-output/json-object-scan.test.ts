import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonObjectScan, MAX_JSON_PART, type JsonObjectScan } from './json-object-scan.ts'
import { createTextTail } from './text-tail.ts'

function scanned(...pieces: string[]): JsonObjectScan {
  const scan = createJsonObjectScan()
  for (const piece of pieces) scan.feed(piece)
  return scan
}

test('any object is read as it is, however it was cut', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat({ max: 5 }),
      fc.boolean(),
      (object, size, pretty) => {
        const text = JSON.stringify(object, null, pretty ? 2 : 0)
        const scan = createJsonObjectScan()
        for (let at = 0; at < text.length; at += size + 1) scan.feed(text.slice(at, at + size + 1))
        expect([scan.is(), scan.value()]).toEqual(['whole', { json: JSON.parse(text) as unknown, shortened: false }])
      },
    ),
  )
})

test('takes no more than the object', () => {
  const scan = createJsonObjectScan()
  expect([scan.feed('{"a":1}rest'), scan.is(), scan.feed('more')]).toEqual([7, 'whole', 0])
})

test.each<[what: string, pieces: string[], is: string]>([
  ['a string with a line break in it', ['{"a":"x\ny"}'], 'broken'],
  ['something before the first key', ['{ x\n "a":1}'], 'broken'],
  ['the next line of a stream', ['{"a":{\n{"b":1}'], 'broken'],
  ['blanks before the first key', ['{ \n "a":1'], 'open'],
  ['an object on a line of its own', ['{"a":[\n{ "b":1}'], 'open'],
  ['an escaped quotation mark', ['{"a":"x\\"y'], 'open'],
  ['an escape cut in two', ['{"a":"x\\', '"y"}'], 'whole'],
  ['a hundred brackets', [`{"a":${'['.repeat(99)}`], 'open'],
  ['a hundred and one', [`{"a":${'['.repeat(100)}`], 'broken'],
  ['nothing in it', ['{}'], 'whole'],
])('%s', (_, pieces, is) => {
  expect(scanned(...pieces).is()).toBe(is)
})

describe('what was cut', () => {
  test.each<[text: string, isWellFormed: boolean]>([
    ['{', false],
    ['{ ', false],
    ['{"a', true],
    ['{"a"', true],
    ['{"a":', true],
    ['{"a":1', true],
    ['{"a":1,', true],
    ['{"a":1,"b":"x', true],
    ['{"a":x,"b"', false],
  ])('%s', (text, isWellFormed) => {
    expect(scanned(text).isWellFormed()).toBe(isWellFormed)
  })

  test.each<[text: string, words: string | null]>([
    ['{"result":"so far', 'so far'],
    ['{"a":1, "response" : "so \\"far', 'so "far'],
    ['{"result":"so far\\', 'so far'],
    ['{"result":"so far\\u00', 'so far'],
    ['{"result":"so far"', null],
    ['{"other":"so far', null],
    ['{"a":{"result":"so far', null],
    ['{"result":1', null],
  ])('words of %s', (text, words) => {
    expect(scanned(text).words()).toBe(words)
  })
})

describe('what is too large', () => {
  const value = (text: string): Record<string, unknown> & { shortened?: boolean } => {
    const read = scanned(text).value()
    return { ...read?.json, shortened: read?.shortened ?? false }
  }

  test('of a long string the end is kept', () => {
    const words = value(`{"result":"${'x'.repeat(256 * 1024)}END"}`)
    expect([String(words['result']).length, String(words['result']).endsWith('END'), words.shortened]).toEqual([
      256 * 1024,
      true,
      true,
    ])
    expect(value(`{"result":"${'x'.repeat(256 * 1024)}"}`).shortened).toBe(false)
    const deep = value(`{"a":["${'x'.repeat(64 * 1024)}END"]}`)
    expect([(deep['a'] as string[])[0]?.length, deep.shortened]).toEqual([64 * 1024, true])
    expect(value(`{"a":["${'x'.repeat(64 * 1024)}"]}`).shortened).toBe(false)
  })

  test.each(['\\n', '\\\\', '\\"', '\\u00e9', '\\\\n'])('never inside an escape: %s', (escape) => {
    for (let shift = 0; shift < 8; shift++) {
      const text = `${escape}${'y'.repeat(64 * 1024 - shift)}`
      const read = value(`{"a":["${'x'.repeat(9)}${text}"]}`)
      const whole = JSON.parse(`"${'x'.repeat(9)}${text}"`) as string
      const [kept = ''] = read['a'] as string[]
      expect([whole.endsWith(kept), kept.length > 64 * 1024 - 8]).toEqual([true, true])
    }
  })

  test('a member that is larger still is left out, and the rest is there', () => {
    const read = value(`{"a":[${'1,'.repeat(MAX_JSON_PART / 2)}1],"b":2}`)
    expect([read['a'], read['b'], read.shortened]).toEqual([undefined, 2, true])
  })

  test('of all members together so much is kept, and small ones beyond', () => {
    const large = `[${'1,'.repeat(MAX_JSON_PART / 2 - 100)}1]`
    const read = value(`{"a":${large},"b":${large},"c":${large},"id":"x"}`)
    expect([Object.keys(read), read.shortened]).toEqual([['a', 'b', 'id', 'shortened'], true])
  })

  test('so many members and no more', () => {
    const members = Array.from({ length: 2_001 }, (_, n) => `"k${n}":${n}`)
    expect(Object.keys(value(`{${members.join(',')}}`))).toHaveLength(2_001)
    expect(value(`{${members.slice(1).join(',')}}`).shortened).toBe(false)
  })
})

test('the end of a text is the same however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 12 }), fc.nat({ max: 30 }), (pieces, max, from) => {
      const end = createTextTail(max)
      for (const piece of pieces) end.push(piece)
      const whole = pieces.join('')
      expect([end.text(), end.pushed()]).toEqual([whole.slice(-max), whole.length])
      if (from <= whole.length) expect(end.text(from)).toBe(whole.slice(from).slice(-max))
    }),
  )
  const many = createTextTail(3)
  for (let n = 0; n < 10_050; n++) many.push(n % 100 === 0 ? 'x' : '')
  expect([many.text(), many.pushed()]).toEqual(['xxx', 101])
})
