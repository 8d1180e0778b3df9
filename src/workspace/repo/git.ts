/**
 * Every call of git goes through `git` in this file, because a repository is not trusted: an agent can plant hooks, a file-system monitor,
 * filters, external diff programs and remote helpers in it, and git would start them.
 */
import { delimiter, isAbsolute, resolve } from 'node:path'
import { RalphError, messageOf } from '../../core/error.ts'
import { encodeFileName, decodeFileName } from '../../system/files/non-utf8-names.ts'
import { buildHelperEnv } from '../../system/environment.ts'
import type { GitContext } from '../../system/process/git-context.ts'
import { parseDiskError } from '../../system/files/file-error.ts'
import { resolvesInto } from '../../system/files/links.ts'
import { runProgramForBytes } from '../../system/process/process.ts'
import { disableFilterArgs } from './untrusted-filters.ts'
import { untrustedTreeRoot, type Repo } from './find-repo.ts'
import { createRepoCache } from './repo-cache.ts'
import { splitWords } from '../../core/text/split-words.ts'

export interface GitOptions {
  env?: Record<string, string>
  input?: string
  maxBytes?: number
  /** Take path arguments literally, without pathspec magic. */
  literal?: boolean
  /** The output is file names, which must stay usable even if they are not UTF-8 (`system/files/non-utf8-names.ts`). */
  names?: boolean
  /** For copying whole histories, which takes far longer than other local commands. */
  timeoutMs?: number
}

/** Where git runs, and for which context. */
type Asked = Pick<Repo, 'root' | 'by'> & Partial<Pick<Repo, 'git'>>

export interface GitResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Local git needs no network and answers in seconds even on large trees; a frozen network disk must not block Ralph. */
export const GIT_TIMEOUT_MS = 120_000

/** Enough for complete listings of large trees; git's own limit is memory. */
const MAX_BYTES = 256 * 1024 * 1024

/** Runs git in the top folder of the working tree. A failing git is a result; it throws if git cannot run at all, if the disk fails, or
 *  if the git context was aborted. */
export async function git(repo: Asked, args: string[], options: GitOptions = {}): Promise<GitResult> {
  const { at, flags } = await aimed(repo)
  return call(at, [...flags, ...args], options)
}

/** The same git for callers that start the process themselves: program, arguments, folder and environment. */
export async function gitCommand(
  repo: Asked,
  args: string[],
): Promise<{ argv: string[]; cwd: string; env: Record<string, string> }> {
  const { at, flags } = await aimed(repo)
  return { argv: [...GIT, ...flags, ...args], cwd: at.cwd, env: withoutTree(gitEnv({}), at.cwd) }
}

async function aimed(repo: Asked): Promise<{ at: { cwd: string; by: GitContext | undefined }; flags: string[] }> {
  const place = repo.git ?? null
  const at = { cwd: place?.top ?? repo.root, by: repo.by }
  const where = place === null ? [] : [`--git-dir=${place.gitDir}`, `--work-tree=${place.top}`]
  const quiet = place === null ? [] : await disableFilterArgs(place, (more) => call(at, [...where, ...more], {}))
  return { at, flags: [...where, ...quiet] }
}

/** Like `git`, but must succeed: returns stdout, or throws git's message. `activity` completes "could not …". */
export async function gitOrThrow(
  repo: Asked,
  args: string[],
  { activity, ...options }: GitOptions & { activity: string },
): Promise<string> {
  const { code, stdout, stderr } = await git(repo, args, options)
  if (code === 0) return stdout
  throw new RalphError('git-failed', `could not ${activity}: ${lastMessage(stderr) || `git ended with ${code}`}`, {
    hint: `See: git -C ${repo.git?.top ?? repo.root} status`,
  })
}

/** The same for one line of output: a hash, a name. */
export async function gitLine(
  repo: Asked,
  args: string[],
  options: GitOptions & { activity: string },
): Promise<string> {
  return (await gitOrThrow(repo, args, options)).trim()
}

/** The hash of a revision, a ref or a path in a tree; null: it does not exist. */
export async function resolveObject(repo: Asked, name: string, options: GitOptions = {}): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', name]
  const { code, stdout } = await git(repo, args, options)
  return code === 0 ? stdout.trim() : null
}

/** Git must not start any program from the repository's own configuration, and must not wait for a person. */
const OFF = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  // Settings that can make git miss a changed file.
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.pager=cat',
  'core.quotePath=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'commit.gpgSign=false',
  'log.showSignature=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'advice.addEmbeddedRepo=false',
].flatMap((setting) => ['-c', setting])

const GIT = ['git', '--no-pager', ...OFF]

