/** Applies the ignore rules of a stored tree to paths, whatever rules the working tree has now. */
import { basename, join } from 'node:path'
import type { TreeHash } from '../../core/ids.ts'
import { ensureFolder, removeFolder } from '../../system/files/files.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { git, gitOrThrow } from '../repo/git.ts'
import { splitNulTerminated, toNulTerminated } from '../paths.ts'
import { withTemporaryIndex } from '../repo/update-index.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'

/** The paths that git would ignore if they were not tracked. The rules are checked out into a temporary folder. */
export async function filterIgnoredPaths(
  repo: Repo,
  place: GitFolders,
  { tree, paths }: { tree: TreeHash; paths: readonly string[] },
): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const activity = 'list the files that were ignored'
  const folder = join(place.gitDir, `ralph-rules-${ownProcessIdentity().pid}`)
  try {
    ensureFolder(folder)
    const names = await gitOrThrow(repo, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], {
      activity,
      names: true,
    })
    const rules = names.split('\0').filter((path) => basename(path) === '.gitignore')
    const out = ['checkout-index', `--prefix=${folder}/`, '-z', '--stdin']
    if (rules.length > 0)
      await withTemporaryIndex(place, 'rules-index', async (env) => {
        await gitOrThrow(repo, ['read-tree', '--reset', tree], { env, activity })
        await gitOrThrow(repo, out, { env, activity, input: toNulTerminated(rules) })
      })
    const there = { ...repo, git: { ...place, top: folder } }
    const ask = ['check-ignore', '--no-index', '-z', '--stdin']
    // Exit code 1 means that none is ignored.
    const { stdout } = await git(there, ask, { input: toNulTerminated([...paths]), names: true })
    return new Set(splitNulTerminated(stdout))
  } finally {
    removeFolder(folder)
  }
}
