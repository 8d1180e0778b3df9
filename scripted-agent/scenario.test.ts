import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { messageOf } from '../src/core/error.ts'
import { readScenario } from './scenario.ts'

const read = (value: unknown): unknown => readScenario(JSON.stringify(value), 's.json')
const complaint = (value: unknown): string => {
  try {
    read(value)
    return 'no complaint'
  } catch (problem) {
    return messageOf(problem)
  }
}
const step = (value: unknown): unknown => read({ turns: [{ steps: [value] }] })

test('a scenario is read as it stands', () => {
  const scenario = {
    dialect: 'codex',
    once: true,
    turns: [
      {
        steps: [{ do: 'say', text: 'hi' }, { do: 'hang' }],
        exit: 3,
        usage: { input: 5, usd: 0.1 },
        begin: false,
      },
      { steps: [{ do: 'limit', kind: 'balance', resetsInMs: 200 }], conversation: 'c1' },
    ],
  }
  expect(read(scenario)).toEqual(scenario)
})

test('a list of lines is a text whose every line ends', () => {
  expect(step({ do: 'write', path: 'a', content: ['one', 'two'] })).toEqual({
    turns: [{ steps: [{ do: 'write', path: 'a', content: 'one\ntwo\n' }] }],
  })
})

test('an expected prompt is a regular expression', () => {
  expect(step({ do: 'expect-prompt', matches: '^go' })).toEqual({
    turns: [{ steps: [{ do: 'expect-prompt', matches: /^go/ }] }],
  })
})

test('a reset is an instant, written as milliseconds or as a time', () => {
  expect(step({ do: 'limit', kind: 'balance', resetsAt: '1970-01-01T00:01:00Z' })).toEqual({
    turns: [{ steps: [{ do: 'limit', kind: 'balance', resetsAt: 60_000 }] }],
  })
})

describe('a mistake is refused with its place', () => {
  const MISTAKES: [what: string, value: unknown, message: string][] = [
    ['no object', [], 'scenario s.json: the scenario must be an object'],
    ['no turns', {}, 'scenario s.json: turns must be a list with at least one entry'],
    ['empty turns', { turns: [] }, 'scenario s.json: turns must be a list with at least one entry'],
    ['unknown field', { turn: [] }, "scenario s.json: the scenario has no field 'turn' (it has: dialect, once, turns)"],
    [
      'unknown dialect',
      { dialect: 'klingon', turns: [{ steps: [{ do: 'hang' }] }] },
      'scenario s.json: dialect must be one of: claude, codex, opencode, gemini, copilot, cursor, text',
    ],
    [
      'wrong field',
      { turns: [{ steps: [{ do: 'say', txt: 'hi' }] }] },
      "scenario s.json: turns[0].steps[0] has no field 'txt' (it has: text)",
    ],
    [
      'missing field',
      { turns: [{ steps: [{ do: 'say' }] }] },
      'scenario s.json: turns[0].steps[0].text must be a text or a list of lines',
    ],
    [
      'wrong type',
      { turns: [{ steps: [{ do: 'hang' }] }, { steps: [{ do: 'delay', ms: -1 }] }] },
      'scenario s.json: turns[1].steps[0].ms must be a whole number of 0 or more',
    ],
    [
      'wrong pattern',
      { turns: [{ steps: [{ do: 'expect-prompt', matches: '(' }] }] },
      'scenario s.json: turns[0].steps[0].matches must be a regular expression',
    ],
    [
      'wrong usage',
      { turns: [{ steps: [{ do: 'hang' }], usage: { input: 'many' } }] },
      'scenario s.json: turns[0].usage.input must be a whole number of 0 or more',
    ],
  ]
  test.for(MISTAKES)('%s', ([, value, message]) => {
    expect(complaint(value)).toBe(message)
  })

  test('no such step', () => {
    expect(() => step({ do: 'dance' })).toThrow(/turns\[0\]\.steps\[0\]\.do must be one of: say, think, status/)
  })

  test('no JSON', () => {
    expect(() => readScenario('{', 's.json')).toThrow(/^scenario s\.json: the file is not JSON \(/)
  })
})

test('every scenario that ships or stands in the tests can be played', () => {
  const root = new URL('../', import.meta.url)
  const fakes = readdirSync(new URL('test/fakes/', root)).filter((file) => file.endsWith('.json'))
  const files = ['assets/demo/scenario.json', ...fakes.map((file) => `test/fakes/${file}`)]
  for (const file of files) {
    expect(readScenario(readFileSync(new URL(file, root), 'utf8'), file).turns.length).toBeGreaterThan(0)
  }
  expect(files.length).toBeGreaterThan(1)
})
