import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Gate } from '../domain/proof/evidence.ts'
import type { GuardBase, GuardReport } from '../domain/proof/guard.ts'
import { buildEnv } from '../system/environment.ts'
import { openRepo } from './git.ts'
import { hashOfMissing, missingFrom } from './guard-presence.ts'
import { checkGuard, takeGuard } from './guard.ts'
import type { Repo } from './place.ts'
import { takeSnapshot } from './snapshot.ts'
import { aFolder, aRepo, clearGardens } from './test-kit.ts'

afterAll(clearGardens)

const GATE: Gate = { name: 'test', run: 'true', timeoutMs: 1_000, when: 'completion', cwd: '.', env: {} }
const FILES = { 'src/a.js': '1\n', 'test/a.test.js': 'expect(1)\n', 'test/b.test.js': 'expect(2)\n' }

test('a file is missing that is not there, or only behind a link in place of its folder', () => {
  const garden = aFolder(FILES)
  rmSync(join(garden.root, 'test/a.test.js'))
  renameSync(join(garden.root, 'src'), join(garden.root, 'moved'))
  symlinkSync('moved', join(garden.root, 'src'))
  expect(missingFrom(garden.root, Object.keys(FILES))).toEqual(['src/a.js', 'test/a.test.js'])
})

test('the order of names does not matter, and nothing missing has no hash', () => {
  expect(hashOfMissing(['b', 'a'])).toBe(hashOfMissing(['a', 'b']))
  expect(hashOfMissing(['a'])).not.toBe(hashOfMissing(['b']))
  expect(hashOfMissing([])).toBeNull()
})

test('tests that are taken out of the checkout are tampered with, though git calls them unchanged', async () => {
  const garden = await aRepo(FILES)
  const repo = await openRepo(garden.root)
  const base = await take(repo)
  await garden.git('update-index', '--skip-worktree', 'test/a.test.js')
  rmSync(join(garden.root, 'test/a.test.js'))
  expect((await check(repo, base)).tampered).toEqual([
    { path: 'test/a.test.js', why: 'test/a.test.js is not in the folder any more, though git still has it' },
  ])
})

test('what a sparse checkout left out from the start is nobody’s fault', async () => {
  const garden = await aRepo(FILES)
  await garden.git('update-index', '--skip-worktree', 'test/a.test.js')
  rmSync(join(garden.root, 'test/a.test.js'))
  const repo = await openRepo(garden.root)
  expect((await check(repo, await take(repo))).tampered).toEqual([])
})

async function take(repo: Repo): Promise<GuardBase> {
  const { tree } = await takeSnapshot(repo, { ref: null })
  return (await takeGuard({ ...guarded(repo), tree, plan: null })).base
}

async function check(repo: Repo, base: GuardBase): Promise<GuardReport> {
  return checkGuard({ ...guarded(repo), base, now: await takeSnapshot(repo, { ref: null }) })
}

function guarded(repo: Repo): {
  repo: Repo
  root: string
  gates: Gate[]
  protect: string[]
  env: Record<string, string>
} {
  return { repo, root: repo.root, gates: [GATE], protect: [], env: buildEnv({ pass: [], add: {} }) }
}
