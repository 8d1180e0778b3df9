import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { createMasker, NO_OP_MASKER } from '../../system/mask/mask.ts'
import { createMessageMasker } from './mask-messages.ts'

const KEY = `ghp_${'Zq7'.repeat(12)}`
const MASKED = `ghp_${'*'.repeat(36)}`
const KNOWN = 'correct "h\u00f6rse" 7'
const mask = createMasker([KNOWN])

const piece = (text: string): AgentEvent => ({ type: 'text', text, delta: true })
const whole = (text: string): AgentEvent => ({ type: 'text', text, delta: false })
const thought = (text: string): AgentEvent => ({ type: 'thought', text })
const USAGE: AgentEvent = { type: 'usage', counts: 'add', usage: { input: 1 } }
const TOOL: AgentEvent = { type: 'tool', id: null, name: 'Bash', input: 'ls', paths: [] }

/** What is given after all of these, the end included. */
function through(events: readonly AgentEvent[], how = mask): AgentEvent[] {
  const given: AgentEvent[] = []
  const words = createMessageMasker(how, (event) => void given.push(event))
  for (const event of events) words.take(event)
  words.end()
  return given
}

const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text' || event.type === 'thought' ? event.text : '')).join('')

describe('a key in pieces', () => {
  test('of a message', () =>
    expect(through([piece('use ghp'), piece(KEY.slice(3, 20)), piece(`${KEY.slice(20)} now`)])).toEqual([
      piece('use ghp'),
      piece(`_${'*'.repeat(16)}`),
      piece(`${'*'.repeat(20)} now`),
    ]))

  test('of a thought', () =>
    expect(textOf(through([thought(KEY.slice(0, 9)), thought(KEY.slice(9)), TOOL]))).toBe(MASKED))

  test('with a report of usage between them', () =>
    expect(textOf(through([piece(KEY.slice(0, 9)), USAGE, piece(KEY.slice(9))]))).toBe(MASKED))

  test('a known value', () =>
    expect(textOf(through([piece('it is correct "h'), piece('\u00f6rse" 7.')]))).toBe(
      `it is ${'*'.repeat(Buffer.byteLength(KNOWN))}.`,
    ))
})

test('a message of its own is masked by itself', () =>
  expect(through([piece('ghp_'), whole(KEY), whole('ghp_')])).toEqual([piece('ghp_'), whole(MASKED), whole('ghp_')]))

test('a piece waits only as long as it may be the beginning of a secret', () => {
  const given: AgentEvent[] = []
  const words = createMessageMasker(mask, (event) => void given.push(event))
  words.take(piece('I look. '))
  words.take(piece('It is g'))
  expect(given).toEqual([piece('I look. ')])
  words.take(TOOL)
  expect(given).toEqual([piece('I look. '), piece('It is g'), TOOL])
})

test('half a character is given as it came', () => {
  const halves = [piece('key \ud83d'), piece('\udd11'), piece('')]
  expect(through(halves)).toEqual(halves)
})

test('unmasked, everything is given at once and as it came', () => {
  const events = [piece('gh'), piece(KEY), thought(KEY), USAGE, whole(KEY)]
  expect(through(events, NO_OP_MASKER)).toEqual(events)
})

test('however a message is cut, its words are those of the whole, masked, in as many pieces', () => {
  const parts = fc.constantFrom(KEY, KNOWN, 'gh', 'correct ', ' ', '\n', 'd\u00e9j\u00e0 ', 'sk-', '\u{1f511}')
  const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(parts), cuts, (texts, lengths) => {
      const text = texts.join('')
      const signs = Array.from(text)
      const pieces: AgentEvent[] = []
      for (let at = 0, n = 0; at < signs.length; n += 1) {
        const length = lengths[n % lengths.length] ?? 1
        pieces.push(piece(signs.slice(at, at + length).join('')))
        at += length
      }
      const given = through(pieces)
      expect([textOf(given), given.length]).toEqual([mask.text(text), pieces.length])
    }),
  )
})
