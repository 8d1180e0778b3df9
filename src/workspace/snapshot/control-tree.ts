/**
 * The control files as a tree: the files that steer a run and that a person can read and edit, ignored by git or not. The tree is stored
 * byte for byte beside the tree of the project's files, so that an undo can revert a run's ticks and edits. Files that Ralph itself writes
 * into `.ralph` (logs, state files) are no control files, and neither are secrets, links or large files.
 */
import { join } from 'node:path'
import type { TreeHash } from '../../core/ids.ts'
import { exists, isFolder, listFolder } from '../../system/files/files.ts'
import { fileFingerprint } from '../../system/files/links.ts'
import { isLink } from '../../system/files/special-files.ts'
import { git, gitLine, gitOrThrow } from '../repo/git.ts'
import { withTemporaryIndex } from '../repo/update-index.ts'
import { fileSize, isInsideTree } from '../paths.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { isSecretFileName } from './stored-files.ts'

export interface ControlFileSelector {
  /** Relative to the project: prompt, plan and settings, in any folder. */
  named: string[]
  /** Whether Ralph writes this path below `.ralph` itself. */
  isOwn: (name: string) => boolean
  /** All of them or none: a check that they are unchanged needs all. Absent: only as many as a loop needs. */
  all?: true
}

/** Texts that people write are far smaller. */
const FILE_BYTES = 1024 * 1024
const FILES_MAX = 500
/** Includes the knowledge files and the documents of all features. */
const ALL_MAX = 5_000

export interface ControlFilesFound {
  /** Relative to the top of the working tree. */
  paths: string[]
  /** Changes whenever one of them does. */
  fingerprints: string
}

/** Null: there are too many. */
export function findControlFiles(repo: Repo, place: GitFolders, names: ControlFileSelector): ControlFilesFound | null {
  const found = controlPaths(repo, names)
  if (names.all === true && found.length > ALL_MAX) return null
  const paths = found.map((path) => `${place.prefix}${path}`)
  return { paths, fingerprints: paths.map((path) => `${fileFingerprint(join(place.top, path))} ${path}\n`).join('') }
}

/** Stores the files and returns their tree; its paths are relative to the top of the working tree. */
export async function storeControlFiles(repo: Repo, place: GitFolders, paths: string[]): Promise<TreeHash> {
  const activity = 'store the control files'
  const hashes = await storeRawFiles(repo, paths)
  const input = [...hashes].map(([path, hash]) => `100644 ${hash} 0\t${path}\0`).join('')
  return withTemporaryIndex(place, 'control', async (env) => {
    if (input !== '') await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { env, activity, input })
    return gitLine(repo, ['write-tree'], { env, activity })
  })
}

/** Stores files byte for byte, without any filter, and returns their hashes. Unreadable files are left out. */
export async function storeRawFiles(repo: Repo, paths: string[]): Promise<Map<string, string>> {
  const named = paths.filter((path) => !/[\n\uFFFD]/.test(path))
  if (named.length === 0) return new Map()
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths']
  const { code, stdout } = await git(repo, args, { input: named.map((path) => `${path}\n`).join('') })
  if (code === 0) {
    const hashes = stdout.split('\n')
    return new Map(named.map((path, i) => [path, hashes[i] ?? '']))
  }
  if (named.length === 1) return new Map()
  const half = Math.ceil(named.length / 2)
  const parts = [await storeRawFiles(repo, named.slice(0, half)), await storeRawFiles(repo, named.slice(half))]
  return new Map(parts.flatMap((part) => [...part]))
}

/** Whether this path, relative to the top of the working tree, is a control file. The file need not exist. */
export function isControlPath(
  path: string,
  { prefix }: Pick<GitFolders, 'prefix'>,
  names: ControlFileSelector,
): boolean {
  if (!path.startsWith(prefix)) return false
  const inside = path.slice(prefix.length)
  return names.named.includes(inside) || (inside.startsWith('.ralph/') && !names.isOwn(inside.slice('.ralph/'.length)))
}

function controlPaths({ root }: Repo, { named, isOwn, all: isAll }: ControlFileSelector): string[] {
  const found: string[] = []
  const max = isAll === true ? ALL_MAX + 1 : FILES_MAX
  const walk = (folder: string): void => {
    for (const name of listFolder(join(root, '.ralph', folder))) {
      const path = `${folder}${name}`
      if (isOwn(path) || found.length >= max || isLink(join(root, '.ralph', path))) continue
      if (isFolder(join(root, '.ralph', path))) walk(`${path}/`)
      else found.push(`.ralph/${path}`)
    }
  }
  if (!isLink(join(root, '.ralph'))) walk('')
  const all = new Set([...named.filter((path) => isInsideTree(path) && exists(join(root, path))), ...found])
  return [...all].filter((path) => isPlain(root, path)).sort()
}

function isPlain(root: string, path: string): boolean {
  const file = join(root, path)
  if (isSecretFileName(path) || isLink(file) || isFolder(file)) return false
  return fileSize(file) <= FILE_BYTES
}

/** The text of a control file; null: it is not in the tree. */
export async function controlText(repo: Repo, tree: TreeHash, path: string): Promise<string | null> {
  const { code, stdout } = await git(repo, ['cat-file', 'blob', `${tree}:${path}`])
  return code === 0 ? stdout : null
}
