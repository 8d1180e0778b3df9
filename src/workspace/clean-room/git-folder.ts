/**
 * Creates a real `.git` in the clean room, so that gates which use git find the history, the branch and the tags. The user's files are not
 * copied: commits are fetched, so every object is hashed again, and hooks, settings, replaced objects and alternate object folders are left
 * out. Between trials only unchanged objects are kept; everything else is written again.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import {
  exists,
  hashText,
  isFolder,
  listFolder,
  readIfExists,
  removeFolder,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { listFolderStamps } from '../../system/files/folder-stamps.ts'
import { copyRecursively } from '../../system/files/copy-move.ts'
import { isLink } from '../../system/files/special-files.ts'
import { git, gitOrThrow, openRepo, resolveObject } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { createRepoCache } from '../repo/repo-cache.ts'
import * as read from '../../core/text/json.ts'
import { listTrackedAndNew } from '../archive/tree-file-names.ts'
import type { CleanRoom } from './clean-room.ts'
import { splitWords } from '../../core/text/split-words.ts'

/** A repository whose history is missing in the clean room, completely or partly. */
export interface MissingHistory {
  /** Relative to the top of the working tree; empty: the repository itself. */
  folder: string
  why: string
}

/** Call it after the clean room is filled, because the index records the files there. `memory`: a folder that no gate knows. */
export async function createGitFolder(
  room: CleanRoom,
  repo: Repo,
  { memory }: { memory: string },
): Promise<MissingHistory[]> {
  const notes = join(memory, 'room-git.json')
  const before = readNotes(notes)
  const now: Record<string, KeptGit> = {}
  const without: MissingHistory[] = []
  for (const { folder, source } of await repositoriesIn(repo)) {
    const at = join(room.top, folder)
    if (!isFolder(at)) continue
    const index = join(memory, `room-index-${hashText(folder).slice(0, 12)}`)
    const kept = before[folder] ?? null
    const made = await makeGit({ at, source, by: repo.by, kept, index, settings: join(memory, 'fetch.conf') })
    if (made.why !== null) without.push({ folder, why: made.why })
    if (made.kept !== null) now[folder] = made.kept
  }
  if (repo.git === null) removeFolder(join(room.top, '.git'))
  writeWithoutSync(notes, JSON.stringify(now))
  return without
}

/** The record of one `.git` in the clean room. */
interface KeptGit {
  /** HEAD and refs of the user's repository when its objects were fetched. */
  said: string
  /** Lines `<id> <name>`. */
  refs: string
  shallow: string
  /** The commit of the saved index. */
  head: string | null
  /** Path in `.git/objects` → its fingerprint. */
  objects: Record<string, string>
}

interface Making {
  /** The folder in the clean room. */
  at: string
  source: GitFolders
  by: Repo['by']
  kept: KeptGit | null
  /** File with a copy of the index. */
  index: string
  /** File with the settings for the fetch. */
  settings: string
}

async function makeGit(making: Making): Promise<{ kept: KeptGit | null; why: string | null }> {
  const { at, source, by, index, settings } = making
  const cache = createRepoCache()
  const from: Repo = { root: source.top, git: source, by, cache }
  const said = await ask(from)
  const folder = join(at, '.git')
  const kept = keepObjects(folder, making.kept)
  await begin(from, { at, said })
  const to: Repo = { root: at, git: { commonDir: folder, gitDir: folder, top: at, prefix: '' }, by, cache }
  if (kept !== null) writeRefs(folder, kept)
  const why = kept?.said === said.text ? null : await fetchInto(to, { source, said, settings })
  if (why?.is === 'nothing') {
    removeFolder(folder)
    return { kept: null, why: why.words }
  }
  writeWithoutSync(join(folder, 'HEAD'), `${headLine(said)}\n`, { mode: 0o644 })
  await makeIndex(to, { head: said.head, copy: kept?.head === said.head ? index : null })
  if (said.head !== null) copyRecursively(join(folder, 'index'), index)
  return {
    kept: {
      // An incomplete fetch is repeated next time.
      said: why === null ? said.text : '',
      refs: await refsOf(to),
      shallow: readIfExists(join(folder, 'shallow')) ?? '',
      head: said.head,
      objects: objectsIn(folder),
    },
    why: why?.words ?? null,
  }
}

interface Said {
  /** Null: no commits yet. */
  head: string | null
  /** `refs/heads/main`; null: detached. */
  branch: string | null
  format: string
  /** All of the above with every branch and tag: if it is unchanged, there is nothing to fetch. */
  text: string
}

