import { expect, test } from 'vitest'
import { mergeAllowedChanges, isChangeAllowed, allowedChangesIn } from './allowed-changes.ts'

test('marks give leave, names do not', () => {
  const plan = `- [ ] make test/round.test.js pass
- [ ] rename the API [tests: test/api/**, spec/api_spec.rb]
- [x] new lint rules [protected: eslint.config.js] [Tests: test/lint/*]`
  expect(allowedChangesIn(plan)).toEqual({
    tests: ['test/api/**', 'spec/api_spec.rb', 'test/lint/*'],
    judge: ['eslint.config.js'],
  })
})

test('a mark that is never closed gives no leave', () => {
  expect(allowedChangesIn('- [ ] a [tests: test/**\n- [ ] b ]')).toEqual({ tests: [], judge: [] })
})

test('leave for tests covers tests only, leave for the judge whatever it matches', () => {
  const leave = mergeAllowedChanges({ tests: ['**'], judge: [] }, { tests: [], judge: ['tools/'] })
  expect(isChangeAllowed('test/a.test.js', { isTest: true }, leave)).toBe(true)
  expect(isChangeAllowed('package.json', { isTest: false }, leave)).toBe(false)
  expect(isChangeAllowed('tools/verify.py', { isTest: false }, leave)).toBe(true)
})
