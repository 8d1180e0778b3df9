import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCycle, type WaitNode } from '../tasks/cycle.ts'
import { matchesGlob } from '../text/glob.ts'
import { validateDraftTasks, type TaskFileProblem } from './validate-draft-tasks.ts'
import type { DraftTask } from './task-file.ts'
import { canPathsOverlap, findTasksSharingFiles } from './tasks-sharing-files.ts'
import { draft } from '../../../test/kit/feature.ts'
import {
  cannotFail,
  looksLikeTestPath,
  isBroadAllowance,
  looksLikeTestCommand,
  looksLikeCodePath,
} from './name-heuristics.ts'

const found = (...tasks: DraftTask[]): Pick<TaskFileProblem, 'level' | 'what' | 'tasks'>[] =>
  validateDraftTasks(tasks).map(({ level, what, tasks: keys }) => ({ level, what, tasks: keys }))
const saidOf = (...tasks: DraftTask[]): string[] => validateDraftTasks(tasks).map(({ say }) => say)

test('a document that is well is not criticised', () => {
  expect(
    validateDraftTasks([
      draft('login', { checks: [] }),
      draft('form', {
        parent: 'login',
        files: ['src/form.ts', 'test/form.test.ts'],
        tests: ['test/form.test.ts'],
      }),
      draft('session', { parent: 'login', after: ['form'], files: ['src/session.ts', 'src/form.ts'] }),
    ]),
  ).toEqual([])
})

describe('errors', () => {
  test.each<[string, DraftTask[], TaskFileProblem['what'], string]>([
    [
      'two of one key',
      [draft('a'), draft('b'), draft('a')],
      'same-key',
      'tasks[2].key: tasks[0] already has the key "a"',
    ],
    [
      'an unknown parent',
      [draft('api'), draft('b', { parent: 'app' })],
      'unknown-parent',
      'tasks[1].parent: there is no task "app"',
    ],
    [
      'an unknown dependency',
      [draft('a'), draft('b', { after: ['a', 'x'] })],
      'unknown-dependency',
      'tasks[1].after[1]: there is no task "x"',
    ],
    ['a task after itself', [draft('a', { after: ['a'] })], 'cycle', 'a "Task a" → a'],
    [
      'two after each other',
      [draft('a', { after: ['b'] }), draft('b', { after: ['a'] })],
      'cycle',
      'a "Task a" → b "Task b" → a',
    ],
    [
      'parents of each other',
      [draft('a', { parent: 'b', checks: [] }), draft('b', { parent: 'a', checks: [] })],
      'cycle',
      'a "Task a"',
    ],
    ['its own parent', [draft('a', { parent: 'a', checks: [] })], 'cycle', 'a "Task a" → a'],
    ['a child after its parent', [draft('p', { checks: [] }), draft('c', { parent: 'p', after: ['p'] })], 'cycle', '→'],
    ['a parent after its child', [draft('p', { checks: [], after: ['c'] }), draft('c', { parent: 'p' })], 'cycle', '→'],
    ['a check that never runs', [draft('p'), draft('c', { parent: 'p' })], 'parent-checks', '"p" has children'],
    [
      'a tree of 65 levels',
      Array.from({ length: 65 }, (_, i) =>
        draft(`k${i}`, { parent: i === 0 ? null : `k${i - 1}`, checks: i === 64 ? ['npm test'] : [] }),
      ),
      'too-deep',
      '"k64" is 65 levels deep; the limit is 64',
    ],
  ])('%s', (_, tasks, what, say) => {
    const errors = validateDraftTasks(tasks).filter(({ level }) => level === 'error')
    expect(errors).toMatchObject([{ what, say: expect.stringContaining(say) as unknown }])
    expect(errors[0]?.tasks).not.toEqual([])
  })

  test('a slip is told with what was meant', () => {
    expect(validateDraftTasks([draft('parser'), draft('b', { after: ['parsr'] })])[0]?.fix).toBe(
      'Did you mean "parser"?',
    )
  })
})

