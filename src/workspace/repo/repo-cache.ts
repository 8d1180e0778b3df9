/**
 * What is kept warm of a working tree between two looks at it. It belongs to whoever opened the repository and is handed on with it, so
 * workers in different trees share nothing, and it goes when they do. Repositories inside the tree are kept in it too, each by its
 * git folder.
 */
import type { TreeHash } from '../../core/ids.ts'
import type { Manifest } from '../snapshot/snapshot-manifest.ts'
import type { LongLivedGit } from './long-lived-git.ts'

export interface RepoCache {
  /** From the first index on, until they are removed: what stands in its name, so that two who look at one tree at once do not share
   *  it, and what calls off its removal at the end of the process. */
  own: { id: string; stay: () => void } | null
  /** Null: one lies there that nobody may use any more. */
  indexes: Map<GitDir, SnapshotIndex | null>
  /** The last of those who wait for each other there. */
  turns: Map<GitDir, Promise<unknown>>
  /** Of the trees and commits that were met last: what a hash names never changes. */
  manifests: Map<TreeHash, Manifest>
  /** The trees of commits that were met last. */
  trees: Map<string, TreeHash>
  /** Compares trees, for whoever stays; null: a git is started for each comparison. */
  treeDiffer: { git: LongLivedGit; gitDir: GitDir } | null
}

type GitDir = string

export interface SnapshotIndex {
  /** For GIT_INDEX_FILE. */
  path: string
  /** A second index, only for hashing what is not stored. */
  hashes: string
  /** Hash of the user's index that this one was copied from. */
  copyOf: string | null
  /** What the user has staged, as that index says it; null: it holds an unfinished merge. */
  staged: TreeHash | null
  /** New files that the user's index does not have and ours stores, with their sizes. */
  untracked: Map<string, number>
  /** Hash of the manifest that lies in the index, or null when there is none. */
  manifest: string | null
  /** What the last snapshot amounted to; null when the index changed since. */
  tree: TreeHash | null
  /** The commit that keeps `tree`, with the HEAD it stands on and what is kept beside it. */
  kept: { sha: string; head: string | null; extras: string | null } | null
  /** The control files by their fingerprints, and the tree they amounted to. */
  control: { fingerprints: string; tree: TreeHash } | null
  /** The commit that keeps the control files and what is staged. */
  extras: { of: string; sha: string } | null
}

/** The last look, the one before, HEAD and the first of a run are asked for again and again. */
const KEPT_MAX = 12

/** Notes it as the newest; the oldest go. */
export function cacheNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= KEPT_MAX) return
    map.delete(oldest)
  }
}

export function createRepoCache(): RepoCache {
  return {
    own: null,
    indexes: new Map(),
    turns: new Map(),
    manifests: new Map(),
    trees: new Map(),
    treeDiffer: null,
  }
}