async function ask(from: Repo): Promise<Said> {
  const [branch, head, format, refs] = await Promise.all([
    git(from, ['symbolic-ref', '-q', 'HEAD']),
    resolveObject(from, 'HEAD^{commit}', { env: AS_IT_IS }),
    git(from, ['rev-parse', '--show-object-format']),
    refsOf(from),
  ])
  const said = {
    head,
    branch: branch.code === 0 ? branch.stdout.trim() : null,
    format: format.code === 0 ? format.stdout.trim() : 'sha1',
  }
  return { ...said, text: JSON.stringify([said, refs]) }
}

/** Remote branches are fetched too, because a gate may compare with `origin/main`; Ralph's own refs are not. */
const SHARED = ['refs/heads', 'refs/tags', 'refs/remotes']

function refsOf(repo: Repo): Promise<string> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...SHARED]
  return gitOrThrow(repo, args, { activity: 'list branches and tags', env: AS_IT_IS })
}

const AS_IT_IS = { GIT_NO_REPLACE_OBJECTS: '1' }

/** For git calls in the clean room: no settings of the user or the machine. */
const PLAIN = { ...AS_IT_IS, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_COUNT: '0' }

function headLine({ head, branch }: Said): string {
  return branch === null ? (head ?? 'ref: refs/heads/main') : `ref: ${branch}`
}

/** Removes everything from the folder but unchanged objects; null: there are none. */
function keepObjects(folder: string, kept: KeptGit | null): KeptGit | null {
  const objects = join(folder, 'objects')
  const isPlain = !isLink(folder) && !isLink(objects)
  const there = kept !== null && isPlain ? objectsIn(folder) : {}
  const isWhole =
    kept !== null && Object.entries(kept.objects).every(([path, fingerprint]) => there[path] === fingerprint)
  if (!isWhole || !isFolder(objects)) {
    removeFolder(folder)
    return null
  }
  for (const path of Object.keys(there)) {
    if (kept.objects[path] === undefined) removeFolder(join(objects, path))
  }
  for (const name of listFolder(folder)) if (name !== 'objects') removeFolder(join(folder, name))
  return kept
}

function objectsIn(folder: string): Record<string, string> {
  const entries = listFolderStamps(join(folder, 'objects'), () => true)
  return Object.fromEntries([...entries].filter(([, stamp]) => stamp !== ''))
}

function writeRefs(folder: string, { refs, shallow }: KeptGit): void {
  writeWithoutSync(join(folder, 'packed-refs'), refs, { mode: 0o644 })
  if (shallow !== '') writeWithoutSync(join(folder, 'shallow'), shallow, { mode: 0o644 })
}

/** Settings about the file system, without which git would take every file for changed. */
const ABOUT_FILES = '^core\\.(autocrlf|eol|filemode|ignorecase|symlinks)$'

async function begin(from: Repo, { at, said }: { at: string; said: Said }): Promise<void> {
  const init = ['init', '-q', '--template=', `--object-format=${said.format}`]
  await gitOrThrow({ root: at, by: from.by }, init, { activity: 'make a repository in the room', env: PLAIN })
  const { stdout } = await git(from, ['config', '--get-regexp', ABOUT_FILES])
  const settings = [...stdout.matchAll(/^core\.(\w+) (\w+)$/gm)].map(([, key, value]) => `\t${key} = ${value}\n`)
  // Submodules of .gitmodules are already present or not needed.
  const modules = exists(join(at, '.gitmodules')) ? '[submodule]\n\tactive = .\n' : ''
  const config = join(at, '.git', 'config')
  writeWithoutSync(config, `${readIfExists(config) ?? ''}[core]\n${settings.join('')}${modules}`)
}

/** Format errors of old programs in existing commits; an object with any other error is refused. */
const OLD_MISTAKES = splitWords(`
  badDate badDateOverflow badEmail badName badTimezone missingEmail missingNameBeforeEmail
  missingSpaceBeforeDate missingSpaceBeforeEmail multipleAuthors zeroPaddedDate zeroPaddedFilemode
`)

const FETCH_SETTINGS = [
  'protocol.file.allow=always',
  'transfer.fsckObjects=true',
  ...OLD_MISTAKES.map((name) => `fetch.fsck.${name}=ignore`),
  // One pack instead of thousands of files to record.
  'fetch.unpackLimit=1',
  'core.logAllRefUpdates=false',
].flatMap((setting) => ['-c', setting])