describe('warnings', () => {
  const warned = (what: TaskFileProblem['what'], ...keys: string[]): object => ({
    level: 'warning',
    what,
    tasks: keys,
  })

  test.each<[string, DraftTask[], object[]]>([
    [
      'one alone beside a tree',
      [draft('p', { checks: [] }), draft('c', { parent: 'p' }), draft('o')],
      [warned('orphan', 'o')],
    ],
    [
      'one that only waits beside a tree',
      [draft('p', { checks: [] }), draft('c', { parent: 'p' }), draft('o', { after: ['c'] })],
      [warned('orphan', 'o')],
    ],
    ['one alone beside a row', [draft('a'), draft('b', { after: ['a'] }), draft('o')], [warned('orphan', 'o')]],
    ['the last of a row', [draft('a'), draft('b', { after: ['a'] }), draft('c', { after: ['b'] })], []],
    [
      'one waited for beside a tree',
      [draft('o'), draft('p', { checks: [] }), draft('c', { parent: 'p', after: ['o'] })],
      [],
    ],
    ['all alone', [draft('a'), draft('b'), draft('c')], []],
    ['four files', [draft('a', { files: ['a.md', 'b.md', 'c.md', 'd.md'] })], [warned('too-large', 'a')]],
    ['three files and their tests', [draft('a', { files: ['a.md', 'b.md', 'c.md', 'test/a.ts'] })], []],
    ['all of the project', [draft('a', { files: ['.'] })], [warned('too-large', 'a')]],
    ['three files', [draft('a', { files: ['a.md', 'b.md', 'c.md'] })], []],
    ['a whole folder', [draft('a', { files: ['docs/**'] })], [warned('too-large', 'a')]],
    ['many words', [draft('a', { description: 'x'.repeat(2_001) })], [warned('too-large', 'a')]],
    ['many criteria', [draft('a', { criteria: Array.from({ length: 9 }, () => 'x') })], [warned('too-large', 'a')]],
    ['by its own word', [draft('a', { size: 'large' })], [warned('too-large', 'a')]],
    ['a large parent', [draft('p', { size: 'large', checks: [] }), draft('c', { parent: 'p' })], []],
    ['no check', [draft('a', { checks: [] }), draft('b')], [warned('unchecked', 'a')]],
    ['a criterion', [draft('a', { checks: [], criteria: ['it is blue'] }), draft('b')], []],
    ['a check that cannot fail', [draft('a', { checks: ['npm test || true'] })], [warned('unchecked', 'a')]],
    [
      'one beside another',
      [draft('a', { checks: ['true', 'npm test'], criteria: ['It is blue'] })],
      [warned('unchecked', 'a')],
    ],
    ['no test anywhere', [draft('a', { checks: ['tsc'] })], [warned('untested')]],
    ['code without a test', [draft('a', { checks: ['tsc'], files: ['a.ts'] }), draft('b')], [warned('untested', 'a')]],
    [
      'code that a later task tests',
      [draft('a', { checks: ['tsc'], files: ['a.ts'] }), draft('b', { after: ['a'] })],
      [],
    ],
    ['words without a test', [draft('a', { checks: ['tsc'], files: ['a.md'] }), draft('b')], []],
    [
      'one file for two',
      [draft('a', { files: ['x.md'] }), draft('b', { files: ['./x.md'] })],
      [warned('shared-files', 'a', 'b')],
    ],
    [
      'one file, one after the other',
      [draft('a', { files: ['x.md'] }), draft('b', { files: ['x.md'], after: ['a'] })],
      [],
    ],
    ['leave for every test', [draft('a', { tests: ['test/**'] })], [warned('wide-tests', 'a')]],
  ])('%s', (_, tasks, expected) => {
    expect(found(...tasks)).toEqual(expected)
  })

  test('as much as is allowed is allowed', () => {
    const most = { description: 'x'.repeat(2_000), criteria: Array.from({ length: 8 }, () => 'x') }
    expect(found(draft('a', most))).toEqual([])
  })

  test('one that only some others are placed beside is no orphan, and of two neither is', () => {
    expect(
      found(draft('p', { checks: [] }), draft('c', { parent: 'p' }), draft('a'), draft('b', { after: ['a'] })),
    ).toEqual([])
    expect(found(draft('a'), draft('b'))).toEqual([])
  })

  test('an order is one over any number of steps, and through what a parent holds', () => {
    const steps = [
      draft('a', { files: ['x.md'] }),
      draft('p', { checks: [], after: ['a'] }),
      draft('c', { parent: 'p' }),
      draft('z', { after: ['p'], files: ['x.md'] }),
    ]
    expect(found(...steps)).toEqual([])
    const wanted = [
      draft('p', { checks: [] }),
      draft('c', { parent: 'p', files: ['x.md'] }),
      draft('z', { after: ['p'], files: ['x.md'] }),
    ]
    expect(found(...wanted)).toEqual([])
    expect(found(...wanted.map((one) => ({ ...one, after: [] })))).toEqual([
      warned('orphan', 'z'),
      warned('shared-files', 'c', 'z'),
    ])
  })

  test('an order through parents is an order', () => {
    const tree = [draft('p', { checks: [] }), draft('q', { checks: [], after: ['p'] })]
    const leaves = [draft('a', { parent: 'p', files: ['x.md'] }), draft('b', { parent: 'q', files: ['x.md'] })]
    expect(found(...tree, ...leaves)).toEqual([])
  })

  test.each<[string, Partial<DraftTask>, boolean]>([
    ['a folder', { files: ['src/'] }, true],
    ['all of a folder', { files: ['src/*'] }, true],
    ['some of a folder', { files: ['src/a*'] }, false],
    ['one file by several names', { files: ['a.md', './a.md', 'b//a.md', 'b/a.md'] }, false],
    ['signs that are two units each', { description: '🌱'.repeat(2_000) }, false],
  ])('large: %s', (_, said, isLarge) => {
    expect(found(draft('a', said))).toEqual(isLarge ? [warned('too-large', 'a')] : [])
  })

  test('the criteria of a group are judged by nobody', () => {
    expect(found(draft('p', { checks: [], criteria: ['It is quick'] }), draft('c', { parent: 'p' }))).toEqual([
      warned('parent-criteria', 'p'),
    ])
  })

  test('words alone want no test', () => {
    const words = draft('a', { checks: [], criteria: ['It is there'], files: ['docs/a.md'] })
    expect(found(words)).toEqual([])
    expect(found(words, { ...words, key: 'b', files: [] })).toEqual([warned('untested')])
  })

  test('many pairs are told in one sentence', () => {
    const tasks = Array.from({ length: 10 }, (_, i) => draft(`k${i}`, { files: ['x.md'] }))
    expect(saidOf(...tasks)).toHaveLength(13)
    expect(saidOf(...tasks).at(-1)).toBe('33 more pairs of tasks write the same files, but have no order')
  })
})

