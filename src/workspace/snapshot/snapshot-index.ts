/**
 * Ralph's own index for snapshots. It starts as a copy of the user's index, so git does not read known files again, and lives as long as
 * its repository is open, so the next snapshot is quick. The user's index, its lock and its flags are never touched.
 */
import { join } from 'node:path'
import { RalphError, messageOf } from '../../core/error.ts'
import { attempt } from '../../system/attempt.ts'
import { randomId } from '../../system/clock.ts'
import { parseDiskError } from '../../system/files/file-error.ts'
import { exists, hashFile, listFolder, removeIfExists } from '../../system/files/files.ts'
import { identifyProcess, ownProcessIdentity } from '../../system/process/process-identity.ts'
import { isPathTaken } from '../../system/files/links.ts'
import { runProgram } from '../../system/process/process.ts'
import { runAtExit } from '../../system/signals.ts'
import { git, gitOrThrow } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { isRalphPath } from '../repo/git-status.ts'
import type { SnapshotIndex, RepoCache } from '../repo/repo-cache.ts'

/** The snapshot index of this working tree: the last one, unless the user's index changed since. */
export async function openSnapshotIndex(repo: Repo, place: GitFolders): Promise<SnapshotIndex> {
  const { indexes } = repo.cache
  const known = indexes.get(place.gitDir)
  const copyOf = hashFile(join(place.gitDir, 'index'))
  if (known !== undefined && known !== null && known.copyOf === copyOf && exists(place.gitDir)) return known
  indexes.set(place.gitDir, null)
  const fresh = await copyIndex(repo, place, copyOf)
  indexes.set(place.gitDir, fresh)
  return fresh
}

/** Makes the next snapshot start from the user's index again. */
export function resetSnapshotIndex({ cache }: Repo, place: GitFolders): void {
  cache.indexes.set(place.gitDir, null)
}

/** Called when no more snapshots are taken: removes Ralph's indexes from the repository and from nested ones. */
export function removeSnapshotIndexes({ git: place, cache }: Pick<Repo, 'git' | 'cache'>): void {
  if (place === null) return
  // A process that finishes a killed Ralph's run may take no snapshot, which would remove the killed one's index.
  removeLeft(place.gitDir)
  removeWarm(cache)
}

function removeWarm(cache: RepoCache): void {
  const { own, indexes } = cache
  if (own === null) return
  const { id } = own
  const isOwn = (name: string): boolean =>
    name.startsWith(ownName('index', id)) || name.startsWith(ownName('hashes', id))
  for (const gitDir of indexes.keys()) {
    for (const name of listFolder(gitDir)) if (isOwn(name)) removeIfExists(join(gitDir, name))
  }
  indexes.clear()
  own.stay()
  cache.own = null
}

function ownName(kind: 'index' | 'hashes', id: string): string {
  return `ralph-${kind}-${ownProcessIdentity().pid}-${id}`
}

/** The indexes are removed whenever this process exits, except when it is killed. */
function idOf(cache: RepoCache): string {
  cache.own ??= { id: randomId(4), stay: runAtExit(() => removeWarm(cache)) }
  return cache.own.id
}

async function copyIndex(repo: Repo, place: GitFolders, copyOf: string | null): Promise<SnapshotIndex> {
  removeLeft(place.gitDir)
  const id = idOf(repo.cache)
  const path = join(place.gitDir, ownName('index', id))
  for (const old of [path, `${path}.lock`]) removeIfExists(old)
  // `-p` keeps its time: git trusts an entry only if the file is older than the index, so a newer copy would hide changes.
  if (copyOf !== null) {
    const { code, stderr } = await runProgram(['cp', '-p', join(place.gitDir, 'index'), path], {
      cwd: place.gitDir,
      ...(repo.by === undefined ? {} : { gitContext: repo.by }),
    })
    repo.by?.signal.throwIfAborted()
    if (code !== 0) throw notCopied(place, stderr)
  }
  const staged = await git(repo, ['write-tree', '--missing-ok'], { env: { GIT_INDEX_FILE: path } })
  await clean(repo, place, path)
  const hashes = join(place.gitDir, ownName('hashes', id))
  removeIfExists(`${hashes}.lock`)
  return {
    path,
    hashes,
    copyOf,
    staged: staged.code === 0 ? staged.stdout.trim() : null,
    untracked: new Map(),
    manifest: null,
    tree: null,
    kept: null,
    control: null,
    extras: null,
  }
}

function notCopied({ top }: GitFolders, stderr: string): RalphError {
  const problem = parseDiskError(stderr, { activity: 'copy the index of', path: top })
  return problem ?? new RalphError('io', `could not copy the index of ${top}: ${messageOf(stderr)}`)
}

/** Removes Ralph's own files, submodules (they are read like any nested repository, whatever commit the index records) and the flags
 *  that make git ignore changes of a file. */
async function clean(repo: Repo, place: GitFolders, path: string): Promise<void> {
  const env = { GIT_INDEX_FILE: path }
  const activity = 'read the index'
  const listing = exists(path) ? await gitOrThrow(repo, ['ls-files', '-v', '-s', '-z'], { env, activity }) : ''
  const edits: string[] = []
  for (const entry of listing.split('\0')) {
    const match = /^(\S) (\d+) (\w+) (\d)\t(.*)$/s.exec(entry)
    if (match === null) continue
    const [, tag = '', mode = '', sha = '', stage = '', file = ''] = match
    if (isRalphPath(file) || mode === '160000') edits.push(`0 ${sha} 0\t${file}\0`)
    else if (stage === '0' && isBlind(tag, join(place.top, file))) edits.push(`${mode} ${sha} 0\t${file}\0`)
  }
  if (edits.length > 0)
    await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { env, activity, input: edits.join('') })
}

/** Lower case: assume-unchanged. `S`: skip-worktree, which is right only for files that are not there. */
function isBlind(tag: string, path: string): boolean {
  // A path behind circular links, for example, does not exist.
  return tag.toUpperCase() === 'S' ? attempt(() => isPathTaken(path), false) : tag !== tag.toUpperCase()
}

/** Removes the indexes of a killed Ralph, and the locks that a killed git left beside them. */
function removeLeft(gitDir: string): void {
  for (const name of listFolder(gitDir)) {
    const pid = /^ralph-(?:index|hashes|restore|merge|control)-(\d+)/.exec(name)?.[1]
    if (pid !== undefined && identifyProcess(Number(pid)) === null) removeIfExists(join(gitDir, name))
  }
}
