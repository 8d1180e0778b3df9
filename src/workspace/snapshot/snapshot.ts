/**
 * The working tree as one hash: tracked and new files, without ignored ones and without `.ralph`. Git stores it as a tree, through Ralph's
 * own index, so no branch, stash, index or file of the user is touched. Snapshots show what an iteration changed and what a crash left
 * behind; evidence refers to them and an undo restores them. On request, a snapshot also holds the control files and the user's index as
 * separate trees.
 */
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import type { Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { exists } from '../../system/files/files.ts'
import { realPath, fileStamp, fileFingerprint } from '../../system/files/links.ts'
import { gitBusyReason, gitOperationInProgress } from '../repo/git-busy.ts'
import { type ControlFileSelector, findControlFiles, storeControlFiles } from './control-tree.ts'
import { takeFileListSnapshot } from './file-list.ts'
import { git, gitOrThrow, openNestedRepo } from '../repo/git.ts'
import { updateIndex, indexRemovalText } from '../repo/update-index.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import {
  EMPTY_MANIFEST,
  MANIFEST_PATH,
  type UnstoredManifest,
  isEmptyManifest,
  parseManifest,
  serializeManifest,
} from './unstored-manifest.ts'
import { toNulTerminated, fileSize } from '../paths.ts'
import { removeRef, writeRef } from '../repo/loose-objects.ts'
import { type SnapshotExtras, createSnapshotCommit, createExtrasCommit } from './snapshot-commit.ts'
import { resetSnapshotIndex, openSnapshotIndex } from './snapshot-index.ts'
import { GIT_STATUS_ARGS, type GitStatus, isRalphPath, parseGitStatus } from '../repo/git-status.ts'
import { cacheNewest, type SnapshotIndex, type RepoCache } from '../repo/repo-cache.ts'
import {
  SNAPSHOT_LIMITS,
  type SnapshotLimits,
  chooseStoredFiles,
  isSecretFileName,
  shortenNameList,
} from './stored-files.ts'

export interface SnapshotOptions {
  /** Protects the tree from git's garbage collection: `refs/ralph/<run>/<iteration>`. Null: only the hash is needed. */
  ref: string | null
  /** A ref to remove once this one is written. If git has packed it, it stays until the run is pruned. */
  instead?: string
  limits?: Partial<SnapshotLimits>
  /** Save the control files and the user's index too. */
  control?: ControlFileSelector
}

export async function takeSnapshot(repo: Repo, options: SnapshotOptions): Promise<Snapshot> {
  return (await takeSnapshotWithManifest(repo, options)).snapshot
}

export interface SnapshotWithManifest {
  snapshot: Snapshot
  manifest: UnstoredManifest
}

/** A snapshot with the manifest of the files it does not store. */
export async function takeSnapshotWithManifest(repo: Repo, options: SnapshotOptions): Promise<SnapshotWithManifest> {
  const place = repo.git
  if (place === null) return { snapshot: await takeFileListSnapshot(repo, { keep: true }), manifest: EMPTY_MANIFEST }
  if (options.ref !== null && !options.ref.startsWith('refs/ralph/')) {
    throw new RalphError('bug', `a snapshot cannot have the ref ${options.ref}`)
  }
  return inTurn(repo.cache, place.gitDir, async () => {
    try {
      return await captureSnapshot(repo, place, options)
    } catch (thrown) {
      // The objects of the index may be gone after `git gc --prune=now` or a new `git init`: try once more with a new index.
      resetSnapshotIndex(repo, place)
      if (!(thrown instanceof RalphError) || !exists(place.gitDir)) throw thrown
      return captureSnapshot(repo, place, options)
    }
  })
}

/** Two snapshots of one working tree share an index, so they wait for each other. */
function inTurn<T>({ turns }: RepoCache, gitDir: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(gitDir) ?? Promise.resolve()).then(work, work)
  turns.set(gitDir, mine)
  return mine
}

