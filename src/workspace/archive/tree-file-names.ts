/**
 * Lists the files of the working tree: those that git tracks and new ones that it does not ignore. Git only provides names; the files
 * themselves are read from disk, whatever the index says. Nested repositories list their own files. Without git, all files count except
 * those in tool folders.
 */
import { join } from 'node:path'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { entryAt } from '../../system/files/path-entry.ts'
import { isDiskFailure } from '../../system/files/file-error.ts'
import { listFolder } from '../../system/files/files.ts'
import { gitOrThrow, openNestedRepo } from '../repo/git.ts'
import { isInsideTree, splitNulTerminated } from '../paths.ts'
import type { Repo } from '../repo/find-repo.ts'
import { isRalphPath } from '../repo/git-status.ts'
import { isToolFolder, toolFolderFinder } from './tool-folders.ts'

export interface TreeFileInfo {
  /** Git tracks it, so it is meant to be shared. */
  isTracked: boolean
}

/** All paths are relative to the top of the working tree. */
export interface TreeFileNames {
  /** A name need not exist on disk. */
  names: Map<string, TreeFileInfo>
  /** Tool folders that git does not ignore. */
  tools: Set<string>
  /** The repository and the nested ones that git opens, each with its path and a slash. */
  repos: { repo: Repo; prefix: string }[]
}

export async function listTreeFileNames(repo: Repo): Promise<TreeFileNames> {
  const found: TreeFileNames = { names: new Map(), tools: new Set(), repos: [] }
  await addNames(found, repo, '')
  return found
}

/** `tracked`: lines of `ls-files --stage`. `others`: new files that git does not ignore; a nested repository ends in a slash. */
export async function listTrackedAndNew(repo: Repo): Promise<{ tracked: string[]; others: string[] }> {
  const activity = 'list the files of the working tree'
  const [tracked, others] = await Promise.all([
    gitOrThrow(repo, ['ls-files', '-z', '--stage'], { activity }),
    gitOrThrow(repo, ['ls-files', '-z', '--others', '--exclude-standard'], { activity }),
  ])
  return { tracked: splitNulTerminated(tracked), others: splitNulTerminated(others) }
}

async function addNames(found: TreeFileNames, repo: Repo, prefix: string): Promise<void> {
  if (repo.git === null) return walk(found, { repo, prefix })
  const { names, tools, repos } = found
  repos.push({ repo, prefix })
  const { top } = repo.git
  const { tracked, others } = await listTrackedAndNew(repo)
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

/** Whether no part of the path is a link: a link is listed as a link, and its target is outside the tree. */
function isPlainFolder(top: string, folder: string): boolean {
  return folder.split('/').every((_, at, parts) => entryAt(join(top, ...parts.slice(0, at + 1)))?.kind === 'folder')
}

async function walk({ names, tools }: TreeFileNames, { repo, prefix }: { repo: Repo; prefix: string }): Promise<void> {
  const breathe = createEventLoopYielder(repo.by?.signal)
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

/** An unreadable folder counts as empty. */
function namesOf(folder: string): string[] {
  try {
    return listFolder(folder)
  } catch (thrown) {
    if (thrown instanceof Error && isDiskFailure(thrown.cause)) throw thrown
    return []
  }
}
