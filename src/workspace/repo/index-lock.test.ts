import { spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { realClock } from '../../system/clock.ts'
import { exists, writeLoose } from '../../system/files/files.ts'
import { openRepo } from './git.ts'
import { clearStaleLock, lockHeld } from './index-lock.ts'
import type { GitFolders } from './repository-at.ts'
import { aRepo, clearGardens, type Garden } from '../../../test/kit/workspace.ts'

afterAll(clearGardens)

test('a lock whose git is dead is removed', async () => {
  const { garden, place } = await locked()
  expect(await clearStaleLock(place, realClock())).toBe(true)
  expect(exists(garden.path('.git/index.lock'))).toBe(false)
})

test('no lock: nothing to remove', async () => {
  const garden = await aRepo({ 'a.txt': 'a' })
  expect(await clearStaleLock(await placeOf(garden), realClock())).toBe(false)
})

test('a lock laid after the agent had ended is somebody else’s', async () => {
  const { garden, place } = await locked()
  const soon = Date.now() / 1000 + 60
  utimesSync(garden.path('.git/index.lock'), soon, soon)
  expect(await clearStaleLock(place, realClock())).toBe(false)
  expect(lockHeld(place)).toBe(
    `index.lock lies there and no git is at work; if that is so: rm ${garden.path('.git/index.lock')}`,
  )
})

test('a living git in the repository keeps its lock, and is named', async () => {
  const { garden, place } = await locked()
  // `git hash-object --stdin` waits for its input for as long as we like.
  const git = spawn('git', ['hash-object', '--stdin'], {
    cwd: garden.root,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void git.kill('SIGKILL'))
  await new Promise((resolve) => git.once('spawn', resolve))
  expect(await clearStaleLock(place, realClock())).toBe(false)
  expect(lockHeld(place)).toBe(`process ${git.pid} (git hash-object --stdin) holds index.lock`)
})

test('a git in another repository is nobody here', async () => {
  const { place } = await locked()
  const other = await aRepo({ 'b.txt': 'b' })
  const git = spawn('git', ['hash-object', '--stdin'], {
    cwd: other.root,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void git.kill('SIGKILL'))
  await new Promise((resolve) => git.once('spawn', resolve))
  expect(await clearStaleLock(place, realClock())).toBe(process.platform === 'linux')
})

async function locked(): Promise<{ garden: Garden; place: GitFolders }> {
  const garden = await aRepo({ 'a.txt': 'a' })
  writeLoose(garden.path('.git/index.lock'), '')
  return { garden, place: await placeOf(garden) }
}

async function placeOf(garden: Garden): Promise<GitFolders> {
  const { git } = await openRepo(garden.root)
  if (git === null) throw new Error('the garden has no git')
  return git
}
