/** Describes for people why changes cannot be reverted. */
import { assertNever } from '../../core/assert-never.ts'
import type { Obstacle } from './plan-revert.ts'

export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.is) {
    case 'files':
      return `later changes touch the same lines of ${joinFileNames(obstacle.files)}`
    case 'staged':
      return `staged changes touch the same lines of ${joinFileNames(obstacle.files)}`
    case 'control':
      return `later changes touch the same lines of ${joinFileNames(obstacle.files)}`
    case 'commit':
      return `commit ${obstacle.commit.sha.slice(0, 10)} builds on these changes, in ${joinFileNames(obstacle.files)}`
    case 'history':
      return 'the git history was rewritten, so Ralph cannot find the commits to revert'
    case 'branch':
      return `the work was done on ${branchText(obstacle.home)}, but HEAD is now on ${branchText(obstacle.now)}`
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
