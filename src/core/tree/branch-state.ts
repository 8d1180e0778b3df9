/**
 * Where the repository stands: the branch the run began on, where HEAD is now, and what git was left in the middle of. An agent may
 * detach HEAD, move to another branch or leave a merge open; nothing is wrong with the work then, but a person who looks at their
 * branch in the morning does not find it. So it is told, with the command that helps.
 */
import type { GitOperation, Snapshot } from './change.ts'

export interface BranchState {
  /** The branch at the start, or the one a person chose since. Null: HEAD was detached then, or there is no git. */
  home: string | null
  /** Null: detached, or no git. */
  branch: string | null
  head: string | null
  /** What the agent left git in the middle of. */
  left: GitOperation | null
}

/** `by`: who may have moved HEAD since the last look. A person's choice becomes the run's branch; an agent's does not. */
export function branchStateAfter(before: BranchState | null, snapshot: Snapshot, by: 'person' | 'agent'): BranchState {
  const { branch, head } = snapshot
  const open = snapshot.open ?? null
  if (before === null) return { home: branch, branch, head, left: null }
  if (by === 'agent') return { ...before, branch, head, left: open }
  const chosen = branch !== before.branch
  // What the agent left open stays its own until it is finished; a person's is none of ours.
  return { home: chosen ? branch : before.home, branch, head, left: before.left === open ? open : null }
}

/** True before the first snapshot. */
export function isUnderGit(branchState: BranchState | null): boolean {
  return branchState === null || branchState.branch !== null || branchState.head !== null
}

/** Ralph itself committed where HEAD is. */
export function branchStateAtCommit(branchState: BranchState | null, sha: string | null): BranchState | null {
  return branchState === null || sha === null ? branchState : { ...branchState, head: sha }
}

export interface BranchDrift {
  /** A few words for the iteration's line. */
  short: string
  what: string
  /** What a person types. */
  command: string
}

/** What must be told, most important first; nothing when all is where it was. */
export function findDrift({ home, branch, head, left }: BranchState): BranchDrift[] {
  const told: BranchDrift[] = []
  if (left !== null)
    told.push({
      short: `${left} left open`,
      what: `the agent left ${article(left)} ${left} open`,
      command: FINISH[left],
    })
  if (branch !== home && left !== 'rebase') {
    if (branch === null && head !== null)
      told.push({
        short: 'HEAD detached',
        what: `HEAD is detached at ${head.slice(0, 9)}, so commits made there are not on ${home ?? 'HEAD'} or any other branch`,
        command: `git branch ralph-${head.slice(0, 7)} ${head.slice(0, 9)}${home === null ? '' : ` && git switch ${home}`}`,
      })
    else if (branch !== null && home !== null)
      told.push({
        short: `on branch ${branch}, not ${home}`,
        what: `the commits are on branch ${branch}, not on ${home}`,
        command: `git switch ${home}`,
      })
  }
  return told
}

/** One line for the end of a run; null when all is where it was. */
export function describeDrift(branchState: BranchState | null): string | null {
  const told = branchState === null ? [] : findDrift(branchState)
  return told.length === 0 ? null : told.map(({ what, command }) => `${what}: ${command}`).join('; ')
}

/** For the next prompt: what keeps later commits from being found. A branch of its own may be the agent's plan. */
export function branchCorrection({ home, branch, head, left }: BranchState): string | null {
  if (left !== null) return `You left ${article(left)} ${left} open: finish it (${FINISH[left]}) or abort it.`
  if (branch === null && home !== null && head !== null)
    return `HEAD is detached, so your commits are on no branch: move them to ${home} before you continue.`
  return null
}

const FINISH: Record<GitOperation, string> = {
  merge: 'git merge --continue',
  rebase: 'git rebase --continue',
  am: 'git am --continue',
  'cherry-pick': 'git cherry-pick --continue',
  revert: 'git revert --continue',
  bisect: 'git bisect reset',
}

function article(work: GitOperation): string {
  return work === 'am' ? 'a git' : 'a'
}
