/**
 * Finds test helpers among the sources: files that only tests load and whose name or imports show that they are helpers. Being loaded only
 * by tests is not enough: in a small project nothing else loads the source either.
 */
import { importsOf } from './imports.ts'
import { folderOf, isCode, languageOf, baseNameOf, stemOf } from './file-kinds.ts'

/** Names that source never has. */
const OF_TESTS =
  /(?:^|[._-])(?:tests?|testing|testkit|spec|mocks?|mocking|stubs?|fakes?|fixtures?|harness|golden|dummy|dummies|selftest|selfcheck|expectations?|expected|testutils?)(?:$|[._-])|^(?:mock|fake|stub|test)[A-Z]|(?:Mock|Fake|Stub|Fixture|TestHelper|TestUtil|Testing)s?$|Test(?:Utils?|Helpers?|Kit|Case|Base)/
/** Names of test helpers that source sometimes has too. */
const PERHAPS =
  /(?:^|[._-])(?:helpers?|asserts?|assertions?|matchers?|verify|verifier|checks?|checker|cases|samples?|setup|factory|factories|expect|answers|compare|oracle|reference)(?:$|[._-])/i

export type TestLikeness = 'test' | 'perhaps' | 'no'

/** Decided by the file's name and its folders below the source folder. */
export function testLikenessOfName(path: string): TestLikeness {
  const stem = baseNameOf(path).replace(/\.\w{1,8}$/, '')
  const folders = folderOf(path).split('/').slice(1)
  if (OF_TESTS.test(stem) || folders.some((folder) => OF_TESTS.test(folder))) return 'test'
  return PERHAPS.test(stem) ? 'perhaps' : 'no'
}

/** Libraries that only tests use. */
const LIBRARIES: Readonly<Record<string, RegExp>> = {
  js: /^(?:node:test|bun:test|vitest|@vitest\/|jest|@jest\/|mocha|chai|chai-|sinon|ava$|tap$|tape$|uvu|jasmine|testdouble|nock$|@testing-library\/|expect$|should$|power-assert|proxyquire|supertest|@playwright\/test|cypress|ts-mockito|enzyme|qunit|rewire$|mock-fs)/,
  python:
    /^(?:pytest|_pytest|unittest|nose|hypothesis|mock|doctest|testtools|behave|freezegun|requests_mock|responses)(?:\.|$)/,
  go: /^(?:testing(?:\/|$)|github\.com\/stretchr\/testify|go\.uber\.org\/mock|github\.com\/golang\/mock|gotest\.tools|github\.com\/onsi\/)/,
  ruby: /^(?:minitest|rspec|test\/unit|mocha|webmock|shoulda|factory_bot|vcr)/,
  php: /^(?:PHPUnit|Mockery|Prophecy|Pest)\\/,
  java: /^(?:org\.junit|junit\.|org\.mockito|org\.assertj|org\.hamcrest|org\.testng|io\.kotest|kotlin\.test|io\.mockk|org\.scalatest|spock\.)/,
  c: /^(?:gtest|gmock|catch2|catch\.hpp|doctest|check\.h|unity|cmocka|CUnit|criterion)/,
  csharp: /^(?:Xunit|NUnit|Moq|NSubstitute|FluentAssertions|Shouldly|Microsoft\.VisualStudio\.TestTools)/,
  elixir: /^(?:ExUnit|Mox)/,
  swift: /^(?:XCTest|Testing)$/,
}

export function importsTestLibrary(path: string, text: string): boolean {
  return importsAny(path, text, (name, library) => library.test(name))
}

/** For runners with global `test` and `expect`, where tests import nothing. */
const DEFINES: Readonly<Record<string, RegExp>> = {
  js: /^[ \t]{0,20}(?:describe|it|test)(?:\.\w{1,20})?\([ \t]{0,4}['"`]/m,
  python: /^[ \t]{0,20}(?:async[ \t]+)?def test_\w{0,100}\(/m,
}

export function definesTests(path: string, text: string): boolean {
  const language = languageOf(path)
  return language !== null && DEFINES[language]?.test(text) === true
}

/** Source may use assertions too. */
const PLAIN_ASSERT = /^(?:node:)?assert(?:\/strict)?$/

export function importsAssert(path: string, text: string): boolean {
  return importsAny(path, text, (name) => PLAIN_ASSERT.test(name))
}

function importsAny(path: string, text: string, test: (name: string, library: RegExp) => boolean): boolean {
  const language = languageOf(path)
  const library = language === null ? undefined : LIBRARIES[language]
  if (language === null || library === undefined) return false
  return importsOf(language, text).some(({ to }) => test(to, library))
}

/** A test that asserts by itself or with a library, not with a helper of the project. */
export function hasOwnAssertions(path: string, text: string): boolean {
  if (importsTestLibrary(path, text) || importsAssert(path, text)) return true
  return /\bassert\w{0,40}\b|\bexpect\s{0,4}\(|\bt\.(?:Error|Fatal|Fail)|\bEXPECT_|\bshould\b/.test(text)
}

/** Whether the file contains only constants and no behaviour. */
export function hasOnlyConstants(path: string, text: string): boolean {
  const language = languageOf(path)
  const acts = language === null ? undefined : ACTS[language]
  return acts !== undefined && !acts.test(text)
}

const ACTS: Readonly<Record<string, RegExp>> = {
  js: /\bfunction\b|=>|\bclass\b|\bimport\b|\brequire\b|\bget\s|\)\s{0,4}\{/,
  python: /\b(?:def|class|lambda|import)\b/,
  ruby: /\b(?:def|class|lambda|proc|require\w{0,10})\b/,
}

/** Whether the text can make a test or a program fail. */
export function canFailTest(text: string): boolean {
  return /\bthrow\b|\braise\b|\bassert\w{0,40}\b|\bexit\s{0,4}\(|\bexitCode\b|\bpanic\b|\bdie\b|\bSystemExit\b|\babort\s{0,4}\(/.test(
    text,
  )
}

/** Whether the test is named after the file: `add.test.ts`, `test_add.py` and `AddTest.java` test `add`. */
export function isTestNamedAfter(test: string, path: string): boolean {
  return (
    subjectOf(test) === plain(stemOf(path)) ||
    (stemOf(path) === 'index' && subjectOf(test) === plain(baseNameOf(folderOf(path))))
  )
}

function subjectOf(test: string): string {
  const stem = stemOf(test)
  return plain(
    stem
      .replace(/^tests?[._-]/i, '')
      .replace(/[._-](?:tests?|specs?)$/i, '')
      .replace(/(?:Tests?|Specs?)$/, '')
      .replace(/^Test(?=[A-Z])/, ''),
  )
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, '')
}

/** Global declarations, which act without being imported. */
export function isAmbientDeclaration(path: string, text: string | null): boolean {
  return /\.d\.[cm]?ts$/.test(path) && isCode(path) && !/^(?:export|import)\b/m.test(text ?? '')
}
