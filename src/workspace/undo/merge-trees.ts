/**
 * Three-way merge of trees: applies the changes between `base` and `theirs` to `ours`. A path that one side changed comes from that side; a
 * path that both changed is merged as text. If a text has conflicts, the result names the path and the tree stays `ours`.
 */
import type { TreeHash } from '../../core/ids.ts'
import type { OwnChange } from '../../core/tree/own-change.ts'
import { gitLine, gitOrThrow } from '../repo/git.ts'
import { indexRemovalText, withTemporaryIndex } from '../repo/update-index.ts'
import { foldersAbove } from '../paths.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import type { Blobs } from './blobs.ts'

export interface MergeSides {
  base: TreeHash
  ours: TreeHash
  theirs: TreeHash
}

export interface MergeContext {
  repo: Repo
  place: GitFolders
  blobs: Blobs
  /** Merges the texts of a control file; returns null if both sides changed the same lines. */
  control: ((path: string, sides: TextSides) => string | null) | null
  isControl: (path: string) => boolean
}

/** An absent file counts as empty. */
export interface TextSides {
  base: string
  ours: string
  theirs: string
}

export interface TreeEntry {
  mode: string
  hash: string
}

export interface MergeResult {
  tree: TreeHash
  /** Paths with conflicts; if there are any, `tree` is `ours`. */
  clashes: string[]
  /** Paths that are in neither `theirs` nor `ours`. */
  gone: string[]
}

export async function mergeTrees(
  merging: MergeContext,
  sides: MergeSides,
  takes: (path: string) => boolean = () => true,
): Promise<MergeResult> {
  const { edits, clashes, gone } = await editsOf(merging, sides, takes)
  if (clashes.length > 0 || edits.size === 0) return { tree: sides.ours, clashes: clashes.sort(), gone }
  return { tree: await editTree(merging, sides.ours, edits), clashes, gone }
}

/** Reverts changes in a tree, the latest first; with clashes the tree stays unchanged. */
export async function revertEach(
  ownChanges: OwnChange[],
  tree: TreeHash,
  revert: (change: OwnChange, ours: TreeHash) => Promise<Pick<MergeResult, 'tree' | 'clashes'>>,
): Promise<Pick<MergeResult, 'tree' | 'clashes'>> {
  let ours = tree
  for (const change of ownChanges.toReversed()) {
    const merged = await revert(change, ours)
    if (merged.clashes.length > 0) return { tree, clashes: merged.clashes }
    ours = merged.tree
  }
  return { tree: ours, clashes: [] }
}

/** The edits to apply to `ours`; null: remove the path. */
async function editsOf(
  merging: MergeContext,
  { base, ours, theirs }: MergeSides,
  takes: (path: string) => boolean,
): Promise<{ edits: Map<string, TreeEntry | null>; clashes: string[]; gone: string[] }> {
  const edits = new Map<string, TreeEntry | null>()
  const clashes: string[] = []
  const gone: string[] = []
  if (base === theirs) return { edits, clashes, gone }
  const wanted = await diffTrees(merging.repo, base, theirs)
  const done = base === ours ? new Map<string, EntryDifference>() : await diffTrees(merging.repo, base, ours)
  for (const [path, { from, to }] of wanted) {
    if (!takes(path)) continue
    const here = done.get(path)
    if (here === undefined) edits.set(path, to)
    else if (here.to === null && to === null) gone.push(path)
    else if (!isSame(here.to, to)) {
      const merged = await mergeEntry(merging, path, { base: from, ours: here.to, theirs: to })
      if (merged === 'clash') clashes.push(path)
      else edits.set(path, merged)
    }
  }
  return { edits, clashes: [...clashes, ...inEachOthersPlace(edits, done)], gone }
}

/** Paths that are a file on one side and a folder on the other. */
function inEachOthersPlace(edits: Map<string, TreeEntry | null>, done: Map<string, EntryDifference>): string[] {
  const there = new Set(
    [...done].filter(([path, { to }]) => to !== null && edits.get(path) !== null).map(([path]) => path),
  )
  const folders = new Set([...there].flatMap(foldersAbove))
  return [...edits]
    .filter(([path, to]) => to !== null && (folders.has(path) || foldersAbove(path).some((one) => there.has(one))))
    .map(([path]) => path)
}

