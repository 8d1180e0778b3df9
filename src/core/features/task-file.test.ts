import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonOrNull, parseJson } from '../text/json.ts'
import { parseTaskFile } from './task-file.ts'
import { findJsonProblems } from './json-problems.ts'
import { taskFileText, draft } from '../../../test/kit/feature.ts'

const problemsIn = (text: string): string[] => parseTaskFile(text).problems
const problemsOf = (...tasks: unknown[]): string[] => problemsIn(taskFileText(...tasks))
const task = (said: object): object => ({ key: 'a', title: 'A', ...said })

test('a document is read as it was written, and what is left out is empty', () => {
  const whole = draft('b', { parent: 'a', after: ['c'], files: ['src/b.ts'], priority: -2, size: 'small' })
  expect(parseTaskFile(taskFileText({ key: 'a', title: 'A', parent: null, size: null }, whole))).toEqual({
    tasks: [{ ...draft('a'), title: 'A', checks: [] }, whole],
    problems: [],
  })
  expect(problemsIn(`\uFEFF${taskFileText(task({}))}`)).toEqual([])
})

describe('a text that is no document is told so', () => {
  test.each<[string, string, string]>([
    ['nothing', ' \n', 'the document is empty'],
    ['no JSON', '{"version": 1,\n "tasks": [}', 'the document is not valid JSON: line 2, column 12: unexpected "}"'],
    ['half of it', '{"version": 1', 'the document is not valid JSON: line 1, column 14: it ends too early'],
    ['a fence around it', '```json\n{}\n```', 'must be plain JSON, without a code fence around it'],
    ['a list', '[]', 'the document must be an object, not a list'],
    ['null', 'null', 'the document must be an object, not nothing'],
    ['a large one', ' '.repeat(1024 * 1024 + 1), 'the document has 1048577 bytes; the limit is 1048576'],
    ['signs of many bytes', `"${'☃'.repeat(400_000)}"`, 'the document has 1200002 bytes'],
    ['a deep one', '['.repeat(500_000), 'it ends too early'],
    ['a deep one that is whole', '['.repeat(200_000) + ']'.repeat(200_000), 'the document'],
  ])('%s', (_, text, told) => {
    const { tasks, problems } = parseTaskFile(text)
    expect(tasks).toEqual([])
    expect(problems).toEqual([expect.stringContaining(told)])
  })
})

describe('what is wrong is told with its place', () => {
  test.each<[object, string]>([
    [{ key: 'A b' }, 'tasks[0].key: "A b" is not a valid key'],
    [{ key: '__proto__' }, 'tasks[0].key: "__proto__" is not a valid key'],
    [{ key: 'a'.repeat(41) }, 'tasks[0].key: "aaaa'],
    [{ key: 7 }, 'tasks[0].key: must be a text, not a number'],
    [{ title: ' ' }, 'tasks[0].title: the title is empty'],
    [{ title: 'x\u001b[2J' }, 'tasks[0].title: the title has an escape character'],
    [{ title: null }, 'tasks[0].title: must be a text, not nothing'],
    [{ description: ['x'] }, 'tasks[0].description: must be a text, not a list'],
    [{ description: 'x'.repeat(70_000) }, 'tasks[0].description: the description has 70000 characters'],
    [{ parent: {} }, 'tasks[0].parent: must be a text, not an object'],
    [{ after: 'b' }, 'tasks[0].after: must be a list of texts, not a text'],
    [{ after: ['b', 3] }, 'tasks[0].after[1]: must be a text, not a number'],
    [{ files: ['/etc/passwd'] }, 'tasks[0].files[0]: "/etc/passwd" is not a path inside the project'],
    [{ files: ['a', '../b'] }, 'tasks[0].files[1]: "../b" is not a path inside the project'],
    [{ files: ['C:\\b'] }, 'tasks[0].files[0]: "C:\\b" is not a path inside the project'],
    [{ checks: [''] }, 'tasks[0].checks: checks has an empty entry'],
    [{ checks: Array.from({ length: 101 }, () => 'x') }, 'tasks[0].checks: checks has 101 entries'],
    [{ criteria: ['a\u0000'] }, 'tasks[0].criteria: an entry of criteria has a null character'],
    [{ tests: ['**/a*/b*/c*/d*/e*/f*'] }, 'tasks[0].tests[0]: "**/a*/b*/c*/d*/e*/f*" has more than 6 stars'],
    [{ tests: ['../**'] }, 'tasks[0].tests[0]: "../**" is not a path inside the project'],
    [{ priority: 1.5 }, 'tasks[0].priority: it must be a whole number'],
    [{ priority: '1' }, 'tasks[0].priority: must be a whole number, not a text'],
    [{ size: 'huge' }, 'tasks[0].size: must be one of small, medium, large'],
    [{ titel: 'x' }, 'tasks[0].titel: unknown field; did you mean "title"?'],
    [{ depends_on: [] }, 'tasks[0].depends_on: unknown field; known fields: key, title'],
  ])('%j', (said, told) => {
    expect(problemsOf(task(said))).toEqual([expect.stringContaining(told)])
  })

  test.each<[string, string]>([
    ['{"tasks": [{"key": "a", "title": "A"}]}', 'version: must be 1'],
    ['{"version": "1", "tasks": [{"key": "a", "title": "A"}]}', 'version: must be 1'],
    ['{"version": 1}', 'tasks: must be a list of tasks, not nothing'],
    ['{"version": 1, "tasks": {}}', 'tasks: must be a list of tasks, not an object'],
    ['{"version": 1, "tasks": []}', 'tasks: the list is empty'],
    [taskFileText(7), 'tasks[0]: must be an object, not a number'],
    ['{"version": 1, "task": 1, "tasks": [{"key": "a", "title": "A"}]}', 'task: unknown field; did you mean "tasks"?'],
    [
      '{"version": 1, "tasks": [{"key": "a", "title": "A", "__proto__": {"title": "B"}}]}',
      'tasks[0].__proto__: unknown field',
    ],
    ['{"version": 1, "tasks": [{"key": "a", "title": "A", "ti\\u0074le": "B"}]}', 'tasks[0].title: duplicate key'],
    ['{"version": 1, "version": 1, "tasks": [{"key": "a", "title": "A"}]}', 'version: duplicate key'],
  ])('%s', (text, told) => {
    expect(problemsIn(text)).toEqual([expect.stringContaining(told)])
  })

  test('of many the first twenty, of 501 tasks that there are too many', () => {
    const bad = Array.from({ length: 30 }, () => 1)
    expect(problemsOf(...bad)).toHaveLength(21)
    expect(problemsOf(...bad).at(-1)).toBe('and 10 more problems')
    const many = Array.from({ length: 501 }, (_, i) => task({ key: `k${i}` }))
    expect(problemsOf(...many)).toEqual(['tasks: there are 501; the limit is 500'])
  })
})

