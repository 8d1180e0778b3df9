import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonStreamReader } from './json-stream.ts'

type Heard = [is: 'document' | 'element', json: object] | [is: 'text' | 'cut', text: string | null] | [is: 'array']

/** What is heard of a text that comes in pieces of this many characters. */
function hear(text: string, size = Math.max(1, text.length)): Heard[] {
  const heard: Heard[] = []
  const reader = createJsonStreamReader({
    onDocument: ({ json, inArray }) => void heard.push([inArray ? 'element' : 'document', json]),
    onText: (line) => void heard.push(['text', line]),
    onArray: () => void heard.push(['array']),
    onCut: ({ words }) => void heard.push(['cut', words]),
  })
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size))
  reader.end()
  return heard
}

const A = { a: 1, text: 'x "y" \\ { [ \u0007 \n end' }
const B = { b: [{ c: [] }, 'd', -1.5e3, null, true], '}': '{' }
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

const CASES: [string, string, Heard[]][] = [
  ['a line of text', 'hello', [['text', 'hello']]],
  [
    'lines with CRLF',
    'a\r\n\r\nb\r\n',
    [
      ['text', 'a'],
      ['text', ''],
      ['text', 'b'],
    ],
  ],
  ['one document', JSON.stringify(A), [['document', A]]],
  [
    'one a line',
    `${JSON.stringify(A)}\n${JSON.stringify(B)}\n`,
    [
      ['document', A],
      ['document', B],
    ],
  ],
  ['over many lines', pretty(A), [['document', A]]],
  ['over many lines, indented, CRLF', `  ${pretty(B).replaceAll('\n', '\r\n  ')}\r\n`, [['document', B]]],
  [
    'several over many lines',
    `${pretty(A)}\n${pretty(B)}`,
    [
      ['document', A],
      ['document', B],
    ],
  ],
  [
    'several on one line',
    `${JSON.stringify(A)} ${JSON.stringify(B)}{}`,
    [
      ['document', A],
      ['document', B],
      ['document', {}],
    ],
  ],
  ['an array', JSON.stringify([A, B]), [['array'], ['element', A], ['element', B]]],
  ['an array over many lines', `${pretty([A, B])}\n`, [['array'], ['element', A], ['element', B]]],
  [
    'an array, an element a line',
    `[\n${JSON.stringify(A)},\n${JSON.stringify(B)}\n]`,
    [['array'], ['element', A], ['element', B]],
  ],
  ['an empty array', '[]', [['array']]],
  ['an empty array over lines', '[\n]\n', [['array']]],
  ['an empty object', '{ }', [['document', {}]]],
  [
    'a list in Markdown',
    '[x] done\n[ ] open',
    [
      ['text', '[x] done'],
      ['text', '[ ] open'],
    ],
  ],
  ['an array of others', '[1, 2]', [['text', '[1, 2]']]],
  ['a number in brackets', '[1] a note', [['text', '[1] a note']]],
  ['a name in braces', '{oops} is a name', [['text', '{oops} is a name']]],
  ['a document and prose on one line', '{"a":1} is it', [['text', '{"a":1} is it']]],
  [
    'a function',
    'function f()\n{\n  return 1\n}\nend',
    [
      ['text', 'function f()'],
      ['text', '{'],
      ['text', '  return 1'],
      ['text', '}'],
      ['text', 'end'],
    ],
  ],
  [
    'a line that was cut, and the next',
    '{"type":"x","words":"abc\n{"a":1}',
    [
      ['text', '{"type":"x","words":"abc'],
      ['document', { a: 1 }],
    ],
  ],
  [
    'a line that was cut between strings',
    '{"type":"x","n":\n{"a":1}\n{"a":2}',
    [
      ['text', '{"type":"x","n":'],
      ['document', { a: 1 }],
      ['document', { a: 2 }],
    ],
  ],
  [
    'an array that breaks off into prose',
    '[{"a":1}, oops\n{"a":2}',
    [['array'], ['element', { a: 1 }], ['text', ', oops'], ['document', { a: 2 }]],
  ],
  ['cut inside the words', '{"result":"All go', [['cut', 'All go']]],
  ['cut inside an escape', '{"a":1,"result":"All\\u00', [['cut', 'All']]],
  ['cut inside other things', '{"a":1,"exit_sig', [['cut', null]]],
  ['an array that is cut', '[{"a":1},{"result":"x', [['array'], ['element', { a: 1 }], ['cut', 'x']]],
  [
    'a brace that is never closed',
    '{\nand so on\n',
    [
      ['text', '{'],
      ['text', 'and so on'],
    ],
  ],
  [
    'prose that begins like a key',
    '{"a" is a key\nof many',
    [
      ['text', '{"a" is a key'],
      ['text', 'of many'],
    ],
  ],
  ['nothing', '', []],
]

