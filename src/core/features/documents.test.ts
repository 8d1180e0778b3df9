import { describe, expect, test } from 'vitest'
import type { DraftTask } from './task-file.ts'
import { draftTaskTree } from './draft-tree.ts'
import { newTasksFrom } from './to-new-tasks.ts'
import { featureFolderNameProblem } from '../tasks/task-id.ts'
import { featureDocumentPath, documentProblems, type DocumentKind } from './documents.ts'
import { listCheckPrograms, listCheckCommands, formatKeyList, listTestGlobs } from './list-check-commands.ts'
import { isEmptyRevision, planTaskRevision, serializeDraftTask } from './task-revision.ts'
import { taskFileText, draft } from '../../../test/kit/feature.ts'

const WORDS = 'What is wanted, in words that say it. '.repeat(8)

describe('a document is whole, or it is told what is missing', () => {
  test.each<[DocumentKind, string, string | null]>([
    ['spec', `# Spec\n\n${WORDS}`, null],
    ['plan', `Words first.\n\n## Phase 1\n\n${WORDS}`, null],
    ['spec', ' \n\n', 'it is empty'],
    ['spec', '# Spec\n\nLater.', 'it has 14 characters, which is too short to be useful (# Spec Later.)'],
    ['plan', WORDS, 'it has no heading'],
    ['plan', `\`\`\`\n# an example\n\`\`\`\n${WORDS}`, 'it has no heading'],
    ['spec', `# Spec\n\n${'x'.repeat(512 * 1024)}`, 'it has 524296 bytes; the limit is 524288'],
    ['spec', `# Spec\n\n${WORDS}\0`, 'it is not a text file: it contains a null character'],
    ['prompt', 'Build a shop.', null],
    ['prompt', 'x', null],
    ['prompt', '\n', 'it is empty'],
    ['fix-plan', ' ', 'it is empty'],
    ['spec', `# Spec\n\n${'x'.repeat(192)}`, null],
    ['spec', `# Spec\n\n${'x'.repeat(191)}`, 'it has 199 characters'],
    ['spec', `# Spec\n\n${'x'.repeat(512 * 1024 - 8)}`, null],
    ['fix-plan', '# Plan\n- [ ] a shop\n', null],
    ['fix-plan', '- [x] a shop\n', 'it has no open checkbox'],
    ['fix-plan', '```\n- [ ] an example\n```\n', 'it has no open checkbox'],
    ['fix-plan', '- [ ] a shop [tests: test/shop*]\n', null],
    ['fix-plan', '- [ ] a shop [protected: **]\n', 'only a person may permit changes to protected files'],
    ['fix-plan', '- [ ] a shop [tests: test/**]\n', '"[tests: test/**]" permits changes to every test that matches'],
    ['fix-plan', '- [ ]\n', 'it has no open checkbox'],
    ['tasks', taskFileText(draft('a')), null],
    ['tasks', taskFileText(draft('a', { size: 'large' })), null],
    ['tasks', '{', 'the document is not valid JSON'],
    [
      'tasks',
      taskFileText(draft('a', { after: ['b'] })),
      'tasks[0].after[0]: there is no task "b". Use the key of a task in this document, or remove it.',
    ],
  ])('%s %j', (kind, text, told) => {
    expect(documentProblems(kind, text)).toEqual(told === null ? [] : [expect.stringContaining(told)])
  })
})

test.each([
  ['photo-names', null],
  ['Login_2', null],
  ['a/b', 'begins with a letter or a digit and has only'],
  ['..', 'begins with a letter or a digit and has only'],
  ['a\\b', 'begins with a letter or a digit and has only'],
  ['a\0b', 'begins with a letter or a digit and has only'],
  ['', 'begins with a letter or a digit and has only'],
  ['v1.2', 'cannot contain a dot'],
  ['x'.repeat(200), 'has at most 64 characters'],
  ['f-abcde', '"f-"'],
  ['NUL', 'Windows reserves this name'],
  ['com1', 'Windows reserves this name'],
])('the name %j', (name, told) => {
  expect(featureFolderNameProblem(name)).toEqual(told === null ? null : expect.stringContaining(told))
})

test('keys become ids; what was deleted is waited for no longer', () => {
  const ids: Record<string, string> = { a: 't-1', b: 't-2' }
  const idOf = (key: string): string | null => ids[key] ?? null
  expect(newTasksFrom([draft('b', { parent: 'a' })], { feature: 'login', idOf })).toMatchObject([
    { id: 't-2', parent: 't-1', description: '' },
  ])
  const tasks = [
    draft('a', { parent: 'x', files: ['a.ts', 'b.ts'], description: 'Words.\n' }),
    draft('b', { after: ['a', 'x', 'a'], priority: 3, tests: ['t'], criteria: ['c'] }),
  ]
  expect(newTasksFrom(tasks, { feature: 'login', idOf: (key) => ids[key] ?? null })).toMatchObject([
    {
      id: 't-1',
      parent: null,
      description: 'Words.\n\nFiles: a.ts, b.ts',
      blockers: [],
      feature: 'login',
      checks: ['npm test'],
    },
    {
      id: 't-2',
      parent: null,
      description: '',
      blockers: ['t-1'],
      priority: 3,
      tests: ['t'],
      criteria: ['c'],
    },
  ])
})

