/** The changes between two snapshots, measured from git's objects and never taken from an agent's report. */
import { join } from 'node:path'
import { type Change, NO_CHANGE, type Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { type FileList, readFileList, isFileListHash } from './file-list.ts'
import { git, gitOrThrow, openRepo, resolveObject } from '../repo/git.ts'
import type { Repo } from '../repo/find-repo.ts'
import { EMPTY_MANIFEST, MANIFEST_PATH, type UnstoredManifest, parseManifest } from './unstored-manifest.ts'
import { isRalphPath } from '../repo/git-status.ts'
import { openLongLivedGit } from '../repo/long-lived-git.ts'
import { cacheNewest } from '../repo/repo-cache.ts'

type ChangedPath = Change['paths'][number]

interface Differences {
  paths: ChangedPath[]
  added: number
  removed: number
}

const PATHS_MAX = 50
const COMMITS_MAX = 20

export async function changeBetween(
  repo: Repo,
  from: { tree: TreeHash; head: string | null },
  to: Snapshot,
): Promise<Change> {
  const [diffTrees, commits] = await Promise.all([
    from.tree === to.tree ? none() : treeDifferences(repo, from.tree, to.tree),
    from.head === to.head || to.head === null ? [] : commitsBetween(repo, { from: from.head, to: to.head }),
  ])
  const paths = diffTrees.paths.sort((a, b) => (a.path < b.path ? -1 : 1))
  if (paths.length === 0 && commits.length === 0) return NO_CHANGE
  const { added, removed } = diffTrees
  return { paths: paths.slice(0, PATHS_MAX), files: paths.length, added, removed, commits }
}

/** How much two snapshots differ; null: one of them no longer exists. */
export async function changeSizeBetween(
  repo: Repo,
  from: TreeHash,
  to: TreeHash,
): Promise<{ files: number; added: number; removed: number } | null> {
  const all = await differencesOf(repo, from, to)
  return all === null ? null : { files: all.paths.length, added: all.added, removed: all.removed }
}

/** All paths that differ; null: one of the snapshots no longer exists. */
export async function changedPathsBetween(repo: Repo, from: TreeHash, to: TreeHash): Promise<string[] | null> {
  const all = await differencesOf(repo, from, to)
  return all === null ? null : all.paths.map(({ path }) => path)
}

/** Like `changedPathsBetween`, starting at a commit. */
export async function changedPathsSince(repo: Repo, commit: string, to: TreeHash): Promise<string[] | null> {
  return changedPathsBetween(repo, await treeOfCommit(repo, commit), to)
}

async function treeOfCommit(repo: Repo, commit: string): Promise<TreeHash> {
  const { trees } = repo.cache
  const known = trees.get(commit)
  if (known !== undefined) return known
  const tree = await resolveObject(repo, `${commit}^{tree}`)
  // The comparison reports a tree that no longer exists.
  if (tree === null) return commit
  cacheNewest(trees, commit, tree)
  return tree
}

async function differencesOf(repo: Repo, from: TreeHash, to: TreeHash): Promise<Differences | null> {
  try {
    return from === to ? none() : await treeDifferences(repo, from, to)
  } catch (thrown) {
    repo.by?.signal.throwIfAborted()
    if (thrown instanceof RalphError) return null
    throw thrown
  }
}

function none(): Differences {
  return { paths: [], added: 0, removed: 0 }
}

async function treeDifferences(repo: Repo, from: TreeHash, to: TreeHash): Promise<Differences> {
  if (isFileListHash(from) || isFileListHash(to)) return listDifferences(repo, from, to)
  const stored = await storedDifferences(repo, from, to)
  const { before, after } = await manifestsAround(repo, { from, to, change: stored.manifest })
  const nested = await nestedDifferences(repo, before.nested, after.nested)
  const parts = [stored, unstoredDifferences(before, after), ...nested]
  const paths = new Map(parts.flatMap((part) => part.paths).map((changed) => [changed.path, changed]))
  return {
    paths: [...paths.values()],
    added: parts.reduce((sum, part) => sum + part.added, 0),
    removed: parts.reduce((sum, part) => sum + part.removed, 0),
  }
}

const HOW = ['-r', '-z', '--raw', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv']

/** Starts a long-lived git that compares trees of this repository until `closeTreeDiffer`. `mark` identifies its processes. */
export function openTreeDiffer({ git: place, cache }: Repo, mark: string): void {
  if (place === null) return
  cache.treeDiffer = { git: openLongLivedGit(['diff-tree', '--stdin', ...HOW], { mark }), gitDir: place.gitDir }
}

export async function closeTreeDiffer({ cache }: Pick<Repo, 'cache'>): Promise<void> {
  const { treeDiffer } = cache
  cache.treeDiffer = null
  await treeDiffer?.git.close()
}

/** `manifest`: git's status letter of the manifest; null: unchanged or absent in both. */
interface StoredDifferences extends Differences {
  manifest: string | null
}

/** One process prints both listings: `:modes hashes STATUS NUL path NUL` and `added TAB removed TAB path NUL`. */
async function storedDifferences(repo: Repo, from: TreeHash, to: TreeHash): Promise<StoredDifferences> {
  const output =
    (await fromDiffer(repo, from, to)) ??
    (await gitOrThrow(repo, ['diff-tree', ...HOW, '--end-of-options', from, to], { activity: 'compare two snapshots' }))
  const result: StoredDifferences = { ...none(), manifest: null }
  const fields = output.split('\0')
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? ''
    if (field.startsWith(':')) {
      const path = fields[++i] ?? ''
      if (path === MANIFEST_PATH) result.manifest = field.at(-1) ?? ''
      if (!isRalphPath(path)) result.paths.push({ path, kind: kindOf(field.at(-1) ?? '') })
      continue
    }
    const counts = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field)
    if (counts === null || isRalphPath(counts[3] ?? '')) continue
    result.added += Number(counts[1]) || 0 // `-` for files that are not text
    result.removed += Number(counts[2]) || 0
  }
  return result
}