describe('however it is cut into pieces', () => {
  test.each(CASES)('%s', (_what, text, heard) => {
    expect(hear(text)).toEqual(heard)
    for (const size of [1, 2, 3, 7]) expect(hear(text, size), `pieces of ${size}`).toEqual(heard)
  })

  test('any text gives the same, and nothing throws', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', '\n', '"a"', ':', ',', 'x', '\\u12', ' ', '{"', '1')
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      fc.json(),
    )
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 9 }), (text, size) => {
        expect(hear(text, size)).toEqual(hear(text))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('in bounded memory', () => {
  const MB = 1024 * 1024
  const documents = (push: (reader: ReturnType<typeof createJsonStreamReader>) => void) => {
    const heard: { json: Record<string, unknown>; raw: number; shortened: boolean }[] = []
    const reader = createJsonStreamReader({
      onDocument: ({ json, raw, shortened }) => void heard.push({ json, raw: raw.length, shortened }),
      onText: () => expect.unreachable(),
      onArray: () => {},
      onCut: () => expect.unreachable(),
    })
    push(reader)
    reader.end()
    return heard
  }

  test.each([
    ['on one line', ''],
    ['over several', '\n'],
  ])('of many megabytes of words the end is kept, and every key beside them: %s', (_what, line) => {
    const piece = 'word \\u00e9 \\\\ '.repeat(5_000)
    const [heard, ...more] = documents((reader) => {
      reader.push(`{${line} "type": "result",${line} "result": "`)
      for (let sent = 0; sent < 20 * MB; sent += piece.length) reader.push(piece)
      reader.push(`the end",${line} "session_id": "s1", "is_error": false}`)
    })
    expect(more).toEqual([])
    expect(heard?.json).toMatchObject({ type: 'result', session_id: 's1', is_error: false })
    const words = String(heard?.json['result'])
    expect([words.endsWith('é \\ the end'), words.length <= 256 * 1024, heard?.shortened]).toEqual([true, true, true])
    expect(heard?.raw).toBeLessThanOrEqual(MB)
  })

  test('a member that is too large is left out, and the ones after it are there', () => {
    const [heard] = documents((reader) => {
      reader.push('{"messages":[0')
      for (let n = 0; n < 40; n++) reader.push(',{"n":1}'.repeat(10_000))
      reader.push('],"sessionId":"s1"}')
    })
    expect(heard).toMatchObject({ json: { sessionId: 's1' }, shortened: true })
    expect(heard?.json).not.toHaveProperty('messages')
  })

  test('elements of a great array come one by one', () => {
    let count = 0
    const reader = createJsonStreamReader({
      onDocument: () => void count++,
      onText: () => expect.unreachable(),
      onArray: () => {},
      onCut: () => expect.unreachable(),
    })
    reader.push('[\n{"n":0}')
    for (let n = 0; n < 100; n++) {
      reader.push(',{"n":1}'.repeat(1_000))
      expect(count).toBe(n * 1_000 + 1_001)
    }
    reader.push(']')
    reader.end()
    expect(count).toBe(100_001)
  })

  test.each([
    ['brackets', '[\n'],
    ['braces', '{\n'],
    ['keys', '{"a":\n'],
    ['cut documents', '{"a":"b\n'],
    ['empty documents', '{}'],
    ['documents that end badly', '{"a":[}\n'],
    ['one long line', '{"a'],
    ['one long line of text', 'abc'],
  ])('nothing but %s is read in a moment', (_what, piece) => {
    const reader = createJsonStreamReader({
      onDocument: () => {},
      onText: () => {},
      onArray: () => {},
      onCut: () => {},
    })
    const text = piece.repeat(20_000)
    for (let n = 0; n < 3; n++) reader.push(text)
    reader.end()
  })
})
