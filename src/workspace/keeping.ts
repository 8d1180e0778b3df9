/** The commit that keeps a snapshot from git's garbage collection: its tree, on top of HEAD, and beside it what belongs to it but is no work. */
import type { Snapshot } from '../domain/change.ts'
import { gitOut } from './git.ts'
import type { Repo } from './place.ts'

/** What a snapshot holds beside the tree that counts as work. */
export type Beside = Pick<Snapshot, 'control' | 'index'>

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
}

/** As a stash does it: what is beside the tree hangs on a second parent. */
export async function keepingCommit(
  repo: Repo,
  {
    tree,
    head,
    beside,
    ref,
  }: { tree: string; head: string | null; beside: Beside & { bytes?: string }; ref: string },
): Promise<string> {
  const name = ref.slice('refs/ralph/'.length)
  const commit = async (of: string, parents: string[], message: string): Promise<string> => {
    const args = ['commit-tree', of, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]
    return (await gitOut(repo, args, { env: IDENTITY, doing: `keep the snapshot as ${ref}` })).trim()
  }
  const parents = head === null ? [] : [head]
  const entries = Object.entries({
    bytes: beside.bytes,
    control: beside.control,
    index: beside.index,
  }).filter(([, hash]) => hash !== undefined)
  if (entries.length > 0) {
    const input = entries.map(([entry, hash]) => `040000 tree ${hash}\t${entry}\n`).join('')
    const both = (await gitOut(repo, ['mktree'], { input, doing: `keep the snapshot as ${ref}` })).trim()
    parents.push(await commit(both, [], `ralph: control files and what was staged, ${name}`))
  }
  return commit(tree, parents, `ralph: snapshot ${name}`)
}
