import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { secretSpellingsOf } from '../../core/text/secret-spellings.ts'
import { createMasker, NO_OP_MASKER, type Masker } from './mask.ts'

const VALUES = ['correct horse battery', 'tab\there "and" \\there 7', 'hunter2hunter2', 'nSecret12']
const mask = createMasker(secretSpellingsOf(VALUES, { places: [] }))

const KEY = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrSt'
const LINE = 'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB'
const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  LINE,
  LINE.toLowerCase(),
  'aFDrBz9vFqU4yVkX8t0=',
  '-----END RSA PRIVATE KEY-----',
].join('\n')

/** What a stream makes of a text that comes in these pieces. */
function through(how: Masker, pieces: readonly Buffer[]): { text: string; given: string[] } {
  const given: Buffer[] = []
  const stream = how.stream((bytes) => void given.push(Buffer.from(bytes)))
  for (const piece of pieces) stream.push(Buffer.from(piece))
  stream.end()
  return { text: Buffer.concat(given).toString('utf8'), given: given.map((bytes) => bytes.toString('utf8')) }
}

describe('what is masked, at the same length', () => {
  test.each([
    ['a key', `my key is ${KEY}.`, `my key is sk-ant-${'*'.repeat(KEY.length - 7)}.`],
    ['in JSON, after an escape', `{"t":"a\\n${KEY}\\n"}`, `{"t":"a\\nsk-ant-${'*'.repeat(26)}\\n"}`],
    ['in JSON inside JSON', `"{\\"t\\":\\"a\\\\n${KEY}\\"}"`, `"{\\"t\\":\\"a\\\\nsk-ant-${'*'.repeat(26)}\\"}"`],
    ['after the colour of a terminal', `\u001b[32m${KEY}\u001b[0m`, `\u001b[32msk-ant-${'*'.repeat(26)}\u001b[0m`],
    ['in a query', `?a=1%26${KEY}`, `?a=1%26sk-ant-${'*'.repeat(26)}`],
    ['as a value', `TOKEN=ghp_${'a1B2'.repeat(9)};`, `TOKEN=ghp_${'*'.repeat(36)};`],
    ['an AWS key', '"AKIAABCDEFGHIJKLMNOP"', `"AKIA${'*'.repeat(16)}"`],
    ['two in a row', `AKIAABCDEFGHIJKLMNOP,${KEY}`, `AKIA${'*'.repeat(16)},sk-ant-${'*'.repeat(26)}`],
    ['a value that is known', 'it said: correct horse battery!', `it said: ${'*'.repeat(21)}!`],
    [
      'its spelling in JSON',
      JSON.stringify({ t: VALUES[1] }),
      `{"t":"${'*'.repeat(JSON.stringify(VALUES[1]).length - 2)}"}`,
    ],
    ['its spelling in a URL', `?p=${encodeURIComponent(VALUES[0] ?? '')}&`, `?p=${'*'.repeat(25)}&`],
    ['one whose first letter is that of an escape', '{"t":"\\nSecret12"}', `{"t":"\\n${'*'.repeat(8)}"}`],
    [
      'a private key',
      `a\n${PEM}\nb`,
      `a\n${PEM.replaceAll(/^[A-Za-z0-9+/=]+$/gm, (line) => '*'.repeat(line.length))}\nb`,
    ],
  ])('%s', (_what, text, masked) => {
    expect(mask.text(text)).toBe(masked)
    expect(masked).toHaveLength(text.length)
  })

  test('a private key in JSON, with line numbers, or on one line', () => {
    const numbered = PEM.split('\n')
      .map((line, at) => `${at + 1}\t${line}`)
      .join('\n')
    for (const text of [PEM, numbered, PEM.replaceAll('\n', ' '), `+${PEM.replaceAll('\n', '\n+')}`]) {
      for (const spelled of [text, JSON.stringify({ text }), JSON.stringify({ text: JSON.stringify({ text }) })]) {
        const masked = mask.text(spelled)
        expect(masked).toHaveLength(spelled.length)
        for (const secret of [LINE.slice(3, 20), LINE.toLowerCase().slice(3, 20), 'aFDrBz9vFqU4yVkX8t0'])
          expect(masked).not.toContain(secret)
        if (spelled.startsWith('{')) expect(() => JSON.parse(masked) as unknown).not.toThrow()
      }
    }
  })
})

