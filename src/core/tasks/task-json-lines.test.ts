import { describe, expect, test } from 'vitest'
import { RalphError } from '../error.ts'
import { newTask } from './task.ts'
import { parseTaskJsonLines } from './task-json-lines.ts'

test('every key is read; blank lines, a mark of byte order and carriage returns say nothing', () => {
  const whole = {
    id: 'a',
    title: 'Log in',
    description: 'With: a "form".',
    parent: 'p',
    blockers: ['b', 'c'],
    feature: 'login',
    priority: -2,
    max_retries: 0,
    not_before: '2027-03-01T08:00:00Z',
    checks: ['npm test'],
    tests: ['test/**'],
    criteria: ['It works.'],
  }
  const text = `\uFEFF${JSON.stringify(whole)}\r\n\n   \n{"title": "Short", "parent": null, "not_before": 5}`
  expect(parseTaskJsonLines(text)).toEqual([
    {
      id: 'a',
      title: 'Log in',
      description: 'With: a "form".',
      parent: 'p',
      blockers: ['b', 'c'],
      feature: 'login',
      priority: -2,
      maxRetries: 0,
      notBefore: Date.UTC(2027, 2, 1, 8),
      checks: ['npm test'],
      tests: ['test/**'],
      criteria: ['It works.'],
      line: 1,
    },
    newTask('Short', { notBefore: 5, line: 4 }),
  ])
  expect(parseTaskJsonLines('')).toEqual([])
})

describe('what cannot be read is refused with its line', () => {
  test.each([
    ['{"title": "A"', 'not a JSON object: {"title": "A"'],
    ['[]', 'not a JSON object: []'],
    ['"A"', 'not a JSON object: "A"'],
    ['{}', 'title is missing'],
    ['{"title": 5}', 'title must be a text, not 5'],
    ['{"title": "A", "blockers": "b"}', 'blockers must be a list of ids, not "b"'],
    ['{"title": "A", "checks": [1]}', 'checks must be a list of texts, not [1]'],
    ['{"title": "A", "priority": "1"}', 'priority must be a whole number, not "1"'],
    ['{"title": "A", "priority": 1.5}', 'priority must be a whole number, not 1.5'],
    [
      '{"title": "A", "not_before": "tomorrow"}',
      'not_before must be a date with a time (2027-03-01T08:00:00Z), or milliseconds since 1970, not "tomorrow"',
    ],
    ['{"title": "A", "priority": 1e400}', 'priority must be a whole number, not Infinity'],
    ['{"title": "A: b", "title": "B"}', 'duplicate key: {"title": "A: b", "title": "B"}'],
    ['{"title": "A", "blocker": []}', 'unknown key "blocker"'],
    ['{"title": "A", "__proto__": {}}', 'unknown key "__proto__"'],
  ])('%s', (line, problem) => {
    const text = `${'{"title": "Fine"}\n'.repeat(9_998)}${line}\n{"title": "Fine"}`
    expect(thrownBy(() => parseTaskJsonLines(text)).message).toBe(`line 9999: ${problem}`)
  })

  test('a key that is nearly one is suggested', () => {
    const error = thrownBy(() => parseTaskJsonLines('{"title": "A", "blocker": []}'))
    expect(error.hint).toBe('Did you mean "blockers"? Nothing was added.')
  })
})

function thrownBy(work: () => unknown): RalphError {
  try {
    work()
  } catch (error) {
    if (error instanceof RalphError) return error
  }
  throw new Error('nothing was thrown')
}
