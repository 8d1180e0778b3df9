/**
 * Cached data of a working tree between two snapshots. It belongs to the opened repository, so workers in different trees share nothing and
 * it is freed with the repository. Nested repositories are in it too, each by its git folder.
 */
import type { TreeHash } from '../../core/ids.ts'
import type { UnstoredManifest } from '../snapshot/unstored-manifest.ts'
import type { LongLivedGit } from './long-lived-git.ts'

export interface RepoCache {
  /** Set while there are indexes. `id` is part of their names, so that two processes do not share them; `stay` cancels their removal at
   *  the end of the process. */
  own: { id: string; stay: () => void } | null
  /** Null: the index file is outdated. */
  indexes: Map<GitDir, SnapshotIndex | null>
  /** The last queued snapshot of each git folder. */
  turns: Map<GitDir, Promise<unknown>>
  /** Manifests of recent trees; they never change. */
  manifests: Map<TreeHash, UnstoredManifest>
  /** The trees of recent commits. */
  trees: Map<string, TreeHash>
  /** A long-lived git that compares trees; null: a git is started for each comparison. */
  treeDiffer: { git: LongLivedGit; gitDir: GitDir } | null
}

type GitDir = string

export interface SnapshotIndex {
  /** For GIT_INDEX_FILE. */
  path: string
  /** A second index, only for hashing files that are not stored. */
  hashes: string
  /** Hash of the user's index that this one was copied from. */
  copyOf: string | null
  /** The tree of the user's index; null: it holds an unfinished merge. */
  staged: TreeHash | null
  /** New files that only Ralph's index has, with their sizes. */
  untracked: Map<string, number>
  /** Text of the manifest in the index; null: there is none. */
  manifest: string | null
  /** The tree of the last snapshot; null: the index changed since. */
  tree: TreeHash | null
  /** The commit of `tree`, with its two parents: HEAD and the commit of the extras. */
  kept: { sha: string; head: string | null; extras: string | null } | null
  /** The fingerprints of the control files, and their tree. */
  control: { fingerprints: string; tree: TreeHash } | null
  /** The commit of the control files and the user's index. */
  extras: { of: string; sha: string } | null
}

/** The last two snapshots, HEAD and the first snapshot of a run are used again and again. */
const KEPT_MAX = 12

/** Adds the newest entry and drops the oldest ones. */
export function cacheNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= KEPT_MAX) return
    map.delete(oldest)
  }
}

export function createRepoCache(): RepoCache {
  return { own: null, indexes: new Map(), turns: new Map(), manifests: new Map(), trees: new Map(), treeDiffer: null }
}
