/**
 * Updates an index of Ralph from the files. Git stops at the first path it cannot add and leaves the index unchanged: such paths are
 * handled here, so that an old version never counts as the present one.
 */
import { join, posix } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { readIfExists, removeIfExists } from '../../system/files/files.ts'
import { realPath } from '../../system/files/links.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'
import { git, gitOrThrow } from './git.ts'
import { toNulTerminated } from '../paths.ts'
import type { GitFolders, Repo } from './find-repo.ts'

export interface IndexEnv extends Record<string, string> {
  GIT_INDEX_FILE: string
}

const activity = 'store a snapshot'

/** A temporary index while `work` runs. `kind` is part of its name, by which the index of a killed Ralph is found. */
export async function withTemporaryIndex<T>(
  { gitDir }: GitFolders,
  kind: 'control' | 'merge' | 'restore' | 'rules-index',
  work: (env: IndexEnv) => Promise<T>,
): Promise<T> {
  const index = join(gitDir, `ralph-${kind}-${ownProcessIdentity().pid}`)
  removeIfExists(index)
  try {
    return await work({ GIT_INDEX_FILE: index })
  } finally {
    removeIfExists(index)
  }
}

/** Adds existing files as they are and removes missing ones. */
export async function updateIndex(
  repo: Repo,
  place: GitFolders,
  { env, paths }: { env: IndexEnv; paths: string[] },
): Promise<void> {
  const isReal = realFolders(place.top)
  const within = paths.filter((path) => isReal(folderOf(path)))
  const behind = paths.filter((path) => !isReal(folderOf(path)))
  // First: a link or file that replaced a folder can be added only when no path inside it remains.
  if (behind.length > 0) await takeOut(repo, env, behind)
  const named = within.filter((path) => !isOdd(path))
  if (named.length > 0) await addNamed(repo, env, named)
  await inGlobs(within.filter(isOdd), (globs, odd) => add(repo, ['--', ...globs], { env, paths: odd }))
}

/** Lines for `--index-info`; git needs a hash of the repository's length even to remove a path. */
export function indexRemovalText(repo: Repo, paths: string[]): string {
  if (paths.length === 0) return ''
  const config = readIfExists(join(repo.git?.commonDir ?? '', 'config')) ?? ''
  const none = '0'.repeat(/objectformat\s*=\s*sha256/i.test(config) ? 64 : 40)
  return paths.map((path) => `0 ${none} 0\t${path}\0`).join('')
}

/** Store files regardless of line-end checks and of sparse checkouts. */
const ANY_PLACE = ['-c', 'core.safecrlf=false', '-c', 'core.sparseCheckout=false']

async function addNamed(repo: Repo, env: IndexEnv, paths: string[]): Promise<void> {
  const input = toNulTerminated(paths)
  const args = [...ANY_PLACE, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin']
  if ((await git(repo, args, { env, input })).code === 0) return
  // One unreadable file stops `update-index`; `add` skips it and continues, only slower.
  await add(repo, ['--pathspec-from-file=-', '--pathspec-file-nul'], { env, paths, input, literal: true })
}

async function add(
  repo: Repo,
  pathspec: string[],
  { paths, ...options }: { env: IndexEnv; paths: string[]; input?: string; literal?: boolean },
): Promise<void> {
  const args = [...ANY_PLACE, 'add', '-A', '--ignore-errors', ...pathspec]
  const { code, stderr } = await git(repo, args, options)
  if (code === 0) return
  if (code !== 1) throw failed(repo, stderr)
  // `add` skipped some files. Those that were in the index still have their old version there, so they are removed.
  const { env } = options
  const differing = await gitOrThrow(repo, ['diff-files', '--name-only', '-z'], { env, activity })
  const leftOut = new Set(differing.split('\0'))
  await takeOut(
    repo,
    env,
    paths.filter((path) => leftOut.has(path)),
  )
}

/** Removes paths from the index, whatever the working tree has. */
async function takeOut(repo: Repo, env: IndexEnv, paths: string[]): Promise<void> {
  const input = toNulTerminated(paths.filter((path) => !isOdd(path)))
  if (input !== '') {
    await gitOrThrow(repo, ['update-index', '--force-remove', '-z', '--stdin'], { env, activity, input })
  }
  await inGlobs(paths.filter(isOdd), (globs) =>
    gitOrThrow(repo, ['rm', '--cached', '-f', '-q', '--ignore-unmatch', '--', ...globs], { env, activity }),
  )
}

function failed(repo: Repo, stderr: string): RalphError {
  return new RalphError('git-failed', `could not ${activity}: ${stderr.trim().split('\n').at(-1)}`, {
    hint: `See: git -C ${repo.git?.top ?? repo.root} status`,
  })
}

/** Whether a folder exists and is not behind a link or a file. */
function realFolders(top: string): (folder: string) => boolean {
  const whole = realPath(top) ?? top
  const known = new Map<string, boolean>()
  return (folder) => {
    const answer = known.get(folder) ?? realPath(join(top, folder)) === join(whole, folder)
    known.set(folder, answer)
    return answer
  }
}

/** The innermost folder whose name is known. */
function folderOf(path: string): string {
  const odd = path.indexOf('\uFFFD')
  return posix.dirname(odd < 0 ? path : path.slice(0, odd + 1))
}

/** Names that are not UTF-8 are damaged when decoded; git finds them by a glob of the intact parts. */
function isOdd(path: string): boolean {
  return path.includes('\uFFFD')
}

/** Few enough that no command line gets too long. */
const GLOBS_MAX = 100

async function inGlobs(paths: string[], work: (globs: string[], paths: string[]) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < paths.length; i += GLOBS_MAX) {
    const some = paths.slice(i, i + GLOBS_MAX)
    await work(some.map(globOf), some)
  }
}

function globOf(path: string): string {
  return `:(glob)${path.replace(/[*?[\]\\]/g, '?').replace(/\uFFFD+/g, '*')}`
}
