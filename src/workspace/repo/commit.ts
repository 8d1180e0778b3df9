/**
 * Commits for the user on the present branch: everything but ignored files and `.ralph/`. Files that a snapshot does not store (secrets,
 * huge files, crowds of unignored files) are not committed either, and are named. No hook runs and nothing is signed: a hook may have been
 * planted, and nobody is there to type a passphrase.
 */
import { join } from 'node:path'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { gitBusyReason } from './git-busy.ts'
import { untrustedFilters } from './untrusted-filters.ts'
import { git, gitLine, gitOrThrow, identityEnv, RALPH_IDENTITY, type GitIdentity } from './git.ts'
import type { GitFolders, Repo } from './find-repo.ts'
import { fileSize, splitNulTerminated, toNulTerminated } from '../paths.ts'
import { GIT_STATUS_ARGS, type GitStatus, isRalphPath, parseGitStatus } from './git-status.ts'
import { SNAPSHOT_LIMITS, chooseStoredFiles, shortenNameList } from '../snapshot/stored-files.ts'

export interface CommitOptions {
  message: string
  /** The only paths that are committed; absent or null: all that changed. */
  only?: ReadonlySet<string> | null
  /** Absent: the user from git's configuration, or Ralph if there is none. */
  author?: GitIdentity
}

export interface CommitResult {
  /** Null: nothing was committed. */
  sha: string | null
  files: number
  /** Why changes were not committed, or which files were left out. */
  problem: string | null
}

export async function commitChanges(repo: Repo, options: CommitOptions): Promise<CommitResult> {
  const place = repo.git
  if (place === null) return refused('there is no git repository here')
  const busy = gitBusyReason(place)
  if (busy !== null) return refused(busy)

  const all = parseGitStatus(await gitOrThrow(repo, GIT_STATUS_ARGS, { activity: 'list the changed files' }))
  const { only = null } = options
  const status = only === null ? all : within(all, only)
  const { paths, unstaged, leftOut } = await choose(status, place, repo.by?.signal)
  const filtered = await withForeignFilter(repo, place, paths)
  if (filtered !== null) return refused(filtered)
  const problem = leftOut.length === 0 ? null : `not committed: ${shortenNameList(leftOut).join(', ')}`
  if (paths.length === 0) return { sha: null, files: 0, problem }

  const added = await stage(repo, unstaged)
  if (added !== null) return refused(added)
  const committed = await commit(repo, paths, options)
  if (committed.code !== 0) {
    return isNothing(committed) ? { sha: null, files: 0, problem } : refused(`git commit: ${said(committed.stderr)}`)
  }
  const sha = await gitLine(repo, ['rev-parse', '--verify', 'HEAD'], { activity: 'read the new commit' })
  return { sha, files: await countFiles(repo, sha), problem }
}

/** The status as if nothing else had changed. A nested repository ends in a slash and is reported as usual. */
function within(status: GitStatus, only: ReadonlySet<string>): GitStatus {
  return {
    ...status,
    tracked: status.tracked.filter(({ path }) => only.has(path)),
    untracked: status.untracked.filter((path) => path.endsWith('/') || only.has(path)),
  }
}

function refused(problem: string): CommitResult {
  return { sha: null, files: 0, problem }
}

interface Chosen {
  paths: string[]
  /** Paths whose index entry differs from the file. */
  unstaged: string[]
  leftOut: string[]
}

async function choose(status: GitStatus, place: GitFolders, signal: AbortSignal | undefined): Promise<Chosen> {
  const tracked = status.tracked.filter(({ path }) => !isRalphPath(path))
  // Added to the index and deleted since: it is neither in HEAD nor on disk, so a commit cannot name it.
  const isGone = ({ staged, unstaged }: GitStatus['tracked'][number]) => staged === 'A' && unstaged === 'D'
  const news = status.untracked.filter((path) => !isRalphPath(path))
  const sizes = new Map<string, number>()
  const breathe = createEventLoopYielder(signal)
  for (const path of news) {
    await breathe()
    if (!path.endsWith('/')) sizes.set(path, fileSize(join(place.top, path)))
  }
  const { stored, single, crowds } = chooseStoredFiles(sizes, SNAPSHOT_LIMITS)
  return {
    paths: [...tracked.filter((entry) => !isGone(entry)).map(({ path }) => path), ...stored],
    unstaged: [...tracked.filter((entry) => entry.unstaged !== '.').map(({ path }) => path), ...stored],
    leftOut: [
      ...single.map(({ path, why }) => `${path} (${why === 'secret' ? 'looks like a secret' : 'too large'})`),
      ...[...crowds].map(([folder, files]) => `${folder} (${files.length} new files)`),
      ...news.filter((path) => path.endsWith('/')).map((path) => `${path} (a repository of its own)`),
    ],
  }
}

/** A file that an untrusted filter should encrypt or move must not be committed unfiltered. */
async function withForeignFilter(repo: Repo, place: GitFolders, paths: string[]): Promise<string | null> {
  const foreign = new Set(await untrustedFilters(place, (args) => git(repo, args)))
  if (foreign.size === 0 || paths.length === 0) return null
  const output = await gitOrThrow(repo, ['check-attr', '-z', '--stdin', 'filter'], {
    input: toNulTerminated(paths),
    activity: 'read the attributes of the changed files',
  })
  const fields = output.split('\0')
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const filter = fields[i + 2] ?? ''
    if (foreign.has(filter)) {
      return `${fields[i]} needs the filter "${filter}" of .git/config, which Ralph never runs: commit it yourself`
    }
  }
  return null
}

async function stage(repo: Repo, paths: string[]): Promise<string | null> {
  if (paths.length === 0) return null
  const { code, stderr } = await git(repo, ['add', '-A', ...FROM_STDIN], {
    input: toNulTerminated(paths),
    literal: true,
  })
  return code === 0 ? null : `git add: ${said(stderr)}`
}

const FROM_STDIN = ['--pathspec-from-file=-', '--pathspec-file-nul']

/** Only the named paths are committed; what the user has staged under `.ralph/` stays staged. */
async function commit(repo: Repo, paths: string[], { message, author }: CommitOptions) {
  const text = message.trim() === '' ? 'ralph: work' : message
  const quiet = ['--quiet', '--no-verify', '--no-gpg-sign']
  const args = [...quiet, '--cleanup=whitespace', '--only', `--message=${text}`]
  const make = (identity: GitIdentity | null) =>
    git(repo, ['-c', 'user.useConfigOnly=true', 'commit', ...args, ...FROM_STDIN], {
      input: toNulTerminated(paths),
      literal: true,
      env: identity === null ? {} : identityEnv(identity),
    })
  const first = await make(author ?? null)
  return isAnonymous(first.stderr) ? make(RALPH_IDENTITY) : first
}

function isAnonymous(stderr: string): boolean {
  return /tell me who you are|auto-detection is disabled|unable to auto-detect|empty ident/i.test(stderr)
}

function isNothing({ stdout, stderr }: { stdout: string; stderr: string }): boolean {
  return (
    /nothing (added )?to commit|no changes added|nothing to commit/.test(stdout + stderr) ||
    (stdout + stderr).trim() === ''
  )
}

async function countFiles(repo: Repo, sha: string): Promise<number> {
  const how = '-r -z --root --no-commit-id --name-only --no-renames -m --first-parent'.split(' ')
  const output = await gitOrThrow(repo, ['diff-tree', ...how, sha], { activity: 'count the committed files' })
  return splitNulTerminated(output).length
}

function said(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
  return (lines[0] ?? 'it failed without a message').replace(/^(fatal|error): /, '').slice(0, 300)
}