async function captureSnapshot(repo: Repo, place: GitFolders, options: SnapshotOptions): Promise<SnapshotWithManifest> {
  const index = await openSnapshotIndex(repo, place)
  const status = await statusOf(repo, index)
  if (index.untracked.size > 0 && changesIgnoring(status)) {
    // Files that were stored as new may be ignored now: only the user's index shows the difference.
    resetSnapshotIndex(repo, place)
    return captureSnapshot(repo, place, options)
  }
  const limits = { ...SNAPSHOT_LIMITS, ...options.limits }
  const breathe = createEventLoopYielder(repo.by?.signal)
  const plan = await planOf(status, { index, place, limits, breathe })
  const nested = await surveyNested(repo, place, { folders: plan.nested, options })
  const manifest: UnstoredManifest = {
    ...(await hashUnstored(repo, index, plan)),
    nested: Object.fromEntries(nested.map(({ folder, snapshot: { tree, head } }) => [folder, { tree, head }])),
  }
  const tree = await store(repo, place, index, { plan, manifest })
  cacheNewest(
    repo.cache.manifests,
    tree,
    isEmptyManifest(manifest) ? EMPTY_MANIFEST : parseManifest(serializeManifest(manifest)),
  )
  const extras = options.control === undefined ? {} : await besides(repo, place, { index, names: options.control })
  const ref =
    options.ref === null ? null : await keep(repo, place, { index, tree, head: status.head, extras, ref: options.ref })
  if (ref !== null && options.instead !== undefined) removeRef(place, options.instead)
  const crowds = Object.entries(manifest.crowds).map(([folder, { files }]) => `${folder} (${files} files)`)
  const inside = nested.flatMap(({ folder, snapshot }) => snapshot.unstored.map((name) => `${folder}/${name}`))
  const unstored = shortenNameList([...crowds, ...Object.keys(manifest.files).sort(), ...inside])
  const open = gitOperationInProgress(place)
  const snapshot: Snapshot = {
    tree,
    head: status.head,
    branch: status.branch,
    ref,
    unstored,
    busy: gitBusyReason(place),
    ...(open === null ? {} : { open }),
    ...extras,
  }
  return { snapshot, manifest }
}

async function besides(
  repo: Repo,
  place: GitFolders,
  { index, names }: { index: SnapshotIndex; names: ControlFileSelector },
): Promise<SnapshotExtras> {
  const staged = index.staged === null ? {} : { index: index.staged }
  const there = findControlFiles(repo, place, names)
  if (there === null) return staged
  const { paths, fingerprints } = there
  if (index.control?.fingerprints !== fingerprints)
    index.control = { fingerprints, tree: await storeControlFiles(repo, place, paths) }
  return { control: index.control.tree, ...staged }
}

async function statusOf(repo: Repo, index: SnapshotIndex): Promise<GitStatus> {
  // The index is Ralph's own, so git may lock it and record which files are unchanged.
  const env = { GIT_INDEX_FILE: index.path, GIT_OPTIONAL_LOCKS: '1' }
  const args = ['-c', 'core.untrackedCache=false', ...GIT_STATUS_ARGS]
  return parseGitStatus(await gitOrThrow(repo, args, { env, activity: 'list the changed files' }))
}

function changesIgnoring(status: GitStatus): boolean {
  const changed = status.tracked.filter((entry) => entry.unstaged !== '.').map((entry) => entry.path)
  return [...changed, ...status.untracked].some((path) => basename(path) === '.gitignore')
}

interface Plan {
  /** To update in the index, or to remove from it if they are gone. */
  update: string[]
  /** Stored so far but no longer: they are now too many or too large. */
  drop: string[]
  /** New files that are stored from now on, with their sizes. */
  untracked: Map<string, number>
  /** Secrets: hashed one by one. */
  single: string[]
  /** Too large to read: represented by their fingerprints. */
  large: string[]
  crowds: Map<string, string[]>
  /** Nested repositories: submodules and others. */
  nested: string[]
}

interface Planning {
  index: SnapshotIndex
  place: GitFolders
  limits: SnapshotLimits
  breathe: () => Promise<void>
}