/** Null: there is no long-lived git, or it cannot answer. */
async function fromDiffer(repo: Repo, from: TreeHash, to: TreeHash): Promise<string | null> {
  const { treeDiffer } = repo.cache
  if (treeDiffer === null || treeDiffer.gitDir !== repo.git?.gitDir) return null
  const said = (await treeDiffer.git.ask(repo, `${from} ${to}`))?.toString('utf8') ?? ''
  // An answer begins with the hashes of the two trees; everything else is an error.
  const head = `${from} ${to}\n`
  if (!said.startsWith(head)) return null
  // Attributes define which files are text, and the long-lived git has cached the old ones.
  if (!said.includes('.gitattributes\0')) return said.slice(head.length)
  treeDiffer.git.forget()
  return null
}

/** The manifest of the later tree is cached by its snapshot; git's status letter usually gives the earlier one. */
async function manifestsAround(
  repo: Repo,
  { from, to, change }: { from: TreeHash; to: TreeHash; change: string | null },
): Promise<{ before: UnstoredManifest; after: UnstoredManifest }> {
  const { manifests } = repo.cache
  const known = manifests.get(to)
  if (known !== undefined && change === null) cacheNewest(manifests, from, known)
  else if (known !== undefined && change === 'A') cacheNewest(manifests, from, EMPTY_MANIFEST)
  const [before, after] = await loadManifests(repo, [from, to])
  return { before, after }
}

function kindOf(letter: string): ChangedPath['kind'] {
  if (letter === 'A') return 'added'
  return letter === 'D' ? 'deleted' : 'changed'
}

/** One process reads all manifests that are not cached. */
export async function loadManifests<Trees extends TreeHash[]>(
  repo: Repo,
  trees: [...Trees],
): Promise<{ [Key in keyof Trees]: UnstoredManifest }> {
  const { cache } = repo
  const known = new Map(cache.manifests)
  const unknown = [...new Set(trees)].filter((tree) => !known.has(tree))
  if (unknown.length > 0) {
    const read = await readManifests(repo, unknown)
    unknown.forEach((tree, i) => {
      known.set(tree, read[i] ?? EMPTY_MANIFEST)
      cacheNewest(cache.manifests, tree, read[i] ?? EMPTY_MANIFEST)
    })
  }
  return trees.map((tree) => known.get(tree) ?? EMPTY_MANIFEST) as { [Key in keyof Trees]: UnstoredManifest }
}

