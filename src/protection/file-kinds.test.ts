import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isConfiguration,
  isDocument,
  isTestPath,
  isVendored,
  languageOf,
  lockFileKind,
  manifestKind,
} from './file-kinds.ts'

describe('a test by its place or name', () => {
  test.each([
    'test/add.js',
    'src/__tests__/add.js',
    'src/add.test.ts',
    'src/add.spec.tsx',
    'calc/test_add.py',
    'calc/add_test.go',
    'calc/conftest.py',
    'spec/add_spec.rb',
    'src/test/java/AddTest.java',
    'src/AddTests.cs',
    'Calc.Tests/Add.cs',
    'src/TestAdd.java',
    'e2e/login.ts',
    'cypress/support/e2e.js',
    'src/fixtures/a.json',
    'src/add.cy.ts',
    'src/__snapshots__/add.snap',
    'testdata/a.txt',
    'tests.py',
    'src/setupTests.ts',
    'jest.setup.js',
    'run.bats',
    'x.feature',
  ])('%s', (path) => expect(isTestPath(path)).toBe(true))

  test.each([
    'src/latest.ts',
    'src/contest.py',
    'src/attest.go',
    'src/business-unit.ts',
    'src/inspect.js',
    'src/testimony.ts',
    'src/special.rb',
    'src/greatest/index.ts',
    'lib/protest.ex',
  ])('not %s', (path) => expect(isTestPath(path)).toBe(false))
})

test.each([
  ['src/add.tsx', 'js'],
  ['src/add.pyi', 'python'],
  ['src/App.vue', 'js'],
  ['src/add.hpp', 'c'],
  ['src/Add.kt', 'java'],
  ['src/a.json', null],
  ['Makefile', null],
  ['.bashrc', null],
])('%s is written in %s', (path, language) => expect(languageOf(path)).toBe(language))

test.each([
  ['README.md', true],
  ['docs/a.png', true],
  ['docs/conf.py', false],
  ['docs/openapi.json', false],
  ['LICENSE', true],
  ['CHANGELOG.txt', true],
  ['words.txt', false],
  ['src/a.rst', true],
])('%s is a document: %s', (path, is) => expect(isDocument(path)).toBe(is))

test.each([
  ['src/app.config.ts', false],
  ['vite.config.ts', true],
  ['src/config.ts', false],
  ['tsconfig.app.json', true],
  ['a/.hidden/x.js', true],
  ['.well-known/x.json', false],
  ['build.rs', true],
  ['src/builds.rs', false],
])('%s is configuration: %s', (path, is) => expect(isConfiguration(path)).toBe(is))

test('no path makes it throw, and every path is at most one of manifest and lock file', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom('test', 'src', '..', '', '.', 'package.json', 'yarn.lock', 'a.b.c', '__proto__'),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const path = parts.join('/')
      for (const ask of [isTestPath, isConfiguration, isDocument, isVendored, languageOf]) ask(path)
      expect(manifestKind(path) !== null && lockFileKind(path) !== null).toBe(false)
    }),
  )
})

test('what lies in a test folder is a test, however deep', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (parts) => {
      expect(isTestPath(`src/tests/${parts.join('/')}.js`)).toBe(true)
    }),
  )
})
