/**
 * The one repository that all places share: its commits, and the branches that people, agents and Ralph move while each of them thinks to
 * be alone. As git does it: whoever commits has seen a tip, and moves the branch from there or not at all.
 */
import type { WorkerId } from '../../src/core/ids.ts'
import type { EventOf } from '../../src/core/state/event.ts'
import type { Row } from '../../src/core/state/row.ts'
import { broken, fail } from './invariant-rules.ts'
import type { SimWorkspace } from './sim-workspace.ts'
import type { World } from './world.ts'

/** The branch of the user's checkout, where every place begins. */
export const TARGET = 'main'

type CommitId = string

interface Commit {
  id: CommitId
  parent: CommitId | null
  by: WorkerId | 'person'
  /** Null: HEAD was detached, and the commit is on no branch. */
  branch: string | null
}

export interface Repository {
  commits: Map<CommitId, Commit>
  tips: Map<string, CommitId>
}

export const FIRST: CommitId = 'head-0'

export function newRepository(): Repository {
  const first: Commit = { id: FIRST, parent: null, by: 'person', branch: TARGET }
  return { commits: new Map([[FIRST, first]]), tips: new Map([[TARGET, FIRST]]) }
}

/** Where a branch is; one that nobody has made yet begins at the first commit. */
export function tipOf({ tips }: Repository, branch: string): CommitId {
  return tips.get(branch) ?? FIRST
}

export function headOf(
  repository: Repository,
  { branch, detachedAt }: Pick<SimWorkspace, 'branch' | 'detachedAt'>,
): CommitId {
  return branch === null ? detachedAt : tipOf(repository, branch)
}

/** HEAD goes to another branch, or stays where it is and leaves its branch. */
export function switchTo(repository: Repository, space: SimWorkspace, branch: string | null): void {
  space.detachedAt = headOf(repository, space)
  space.branch = branch
}

/** A commit on top of what was `seen` there; null: somebody else has moved the branch since, and git refuses. */
export function commitOnto(
  repository: Repository,
  at: Pick<SimWorkspace, 'branch' | 'detachedAt'>,
  { seen, by }: { seen: CommitId; by: Commit['by'] },
): CommitId | null {
  const { branch } = at
  if (headOf(repository, at) !== seen) return null
  const id = `head-${repository.commits.size}`
  repository.commits.set(id, { id, parent: seen, by, branch })
  if (branch === null) at.detachedAt = id
  else repository.tips.set(branch, id)
  return id
}

/** All that a worker's tree has and its last commit has not, onto the branch it is on; unless others have moved that since it was `seen`. */
export function commitAll(
  world: Pick<World, 'repository' | 'space' | 'note'>,
  worker: WorkerId,
  seen: CommitId,
): Pick<EventOf<'committed'>, 'sha' | 'files' | 'problem'> {
  const space = world.space(worker)
  const files = space.tree - space.committed
  if (files === 0) return { sha: null, files: 0, problem: null }
  const sha = commitOnto(world.repository, space, { seen, by: worker })
  if (sha === null) {
    world.note('the branch moves under a commit')
    return { sha: null, files: 0, problem: `cannot lock ref 'HEAD': expected ${seen}` }
  }
  space.committed = space.tree
  return { sha, files, problem: null }
}

/** How many commits of this worker stand on an earlier one; null: somebody else's are among them, or it does not stand there at all. */
export function commitsOn(
  { commits }: Repository,
  head: CommitId,
  { since, by }: { since: CommitId; by: WorkerId },
): CommitId[] | null {
  const own: CommitId[] = []
  for (let at = head; at !== since;) {
    const commit = commits.get(at)
    if (commit === undefined || commit.parent === null || commit.by !== by) return null
    own.push(at)
    at = commit.parent
  }
  return own
}

/** They are on no branch any more; a ref of ours keeps them. */
export function dropFromBranches(
  repository: Repository,
  space: SimWorkspace,
  { gone, to }: { gone: CommitId[]; to: CommitId },
): void {
  for (const id of gone) {
    const commit = repository.commits.get(id)
    if (commit !== undefined) repository.commits.set(id, { ...commit, branch: null })
  }
  if (space.branch === null) space.detachedAt = to
  else repository.tips.set(space.branch, to)
}

export interface CommitWatch {
  take(row: Row, ignored: boolean): void
  finish(): void
}

/** What the record tells of commits is what the repository has, and every commit is still where it was made. */
export function watchCommits(repository: Repository): CommitWatch {
  const told = new Set<CommitId>()
  return {
    take({ event }, ignored) {
      if (event.type !== 'committed' || event.sha === null || ignored) return
      const commit = repository.commits.get(event.sha)
      if (commit === undefined) fail(19, `${event.sha} is in the record and in no repository`)
      if (commit.by !== event.worker)
        fail(19, `worker ${event.worker} is said to have made ${commit.id} of ${commit.by}`)
      if (told.has(commit.id)) fail(19, `${commit.id} was told twice`)
      told.add(commit.id)
    },
    finish() {
      const lost = findLostCommits(repository)
      if (lost !== null) fail(19, lost)
    },
  }
}

/** A commit that its branch does not lead to any more, in words. */
export function findLostCommits(repository: Repository): string | null {
  for (const [branch, tip] of repository.tips) {
    const kept = new Set(lineTo(repository, tip))
    for (const commit of repository.commits.values())
      if (commit.branch === branch && !kept.has(commit.id)) return `${branch} has lost ${commit.id} of ${commit.by}`
  }
  return null
}

/** From a commit back to the first. */
function lineTo({ commits }: Repository, tip: CommitId): CommitId[] {
  const line: CommitId[] = []
  for (let at: CommitId | null = tip; at !== null; at = commits.get(at)?.parent ?? null) line.push(at)
  return line
}

/** What one worker keeps under a ref of ours, no other may overwrite. */
export function keepRef(refs: Map<string, WorkerId>, ref: string, worker: WorkerId): string | null {
  const owner = refs.get(ref)
  refs.set(ref, worker)
  return owner === undefined || owner === worker
    ? null
    : broken(19, `worker ${worker} overwrites ${ref} of worker ${owner}`)
}
