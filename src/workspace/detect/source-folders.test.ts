import { afterAll, expect, test } from 'vitest'
import { openRepo } from '../repo/git.ts'
import { sourceFolders } from './source-folders.ts'
import { aFolder, aRepo, removeTestProjects } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

const GATES = [{ run: 'npm test', cwd: '.' }]

test.each<[string, Record<string, string>, string[]]>([
  ['a source folder', { 'src/a.js': '', 'src/deep/b.js': '', 'test/a.test.js': '', 'x.config.js': '' }, ['src']],
  [
    'packages',
    {
      'packages/one/package.json': '{}',
      'packages/one/src/a.js': '',
      'packages/two/package.json': '{}',
      'packages/two/lib/b.js': '',
    },
    ['packages/one/src', 'packages/two/lib'],
  ],
  ['none', { 'a.js': '', 'test.js': '' }, []],
])('%s', async (_, files, folders) => {
  const testProject = await aRepo(files)
  expect(await sourceFolders(await openRepo(testProject.root), { root: testProject.root, gates: GATES })).toEqual(
    folders,
  )
})

test('without git as well', async () => {
  const { root } = aFolder({ 'lib/a.py': '', 'node_modules/x/src/b.js': '' })
  expect(await sourceFolders(await openRepo(root), { root, gates: GATES })).toEqual(['lib'])
})
