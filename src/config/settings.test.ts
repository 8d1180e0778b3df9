import { describe, expect, test } from 'vitest'
import { parseValue } from '../core/text/value-kind.ts'
import { RULE_KEYS } from '../core/settings/rule-table.ts'
import { toFileValue } from './schema.ts'
import { envVariableOf, flagSyntax, isSettingKey, SETTING_KEYS, settingFlags, settingOf } from './settings.ts'

describe.each(SETTING_KEYS)('%s', (key) => {
  const setting = settingOf(key)

  test('has a name that files, flags and environment can hold', () => {
    expect(key).toMatch(/^[a-z]+\.[a-z_]+$/)
  })

  test('has a default that could be written in a file', () => {
    expect(parseValue(setting.kind, toFileValue(setting.kind, setting.default), 'data')).toEqual({
      ok: true,
      value: setting.default,
    })
  })

  test('has help of one line, without an end that the page adds', () => {
    expect(setting.help).toMatch(/^\S[^\n]{10,120}[^.\s]$/)
  })
})

test('no flag, environment variable or old name means two settings', () => {
  const names = SETTING_KEYS.flatMap((key) => {
    const { flag, env = [], old = [], json = [] } = settingOf(key)
    const flags = flag === undefined ? [] : [`--${flag.long}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])]
    return [...flags, envVariableOf(key), ...env, ...old, ...json]
  })
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every setting that decides can be said', () => {
  expect(RULE_KEYS.filter((key) => !isSettingKey(key))).toEqual([])
})

test("the flags of settings, the bash tool's among them", () => {
  expect(settingFlags().map(({ words }) => words)).toEqual([
    '--agent <NAMES>',
    '--model <NAME>',
    '--model-strategy <NAME>',
    '--effort <LEVEL>',
    '--allowed-tools <LIST>',
    '--allow <LIST>',
    '--permission <MODE>',
    '--no-continue',
    '--session-expiry <HOURS>',
    '-t, --timeout <MINUTES>',
    '--output-format <FORMAT>',
    '-p, --prompt <FILE>',
    '--max-iterations <N>',
    '-b, --backup',
    '--dry-run',
    '-c, --calls <N>',
    '--budget-usd <USD>',
    '--budget-tokens <N>',
    '--minutes <MINUTES>',
    '--auto-reset-circuit',
    '-l, --live',
    '--show-tool-args',
    '-v, --verbose',
    '-n, --notify',
  ])
})

test('a flag is written as a parser of command lines takes it', () => {
  expect(flagSyntax({ long: 'continue', negated: true })).toBe('--no-continue')
})
