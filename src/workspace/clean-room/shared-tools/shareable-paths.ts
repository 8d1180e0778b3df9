/**
 * Paths of the working tree outside the tree archive that the clean room could share: tool folders, and everything else that git ignores.
 * Neighbours of the working tree are chosen elsewhere, because they may contain anything.
 */
import { posix } from 'node:path'
import { gitOrThrow } from '../../repo/git.ts'
import { isInsideTree, splitNulTerminated } from '../../paths.ts'
import type { Repo } from '../../repo/find-repo.ts'
import { isRalphPath } from '../../repo/git-status.ts'
import { listTreeFileNames } from '../../archive/tree-file-names.ts'
import { isToolFolder } from '../../archive/tool-folders.ts'

export interface ShareablePaths {
  tools: string[]
  ignored: string[]
}

export async function shareablePathsOf(repo: Repo): Promise<ShareablePaths> {
  const { tools, repos } = await listTreeFileNames(repo)
  const top = repo.git?.top ?? repo.root
  const ignored = new Set<string>()
  for (const inner of repos) {
    for (const path of await ignoredIn(inner.repo)) {
      const whole = posix.join(inner.prefix, path)
      const isTools = path.endsWith('/') && isToolFolder(top, whole.slice(0, -1))
      ;(isTools ? tools : ignored).add(whole.replace(/\/$/, ''))
    }
  }
  return { tools: [...tools].sort(), ignored: [...ignored].sort() }
}

/** A folder in which everything is ignored is listed by its name, with a slash. */
async function ignoredIn(repo: Repo): Promise<string[]> {
  const how = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const listing = await gitOrThrow(repo, how, { activity: 'list what git ignores' })
  return splitNulTerminated(listing).filter((path) => isInsideTree(path) && !isRalphPath(path))
}
