import { expect, test } from 'vitest'
import { aReply } from '../../../test/kit/core.ts'
import { utf8Length } from '../text/sanitize.ts'
import { emptyAgentReport, type AgentReport } from './agent-report.ts'
import { truncateReply } from './truncate-reply.ts'

const CUT = 'Your notes were longer than the limit for one reply and were cut. Write less.'

function fitted(told: Partial<AgentReport>): AgentReport {
  const reply = truncateReply({ ...aReply({}), told: { ...emptyAgentReport(), ...told } })
  expect(utf8Length(JSON.stringify(reply))).toBeLessThanOrEqual(16 * 1024)
  return reply.told ?? emptyAgentReport()
}

test('what fits stays as it is', () => {
  const told = { notes: ['x'.repeat(4_000), '語'.repeat(2_000)], findings: ['one'] }
  expect(fitted(told)).toEqual({ ...emptyAgentReport(), ...told })
})

test('the longest texts are shortened, the others stay, and it is said', () => {
  const notes = Array.from({ length: 8 }, (_, n) => (n === 3 ? 'short' : 'x'.repeat(4_000)))
  const told = fitted({ notes, problems: ['1', '2', '3'], done: ['a'] })
  expect(told).toEqual({
    ...emptyAgentReport(),
    done: ['a'],
    notes: notes.map((note) => (note === 'short' ? note : `${'x'.repeat(1_999)}…`)),
    problems: [CUT, '1', '2'],
  })
})

test('what is still too much goes, the last first', () => {
  const entry = {
    title: '語'.repeat(200),
    tags: Array.from({ length: 20 }, () => '語'.repeat(60)),
    body: 'x',
  }
  const knowledge = Array.from({ length: 8 }, () => entry)
  const told = fitted({ knowledge, notes: ['n'], findings: ['f'] })
  expect([told.knowledge.length, told.notes, told.findings]).toEqual([3, ['n'], []])
})
