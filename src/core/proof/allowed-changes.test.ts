import { expect, test } from 'vitest'
import { mergeAllowedChanges, isChangeAllowed, parseAllowedChanges } from './allowed-changes.ts'

test('marks give an allowance, names do not', () => {
  const plan = `- [ ] make test/round.test.js pass
- [ ] rename the API [tests: test/api/**, spec/api_spec.rb]
- [x] new lint rules [protected: eslint.config.js] [Tests: test/lint/*]`
  expect(parseAllowedChanges(plan)).toEqual({
    tests: ['test/api/**', 'spec/api_spec.rb', 'test/lint/*'],
    protectedFiles: ['eslint.config.js'],
  })
})

test('a mark that is never closed gives no allowance', () => {
  expect(parseAllowedChanges('- [ ] a [tests: test/**\n- [ ] b ]')).toEqual({ tests: [], protectedFiles: [] })
})

test('an allowance for tests covers tests only, an allowance for the protected files whatever it matches', () => {
  const allowance = mergeAllowedChanges(
    { tests: ['**'], protectedFiles: [] },
    { tests: [], protectedFiles: ['tools/'] },
  )
  expect(isChangeAllowed('test/a.test.js', { isTest: true }, allowance)).toBe(true)
  expect(isChangeAllowed('package.json', { isTest: false }, allowance)).toBe(false)
  expect(isChangeAllowed('tools/verify.py', { isTest: false }, allowance)).toBe(true)
})