test.each<[string, boolean, boolean]>([
  ['src/a.ts', false, true],
  ['src/a.test.ts', true, false],
  ['test/a.ts', true, false],
  ['tests/login/form.py', true, false],
  ['pkg/test_a.py', true, false],
  ['a_test.go', true, false],
  ['src/latest.ts', false, true],
  ['src/contest/a.rs', false, true],
  ['README.md', false, false],
  ['LICENSE', false, false],
  ['package.json', false, false],
  ['Dockerfile', false, false],
  ['.dockerignore', false, false],
  ['doc/toy.1', false, false],
  ['completions/toy.bash', false, false],
  ['debian/rules', false, false],
  ['benches/eval.rs', false, false],
  ['docs/**', false, false],
  ['modules/vpc/main.tf', false, false],
  ['db/migrations/0007_index.sql', false, false],
  ['notebooks/report.ipynb', false, false],
  ['fuzz/fuzz_targets/parser.rs', true, false],
])('%s is a test: %s, is code: %s', (path, isTest, isCode) => {
  expect([looksLikeTestPath(path), looksLikeCodePath(path)]).toEqual([isTest, isCode])
})

test.each<[string, boolean]>([
  ['npm test -- form', true],
  ['npx vitest run', true],
  ['make check-tests', true],
  ['go test ./...', true],
  ['make check', true],
  ['mvn -q verify', true],
  ['./gradlew :app:check', true],
  ['python -m unittest', true],
  ['cargo fuzz run parser', true],
  ['npm run e2e', true],
  ['make', false],
  ['cargo check', false],
  ['tsc --noEmit', false],
  ['npm run latest', false],
])('%s runs tests: %s', (command, runs) => {
  expect(looksLikeTestCommand(command)).toBe(runs)
})

test.each<[string, boolean]>([
  ['true', true],
  [' : ', true],
  ['exit 0', true],
  ['echo "all is well"', true],
  ['npm test || true', true],
  ['npm test || echo failed', true],
  ['npm test; exit 0', true],
  ['npm test', false],
  ['npm test && echo fine', false],
  ['echo "2+2" | ./calc | grep 4', false],
  ['test -f true', false],
  ['true && npm test', false],
  ['set -e; npm test; echo fine', false],
])('%s cannot fail: %s', (command, never) => {
  expect(cannotFail(command)).toBe(never)
})

