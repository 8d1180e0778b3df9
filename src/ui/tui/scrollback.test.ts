import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { findInScrollback, addAgentEvent, addMissedMarker, newScrollback, type Scrollback } from './scrollback.ts'

function heard(events: AgentEvent[], back = newScrollback()): Scrollback {
  for (const event of events) addAgentEvent(back, event)
  return back
}

function texts(back: Scrollback): string[] {
  return back.entries.map((entry) => entry.text)
}

const delta = (text: string): AgentEvent => ({ type: 'text', text, delta: true })

test('pieces of a message become its lines', () => {
  expect(texts(heard([delta('I will '), delta('read it.\nThen '), delta('write.')]))).toEqual([
    'I will read it.',
    'Then write.',
  ])
})

test('a message of its own begins a line of its own', () => {
  const own: AgentEvent = { type: 'text', text: 'Done.', delta: false }
  expect(texts(heard([delta('half'), own, delta('other')]))).toEqual(['half', 'Done.', 'other'])
})

test('a tool call is one line, which learns how the call ended and what it printed', () => {
  const back = heard([
    { type: 'tool', id: 'a', name: 'Bash', input: 'npm test', paths: [] },
    { type: 'tool', id: 'b', name: 'Read', input: 'x.ts', paths: [] },
    { type: 'tool-ended', id: 'a', ok: false, output: 'one\n\ntwo\n' },
  ])
  expect(back.entries.map(({ text, ok, folded }) => ({ text, ok, folded }))).toEqual([
    { text: 'Bash npm test', ok: false, folded: ['one', 'two'] },
    { text: 'Read x.ts', ok: null, folded: [] },
  ])
})

test('a long line is broken, and no character with it', () => {
  const lines = texts(heard([{ type: 'text', text: `a${'😀'.repeat(1200)}`, delta: false }]))
  expect(lines.join('')).toBe(`a${'😀'.repeat(1200)}`)
  expect(lines.length).toBe(3)
  expect(lines.filter((line) => /\p{Cs}/u.test(line))).toEqual([])
})

test('it is bounded in lines and in characters, and counts what had to go', () => {
  const many = newScrollback()
  for (let n = 0; n < 50_000; n += 1) addAgentEvent(many, { type: 'text', text: `line ${n}`, delta: false })
  expect(many.entries.length).toBeLessThanOrEqual(4_000)
  expect(many.gone + many.entries.length).toBe(50_000)
  expect(many.entries.at(-1)?.text).toBe('line 49999')
  const large = newScrollback()
  for (let n = 0; n < 3_000; n += 1)
    addAgentEvent(large, { type: 'tool', id: null, name: 'x'.repeat(990), input: '', paths: [] })
  expect(large.size).toBeLessThanOrEqual(1_000_000)
})

test('what is searched is found in folded lines too, from a place on', () => {
  const back = heard([
    { type: 'text', text: 'a parser', delta: false },
    { type: 'tool', id: 'a', name: 'Bash', input: 'npm test', paths: [] },
    { type: 'tool-ended', id: 'a', ok: true, output: 'PARSER passed' },
    { type: 'text', text: 'nothing', delta: false },
  ])
  expect(findInScrollback(back, 'parser', { from: 3, back: true })).toBe(1)
  expect(findInScrollback(back, 'parser', { from: 1, back: true })).toBe(0)
  expect(findInScrollback(back, 'parser', { from: 0, back: true })).toBeNull()
  expect(findInScrollback(back, 'parser', { from: 0, back: false })).toBe(1)
})

const STATUS = ['---RALPH_STATUS---', 'STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false', '---END_RALPH_STATUS---']

describe('the status block', () => {
  test('is one line, which unfolds', () => {
    const back = newScrollback()
    addAgentEvent(back, { type: 'text', text: ['I am done.', ...STATUS, 'Bye.'].join('\n'), delta: false })
    expect(texts(back)).toEqual(['I am done.', 'status IN_PROGRESS', 'Bye.'])
    expect(back.entries[1]?.folded).toEqual(STATUS.slice(1, -1))
    expect(back.entries.map(({ id }) => id)).toEqual([0, 1, 2])
  })
  test('is folded as soon as it is complete, however it arrives', () => {
    const back = newScrollback()
    for (const char of STATUS.join('\n').replace('false', 'true'))
      addAgentEvent(back, { type: 'text', text: char, delta: true })
    expect(texts(back)).toEqual(['status IN_PROGRESS · exit signal'])
  })
  test('without a beginning is text', () => {
    const back = newScrollback()
    addAgentEvent(back, { type: 'text', text: STATUS.slice(1).join('\n'), delta: false })
    expect(texts(back)).toEqual(STATUS.slice(1))
  })
})

test('words that were passed over leave a mark', () => {
  const back = newScrollback()
  addMissedMarker(back, 1_234_567)
  expect(texts(back)).toEqual(['1.2M bytes skipped; the log has them'])
})