/** Decides which differing paths are stored, which are only hashed, and which are nested repositories. */
async function planOf(status: GitStatus, { index, place, limits, breathe }: Planning): Promise<Plan> {
  const size = (path: string) => fileSize(join(place.top, path))
  const plan: Plan = {
    update: [],
    drop: [],
    untracked: new Map(),
    single: [],
    large: [],
    crowds: new Map(),
    nested: [],
  }
  const leaveOut = (path: string, bytes: number) => (bytes > limits.fileBytes ? plan.large : plan.single).push(path)
  const news = new Map(index.untracked)
  const changed = new Set<string>()
  for (const { path, unstaged } of status.tracked) {
    if (unstaged === '.' || isRalphPath(path)) continue
    await breathe()
    const isInner = isRepository(place.top, path)
    // Git finds a repository in place of a former file only after the file is removed from the index.
    if (isInner) plan.nested.push(path)
    if (unstaged === 'D' || isInner) {
      news.delete(path)
      plan.update.push(path)
    } else if (news.has(path)) {
      news.set(path, size(path))
      changed.add(path)
    } else if (isSecretFileName(path) || size(path) > limits.fileBytes) leaveOut(path, size(path))
    else plan.update.push(path)
  }
  for (const path of status.untracked) {
    if (isRalphPath(path)) continue
    await breathe()
    if (path.endsWith('/')) plan.nested.push(path.slice(0, -1))
    else {
      news.set(path, size(path))
      changed.add(path)
    }
  }
  const choice = chooseStoredFiles(news, limits)
  for (const path of choice.stored) {
    plan.untracked.set(path, news.get(path) ?? 0)
    if (changed.has(path)) plan.update.push(path)
  }
  plan.drop = [...index.untracked.keys()].filter((path) => news.has(path) && !plan.untracked.has(path))
  for (const { path } of choice.single) leaveOut(path, news.get(path) ?? 0)
  plan.crowds = choice.crowds
  return plan
}

/** A real folder, not a link to one. */
function isRepository(top: string, path: string): boolean {
  const whole = join(top, path)
  return exists(join(whole, '.git')) && realPath(whole) === join(realPath(top) ?? top, path)
}

interface NestedSurvey {
  folder: string
  snapshot: Snapshot
}

async function surveyNested(
  repo: Repo,
  place: GitFolders,
  { folders, options }: { folders: string[]; options: SnapshotOptions },
): Promise<NestedSurvey[]> {
  const present = folders.filter((folder) => exists(join(place.top, folder, '.git')))
  return Promise.all(
    present.map(async (folder) => {
      const inner = await openNestedRepo(join(place.top, folder), repo)
      if (inner.git === null) return { folder, snapshot: await takeFileListSnapshot(inner, { keep: false }) }
      const { control: _, ...inside } = options
      return { folder, snapshot: await takeSnapshot(inner, inside) }
    }),
  )
}

/** Hashes files without storing them, through a separate index, so that a file is read again only after it changed. */
async function hashUnstored(
  repo: Repo,
  index: SnapshotIndex,
  { single, large, crowds }: Plan,
): Promise<Pick<UnstoredManifest, 'files' | 'crowds'>> {
  const top = repo.git?.top ?? repo.root
  const fingerprinted = large.map((path) => [path, `large ${fileFingerprint(join(top, path))}`] as const)
  const paths = [...single, ...[...crowds.values()].flat()]
  if (paths.length === 0) return { files: Object.fromEntries(fingerprinted), crowds: {} }
  const env = { GIT_INDEX_FILE: index.hashes }
  const activity = 'hash the files that are not stored'
  const read = await hashReadable(repo, env, paths)
  const hashes = new Map<string, string>()
  for (const entry of (await gitOrThrow(repo, ['ls-files', '-s', '-z'], { env, activity })).split('\0')) {
    const tab = entry.indexOf('\t')
    const path = entry.slice(tab + 1)
    if (tab > 0 && read.has(path)) hashes.set(path, entry.slice(7, entry.indexOf(' ', 7)))
  }
  const hashOf = (path: string) => hashes.get(path) ?? `unreadable ${fileStamp(join(top, path))}`
  return {
    files: Object.fromEntries([...fingerprinted, ...single.map((path) => [path, hashOf(path)] as const)]),
    crowds: Object.fromEntries(
      [...crowds].map(([folder, files]) => {
        const whole = createHash('sha256')
        for (const path of files) whole.update(`${hashOf(path)} ${path}\0`)
        return [folder, { files: files.length, hash: whole.digest('hex') }]
      }),
    ),
  }
}