test('a later document changes what is open, and nothing that is done or was deleted', () => {
  const was = ['same', 'open', 'done', 'deleted', 'gone', 'gone-done', 'gone-deleted', 'archived'].map((key) =>
    draft(key),
  )
  const before = was.map((one) => ({ key: one.key, task: `t-${one.key}`, said: serializeDraftTask(one) }))
  const standing = (
    key: string,
    status: 'pending' | 'failed' | 'done',
    archivedAt: number | null = null,
  ): [string, { title: string; status: typeof status; archivedAt: number | null }] => [
    `t-${key}`,
    { title: `Task ${key}`, status, archivedAt },
  ]
  const now = new Map([
    standing('same', 'pending'),
    standing('open', 'failed'),
    standing('done', 'done'),
    standing('gone', 'pending'),
    standing('gone-done', 'done'),
    standing('archived', 'pending', 5),
  ])
  const other = (key: string) => draft(key, { description: 'Otherwise.' })
  const revised = (key: string): object => ({ key, task: `t-${key}`, title: `Task ${key}` })
  expect(
    planTaskRevision([draft('same'), draft('new'), ...['open', 'done', 'deleted', 'archived'].map(other)], before, now),
  ).toEqual({
    added: ['new'],
    changed: [revised('open')],
    gone: [revised('gone')],
    stays: ['done', 'gone-done'].map(revised),
    deleted: ['deleted', 'archived'],
  })
})

test('a document that says the same again changes nothing', () => {
  const nothing = { added: [], changed: [], gone: [], stays: [], deleted: [] }
  const one = { key: 'a', task: 't-a', title: 'A' }
  expect(isEmptyRevision({ ...nothing, stays: [one] })).toBe(true)
  expect(
    [{ added: ['a'] }, { changed: [one] }, { gone: [one] }].map((more) => isEmptyRevision({ ...nothing, ...more })),
  ).toEqual([false, false, false])
})

test('documents lie in the folder of their feature', () => {
  expect([
    featureDocumentPath('login', 'spec'),
    featureDocumentPath('login', 'plan'),
    featureDocumentPath('login', 'tasks'),
  ]).toEqual(['.ralph/features/login/spec.md', '.ralph/features/login/plan.md', '.ralph/features/login/tasks.json'])
})

test('the tree shows every task once, also of a document that is wrong', () => {
  const treeOf = (...tasks: DraftTask[]): string[] =>
    draftTaskTree(tasks).map(({ task, depth, last }) => `${depth} ${task.key}${last ? ' last' : ''}`)
  expect(
    treeOf(
      draft('c', { parent: 'p' }),
      draft('o'),
      draft('p'),
      draft('d', { parent: 'p' }),
      draft('e', { parent: 'c' }),
      draft('x', { parent: 'nobody' }),
    ),
  ).toEqual(['0 o', '0 p', '1 c', '2 e last', '1 d last', '0 x last'])
  expect(treeOf(draft('a', { parent: 'b' }), draft('b', { parent: 'a' }), draft('s', { parent: 's' }))).toEqual([
    '0 a last',
    '1 b last',
    '0 s last',
  ])
  expect(draftTaskTree([draft('a'), draft('a')])).toHaveLength(2)
})

test('what accepting lets run and change is named once, with who says it; a command may be trusted by another name', () => {
  const tasks = [
    draft('a', { checks: ['npm test', 'npm test', 'make a'], tests: ['t/a'] }),
    draft('b', { checks: ['npm test'], tests: ['t/a', 't/b'] }),
    draft('c', { checks: [] }),
  ]
  expect(listCheckCommands(tasks)).toEqual([
    { what: 'npm test', by: ['a', 'b'] },
    { what: 'make a', by: ['a'] },
  ])
  expect(listTestGlobs(tasks)).toEqual([
    { what: 't/a', by: ['a', 'b'] },
    { what: 't/b', by: ['b'] },
  ])
  const gates = [
    { name: 'test', run: 'npm test' },
    { name: 'lint', run: 'npm run lint' },
  ]
  const here = { setting: 'check', cwd: '.', env: {}, oneOfMany: true }
  expect(listCheckPrograms(tasks, { path: 'tasks.json', gates })).toEqual([
    {
      ...here,
      run: 'npm test',
      where: 'tasks.json: a, b',
      also: [{ setting: 'gate test', run: 'npm test' }],
    },
    { ...here, run: 'make a', where: 'tasks.json: a', also: [] },
  ])
  const all = (count: number): string => formatKeyList(Array.from({ length: count }, (_, i) => `k${i}`))
  expect([all(6), all(8)]).toEqual(['k0, k1, k2, k3, k4, k5', 'k0, k1, k2, k3, k4, k5 and 2 more'])
})
