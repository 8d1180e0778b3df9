import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removeTomlKey, setTomlKey, type TomlValue } from './edit-toml.ts'
import { parseToml } from './toml.ts'

const USD = { group: 'budget', name: 'usd' }

describe('sets a key and leaves every other byte', () => {
  test.each<[string, string, string]>([
    ['in an empty file', '', '[budget]\nusd = 5\n'],
    [
      'in a file without the table',
      '# mine\n[loop]\nmax_iterations = 3\n',
      '# mine\n[loop]\nmax_iterations = 3\n\n[budget]\nusd = 5\n',
    ],
    ['behind gates', '[[gate]]\nname = "a"\nrun = "b"', '[[gate]]\nname = "a"\nrun = "b"\n\n[budget]\nusd = 5\n'],
    [
      'beside another key',
      '[budget] # money\nminutes = 3 # long\n\n[loop]\n',
      '[budget] # money\nminutes = 3 # long\nusd = 5\n\n[loop]\n',
    ],
    ['in an empty table', '[budget]\n# usd = 10\n', '[budget]\nusd = 5\n# usd = 10\n'],
    [
      'in place of a value, with its comment',
      '[budget]\nusd   = 10   # "cost" # max\n',
      '[budget]\nusd   = 5   # "cost" # max\n',
    ],
    ['in place of a dotted key', 'budget.usd = 1\n[loop]\n', 'budget.usd = 5\n[loop]\n'],
    ['beside a dotted key', 'budget.minutes = 1\n[loop]\n', 'budget.minutes = 1\nbudget.usd = 5\n[loop]\n'],
    ['in a file of Windows', '[budget]\r\nminutes = 1\r\n', '[budget]\r\nminutes = 1\r\nusd = 5\r\n'],
  ])('%s', (_name, before, after) => {
    expect(setTomlKey(before, USD, 5)).toBe(after)
  })

  test('in place of an array over several lines', () => {
    const before = '[agent]\nallow = [ # tools\n  "a", # one\n  "b",\n] # end\nmodel = "x"\n'
    expect(setTomlKey(before, { group: 'agent', name: 'allow' }, ['c "d"'])).toBe(
      '[agent]\nallow = ["c \\"d\\""] # end\nmodel = "x"\n',
    )
  })
})

test.each(['budget = { usd = 1 }\n', 'budget = 3\n', '[budget]\nusd = \n'])('does not change %j', (text) => {
  expect(setTomlKey(text, USD, 5)).toBeNull()
})

test.each([
  ['[budget]\nusd = 5 # all\nminutes = 3\n', '[budget]\nminutes = 3\n'],
  ['[budget]\nusd = 5\n', '[budget]\n'],
  ['[loop]\nmax_iterations = 1\n', '[loop]\nmax_iterations = 1\n'],
])('removes a key from %j', (before, after) => {
  expect(removeTomlKey(before, USD)).toBe(after)
})

test('whatever the file holds, only this key changes', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()))
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '# a comment = [',
      '[budget]',
      '[loop]',
      '[[gate]]',
      'a = """',
      '"""',
      'b = [',
      ']',
      'usd = 3 # x',
      'budget.x = 1',
    ),
    fc.tuple(fc.constantFrom('k', 'l', 'usd', '"q"'), value).map(([key, one]) => `${key} = ${JSON.stringify(one)}`),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), value, (lines, to: TomlValue) => {
      const before = lines.join('\n')
      const after = setTomlKey(before, USD, to)
      if (after === null) return
      const parsed = parseToml(after)
      expect(parsed.ok && (parsed.data['budget'] as Record<string, unknown>)['usd']).toEqual(to)
      for (const comment of before.match(/^#.*$/gm) ?? []) expect(after).toContain(comment)
    }),
    { numRuns: 500 },
  )
})
