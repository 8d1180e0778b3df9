import { expect, test } from 'vitest'
import type { GitOperation, Snapshot } from './change.ts'
import {
  findDrift,
  describeDrift,
  branchCorrection,
  branchStateAfter,
  branchStateAtCommit,
  type BranchState,
} from './branch-state.ts'

const HEAD = 'abc1234def5678'

test('the first look is home', () => {
  expect(branchStateAfter(null, on('main'), 'person')).toEqual({
    home: 'main',
    branch: 'main',
    head: HEAD,
    left: null,
  })
})

test('a person who changes the branch between two iterations changes home', () => {
  const branchState = branchStateAfter(began('main'), on('side'), 'person')
  expect(branchState.home).toBe('side')
  expect(findDrift(branchState)).toEqual([])
})

test('an agent that changes the branch does not', () => {
  const branchState = branchStateAfter(began('main'), on('side'), 'agent')
  expect(findDrift(branchState)).toEqual([
    {
      short: 'on branch side, not main',
      what: 'the commits are on branch side, not on main',
      command: 'git switch main',
    },
  ])
  expect(branchCorrection(branchState)).toBe(null)
})

test('it stays away from its branch over a look that finds nothing new, and is home again when the agent goes back', () => {
  const gone = branchStateAfter(began('main'), on('side'), 'agent')
  const still = branchStateAfter(gone, on('side'), 'person')
  expect(still.home).toBe('main')
  expect(findDrift(branchStateAfter(still, on('main'), 'agent'))).toEqual([])
})

test('a detached HEAD is told with a command that keeps its commits', () => {
  const branchState = branchStateAfter(began('main'), on(null), 'agent')
  expect(describeDrift(branchState)).toBe(
    'HEAD is detached at abc1234de, so commits made there are not on main or any other branch: git branch ralph-abc1234 abc1234de && git switch main',
  )
  expect(branchCorrection(branchState)).toBe(
    'HEAD is detached, so your commits are on no branch: move them to main before you continue.',
  )
})

test.each([
  ['merge', 'the agent left a merge open: git merge --continue'],
  ['rebase', 'the agent left a rebase open: git rebase --continue'],
  ['am', 'the agent left a git am open: git am --continue'],
  ['cherry-pick', 'the agent left a cherry-pick open: git cherry-pick --continue'],
  ['revert', 'the agent left a revert open: git revert --continue'],
  ['bisect', 'the agent left a bisect open: git bisect reset'],
] as const)('an open %s is told', (open, line) => {
  expect(describeDrift(branchStateAfter(began('main'), on('main', open), 'agent'))).toBe(line)
})

test('the detached HEAD of a rebase is part of the rebase', () => {
  const branchState = branchStateAfter(began('main'), on(null, 'rebase'), 'agent')
  expect(findDrift(branchState).map(({ short }) => short)).toEqual(['rebase left open'])
})

test('a merge that a person began is not the agent’s', () => {
  expect(branchStateAfter(began('main'), on('main', 'merge'), 'person').left).toBe(null)
})

test('a run that began on a detached HEAD has nowhere to go back to', () => {
  expect(findDrift(branchStateAfter(began(null), on(null), 'agent'))).toEqual([])
})

function began(branch: string | null): BranchState {
  return branchStateAfter(null, on(branch), 'person')
}

function on(branch: string | null, open?: GitOperation): Snapshot {
  return {
    tree: 't',
    head: HEAD,
    branch,
    ref: null,
    unstored: [],
    busy: null,
    ...(open === undefined ? {} : { open }),
  }
}

test('Ralph’s own commit is where HEAD is', () => {
  const branchState = branchStateAtCommit(branchStateAfter(began('main'), on(null), 'agent'), 'fed9876543')
  expect(describeDrift(branchState)).toContain('git branch ralph-fed9876 fed987654 ')
})
