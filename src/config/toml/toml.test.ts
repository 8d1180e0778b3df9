import { expect, test } from 'vitest'
import { parseToml } from './toml.ts'

test('every key has its line', () => {
  const reading = parseToml(
    [
      'agent = "claude" # comment with [brackets]',
      '',
      '[quota]',
      'calls_per_hour = 5',
      'text = """',
      'not = 1',
      '"""',
      '  "tokens_per_hour" = 6',
      '[env]',
      'pass = [',
      '  "A", # = x',
      '  "B=1",',
      ']',
      "path = 'C:\\'",
      'after = 1',
      '[[gate]]',
      'name = "a"',
      '[[gate]]',
      'name = "b # no comment"',
      'env = { A = "1" }',
      '[ agents . "my.own" ]',
      'command = ["x"]',
    ].join('\n'),
  )
  expect(reading.ok && Object.fromEntries(reading.lines)).toEqual({
    agent: 1,
    quota: 3,
    'quota.calls_per_hour': 4,
    'quota.text': 5,
    'quota.tokens_per_hour': 8,
    env: 9,
    'env.pass': 10,
    'env.path': 14,
    'env.after': 15,
    'gate[0]': 16,
    'gate[0].name': 17,
    'gate[1]': 18,
    'gate[1].name': 19,
    'gate[1].env': 20,
    'agents.my.own': 21,
    'agents.my.own.command': 22,
  })
})

test('dotted keys have their line under the same name', () => {
  const reading = parseToml('quota.calls_per_hour = 5\n')
  expect(reading).toEqual({
    ok: true,
    data: { quota: { calls_per_hour: 5 } },
    lines: new Map([['quota.calls_per_hour', 1]]),
  })
})

test('text that is not TOML is answered with line, column and the line itself', () => {
  expect(parseToml('a = 1\n[quota]\ncalls = = 5\n')).toEqual({
    ok: false,
    line: 3,
    column: 9,
    source: 'calls = = 5',
    problem: expect.stringMatching(/\w/) as string,
  })
})