async function readManifests(repo: Repo, trees: TreeHash[]): Promise<UnstoredManifest[]> {
  const input = trees.map((tree) => `${tree}:${MANIFEST_PATH}\n`).join('')
  const { stdout } = await git(repo, ['cat-file', '--batch'], { input })
  let rest = Buffer.from(stdout)
  return trees.map(() => {
    const end = rest.indexOf('\n')
    const size = /^\w+ blob (\d+)$/.exec(rest.subarray(0, end).toString())?.[1]
    rest = rest.subarray(end + 1)
    if (size === undefined) return EMPTY_MANIFEST
    const text = rest.subarray(0, Number(size)).toString()
    rest = rest.subarray(Number(size) + 1)
    return parseManifest(text)
  })
}

function unstoredDifferences(before: UnstoredManifest, after: UnstoredManifest): Differences {
  const crowd = ({ crowds }: UnstoredManifest) =>
    Object.fromEntries(Object.entries(crowds).map(([folder, { hash }]) => [folder, hash]))
  const paths = [...compare(before.files, after.files), ...compare(crowd(before), crowd(after))]
  return { paths, added: 0, removed: 0 }
}

function compare(before: FileList, after: FileList): ChangedPath[] {
  const changed: ChangedPath[] = []
  for (const path of Object.keys({ ...before, ...after })) {
    if (before[path] === after[path]) continue
    if (before[path] === undefined) changed.push({ path, kind: 'added' })
    else changed.push({ path, kind: after[path] === undefined ? 'deleted' : 'changed' })
  }
  return changed
}

async function nestedDifferences(
  repo: Repo,
  before: UnstoredManifest['nested'],
  after: UnstoredManifest['nested'],
): Promise<Differences[]> {
  const folders = Object.keys({ ...before, ...after })
  return Promise.all(
    folders.map(async (folder): Promise<Differences> => {
      const [old, now] = [before[folder], after[folder]]
      if (old?.tree === now?.tree && old?.head === now?.head) return none()
      const whole = { path: folder, kind: kindOf(old === undefined ? 'A' : now === undefined ? 'D' : 'M') }
      if (
        old === undefined ||
        now === undefined ||
        old.tree === now.tree ||
        isFileListHash(now.tree) ||
        isFileListHash(old.tree)
      ) {
        return { paths: [whole], added: 0, removed: 0 }
      }
      const inner = await openRepo(join(repo.git?.top ?? repo.root, folder), repo)
      const { paths, added, removed } = await treeDifferences(inner, old.tree, now.tree)
      return { paths: paths.map(({ path, kind }) => ({ path: `${folder}/${path}`, kind })), added, removed }
    }),
  )
}

function listDifferences(repo: Repo, from: TreeHash, to: TreeHash): Differences {
  const [before, after] = [readFileList(repo, from), readFileList(repo, to)]
  if (before === null || after === null) {
    throw new RalphError('not-found', `the file list of snapshot ${before === null ? from : to} no longer exists`, {
      hint: 'Without git, Ralph keeps only the latest file lists. To get snapshots, run: git init',
    })
  }
  return { paths: compare(before, after), added: 0, removed: 0 }
}

/** The newest commits, oldest first. After a rewritten history: those that the old HEAD does not contain. */
async function commitsBetween(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
): Promise<Change['commits']> {
  const range = from === null ? [to] : [to, `^${from}`]
  const how = ['--no-show-signature', '--no-decorate', '--format=%H %T %s', `--max-count=${COMMITS_MAX}`]
  const { code, stdout } = await git(repo, ['log', ...how, '--end-of-options', ...range, '--'])
  // The old HEAD may no longer exist; then the new commits are unknown.
  if (code !== 0) return []
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [sha = '', tree = '', ...subject] = line.split(' ')
      // The newest is HEAD; uncommitted changes are compared with its tree.
      if (sha === to) cacheNewest(repo.cache.trees, sha, tree)
      return { sha, subject: subject.join(' ') }
    })
    .reverse()
}
