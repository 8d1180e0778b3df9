import { expect, test } from 'vitest'
import type { PersonRequest } from '../../core/state/event.ts'
import type { Row } from '../../core/state/row.ts'
import type { Keyboard } from '../../system/terminal/keyboard.ts'
import { openLimitPrompt } from './limit-prompt.ts'

const LIMIT = {
  at: 0,
  decisions: [{ by: 'limit', what: 'cooldown', why: 'claude is at its limit' }],
  effects: [{ type: 'wait', id: 'e1', worker: '1', until: 72 * 3_600_000, forMs: null, why: 'limit' }],
} as unknown as Row
const OTHER = {
  at: 0,
  decisions: [{ by: 'retry', what: 'wait', why: 'x' }],
  effects: LIMIT.effects,
} as unknown as Row

function prompted() {
  let hear: ((key: string) => void) | null = null
  const asked: PersonRequest[] = []
  const said: string[] = []
  const keys: Keyboard = {
    listen(onKey) {
      hear = onKey
      return () => {
        hear = null
      }
    },
  }
  const prompt = openLimitPrompt(
    { out: (text) => void said.push(text), columns: () => 40 },
    keys,
    (request) => void asked.push(request),
  )
  return { prompt, asked, said, press: (key: string) => hear?.(key), listening: () => hear !== null }
}

test('asks at a usage limit; q quits, any other key waits', () => {
  const { prompt, asked, said, press, listening } = prompted()
  prompt.rows([LIMIT])
  expect(said[0]).toMatch(
    /^Wait until \w+ \d+ Jan, \d\d:\d\d, in 3\sdays\?\s\[Enter\]\swait\s·\s\[q\]\squit\s\(default:\swait\)\n$/,
  )
  for (const line of (said[0] ?? '').split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  press('q')
  expect(asked).toEqual([{ id: null, from: 'the keyboard', do: 'stop', now: false, because: 'limit' }])
  prompt.rows([LIMIT])
  press('\r')
  expect([asked.length, listening()]).toEqual([1, false])
})

test('the question is over when the run goes on, and other waits ask nothing', () => {
  const { prompt, said, listening } = prompted()
  prompt.rows([OTHER])
  expect([said, listening()]).toEqual([[], false])
  prompt.rows([LIMIT])
  expect(listening()).toBe(true)
  prompt.rows([OTHER])
  expect(listening()).toBe(false)
})
