/** Describes for people why changes cannot be reverted. */
import { assertNever } from '../../core/assert-never.ts'
import type { Obstacle } from './plan-revert.ts'

export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.is) {
    case 'files':
      return `the same lines of ${joinFileNames(obstacle.files)} changed since`
    case 'staged':
      return `staged changes of ${joinFileNames(obstacle.files)} are on the same lines`
    case 'control':
      return `the same lines of ${joinFileNames(obstacle.files)} changed since`
    case 'commit':
      return `commit ${obstacle.commit.sha.slice(0, 10)} builds on these changes, in ${joinFileNames(obstacle.files)}`
    case 'history':
      return 'the history was rewritten since, so its commits are unknown'
    case 'branch':
      return `it worked on ${branchText(obstacle.home)}, and HEAD is now on ${branchText(obstacle.now)}`
    case 'unmerged':
      return 'the index has an unfinished merge'
    default:
      return assertNever(obstacle)
  }
}

/** How many file names are printed. */
const NAMED = 3

export function joinFileNames(files: string[]): string {
  const more = files.length - NAMED
  return `${files.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function branchText(branch: string | null): string {
  return branch === null ? 'a detached HEAD' : `branch ${branch}`
}