/** Enough for a few keys of another user; with more, all are represented by their stamps alone. */
const UNREADABLE_MAX = 20

/** The paths that git could hash: an unreadable file must not keep git from hashing the others. */
async function hashReadable(repo: Repo, env: { GIT_INDEX_FILE: string }, paths: string[]): Promise<Set<string>> {
  const left = new Set(paths)
  const args = ['update-index', '--info-only', '--add', '--remove', '--replace', '-z', '--stdin']
  for (let tries = 0; tries <= UNREADABLE_MAX; tries++) {
    const { code, stderr } = await git(repo, args, { env, input: toNulTerminated([...left]) })
    if (code === 0) return left
    const refused = /^fatal: Unable to process path (.*)\n$/ms.exec(stderr)?.[1]
    if (refused === undefined || !left.delete(refused)) break
  }
  return new Set()
}

async function store(
  repo: Repo,
  place: GitFolders,
  index: SnapshotIndex,
  { plan, manifest }: { plan: Plan; manifest: UnstoredManifest },
): Promise<TreeHash> {
  const text = isEmptyManifest(manifest) ? null : serializeManifest(manifest)
  const isSame = plan.update.length === 0 && plan.drop.length === 0 && text === index.manifest
  if (isSame && index.tree !== null) return index.tree
  index.tree = null
  index.kept = null
  const env = { GIT_INDEX_FILE: index.path }
  const activity = 'store a snapshot'
  const drops = indexRemovalText(repo, plan.drop)
  const edits = text === index.manifest ? drops : drops + (await manifestEdit(repo, text))
  if (edits !== '') {
    await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { env, activity, input: edits })
  }
  if (plan.update.length > 0) await updateIndex(repo, place, { env, paths: plan.update })
  index.untracked = plan.untracked
  index.manifest = text
  index.tree = (await gitOrThrow(repo, ['write-tree'], { env, activity })).trim()
  return index.tree
}

async function manifestEdit(repo: Repo, text: string | null): Promise<string> {
  if (text === null) return indexRemovalText(repo, [MANIFEST_PATH])
  const activity = 'store a snapshot'
  const sha = await gitOrThrow(repo, ['hash-object', '-w', '--stdin', '--no-filters'], { activity, input: text })
  return `100644 ${sha.trim()} 0\t${MANIFEST_PATH}\0`
}

interface Keeping {
  index: SnapshotIndex
  tree: TreeHash
  head: string | null
  extras: SnapshotExtras
  ref: string
}

/** Writes a ref to a commit on top of HEAD, so that the usual tools (`git diff`, `git log`) can show it. */
async function keep(repo: Repo, place: GitFolders, { index, tree, head, extras, ref }: Keeping): Promise<string> {
  const side = await besideCommit(repo, index, { extras, ref })
  if (index.kept === null || index.kept.head !== head || index.kept.extras !== side) {
    index.kept = { sha: await createSnapshotCommit(repo, { tree, head, side, ref }), head, extras: side }
  }
  if (!writeRef(place, ref, index.kept.sha))
    await gitOrThrow(repo, ['update-ref', '--no-deref', ref, index.kept.sha], {
      activity: `save the snapshot as ${ref}`,
    })
  return ref
}

/** The commit of the extras, created again only when they changed. */
async function besideCommit(
  repo: Repo,
  index: SnapshotIndex,
  { extras, ref }: { extras: SnapshotExtras; ref: string },
): Promise<string | null> {
  if (extras.control === undefined) return null
  const of = `${extras.control} ${extras.index ?? ''}`
  if (index.extras?.of !== of) index.extras = { of, sha: await createExtrasCommit(repo, { extras, ref }) }
  return index.extras.sha
}