test.each<[string, boolean]>([
  ['**', true],
  ['*', true],
  ['**/*.test.ts', true],
  ['test/**', true],
  ['test/*.ts', true],
  ['tests/', true],
  ['test', true],
  ['test/form*.ts', false],
  ['test/login/**', false],
  ['src/form.test.ts', false],
  ['form.test.ts', false],
])('%s is an allowance for more than a task writes: %s', (glob, wide) => {
  expect(isBroadAllowance(glob)).toBe(wide)
})

describe('files that two want', () => {
  test.each<[string, string, boolean]>([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/', 'src/b/a.ts', true],
    ['src', 'src/b/a.ts', true],
    ['src/b', 'src/bc', false],
    ['./', 'src/a.ts', true],
    ['*.ts', 'src/a.ts', true],
    ['src/a*.ts', 'src/*b.ts', true],
    ['src/a*', 'src/b*', false],
    ['src//a.ts', 'src/a.ts', true],
    ['src/./a.ts', './src/a.ts', true],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/**/x/*.ts', '**/y/a.ts', false],
    ['src/**/x/**', 'src/**/y/**', true],
  ])('%s and %s: %s', (a, b, meet) => {
    const shared = [
      findTasksSharingFiles([draft('a', { files: [a] }), draft('b', { files: [b] })]).length > 0,
      findTasksSharingFiles([draft('a', { files: [b] }), draft('b', { files: [a] })]).length > 0,
    ]
    expect(shared).toEqual([meet, meet])
  })

  test('a pattern meets every path that it matches', () => {
    const part = fc.constantFrom('a', 'b', 'ab')
    const glob = fc.array(fc.constantFrom('a', '*', 'a*', '?', '**', '*b'), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), glob, (path, parts) => {
        // A pattern that ends in `**` is read as a folder's content.
        const [plain, pattern] = [path.join('/'), parts.join('/')]
        if (matchesGlob(plain, pattern)) expect(canPathsOverlap(plain, pattern)).toBe(true)
        if (!parts.includes('**')) expect(canPathsOverlap(pattern, plain)).toBe(matchesGlob(plain, pattern))
      }),
    )
  })

  test.each<[string, (i: number) => string[]]>([
    ['ten thousand paths', (i) => Array.from({ length: 20 }, (_, j) => `src/${i}/${j}${i < 200 ? '*' : ''}.ts`)],
    ['long patterns', (i) => [`${i < 200 ? '*' : ''}${'x'.repeat(1_900)}${i}`]],
    ['the same files for all', () => Array.from({ length: 90 }, (_, j) => `f${j}`)],
  ])('%s are compared before anybody goes away', (_, files) => {
    const tasks = Array.from({ length: 480 }, (__, i) => draft(`k${i}`, { files: files(i) }))
    expect(validateDraftTasks(tasks)).toBeInstanceOf(Array)
  })
})

test('any graph: errors exactly where it cannot be laid out, and never a throw', () => {
  const keys = ['a', 'b', 'c', 'd', 'e']
  const one = fc.record({
    key: fc.constantFrom(...keys),
    parent: fc.option(fc.constantFrom(...keys, 'x'), { nil: null }),
    after: fc.array(fc.constantFrom(...keys), { maxLength: 2 }),
    checks: fc.array(fc.constant('npm test'), { maxLength: 1 }),
    files: fc.array(fc.constantFrom('a.ts', '*.ts', 'src/**', 'test/a.ts'), { maxLength: 2 }),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), (some) => {
      const tasks = some.map((said) => draft(said.key, said))
      const errors = validateDraftTasks(tasks).filter(({ level }) => level === 'error')
      expect(errors.length === 0).toBe(canBeLaidOut(tasks))
    }),
  )
})

function canBeLaidOut(tasks: DraftTask[]): boolean {
  const nodes = new Map<string, WaitNode>(
    tasks.map(({ key, title }) => [key, { id: key, title, parent: null, children: [], blockers: [] }]),
  )
  if (nodes.size !== tasks.length) return false
  for (const { key, parent, after } of tasks) {
    const node = nodes.get(key)
    const named = [...(parent === null ? [] : [parent]), ...after]
    if (node === undefined || named.some((name) => !nodes.has(name))) return false
    node.parent = nodes.get(parent ?? '') ?? null
    node.parent?.children.push(node)
    node.blockers = after.flatMap((name) => nodes.get(name) ?? [])
  }
  const hasLostCheck = tasks.some(({ key, checks }) => checks.length > 0 && tasks.some(({ parent }) => parent === key))
  return findCycle(nodes.values()) === null && !hasLostCheck
}
