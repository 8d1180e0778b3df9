import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { lockOwnerOf, acquireLock } from '../lock.ts'
import { followMovedProject, saveWorktreePath, type WorktreeIdentity } from './moved-project.ts'
import type { Store } from './open-store.ts'
import { addReset, listResets } from '../resets.ts'
import { loadUnfinishedRun } from '../runs.ts'
import { makeTestFolder, makeTestStore, appendEvents, runStarted } from '../../../test/kit/store.ts'

const MAIN: WorktreeIdentity = { name: 'main', id: '1:10' }
const LINKED: WorktreeIdentity = { name: 'worktrees/review', id: '1:20' }

/** A store in which a run was cut off at `left`. */
async function cutOffAt(left: string, tree: WorktreeIdentity): Promise<Store> {
  const store = await makeTestStore()
  await appendEvents(store, [runStarted({ project: left })])
  await saveWorktreePath(store.sql, left, tree)
  return store
}

async function found({ sql }: Store, at: string, tree: WorktreeIdentity): Promise<string | null> {
  await followMovedProject(sql, at, tree)
  return (await loadUnfinishedRun(sql, at))?.id ?? null
}

test('a tree that is found elsewhere brings its runs and resets along, and that is told once', async () => {
  const store = await cutOffAt('/old/shop', MAIN)
  const { sql } = store
  await addReset(sql, '/old/shop', 'breaker', { at: 5, reason: 'by hand' })
  expect(await found(store, '/new/shop', MAIN)).toBe('r1')
  expect(await listResets(sql, '/new/shop', 'breaker')).toEqual([{ at: 5, reason: 'by hand', after: 'r1' }])
  expect([await saveWorktreePath(sql, '/new/shop', MAIN), await saveWorktreePath(sql, '/new/shop', MAIN)]).toEqual([
    '/old/shop',
    null,
  ])
})

test('and back again', async () => {
  const store = await cutOffAt('/old/shop', MAIN)
  await found(store, '/new/shop', MAIN)
  expect(await found(store, '/old/shop', MAIN)).toBe('r1')
})

test('a repository that came to another disk is taken for moved when nothing is left at the old place', async () => {
  const store = await cutOffAt('/old/shop', MAIN)
  expect(await found(store, '/new/shop', { name: 'main', id: '2:99' })).toBe('r1')
})

test('a copy is no move: the original is still there', async () => {
  const original = join(makeTestFolder(), 'shop')
  mkdirSync(original)
  const store = await cutOffAt(original, MAIN)
  expect(await found(store, '/copy/shop', { name: 'main', id: '1:11' })).toBe(null)
})

test('a linked worktree that was moved is the same one, wherever its name is kept', async () => {
  const store = await cutOffAt('/old/review', LINKED)
  expect(await found(store, '/new/review', LINKED)).toBe('r1')
})

test('a removed worktree is no move: neither the main tree nor a new one of its name resumes its run', async () => {
  const store = await cutOffAt('/old/review', LINKED)
  expect(await found(store, '/old/shop', MAIN)).toBe(null)
  expect(await found(store, '/new/review', { ...LINKED, id: '1:21' })).toBe(null)
})

test('while somebody works in it, it cannot follow', async () => {
  const store = await cutOffAt('/old/shop', MAIN)
  await acquireLock(store.sql, '/old/shop', { ...ownProcessIdentity(), command: 'loop', run: null, since: 0 })
  await expect(found(store, '/new/shop', MAIN)).rejects.toMatchObject({
    code: 'held',
    message: `/old/shop was moved to /new/shop while process ${process.pid} was running in it`,
  })
  expect(await lockOwnerOf(store.sql, '/old/shop')).toMatchObject({ pid: process.pid })
})