async function call(
  { cwd, by }: { cwd: string; by: GitContext | undefined },
  args: string[],
  options: GitOptions,
): Promise<GitResult> {
  const timeoutMs = options.timeoutMs ?? GIT_TIMEOUT_MS
  const result = await runProgramForBytes([...GIT, ...args], {
    cwd,
    env: withoutTree(gitEnv(options), cwd),
    timeoutMs,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    ...(options.input === undefined ? {} : { input: encodeFileName(options.input) }),
    ...(by === undefined ? {} : { gitContext: by }),
  })
  // Even if git has just finished: an aborted operation does not continue.
  by?.signal.throwIfAborted()
  if (result.missing) {
    throw new RalphError('git-failed', 'git is not installed', { hint: 'Install git, then try again.' })
  }
  if (result.timedOut) {
    throw new RalphError('git-failed', `git did not answer within ${timeoutMs / 1000} s in ${cwd}`, {
      hint: 'Check the disk, and whether another git is running in this repository.',
    })
  }
  if (result.code === null) {
    throw new RalphError('git-failed', `git could not run in ${cwd}: ${messageOf(result.stderr || result.signal)}`)
  }
  const refused = result.code === 0 ? null : parseDiskError(result.stderr, { activity: 'run git in', path: cwd })
  if (refused !== null) throw refused
  const stdout = options.names === true ? decodeFileName(result.stdout) : result.stdout.toString('utf8')
  return { code: result.code, stdout, stderr: result.stderr }
}

/** Built from the allow-list, so GIT_DIR, GIT_INDEX_FILE and the like never leak in from a hook that started Ralph. */
function gitEnv({ env = {}, literal = false }: GitOptions): Record<string, string> {
  return buildHelperEnv({
    pass: splitWords(`
      EMAIL GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
      GIT_CONFIG_COUNT GIT_CONFIG_KEY_* GIT_CONFIG_VALUE_*
    `),
    add: {
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'true',
      // No protocol at all: a partial clone must not fetch what it lacks through a remote that an agent has set.
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_LAZY_FETCH: '1',
      ...(literal ? { GIT_LITERAL_PATHSPECS: '1' } : {}),
      ...env,
    },
  })
}

/**
 * Removes folders inside the tree from the PATH: with `./node_modules/.bin` on it, a repository could provide its own git.
 */
function withoutTree(env: Record<string, string>, cwd: string): Record<string, string> {
  const { PATH } = env
  if (PATH === undefined) return env
  const tree = untrustedTreeRoot(cwd, env['HOME'] ?? env['USERPROFILE'])
  const kept = PATH.split(delimiter).filter(
    (folder) => isAbsolute(folder) && (tree === null || !resolvesInto(folder, tree)),
  )
  return { ...env, PATH: kept.join(delimiter) }
}

/**
 * Finds the repository of a folder, also from a subfolder, a linked worktree or a submodule. `around`: the repository around it, whose git
 * context and cache it shares.
 */
export async function openRepo(folder: string, around: Partial<Pick<Repo, 'by' | 'cache'>> = {}): Promise<Repo> {
  const root = resolve(folder)
  const { by, cache = createRepoCache() } = around
  const asked = { root, cache, ...(by === undefined ? {} : { by }) }
  const answer = await find(root, by)
  if (answer === null || answer.stderr.includes('not a git repository')) return { ...asked, git: null }
  if (answer.stderr.includes('dubious ownership')) throw dubious(root, answer.stderr)
  const [bare = '', gitDir = '', commonDir = '', top, prefix = ''] = answer.stdout.split('\n')
  if (bare === 'true') {
    throw new RalphError('git-failed', `${root} is a bare repository: it has no files to work on`, {
      hint: `Clone it first: git clone ${root} work`,
    })
  }
  if (answer.code !== 0 || top === undefined || top === '') {
    throw new RalphError('git-failed', `git cannot read the repository at ${root}: ${lastMessage(answer.stderr)}`, {
      hint: `See: git -C ${root} status`,
    })
  }
  return { ...asked, git: { commonDir: resolve(root, commonDir), gitDir: resolve(root, gitDir), top, prefix } }
}

/** A repository that git refuses to open (foreign owner, damaged) counts as a plain folder. */
export async function openNestedRepo(root: string, { by, cache }: Repo): Promise<Repo> {
  try {
    const inner = await openRepo(root, { by, cache })
    return inner.git?.prefix === '' ? inner : { root, by, cache, git: null }
  } catch {
    by?.signal.throwIfAborted()
    return { root, by, cache, git: null }
  }
}

async function find(root: string, by: GitContext | undefined): Promise<GitResult | null> {
  const ask = ['--is-bare-repository', '--absolute-git-dir', '--git-common-dir', '--show-toplevel', '--show-prefix']
  try {
    return await call({ cwd: root, by }, ['rev-parse', ...ask], {})
  } catch (thrown) {
    // Without git on the machine, a project has no repository.
    if (thrown instanceof RalphError && thrown.message === 'git is not installed') return null
    throw thrown
  }
}

function dubious(root: string, stderr: string): RalphError {
  const owned = /repository at '([^']+)'/.exec(stderr)?.[1] ?? root
  return new RalphError('git-failed', `git refuses ${owned} because another user owns it`, {
    hint: `If you trust it: git config --global --add safe.directory ${owned}`,
  })
}

export interface GitIdentity {
  name: string
  email: string
}

/** The identity of commits if git knows none. */
export const RALPH_IDENTITY: GitIdentity = { name: 'Ralph', email: 'ralph@localhost' }

export function identityEnv({ name, email }: GitIdentity): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
}

/** The line of git's error output that says what is wrong. */
function lastMessage(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
  const fatal = lines.find((line) => line.startsWith('fatal:') || line.startsWith('error:'))
  return (fatal ?? lines.at(-1) ?? '').replace(/^(fatal|error): /, '').slice(0, 300)
}
