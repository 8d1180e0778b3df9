/** Describes for people why changes cannot be reverted. */
import { assertNever } from '../../core/assert-never.ts'
import type { Obstacle } from './plan-revert.ts'

export function describeObstacle(obstacle: Obstacle): string {
  switch (obstacle.is) {
    case 'files':
      return `${joinFileNames(obstacle.files)} changed since, on the same lines`
    case 'staged':
      return `what is staged of ${joinFileNames(obstacle.files)} changes the same lines`
    case 'control':
      return `${joinFileNames(obstacle.files)} changed since, on the same lines`
    case 'commit':
      return `commit ${obstacle.commit.sha.slice(0, 10)} builds on what would go, in ${joinFileNames(obstacle.files)}`
    case 'history':
      return 'the history was rewritten since, so nobody can tell which commits are whose'
    case 'branch':
      return `it worked on ${place(obstacle.home)}, and HEAD is on ${place(obstacle.now)} now`
    case 'unmerged':
      return 'the index holds an unfinished merge'
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

function place(branch: string | null): string {
  return branch === null ? 'a detached HEAD' : `branch ${branch}`
}
