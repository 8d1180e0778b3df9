import { describe, expect, test } from 'vitest'
import { sample } from '../../../test/agents/samples/samples.ts'
import { trailingLimitNotice, findLimitNotice } from './limit-notice.ts'

interface Wording {
  vendor: string
  text: string
  expect: { is: string }
  why?: string
}

const ROWS = (JSON.parse(sample('wordings.json')) as Wording[]).filter((row) => row.vendor === 'claude')
const isQuoted = (row: Wording): boolean => row.why?.startsWith('words of the agent or a tool') === true
const LIMITS = ROWS.filter((row) => row.expect.is === 'usage-limit' && !isQuoted(row) && !row.text.startsWith('{')).map(
  (row) => row.text,
)
const QUOTED = ROWS.filter(isQuoted).map((row) => row.text)
const WORK = 'I wrote the parser.\n\nIts tests are green.\n'
const BLOCK = '\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---\n'

describe('a limit', () => {
  test.each(LIMITS)('%s', (text) => {
    for (const said of [text, `${text}\n`, `${WORK}${text}`, `${WORK}\n${text}\n\n`]) {
      expect(trailingLimitNotice(said)?.type, said).toBe('limited')
      expect(findLimitNotice(`${said}\nnpm notice: bye`)?.type, said).toBe('limited')
    }
  })

  test('of the bash tool’s users, in the wordings that it looked for', () => {
    for (const text of [
      'Claude AI usage limit reached',
      '5-hour limit reached ∙ resets 3pm',
      'Claude Max usage limit reached, please try again later',
    ])
      expect(trailingLimitNotice(text)?.kind).toBe('usage-limit')
  })

  test('that only money lifts is told as one', () => {
    expect(trailingLimitNotice("You're out of extra usage")?.kind).toBe('balance')
  })

  test('its reset stands with it, also on the next line', () => {
    expect(trailingLimitNotice('⚠ You’ve hit your 5-hour limit\n· resets in 2 hours')?.message).toBe(
      '⚠ You’ve hit your 5-hour limit · resets in 2 hours',
    )
  })

  test('is looked for in the last thirty lines of a program that failed', () => {
    const [notice, line] = ['You’ve hit your limit · resets 5pm\n', 'at run (main.js:1)\n']
    expect([29, 30].map((lines) => findLimitNotice(notice + line.repeat(lines)) !== null)).toEqual([true, false])
  })
})

describe('talk about limits', () => {
  const TALK = [
    ...QUOTED,
    ...LIMITS.map((text) => `> ${text}`),
    ...LIMITS.map((text) => `- ${text}`),
    ...LIMITS.map((text) => `\`${text}\``),
    ...LIMITS.map((text) => `"${text}"`),
    ...LIMITS.map((text) => `The banner reads: ${text}`),
    ...LIMITS.map((text) => `\`\`\`\n${text}\n\`\`\``),
    'Usage limit reached is now an error class of its own.',
    'You have reached your pull rate limit.',
    'A 5-hour limit, once reached, makes us try back later.',
    'The 5-hour usage limit is shown.',
  ]

  test.each(TALK)('%s', (text) => {
    for (const said of [text, `${WORK}${text}`, `${text}\n${WORK}`]) {
      expect(trailingLimitNotice(said), said).toBeNull()
      expect(findLimitNotice(said), said).toBeNull()
    }
  })

  test('a notice that work goes on after, or that ends in a status block, stops nothing', () => {
    for (const text of LIMITS) {
      expect(trailingLimitNotice(`${text}\n${WORK}`)).toBeNull()
      expect(trailingLimitNotice(`${text}${BLOCK}`)).toBeNull()
      expect(findLimitNotice(`${text}${BLOCK}`)).toBeNull()
    }
  })
})
