/**
 * The control files as a tree: what a run is steered by and a person can read and edit, whether git ignores it or not. It is kept
 * beside the tree that counts as work, byte for byte, so that an undo can take a run's ticks and edits back. What Ralph itself writes
 * into `.ralph` (logs, state files) is no control file, and neither is a secret, a link or anything large.
 */
import { join } from 'node:path'
import type { TreeHash } from '../../core/ids.ts'
import { exists, isFolder, listFolder } from '../../system/files/files.ts'
import { fingerprintOf } from '../../system/files/links.ts'
import { isLink } from '../../system/files/regular-file.ts'
import { git, gitLine, gitOrThrow } from '../repo/git.ts'
import { withOwnIndex } from '../repo/update-index.ts'
import { fileSize, isInsideTree } from '../paths.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { isSecretFileName } from './stored-files.ts'

export interface ControlNames {
  /** Relative to the project: prompt, plan and settings, wherever they lie. */
  named: string[]
  /** Of a name below `.ralph`: Ralph writes it itself. */
  isOwn: (name: string) => boolean
  /** All of them or none: what is to be left alone is not told from a part of it. Absent: as many as a loop is steered by. */
  all?: true
}

/** Texts that people write are far below these. */
const FILE_BYTES = 1024 * 1024
const FILES_MAX = 500
/** What is known and the documents of all features are among them. */
const ALL_MAX = 5_000

export interface ControlFilesFound {
  /** From the top of the working tree. */
  paths: string[]
  /** Changes whenever one of them does. */
  fingerprints: string
}

/** Null: they are too many to be looked at. */
export function findControlFiles(repo: Repo, place: GitFolders, names: ControlNames): ControlFilesFound | null {
  const found = controlPaths(repo, names)
  if (names.all === true && found.length > ALL_MAX) return null
  const paths = found.map((path) => `${place.prefix}${path}`)
  return {
    paths,
    fingerprints: paths.map((path) => `${fingerprintOf(join(place.top, path))} ${path}\n`).join(''),
  }
}

/** Stores them and gives the tree; paths in it begin at the top of the working tree. */
export async function storeControlFiles(repo: Repo, place: GitFolders, paths: string[]): Promise<TreeHash> {
  const activity = 'store the control files'
  const hashes = await storeRawFiles(repo, paths)
  const input = [...hashes].map(([path, hash]) => `100644 ${hash} 0\t${path}\0`).join('')
  return withOwnIndex(place, 'control', async (env) => {
    if (input !== '') await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { env, activity, input })
    return gitLine(repo, ['write-tree'], { env, activity })
  })
}

/** Stores files as they are, without any filter, and gives their hashes. One that cannot be read is left out. */
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

/** Is this path, from the top of the working tree, one of the control files? Asked also of files that are not there any more. */
export function isControlPath(path: string, { prefix }: Pick<GitFolders, 'prefix'>, names: ControlNames): boolean {
  if (!path.startsWith(prefix)) return false
  const inside = path.slice(prefix.length)
  return names.named.includes(inside) || (inside.startsWith('.ralph/') && !names.isOwn(inside.slice('.ralph/'.length)))
}

function controlPaths({ root }: Repo, { named, isOwn, all: isAll }: ControlNames): string[] {
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

/** The text of one of them; null: it is not in the tree. */
export async function controlText(repo: Repo, tree: TreeHash, path: string): Promise<string | null> {
  const { code, stdout } = await git(repo, ['cat-file', 'blob', `${tree}:${path}`])
  return code === 0 ? stdout : null
}
