/** A tree of the tree archive, its paths and content hashes, and its file format. Pure but for the hash. */
import { createHash } from 'node:crypto'
import { foldersAbove } from '../paths.ts'

/** `w:` and the SHA-256 of the listing. */
export type ArchiveTreeId = string

export interface ArchiveEntry {
  /** SHA-256 of its bytes, or of a link's target; `large …` or `unreadable …` with the fingerprint of a file that was not read. */
  hash: string
  size: number
  mode: 'file' | 'exec' | 'link'
  /** The tree archive has its bytes. */
  kept: boolean
}

/** By path relative to the top of the working tree, with slashes, sorted. */
export type ArchiveTree = ReadonlyMap<string, ArchiveEntry>

export interface TreeDifference {
  path: string
  kind: 'added' | 'changed' | 'deleted'
}

export function diffTrees(a: ArchiveTree, b: ArchiveTree): TreeDifference[] {
  const found: TreeDifference[] = []
  for (const [path, before] of a) {
    const after = b.get(path)
    if (after === undefined) found.push({ path, kind: 'deleted' })
    else if (after.hash !== before.hash || after.mode !== before.mode) found.push({ path, kind: 'changed' })
  }
  for (const path of b.keys()) if (!a.has(path)) found.push({ path, kind: 'added' })
  return found.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** `base`, with these paths as they are in `to`, or removed if `to` lacks them. Paths that conflict with these (a file where a folder is
 *  needed, or the other way round) are removed too. */
export function treeWithPathsFrom(
  base: ArchiveTree,
  { paths, to }: { paths: string[]; to: ArchiveTree },
): { tree: ArchiveTree; moved: string[] } {
  const tree = new Map(base)
  const arrived: string[] = []
  for (const path of paths) {
    const file = to.get(path)
    if (file === undefined) tree.delete(path)
    else {
      tree.set(path, file)
      arrived.push(path)
    }
  }
  const isNew = new Set(arrived)
  for (const path of arrived) for (const above of foldersAbove(path)) if (!isNew.has(above)) tree.delete(above)
  for (const path of tree.keys())
    if (!isNew.has(path) && foldersAbove(path).some((above) => isNew.has(above))) tree.delete(path)
  const sorted = sortTree(tree)
  return { tree: sorted, moved: diffTrees(base, sorted).map(({ path }) => path) }
}

export function sortTree(tree: ArchiveTree): ArchiveTree {
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** One entry per line, ended by NUL, because names may contain anything else. */
export function serializeListing(tree: ArchiveTree): { id: ArchiveTreeId; text: string } {
  const lines: string[] = []
  for (const [path, { hash, size, mode, kept }] of tree)
    lines.push(`${mode} ${size} ${kept ? 'kept' : 'listed'} ${hash} ${path}\0`)
  const text = lines.join('')
  return { id: archiveTreeIdOf(text), text }
}

export function archiveTreeIdOf(listing: string): ArchiveTreeId {
  return `w:${createHash('sha256').update(listing).digest('hex')}`
}

const LINE = /^(file|exec|link) (\d+) (kept|listed) ((?:large |unreadable )?[^ ]+) (.+)$/s

/** Null: the text is not a valid listing. */
export function parseListing(text: string): ArchiveTree | null {
  const tree = new Map<string, ArchiveEntry>()
  for (const line of text.split('\0')) {
    if (line === '') continue
    const [, mode, size, kept, hash, path] = LINE.exec(line) ?? []
    if (mode === undefined || hash === undefined || path === undefined) return null
    tree.set(path, { hash, size: Number(size), mode: mode as ArchiveEntry['mode'], kept: kept === 'kept' })
  }
  return tree
}
