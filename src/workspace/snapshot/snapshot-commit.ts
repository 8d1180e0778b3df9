/** The commit that protects a snapshot from git's garbage collection: its tree on top of HEAD, with the extras as a second parent. */
import type { Snapshot } from '../../core/tree/change.ts'
import { systemClock } from '../../system/clock.ts'
import { gitLine, identityEnv, RALPH_IDENTITY } from '../repo/git.ts'
import { writeCommit } from '../repo/loose-objects.ts'
import type { Repo } from '../repo/find-repo.ts'

/** The trees of a snapshot beside that of the project's files. */
export type SnapshotExtras = Pick<Snapshot, 'control' | 'index'>

/** Like a stash: the second parent holds the extras. */
export function createSnapshotCommit(
  repo: Repo,
  { tree, head, side, ref }: { tree: string; head: string | null; side: string | null; ref: string },
): Promise<string> {
  const parents = [head, side].filter((parent) => parent !== null)
  return commit(repo, { tree, parents, message: `ralph: snapshot ${nameOf(ref)}`, ref })
}

/** `bytes`: a tree of original file bytes (`byte-copies.ts`). */
export async function createExtrasCommit(
  repo: Repo,
  { extras, ref }: { extras: SnapshotExtras & { bytes?: string }; ref: string },
): Promise<string> {
  const entries = Object.entries({ bytes: extras.bytes, control: extras.control, index: extras.index })
  const input = entries.map(([entry, hash]) => (hash === undefined ? '' : `040000 tree ${hash}\t${entry}\n`)).join('')
  const tree = await gitLine(repo, ['mktree'], { input, activity: `save the snapshot as ${ref}` })
  const message = `ralph: control files and staged changes, ${nameOf(ref)}`
  return commit(repo, { tree, parents: [], message, ref })
}

interface NewCommit {
  tree: string
  parents: string[]
  message: string
}

async function commit(repo: Repo, { tree, parents, message, ref }: NewCommit & { ref: string }): Promise<string> {
  const ours = repo.git === null ? null : writeCommit(repo.git, commitText({ tree, parents, message }))
  if (ours !== null) return ours
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]
  return gitLine(repo, args, { env: identityEnv(RALPH_IDENTITY), activity: `save the snapshot as ${ref}` })
}

function commitText({ tree, parents, message }: NewCommit): string {
  const who = `${RALPH_IDENTITY.name} <${RALPH_IDENTITY.email}> ${Math.floor(systemClock().at() / 1000)} +0000`
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), `author ${who}`, `committer ${who}`]
  return `${lines.join('\n')}\n\n${message}\n`
}

function nameOf(ref: string): string {
  return ref.slice('refs/ralph/'.length)
}