const FETCH = splitWords(`
  fetch -q --no-tags --no-recurse-submodules --no-write-fetch-head --update-shallow --update-head-ok
`)

/** Enough to read and hash a history of gigabytes. */
const FETCH_MS = 15 * 60_000

type NotFetched = { is: 'less' | 'nothing'; words: string } | null

/** Fetches everything, or only the last commit if the repository is incomplete (a partial clone). */
async function fetchInto(
  to: Repo,
  { source, said, settings }: { source: GitFolders; said: Said; settings: string },
): Promise<NotFetched> {
  // Git has already accepted a repository of another owner; the sending process reads that permission only from a file.
  writeWithoutSync(settings, '[safe]\n\tdirectory = *\n')
  const env = { ...PLAIN, GIT_CONFIG_GLOBAL: settings, GIT_ALLOW_PROTOCOL: 'file' }
  const fetch = (how: string[], what: string[]) =>
    git(to, [...FETCH_SETTINGS, ...FETCH, ...how, source.gitDir, ...what], { env, timeoutMs: FETCH_MS })
  const head = said.head === null ? [] : ['HEAD']
  const all = SHARED.map((refs) => `+${refs}/*:${refs}/*`)
  const whole = await fetch(['--prune'], [...all, ...head])
  if (whole.code === 0) return null
  const words = /^(?:fatal|error|remote: fatal): (.+)$/m.exec(whole.stderr)?.[1] ?? 'git could not fetch it'
  const branch = said.branch === null ? 'HEAD' : `+HEAD:${said.branch}`
  const last = said.head === null ? whole : await fetch(['--depth=1'], [branch])
  return { is: last.code === 0 ? 'less' : 'nothing', words }
}

/** The index of the last commit, refreshed with the clean room's files. A copy of the last index avoids reading them all again. */
async function makeIndex(to: Repo, { head, copy }: { head: string | null; copy: string | null }): Promise<void> {
  if (head === null) return
  const index = join(to.git?.gitDir ?? '', 'index')
  if (copy !== null && exists(copy)) copyRecursively(copy, index)
  else await gitOrThrow(to, ['read-tree', head], { activity: 'read the last commit in the clean room', env: PLAIN })
  // It exits with 1 if a file differs from the commit.
  await git(to, ['update-index', '-q', '--refresh'], { env: PLAIN })
}

/** The `.git` paths in the clean room, relative to the top of the working tree. */
export async function gitFoldersIn(repo: Repo): Promise<string[]> {
  return (await repositoriesIn(repo)).map(({ folder }) => join(folder, '.git'))
}

/** The user's repository, its submodules and other nested repositories, at any depth. */
async function repositoriesIn(repo: Repo, prefix = ''): Promise<{ folder: string; source: GitFolders }[]> {
  const { git: source, by } = repo
  if (source === null) return []
  const found = [{ folder: prefix, source }]
  for (const path of await innerFolders(repo)) {
    const folder = join(source.top, path)
    if (!exists(join(folder, '.git'))) continue
    const inner = await openGently(folder, by)
    // For the empty folder of a submodule, git opens the repository around it.
    if (inner?.git?.top === folder) found.push(...(await repositoriesIn(inner, join(prefix, path))))
  }
  return found
}

async function innerFolders(repo: Repo): Promise<string[]> {
  const { tracked, others } = await listTrackedAndNew(repo)
  const submodules = tracked
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1))
  return [...submodules, ...others.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))]
}

/** Null: git refuses to open it, so it has no history for the clean room. */
async function openGently(folder: string, by: Repo['by']): Promise<Repo | null> {
  try {
    return await openRepo(folder, { by })
  } catch (thrown) {
    if (thrown instanceof RalphError && thrown.code === 'git-failed') return null
    throw thrown
  }
}

function readNotes(path: string): Record<string, KeptGit> {
  return read.asRecord(read.jsonOrNull(readIfExists(path) ?? ''), (value) => {
    const [said, refs] = [read.asText(read.ownField(value, 'said')), read.asText(read.ownField(value, 'refs'))]
    if (said === null || refs === null) return null
    return {
      said,
      refs,
      shallow: read.asText(read.ownField(value, 'shallow')) ?? '',
      head: read.asText(read.ownField(value, 'head')),
      objects: read.asRecord(read.ownField(value, 'objects'), read.asText),
    }
  })
}