async function mergeEntry(
  { blobs, control, isControl }: MergeContext,
  path: string,
  { base, ours, theirs }: { base: TreeEntry | null; ours: TreeEntry | null; theirs: TreeEntry | null },
): Promise<TreeEntry | null | 'clash'> {
  if (![base, ours, theirs].every((entry) => entry === null || entry.mode.startsWith('100'))) return 'clash'
  if (control !== null && isControl(path)) {
    const textOf = async (entry: TreeEntry | null): Promise<string | null> =>
      entry === null ? '' : blobs.text(entry.hash)
    const [b, o, t] = [await textOf(base), await textOf(ours), await textOf(theirs)]
    if (b === null || o === null || t === null) return 'clash'
    const merged = control(path, { base: b, ours: o, theirs: t })
    if (merged === null) return 'clash'
    // An empty result is removed if one side does not have the file.
    if (merged === '' && (ours === null || theirs === null)) return null
    return { mode: (ours ?? theirs)?.mode ?? '100644', hash: await blobs.write(merged) }
  }
  if (base === null || ours === null || theirs === null) return 'clash'
  const mode = base.mode === ours.mode ? theirs.mode : ours.mode
  if (ours.hash === theirs.hash || theirs.hash === base.hash) return { mode, hash: ours.hash }
  if (ours.hash === base.hash) return { mode, hash: theirs.hash }
  const hash = await blobs.merge({ base: base.hash, ours: ours.hash, theirs: theirs.hash })
  return hash === null ? 'clash' : { mode, hash }
}

export interface EntryDifference {
  from: TreeEntry | null
  to: TreeEntry | null
}

/** Every path that differs between two trees. */
export async function diffTrees(repo: Repo, from: TreeHash, to: TreeHash): Promise<Map<string, EntryDifference>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--end-of-options', from, to]
  const fields = (await gitOrThrow(repo, args, { activity: 'compare two trees', names: true })).split('\0')
  const found = new Map<string, EntryDifference>()
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [oldMode = '', newMode = '', old = '', now = ''] = (fields[i] ?? '').slice(1).split(' ')
    found.set(fields[i + 1] ?? '', { from: entryOf(oldMode, old), to: entryOf(newMode, now) })
  }
  return found
}

function entryOf(mode: string, hash: string): TreeEntry | null {
  return mode === '000000' ? null : { mode, hash }
}

function isSame(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a?.mode === b?.mode && a?.hash === b?.hash
}

/** The tree with some paths changed, built in a temporary index. */
export async function editTree(
  { repo, place }: Pick<MergeContext, 'repo' | 'place'>,
  tree: TreeHash,
  edits: Map<string, TreeEntry | null>,
): Promise<TreeHash> {
  const activity = 'build a tree'
  return withTemporaryIndex(place, 'merge', async (env) => {
    await gitOrThrow(repo, ['read-tree', '--reset', tree], { env, activity })
    const input = indexInfoText(repo, edits)
    await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { env, activity, input })
    return gitLine(repo, ['write-tree', '--missing-ok'], { env, activity })
  })
}

/** Removals come first: a file may replace a folder. */
export function indexInfoText(repo: Repo, edits: Map<string, TreeEntry | null>): string {
  const gone = [...edits].filter(([, entry]) => entry === null).map(([path]) => path)
  const there = [...edits].map(([path, entry]) => (entry === null ? '' : `${entry.mode} ${entry.hash} 0\t${path}\0`))
  return indexRemovalText(repo, gone) + there.join('')
}

/** The hash of the empty tree, which is created because a repository may lack it. */
export async function createEmptyTree(repo: Repo): Promise<TreeHash> {
  return gitLine(repo, ['mktree'], { input: '', activity: 'build a tree' })
}