test('a key that stands twice is found wherever it stands, and nothing else is', () => {
  const text = '{"a": [{"b": "x\\",\\"b\\":"}, {"b": {"c": 1, "d": [{}, {"c": 2, "c": 3}]}}], "a": 1}'
  expect(findJsonProblems(text)).toEqual({
    broken: null,
    repeated: [
      { place: 'a[1].b.d[1]', key: 'c' },
      { place: '', key: 'a' },
    ],
  })
})

test.each<[string, number | null]>([
  ['{"a": [1, 2.5e-3, true, null, {"b": {}}, []]}', null],
  ['"x"', null],
  ['', 0],
  ['{"a" 1}', 5],
  ['{"a": 1,}', 8],
  ['{"a": }', 6],
  ['{a: 1}', 1],
  ['{"a": 1 "b": 2}', 8],
  ['[1, ]', 4],
  ['[1 2]', 3],
  ['[1}', 2],
  ['{"a": 1]', 7],
  ['{,}', 1],
  ['[01]', 1],
  ['[tru]', 1],
  ['["\\x"]', 1],
  ['["a\tb"]', 1],
  ['["open]', 1],
  ['{} {}', 3],
  ['[[1]', 4],
])('%s breaks off at %s', (text, broken) => {
  expect(findJsonProblems(text).broken).toBe(broken)
})

test('of many keys that stand twice twenty are told, and of a deep one the beginning of its place', () => {
  const many = `{${Array.from({ length: 40 }, (_, i) => `"k${i % 10}": 1`).join(', ')}}`
  expect(findJsonProblems(many).repeated).toHaveLength(20)
  const deep = `${'{"a":['.repeat(4)}{"b":1,"b":2}${']}'.repeat(4)}`
  expect(findJsonProblems(deep).repeated).toEqual([{ place: 'a[0].a[0].a[0]…', key: 'b' }])
})

test('as many as are allowed are allowed', () => {
  const five = Array.from({ length: 500 }, (_, i) => draft(`k${i}`))
  expect(problemsOf(...five)).toEqual([])
  expect(problemsOf(task({ tests: ['**/a*/b*/c*/d*/e*'], key: 'a'.repeat(40) }))).toEqual([])
  expect(problemsOf(task({ 'a b': 1 }))).toEqual([expect.stringContaining('tasks[0]."a b": unknown field')])
})

test('the scan calls JSON what the parser reads, and nothing else', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
    '"\\u12"',
  )
  const texts = fc.oneof(
    fc.array(pieces).map((some) => some.join('')),
    fc.json(),
    fc.string(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(findJsonProblems(text).broken === null).toBe(parseJson(text).ok)
    }),
    { numRuns: 1_000 },
  )
})

test('any text is read without a throw, and any value of JSON has no key twice', () => {
  fc.assert(
    fc.property(fc.json(), fc.anything(), (text, any) => {
      expect(findJsonProblems(JSON.stringify(jsonOrNull(text))).repeated).toEqual([])
      const task = { key: 'a', title: any, files: [any], tests: any }
      parseTaskFile(taskFileText(any, task))
    }),
  )
})
