import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonReply, conversationIdOf } from './json-reply.ts'

const SAID = 'All good.\n---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'
const lines = (...documents: object[]) => documents.map((each) => JSON.stringify(each)).join('\n')

describe('the words of a message that is JSON', () => {
  test.each([
    ['a flat answer', '{"status":"COMPLETE","summary":"All of it"}', 'All of it'],
    ['over many lines', JSON.stringify({ status: 'BLOCKED', summary: 'x' }, null, 2), 'x'],
    ['some other object', '{"a":1}', '{"a":1}'],
    ['a result object', lines({ type: 'result', result: SAID }), SAID],
    ['a byte order mark and blank lines before it', `\ufeff\n\n${lines({ result: SAID })}\n`, SAID],
    ['an array', JSON.stringify([{ a: 1 }, { result: SAID }]), SAID],
    ['an empty array', '[]', ''],
    ['several documents: the last', lines({ result: 'first' }, { result: 'last' }), 'last'],
    ['or the last with a status', lines({ status: 'COMPLETE', summary: 'this' }, { summary: 'no' }), 'this'],
    ['an answer of Gemini in one object', JSON.stringify({ response: SAID, stats: {} }), SAID],
    ['cut in the words', '{"result":"All go', 'All go'],
    ['cut elsewhere: it says nothing', '{"status":"COMPLETE","exit_sig', ''],
  ])('%s', (_what, message, words) => {
    expect(parseJsonReply(message)?.words).toBe(words)
  })

  test.each([
    ['prose', SAID],
    ['a list', '[x] done\n[ ] open'],
    ['a number in brackets', '[1] a note'],
    ['a name in braces', '{oops} is a name'],
    ['text with JSON at its end', 'Done:\n{"exit_signal": true}'],
    ['JSON with text at its end', '{"exit_signal": true}\nis what I print'],
    ['nothing', ''],
  ])('%s is none', (_what, message) => {
    expect(parseJsonReply(message)).toBeNull()
  })
})

describe('keys of an answer', () => {
  const answer = (document: object) => parseJsonReply(JSON.stringify(document))

  test.each([
    ['nothing known', { a: 1 }, null, 0],
    [
      'with decimals',
      {
        status: 'IN_PROGRESS',
        exit_signal: false,
        work_type: 'TEST_ONLY',
        files_modified: 2.7,
        error_count: 7.5,
        confidence: 0.5,
        summary: 's',
      },
      { status: 'IN_PROGRESS', exitSignal: false, workType: 'TEST_ONLY', filesModified: 2 },
      7,
    ],
    ['a work type alone', { work_type: 'TEST_ONLY', result: 'ran them' }, { workType: 'TEST_ONLY' }, 0],
    [
      'metadata of older tools',
      { status: 'x', metadata: { completion_status: 'complete', files_changed: 3, has_errors: true } },
      { status: 'COMPLETE', filesModified: 3 },
      1,
    ],
    ['and shouted', { metadata: { completion_status: 'COMPLETE' } }, { status: 'COMPLETE' }, 0],
    ['not yet complete', { metadata: { completion_status: 'in_progress' } }, null, 0],
    ['keys below the block’s name', { ralph_status: { exit_signal: true } }, { exitSignal: true }, 0],
  ])('%s', (_what, document, keys, errors) => {
    expect([answer(document)?.keys, answer(document)?.errors]).toEqual([keys, errors])
  })
})

test.each([
  [{ session_id: 'a' }, 'a'],
  [{ sessionId: 'b' }, 'b'],
  [{ sessionID: 'c' }, 'c'],
  [{ thread_id: 'd' }, 'd'],
  [{ metadata: { session_id: 'e' } }, 'e'],
  [{ session_id: '', metadata: { sessionId: 'f' } }, 'f'],
  [{ session_id: 7 }, null],
])('the conversation of %j', (document, id) => {
  expect(conversationIdOf(document)).toBe(id)
})

test('any text is read without a throw', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', '\n', '"type"', ':', '"result"', ',', 'x', '\\u12', ' ')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.json(),
      ),
      (raw) => {
        parseJsonReply(raw)
      },
    ),
    { numRuns: 1_000 },
  )
})
