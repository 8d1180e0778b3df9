import { afterAll, expect, test } from 'vitest'
import { removeIfExists } from '../../system/files/files.ts'
import { openRepo } from './git.ts'
import { takeSnapshot } from '../snapshot/snapshot.ts'
import { aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

async function snap(testProject: TestProject) {
  return takeSnapshot(await openRepo(testProject.root, testProject), { ref: null })
}

async function listTree(testProject: TestProject, tree: string): Promise<string[]> {
  return (await testProject.git('ls-tree', '-r', '-z', '--name-only', tree)).split('\0').slice(0, -1)
}

test.each<[string, string, string[]]>([
  ['a folder by a link to where it went', 'mv src lib && ln -s lib src', ['lib/a', 'lib/b/c', 'src', 'z']],
  ['a folder inside by a link', 'mv src/b lib && ln -s ../lib src/b', ['lib/c', 'src/a', 'src/b', 'z']],
  ['a folder by a link out of the project', 'rm -r src && ln -s /usr src', ['src', 'z']],
  ['a folder by a link that leads nowhere', 'rm -r src && ln -s nowhere src', ['src', 'z']],
  ['a folder by a link to itself', 'rm -r src && ln -s src src', ['src', 'z']],
  ['a folder by a file', 'rm -r src && echo x > src', ['src', 'z']],
  ['a file by a folder', 'rm z && mkdir z && echo x > z/y', ['src/a', 'src/b/c', 'z/y']],
  ['a file by a link', 'rm z && ln -s src/a z', ['src/a', 'src/b/c', 'z']],
  ['a file by a pipe', 'rm z && mkfifo z && echo n > src/new', ['src/a', 'src/b/c', 'src/new']],
  ['a file by a repository', 'rm z && git init -q z && echo x > z/y', ['.ralph/snapshot.json', 'src/a', 'src/b/c']],
  [
    'a file by a repository with a commit',
    'rm z && git init -q z && git -C z commit -q --allow-empty -m x',
    ['.ralph/snapshot.json', 'src/a', 'src/b/c'],
  ],
])('%s replaced: nothing of the old tree stays, and the way back leads to it', async (_, work, names) => {
  const testProject = await aRepo({ 'src/a': 'a', 'src/b/c': 'c', z: 'z' })
  const before = await snap(testProject)
  await testProject.sh('sh', '-c', work)
  const { tree } = await snap(testProject)
  expect(await listTree(testProject, tree)).toEqual(names)
  expect((await snap(testProject)).tree).toBe(tree)
  await testProject.sh('sh', '-c', 'rm -rf lib src z && git checkout -q .')
  expect((await snap(testProject)).tree).toBe(before.tree)
})

test('a link replaced by the folder it led to, also while it is not committed', async () => {
  const testProject = await aRepo({ 'lib/a': 'a' })
  await testProject.sh('ln', '-s', 'lib', 'committed')
  await testProject.commit('link')
  await testProject.sh('ln', '-s', 'lib', 'fresh')
  await snap(testProject)
  await testProject.sh('sh', '-c', 'rm committed fresh && cp -r lib committed && mv lib fresh')
  expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual(['committed/a', 'fresh/a'])
  await testProject.sh('sh', '-c', 'rm -r committed && ln -s fresh committed && mv fresh lib && ln -s lib fresh')
  expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual(['committed', 'fresh', 'lib/a'])
})

test('names that are not UTF-8, behind a link', async () => {
  const testProject = await aRepo({ 'src/a': 'a' })
  await testProject.sh('sh', '-c', 'd="$(printf "src/d\\351")" && mkdir "$d" && echo 1 > "$d/f" && echo 2 > "$d.x"')
  await testProject.commit('odd')
  await testProject.sh('sh', '-c', 'echo 3 > "$(printf "src/d\\351/f")"')
  expect(await listTree(testProject, (await snap(testProject)).tree)).toEqual([
    'src/a',
    'src/d\uFFFD.x',
    'src/d\uFFFD/f',
  ])
  await testProject.sh('sh', '-c', 'mv src lib && ln -s lib src')
  const { tree } = await snap(testProject)
  expect(await listTree(testProject, tree)).toEqual(['lib/a', 'lib/d\uFFFD.x', 'lib/d\uFFFD/f', 'src'])
})

test('a file whose line ends git would not take', async () => {
  const testProject = await aRepo({ 'a.txt': 'a\n' })
  await testProject.git('config', 'core.autocrlf', 'input')
  await testProject.git('config', 'core.safecrlf', 'true')
  testProject.write({ 'a.txt': 'b\r\n' })
  expect(await testProject.git('show', `${(await snap(testProject)).tree}:a.txt`)).toBe('b\n')
})

test('what git cannot take at all is an error, not the tree of before', async () => {
  const testProject = await aRepo({ 'a.txt': 'a', '.gitattributes': '*.ps1 working-tree-encoding=UTF-16\n' })
  const before = await snap(testProject)
  testProject.write({ 'a.txt': 'changed', 'x.ps1': 'not UTF-16' })
  await expect(snap(testProject)).rejects.toThrow(/^could not store a snapshot: .*x\.ps1/)
  await expect(snap(testProject)).rejects.toHaveProperty('code', 'git-failed')
  removeIfExists(testProject.path('x.ps1'))
  expect((await snap(testProject)).tree).not.toBe(before.tree)
})
