import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openProcessLogs } from './process-logs.ts'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ralph-logs-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A clock in the hand: `up` and `at` are what the test says. */
function handClock() {
  const hand = { now: 0 }
  const clock = { at: () => 1_000 + hand.now, up: () => hand.now, after: () => ({ cancel() {} }) }
  return { hand, clock }
}

test('a flood is cut with a mark, each stream by itself', async () => {
  const path = join(folder, 'a.log')
  const logs = openProcessLogs({ path, clock: handClock().clock, maxBytes: 10 })
  for (let n = 0; n < 5; n += 1) logs.stdout(Buffer.from('123456'))
  logs.stderr(Buffer.from('0123456789'))
  const mark = '\n[ralph: cut here after 10 bytes]\n'
  expect(await logs.close()).toBe(10 + mark.length)
  expect(readFileSync(path, 'utf8')).toBe(`1234561234${mark}`)
  expect(readFileSync(`${path}.err`, 'utf8')).toBe('0123456789')
})

test('the index says once a second when which byte came', async () => {
  const path = join(folder, 'a.log')
  const { hand, clock } = handClock()
  const logs = openProcessLogs({ path, clock, maxBytes: 100 })
  for (const [now, text] of [
    [0, 'one'],
    [10, 'two'],
    [999, 'three'],
    [1000, 'four'],
    [2500, 'five'],
  ] as const) {
    hand.now = now
    logs.stdout(Buffer.from(text))
  }
  await logs.close()
  expect(readFileSync(`${path}.idx`, 'utf8')).toBe(
    '{"at":1000,"offset":0}\n{"at":2000,"offset":11}\n{"at":3500,"offset":15}\n',
  )
})

test('the tail keeps the end of stderr, whole characters only', async () => {
  const logs = openProcessLogs({ path: join(folder, 'a.log'), clock: handClock().clock, maxBytes: 100_000 })
  logs.stderr(Buffer.from('ä'.repeat(5_000)))
  logs.stderr(Buffer.from('!'))
  expect(logs.stderrTail()).toBe(`${'ä'.repeat(2_047)}!`)
  await logs.close()
})
