import { afterAll, expect, test } from 'vitest'
import { openRepo } from './git.ts'
import { aFolder, aRepo, removeTestProjects } from '../../../test/kit/workspace.ts'
import { textDiff } from './text-diff.ts'

afterAll(removeTestProjects)

const bytes = (text: string): Buffer => Buffer.from(text)

test.each<[string, Buffer | null, Buffer | null, string]>([
  ['changed', bytes('one\ntwo\n'), bytes('one\n2\n'), '@@ -1,2 +1,2 @@\n one\n-two\n+2'],
  ['added', null, bytes('one\n'), '@@ -0,0 +1 @@\n+one'],
  ['deleted', bytes('one\n'), null, '@@ -1 +0,0 @@\n-one'],
  ['the same', bytes('one\n'), bytes('one\n'), ''],
  ['no text', bytes('a\0b'), bytes('a\0c'), 'binary files differ'],
])('%s', async (_, old, now, patch) => {
  // What the repository says about files takes no part.
  const testProject = await aRepo({ '.gitattributes': '* -diff\n' })
  expect(await textDiff(await openRepo(testProject.root), { old, now })).toBe(patch)
})

test('a patch that is too long says so', async () => {
  const testProject = await aRepo({ a: 'a\n' })
  const now = bytes('line\n'.repeat(400_000))
  expect((await textDiff(await openRepo(testProject.root), { old: null, now }))?.endsWith('\n(cut here)')).toBe(true)
})

test('without a repository there is nothing to compare with', async () => {
  expect(await textDiff(await openRepo(aFolder({ a: 'a\n' }).root), { old: null, now: bytes('x') })).toBeNull()
})
