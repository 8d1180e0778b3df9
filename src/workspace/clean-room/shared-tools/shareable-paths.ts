/**
 * What of the working tree stands outside the tree archive and could be shared with the clean room: folders that tools have filled, and all else that
 * git ignores. Neighbours of the working tree are for others to choose: there may be anything.
 */
import { posix } from 'node:path'
import { gitOrThrow } from '../../repo/git.ts'
import { isInsideTree, nulList } from '../../paths.ts'
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

/** Of a folder in which everything is ignored only its name, with a slash. */
async function ignoredIn(repo: Repo): Promise<string[]> {
  const how = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const listing = await gitOrThrow(repo, how, { activity: 'list what git ignores' })
  return nulList(listing).filter((path) => isInsideTree(path) && !isRalphPath(path))
}
