/**
 * Reverts the changes between two snapshots in the files of a third. Files that a snapshot lists without their content (secrets, huge
 * files, crowds) stay unchanged and are named, because their old version is not stored. Nested repositories are included.
 */
import { join } from 'node:path'
import type { TreeHash } from '../../core/ids.ts'
import { isFolder } from '../../system/files/files.ts'
import { isPathTaken } from '../../system/files/links.ts'
import { isLink } from '../../system/files/special-files.ts'
import { isFileListHash } from '../snapshot/file-list.ts'
import { openNestedRepo } from '../repo/git.ts'
import {
  isEmptyManifest,
  isUnstoredFile,
  MANIFEST_PATH,
  serializeManifest,
  type UnstoredManifest,
} from '../snapshot/unstored-manifest.ts'
import { loadManifests } from '../snapshot/compare-snapshots.ts'
import { isRalphPath } from '../repo/git-status.ts'
import { withBlobs } from './blobs.ts'
import { editTree, mergeTrees, type MergeContext, type MergeSides } from './merge-trees.ts'

export interface RevertedTree {
  tree: TreeHash
  clashes: string[]
  /** Paths that the run changed and that cannot be reverted. */
  left: string[]
}

export async function computeRevertedTree(
  merging: MergeContext,
  sides: MergeSides,
  takes: (path: string) => boolean,
): Promise<RevertedTree> {
  const [base, ours, theirs] = await loadManifests(merging.repo, [sides.base, sides.ours, sides.theirs])
  const { tree, clashes, gone } = await mergeTrees(
    merging,
    sides,
    (path) => takes(path) && !isRalphPath(path) && !isUnstoredFile(ours, path) && !isUnstoredFile(theirs, path),
  )
  const nested = await nestedBack(merging, { base, ours, theirs })
  const unseen = gone.filter((path) => isThere(join(merging.place.top, path)))
  const left = [...listedOnly({ base, ours, theirs }), ...unseen, ...nested.left]
  if (clashes.length > 0 || nested.clashes.length > 0)
    return { tree: sides.ours, clashes: [...clashes, ...nested.clashes], left }
  if (nested.folders === null) return { tree, clashes, left }
  return { tree: await withManifest(merging, tree, { ...ours, nested: nested.folders }), clashes, left }
}

/** A file on disk that the present snapshot lacks: it has been ignored since, or its folder became a repository. */
function isThere(file: string): boolean {
  return isPathTaken(file) && (isLink(file) || !isFolder(file))
}

interface Manifests {
  base: UnstoredManifest
  ours: UnstoredManifest
  theirs: UnstoredManifest
}

function listedOnly({ base, ours, theirs }: Manifests): string[] {
  const listed = ({ files, crowds }: UnstoredManifest): Record<string, string> => ({
    ...files,
    ...Object.fromEntries(Object.entries(crowds).map(([folder, { hash }]) => [folder, hash])),
  })
  const [then, now, wanted] = [listed(base), listed(ours), listed(theirs)]
  return Object.keys({ ...then, ...wanted }).filter((path) => then[path] !== wanted[path] && now[path] !== wanted[path])
}

async function nestedBack(
  merging: MergeContext,
  { base, ours, theirs }: Manifests,
): Promise<{ folders: UnstoredManifest['nested'] | null; clashes: string[]; left: string[] }> {
  const folders = { ...ours.nested }
  const clashes: string[] = []
  const left: string[] = []
  let changed = false
  for (const folder of Object.keys({ ...base.nested, ...theirs.nested })) {
    const [after, here, before] = [base.nested[folder], ours.nested[folder], theirs.nested[folder]]
    if (after?.tree === before?.tree || here?.tree === before?.tree) continue
    const trees = [after, here, before].map((one) => one?.tree)
    // A nested repository that is new or gone may hold commits that exist nowhere else.
    if (
      after === undefined ||
      here === undefined ||
      before === undefined ||
      trees.some((tree) => isFileListHash(tree ?? ''))
    ) {
      left.push(folder)
      continue
    }
    const inner = await insideOf(merging, folder, { base: after.tree, ours: here.tree, theirs: before.tree })
    if (inner === null) left.push(folder)
    else {
      clashes.push(...inner.clashes.map((path) => `${folder}/${path}`))
      left.push(...inner.left.map((path) => `${folder}/${path}`))
      folders[folder] = { ...here, tree: inner.tree }
      changed = true
    }
  }
  return { folders: changed ? folders : null, clashes, left }
}

async function insideOf(
  { repo, place, control }: MergeContext,
  folder: string,
  sides: MergeSides,
): Promise<RevertedTree | null> {
  const inner = await openNestedRepo(join(place.top, folder), repo)
  const innerPlace = inner.git
  if (innerPlace === null) return null
  const isControl = (): boolean => false
  return withBlobs(inner, innerPlace, (blobs) =>
    computeRevertedTree({ repo: inner, place: innerPlace, blobs, control, isControl }, sides, () => true),
  )
}

async function withManifest(merging: MergeContext, tree: TreeHash, manifest: UnstoredManifest): Promise<TreeHash> {
  const entry = isEmptyManifest(manifest)
    ? null
    : { mode: '100644', hash: await merging.blobs.write(serializeManifest(manifest)) }
  return editTree(merging, tree, new Map([[MANIFEST_PATH, entry]]))
}
