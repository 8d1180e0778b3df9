/**
 * Which files belong to the working tree: those that git tracks and new ones that it does not ignore. Git is asked for names alone;
 * what is behind a name is looked at on the disk, whatever the index says about it. Repositories inside the repository are asked
 * themselves. Without git all files count but those of tools.
 */
import { join } from 'node:path'
import { eventLoopYielder } from '../../system/yield-loop.ts'
import { entryAt } from '../../system/files/path-entry.ts'
import { isDiskFailure } from '../../system/files/file-error.ts'
import { listFolder } from '../../system/files/files.ts'
import { gitOrThrow, openNestedRepo } from '../repo/git.ts'
import { isInsideTree, nulList } from '../paths.ts'
import type { Repo } from '../repo/find-repo.ts'
import { isRalphPath } from '../repo/git-status.ts'
import { isToolFolder, toolFolderFinder } from './tool-folders.ts'

export interface TreeFileName {
  /** Git tracks it: whoever put it there meant to share it. */
  isTracked: boolean
}

/** All paths are from the top of the working tree. */
export interface TreeFileNames {
  /** There need not be a file behind each of them. */
  names: Map<string, TreeFileName>
  /** Folders of tools that nobody ignores. */
  tools: Set<string>
  /** The repository and those inside it that git opens, each with the path to it (and a slash). */
  repos: { repo: Repo; prefix: string }[]
}

export async function listTreeFileNames(repo: Repo): Promise<TreeFileNames> {
  const found: TreeFileNames = { names: new Map(), tools: new Set(), repos: [] }
  await addNames(found, repo, '')
  return found
}

/** `tracked`: as `ls-files --stage` says them. `others`: new files that git does not ignore; a repository of its own ends in a slash. */
export async function listFiles(repo: Repo): Promise<{ tracked: string[]; others: string[] }> {
  const activity = 'list the files of the working tree'
  const [tracked, others] = await Promise.all([
    gitOrThrow(repo, ['ls-files', '-z', '--stage'], { activity }),
    gitOrThrow(repo, ['ls-files', '-z', '--others', '--exclude-standard'], { activity }),
  ])
  return { tracked: nulList(tracked), others: nulList(others) }
}

async function addNames(found: TreeFileNames, repo: Repo, prefix: string): Promise<void> {
  if (repo.git === null) return walk(found, { repo, prefix })
  const { names, tools, repos } = found
  repos.push({ repo, prefix })
  const { top } = repo.git
  const { tracked, others } = await listFiles(repo)
  const nested: string[] = []
  for (const entry of tracked) {
    const path = entry.slice(entry.indexOf('\t') + 1)
    if (!isInsideTree(path) || isRalphPath(path)) continue
    if (entry.startsWith('160000 ')) nested.push(path)
    else names.set(prefix + path, { isTracked: true })
  }
  const toolFolder = toolFolderFinder(top)
  for (const path of others) {
    if (!isInsideTree(path) || isRalphPath(path)) continue
    const tool = toolFolder(path)
    if (tool !== null) tools.add(prefix + tool)
    else if (path.endsWith('/')) nested.push(path.slice(0, -1))
    else if (!names.has(prefix + path)) names.set(prefix + path, { isTracked: false })
  }
  for (const folder of new Set(nested)) {
    if (!isPlainFolder(top, folder)) continue
    const inner = await openNestedRepo(join(top, folder), repo)
    await addNames(found, inner, `${prefix}${folder}/`)
  }
}

/** A link in place of a folder is listed as what it is, and what it leads to is somebody else's. */
function isPlainFolder(top: string, folder: string): boolean {
  return folder.split('/').every((_, at, parts) => entryAt(join(top, ...parts.slice(0, at + 1)))?.kind === 'folder')
}

async function walk({ names, tools }: TreeFileNames, { repo, prefix }: { repo: Repo; prefix: string }): Promise<void> {
  const breathe = eventLoopYielder(repo.by?.signal)
  const into = async (folder: string): Promise<void> => {
    for (const name of namesOf(join(repo.root, folder))) {
      await breathe()
      const path = folder === '' ? name : `${folder}/${name}`
      if (name === '.git' || isRalphPath(path)) continue
      if (entryAt(join(repo.root, path))?.kind !== 'folder') names.set(prefix + path, { isTracked: false })
      else if (isToolFolder(repo.root, path)) tools.add(prefix + path)
      else await into(path)
    }
  }
  await into('')
}

/** A folder that we may not look into has nothing in it for us. */
function namesOf(folder: string): string[] {
  try {
    return listFolder(folder)
  } catch (thrown) {
    if (thrown instanceof Error && isDiskFailure(thrown.cause)) throw thrown
    return []
  }
}
