import { afterAll, describe, expect, test } from 'vitest'
import { exists, listFolder, readText } from '../../system/files/files.ts'
import { aFolder, aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'
import { openRepo } from './git.ts'
import { objectFormatOf, removeRef, writeCommit, writeRef } from './loose-objects.ts'
import type { GitFolders } from './find-repo.ts'

afterAll(removeTestProjects)

const REF = 'refs/ralph/r1/w1/1'

async function placeOf(testProject: TestProject): Promise<GitFolders> {
  const { git } = await openRepo(testProject.root)
  if (git === null) throw new Error('no repository')
  return git
}

async function textOn(testProject: TestProject): Promise<string> {
  const tree = (await testProject.git('rev-parse', 'HEAD^{tree}')).trim()
  const parent = (await testProject.git('rev-parse', 'HEAD')).trim()
  const who = 'Ralph <ralph@localhost> 1800000000 +0000'
  return `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nralph: snapshot r1/w1/1 ü\n`
}

async function aSha256Repo(): Promise<TestProject> {
  const testProject = aFolder({ 'a.txt': 'a' })
  await testProject.git('init', '-q', '-b', 'main', '--template=', '--object-format=sha256')
  await testProject.git('add', '-A')
  await testProject.git('commit', '-q', '-m', 'start')
  return testProject
}

describe.each([
  ['sha1', () => aRepo({ 'a.txt': 'a' })],
  ['sha256', aSha256Repo],
] as const)('a repository of %s', (format, make) => {
  test('takes commits and refs of ours as its own', async () => {
    const testProject = await make()
    const place = await placeOf(testProject)
    const text = await textOn(testProject)
    const hash = writeCommit(place, text) ?? ''
    expect([objectFormatOf(place.commonDir), writeRef(place, REF, hash)]).toEqual([format, true])
    expect(await testProject.git('cat-file', 'commit', REF)).toBe(text)
    expect((await testProject.git('rev-parse', REF)).trim()).toBe(hash)
    expect(await testProject.git('fsck', '--strict', '--no-dangling')).toBe('')
    // The same again is the same, and nothing of the writing is left.
    expect(writeCommit(place, text)).toBe(hash)
    expect(listFolder(testProject.path('.git/objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
    expect(listFolder(testProject.path('.git/refs/ralph/r1/w1'))).toEqual(['1'])
  })
})

test('a ref is moved and removed; one that was packed is left to git', async () => {
  const testProject = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(testProject)
  const first = (await testProject.git('rev-parse', 'HEAD')).trim()
  const second = writeCommit(place, await textOn(testProject)) ?? ''
  writeRef(place, REF, first)
  expect([writeRef(place, REF, second), readText(testProject.path(`.git/${REF}`))]).toEqual([true, `${second}\n`])
  expect([removeRef(place, REF), exists(testProject.path(`.git/${REF}`))]).toEqual([true, false])
  writeRef(place, REF, second)
  await testProject.git('pack-refs', '--all', '--prune')
  expect([removeRef(place, REF), (await testProject.git('rev-parse', REF)).trim()]).toEqual([false, second])
})

test.each([
  ['core.sharedRepository', 'group'],
  ['extensions.refStorage', 'reftable'],
  ['extensions.somethingNew', 'true'],
  ['include.path', '/nowhere'],
  ['core.repositoryFormatVersion', '2'],
])('%s = %s: git writes', async (key, value) => {
  const testProject = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(testProject)
  const text = await textOn(testProject)
  const head = (await testProject.git('rev-parse', 'HEAD')).trim()
  await testProject.git('config', '-f', '.git/config', key, value)
  expect([writeCommit(place, text), writeRef(place, REF, head), removeRef(place, REF)]).toEqual([null, false, false])
})

test('a lock that somebody holds is not taken', async () => {
  const testProject = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(testProject)
  testProject.write({ [`.git/${REF}.lock`]: '' })
  expect([writeRef(place, REF, 'a'.repeat(40)), exists(testProject.path(`.git/${REF}.lock`))]).toEqual([false, true])
})
