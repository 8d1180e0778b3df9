import { afterAll, describe, expect, test } from 'vitest'
import { exists, listFolder, readText } from '../../system/files/files.ts'
import { aFolder, aRepo, clearGardens, type Garden } from '../../../test/kit/workspace.ts'
import { openRepo } from './git.ts'
import { formatOf, removeRef, writeCommit, writeRef } from './loose.ts'
import type { GitFolders } from './repository-at.ts'

afterAll(clearGardens)

const REF = 'refs/ralph/r1/w1/1'

async function placeOf(garden: Garden): Promise<GitFolders> {
  const { git } = await openRepo(garden.root)
  if (git === null) throw new Error('no repository')
  return git
}

async function textOn(garden: Garden): Promise<string> {
  const tree = (await garden.git('rev-parse', 'HEAD^{tree}')).trim()
  const parent = (await garden.git('rev-parse', 'HEAD')).trim()
  const who = 'Ralph <ralph@localhost> 1800000000 +0000'
  return `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nralph: snapshot r1/w1/1 ü\n`
}

async function aSha256Repo(): Promise<Garden> {
  const garden = aFolder({ 'a.txt': 'a' })
  await garden.git('init', '-q', '-b', 'main', '--template=', '--object-format=sha256')
  await garden.git('add', '-A')
  await garden.git('commit', '-q', '-m', 'start')
  return garden
}

describe.each([
  ['sha1', () => aRepo({ 'a.txt': 'a' })],
  ['sha256', aSha256Repo],
] as const)('a repository of %s', (format, make) => {
  test('takes commits and refs of ours as its own', async () => {
    const garden = await make()
    const place = await placeOf(garden)
    const text = await textOn(garden)
    const hash = writeCommit(place, text) ?? ''
    expect([formatOf(place.commonDir), writeRef(place, REF, hash)]).toEqual([format, true])
    expect(await garden.git('cat-file', 'commit', REF)).toBe(text)
    expect((await garden.git('rev-parse', REF)).trim()).toBe(hash)
    expect(await garden.git('fsck', '--strict', '--no-dangling')).toBe('')
    // The same again is the same, and nothing of the writing is left.
    expect(writeCommit(place, text)).toBe(hash)
    expect(listFolder(garden.path('.git/objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
    expect(listFolder(garden.path('.git/refs/ralph/r1/w1'))).toEqual(['1'])
  })
})

test('a ref is moved and removed; one that was packed is left to git', async () => {
  const garden = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(garden)
  const first = (await garden.git('rev-parse', 'HEAD')).trim()
  const second = writeCommit(place, await textOn(garden)) ?? ''
  writeRef(place, REF, first)
  expect([writeRef(place, REF, second), readText(garden.path(`.git/${REF}`))]).toEqual([true, `${second}\n`])
  expect([removeRef(place, REF), exists(garden.path(`.git/${REF}`))]).toEqual([true, false])
  writeRef(place, REF, second)
  await garden.git('pack-refs', '--all', '--prune')
  expect([removeRef(place, REF), (await garden.git('rev-parse', REF)).trim()]).toEqual([false, second])
})

test.each([
  ['core.sharedRepository', 'group'],
  ['extensions.refStorage', 'reftable'],
  ['extensions.somethingNew', 'true'],
  ['include.path', '/nowhere'],
  ['core.repositoryFormatVersion', '2'],
])('%s = %s: git writes', async (key, value) => {
  const garden = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(garden)
  const text = await textOn(garden)
  const head = (await garden.git('rev-parse', 'HEAD')).trim()
  await garden.git('config', '-f', '.git/config', key, value)
  expect([writeCommit(place, text), writeRef(place, REF, head), removeRef(place, REF)]).toEqual([
    null,
    false,
    false,
  ])
})

test('a lock that somebody holds is not taken', async () => {
  const garden = await aRepo({ 'a.txt': 'a' })
  const place = await placeOf(garden)
  garden.write({ [`.git/${REF}.lock`]: '' })
  expect([writeRef(place, REF, 'a'.repeat(40)), exists(garden.path(`.git/${REF}.lock`))]).toEqual([
    false,
    true,
  ])
})
