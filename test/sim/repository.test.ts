/** The fake repository by itself: what is done there as git does it, and that a commit which is lost would be seen. */
import { expect, test } from 'vitest'
import { seededRandom } from './seeded-random.ts'
import {
  commitAll,
  commitOnto,
  FIRST,
  headOf,
  keepRef,
  findLostCommits,
  newRepository,
  switchTo,
  TARGET,
} from './repository.ts'
import { edit, newSimWorkspace, type SimWorkspace } from './sim-workspace.ts'

function two(): {
  repository: ReturnType<typeof newRepository>
  spaces: SimWorkspace[]
  world: Parameters<typeof commitAll>[0]
} {
  const repository = newRepository()
  const spaces = ['1', '2'].map((id) => newSimWorkspace(id, seededRandom(1)))
  const space = (worker: string): SimWorkspace => {
    const found = spaces.find((one) => one.worker === worker)
    if (found === undefined) throw new Error(`there is no worker ${worker}`)
    return found
  }
  for (const one of spaces) edit(one, 'agent', { paths: ['src/a.ts'] })
  return { repository, spaces, world: { repository, space, note: () => {} } }
}

test('all places begin on one branch, and whoever comes second to it is refused and keeps its work', () => {
  const { repository, spaces, world } = two()
  const seen = headOf(repository, world.space('1'))
  expect(spaces.map((space) => headOf(repository, space))).toEqual([FIRST, FIRST])
  expect(commitAll(world, '1', seen)).toEqual({ sha: 'head-1', files: 1, problem: null })
  expect(commitAll(world, '2', seen)).toEqual({
    sha: null,
    files: 0,
    problem: "cannot lock ref 'HEAD': expected head-0",
  })
  expect(commitAll(world, '2', headOf(repository, world.space('2')))).toEqual({
    sha: 'head-2',
    files: 1,
    problem: null,
  })
  expect(repository.commits.get('head-2')).toEqual({
    id: 'head-2',
    parent: 'head-1',
    by: '2',
    branch: TARGET,
  })
  expect(findLostCommits(repository)).toBe(null)
})

test('a branch that is moved without a look at it has lost a commit, and that is seen', () => {
  const { repository, world } = two()
  commitAll(world, '1', FIRST)
  repository.commits.set('head-9', { id: 'head-9', parent: FIRST, by: '2', branch: TARGET })
  repository.tips.set(TARGET, 'head-9')
  expect(findLostCommits(repository)).toBe('main has lost head-1 of 1')
})

test('on another branch or on none nobody is in the way', () => {
  const { repository, world } = two()
  const [one, other] = [world.space('1'), world.space('2')]
  switchTo(repository, one, 'side')
  switchTo(repository, other, null)
  expect(commitAll(world, '1', FIRST).sha).toBe('head-1')
  expect(commitAll(world, '2', FIRST).sha).toBe('head-2')
  expect([headOf(repository, one), headOf(repository, other)]).toEqual(['head-1', 'head-2'])
  expect(headOf(repository, { branch: TARGET, detachedAt: FIRST })).toBe(FIRST)
  const person = { branch: TARGET, detachedAt: FIRST }
  expect(commitOnto(repository, person, { seen: FIRST, by: 'person' })).toBe('head-3')
  switchTo(repository, other, TARGET)
  expect(headOf(repository, other)).toBe('head-3')
})

test("another's ref is not overwritten unseen", () => {
  const refs = new Map<string, string>()
  expect(keepRef(refs, 'refs/ralph/r/w1/1', '1')).toBe(null)
  expect(keepRef(refs, 'refs/ralph/r/w1/1', '1')).toBe(null)
  expect(keepRef(refs, 'refs/ralph/r/w1/1', '2')).toContain('worker 2 overwrites refs/ralph/r/w1/1 of worker 1')
})