describe('what is left alone', () => {
  test.each([
    'sk-learn-experiments-2024 and task-3f786850e387550fdab836ed7e6dc881de23001b',
    '{"session_id":"123e4567-e89b-12d3-a456-426614174000","id":"msg_01XFDUDYJgAACzvnptvVoYEL"}',
    '{"tool_use_id":"toolu_01A09q90qw90lq917835lq9","sessionID":"ses_5f2a8c7d1b9eAbCdEfGhIjKlMn"}',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'I took "-----BEGIN RSA PRIVATE KEY-----" out of src/configuration/production/settings.\nSTATUS: COMPLETE\nEXIT_SIGNAL: true',
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
    'correct horse, battery',
  ])('%s', (text) => expect(mask.text(text)).toBe(text))

  test('what follows a private key', () => {
    const after =
      'The key above was found in config/production/secrets-of-the-team.txt; I removed it.\nEXIT_SIGNAL: true\n'
    expect(mask.text(`${PEM}\n${after}`).endsWith(after)).toBe(true)
  })

  test('everything, where everything is wanted as received', () => {
    expect(through(NO_OP_MASKER, [Buffer.from(KEY.slice(0, 9)), Buffer.from(KEY.slice(9))]).text).toBe(KEY)
  })
})

describe('chunks', () => {
  const secret = fc.constantFrom(
    ...VALUES,
    KEY,
    PEM,
    JSON.stringify(PEM),
    `ghp_${'a1B2'.repeat(9)}`,
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AbCdEf-GhIjKl_0123',
    '-----BEGIN ',
    '-----BEGIN EC PRIVATE KEY-----',
    'correct horse correct horse battery',
    'hunter2hunter2hunter2',
  )
  const noise = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('\n', '\\n', ' ', '"', '\\', 'sk-', 'ghp', '-----', '.', 'n', 'u00', 'x'.repeat(50)),
    fc.base64String({ maxLength: 80 }),
  )
  const text = fc.array(fc.oneof(secret, noise), { maxLength: 12 }).map((parts) => parts.join(''))
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 })

  function cutUp(bytes: Buffer, at: number[]): Buffer[] {
    const places = [0, ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
    return places.slice(1).map((place, i) => bytes.subarray(places[i], place))
  }

  test('however a stream is cut, the result is the same and as long', () => {
    fc.assert(
      fc.property(text, cuts, (said, at) => {
        const bytes = Buffer.from(said)
        const masked = through(mask, cutUp(bytes, at)).text
        expect(masked).toBe(mask.text(said))
        expect(Buffer.byteLength(masked)).toBe(bytes.length)
        for (const value of ['correct horse battery', 'hunter2hunter2']) expect(masked).not.toContain(value)
      }),
      { numRuns: 3_000 },
    )
  })

  test('byte by byte too', () => {
    fc.assert(
      fc.property(text, (said) => {
        const bytes = Buffer.from(said)
        const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
        expect(through(mask, single).text).toBe(mask.text(said))
      }),
      { numRuns: 500 },
    )
  })

  test('JSON stays JSON, with the same keys', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(secret, noise), { maxLength: 6 }), (parts) => {
        const line = JSON.stringify({ type: 'text', text: parts.join(''), parts })
        const masked = JSON.parse(mask.text(line)) as { type: string; parts: string[] }
        expect([Object.keys(masked), masked.type, masked.parts.length]).toEqual([
          ['type', 'text', 'parts'],
          'text',
          parts.length,
        ])
      }),
      { numRuns: 2_000 },
    )
  })

  test('a stream without secrets is the same, byte by byte', () => {
    const bytes = fc.uint8Array({ maxLength: 3_000 }).map((some) => Buffer.from(some))
    fc.assert(
      fc.property(bytes, cuts, (some, at) => {
        const given: Buffer[] = []
        const stream = mask.stream((piece) => void given.push(Buffer.from(piece)))
        for (const piece of cutUp(Buffer.from(some), at)) stream.push(Buffer.from(piece))
        stream.end()
        expect(Buffer.concat(given).equals(some)).toBe(true)
      }),
    )
  })

  test('a line is handed on as soon as it is complete, and so is a word that no secret begins with', () => {
    expect(
      through(
        mask,
        ['one\n', 'tw', 'o\n', '....', 'F..'].map((piece) => Buffer.from(piece)),
      ).given,
    ).toEqual(['one\n', 'tw', 'o\n', '....', 'F..'])
  })

  test('a run that never ends is not held back for ever', () => {
    let most = 0
    let out = 0
    const stream = mask.stream((bytes) => void (out += bytes.length))
    const piece = Buffer.from('sk-'.repeat(1_000))
    for (let sent = 1; sent <= 40; sent += 1) {
      stream.push(Buffer.from(piece))
      most = Math.max(most, sent * piece.length - out)
    }
    expect(most).toBeLessThan(12 * 1024)
  })
})
