import { expect, test } from 'vitest'
import { bothLeaves, isAllowed, leaveIn } from './leave.ts'

test('marks give leave, names do not', () => {
  const plan = `- [ ] make test/round.test.js pass
- [ ] rename the API [tests: test/api/**, spec/api_spec.rb]
- [x] new lint rules [judge: eslint.config.js] [Tests: test/lint/*]`
  expect(leaveIn(plan)).toEqual({
    tests: ['test/api/**', 'spec/api_spec.rb', 'test/lint/*'],
    judge: ['eslint.config.js'],
  })
})

test('a mark that is never closed gives no leave', () => {
  expect(leaveIn('- [ ] a [tests: test/**\n- [ ] b ]')).toEqual({ tests: [], judge: [] })
})

test('leave for tests covers tests only, leave for the judge whatever it matches', () => {
  const leave = bothLeaves({ tests: ['**'], judge: [] }, { tests: [], judge: ['tools/'] })
  expect(isAllowed('test/a.test.js', { isTest: true }, leave)).toBe(true)
  expect(isAllowed('package.json', { isTest: false }, leave)).toBe(false)
  expect(isAllowed('tools/verify.py', { isTest: false }, leave)).toBe(true)
})
