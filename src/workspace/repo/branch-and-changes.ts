/** The state before a run: the branch, and how many files differ from the last commit. */
import { gitOrThrow } from './git.ts'
import type { Repo } from './find-repo.ts'
import { isRalphPath, parseGitStatus, GIT_STATUS_ARGS } from './git-status.ts'

export interface BranchAndChanges {
  branch: string | null
  dirty: number
}

export async function branchAndChanges(repo: Repo): Promise<BranchAndChanges> {
  if (repo.git === null) return { branch: null, dirty: 0 }
  const status = parseGitStatus(
    await gitOrThrow(repo, GIT_STATUS_ARGS, { activity: 'read the status of the working tree' }),
  )
  const paths = [...status.tracked.map((one) => one.path), ...status.untracked]
  return { branch: status.branch, dirty: paths.filter((path) => !isRalphPath(path)).length }
}

/** Whether none of these paths differs from the last commit. */
export async function isCommitted(repo: Repo, paths: readonly string[]): Promise<boolean> {
  if (repo.git === null) return false
  const only = paths.map((path) => `:(top,literal)${path}`)
  const status = parseGitStatus(
    await gitOrThrow(repo, [...GIT_STATUS_ARGS, '--', ...only], { activity: 'read the status of the working tree' }),
  )
  return status.tracked.length + status.untracked.length === 0
}
