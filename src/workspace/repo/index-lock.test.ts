import { spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../system/clock.ts'
import { exists, writeWithoutSync } from '../../system/files/files.ts'
import { openRepo } from './git.ts'
import { removeStaleIndexLock, describeIndexLock } from './index-lock.ts'
import type { GitFolders } from './find-repo.ts'
import { aRepo, removeTestProjects, type TestProject } from '../../../test/kit/workspace.ts'

afterAll(removeTestProjects)

test('a lock whose git is dead is removed', async () => {
  const { testProject, place } = await locked()
  expect(await removeStaleIndexLock(place, systemClock())).toBe(true)
  expect(exists(testProject.path('.git/index.lock'))).toBe(false)
})

test('no lock: nothing to remove', async () => {
  const testProject = await aRepo({ 'a.txt': 'a' })
  expect(await removeStaleIndexLock(await placeOf(testProject), systemClock())).toBe(false)
})

test('a lock laid after the agent had ended is somebody else’s', async () => {
  const { testProject, place } = await locked()
  const soon = Date.now() / 1000 + 60
  utimesSync(testProject.path('.git/index.lock'), soon, soon)
  expect(await removeStaleIndexLock(place, systemClock())).toBe(false)
  expect(describeIndexLock(place)).toBe(
    `index.lock exists; if no git is running, remove it: rm ${testProject.path('.git/index.lock')}`,
  )
})

test('a living git in the repository keeps its lock, and is named', async () => {
  const { testProject, place } = await locked()
  // `git hash-object --stdin` waits for its input for as long as we like.
  const git = spawn('git', ['hash-object', '--stdin'], {
    cwd: testProject.root,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void git.kill('SIGKILL'))
  await new Promise((resolve) => git.once('spawn', resolve))
  expect(await removeStaleIndexLock(place, systemClock())).toBe(false)
  expect(describeIndexLock(place)).toBe(`process ${git.pid} (git hash-object --stdin) holds index.lock`)
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
  expect(await removeStaleIndexLock(place, systemClock())).toBe(process.platform === 'linux')
})

async function locked(): Promise<{ testProject: TestProject; place: GitFolders }> {
  const testProject = await aRepo({ 'a.txt': 'a' })
  writeWithoutSync(testProject.path('.git/index.lock'), '')
  return { testProject, place: await placeOf(testProject) }
}

async function placeOf(testProject: TestProject): Promise<GitFolders> {
  const { git } = await openRepo(testProject.root)
  if (git === null) throw new Error('the garden has no git')
  return git
}
