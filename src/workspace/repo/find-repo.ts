/**
 * Where a repository is and where Ralph keeps what it remembers about it, found by looking at files alone: reading commands must start
 * like an empty program, and starting git would cost them a third of that.
 */
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import type { GitContext } from '../../system/process/git-context.ts'
import { ownEnvironment } from '../../system/environment.ts'
import { fileBirthId, exists, isFolder, readIfExists } from '../../system/files/files.ts'
import { resolvesInto, realPath, gitRootOf } from '../../system/files/links.ts'
import { createRepoCache, type RepoCache } from './repo-cache.ts'

/** A project's folder, and the repository it lies in. */
export interface Repo {
  root: string
  /** Null: there is no repository, or no git on this machine. */
  git: GitFolders | null
  /** For whom it is asked now. Absent: for a command, with which its git ends. */
  by?: GitContext | undefined
  cache: RepoCache
}

export interface GitFolders {
  /** Shared by all worktrees of the repository. */
  commonDir: string
  /** Of this worktree: its index and its HEAD. */
  gitDir: string
  /** The folder of the working tree; git runs here, so paths in its answers start here. */
  top: string
  /** From `top` to `root`, with a slash at the end; empty when they are the same. */
  prefix: string
}

/** As much of it as its paths are found by. */
type Where = Pick<Repo, 'root' | 'git'>

/** Where Ralph keeps what it remembers about this project: beside the repository's own data, so that no clean, checkout or
 *  commit touches it and all worktrees share it. */
export function storeFolder(repo: Where, projectRoot: string = repo.root): string {
  if (repo.git === null) return join(projectRoot, '.ralph', 'state')
  return join(repo.git.commonDir, 'ralph', projectName(repo, projectRoot))
}

/** A monorepo may hold several projects: the path inside the repository, as one folder name. */
function projectName(repo: Where, projectRoot: string): string {
  // From the top: what lies outside of it is named as if it lay inside.
  const path = posix.join('/', prefixOf(repo, projectRoot)).slice(1)
  if (path === '') return 'root'
  // `%` first, so that no two paths share a name; a folder called `root` must not meet the root's own.
  const name = path.replaceAll('%', '%25').replaceAll('/', '%2F')
  return name === 'root' ? '%72oot' : name
}

/** Which working tree this is, whatever path leads to it: by its name in the repository, and by the folder git keeps for it. */
export interface TreeIdentity {
  /** `main`, or where git keeps a linked worktree: `worktrees/review`. */
  name: string
  /** Of that folder. It stays the same when the project is moved on its disk, and a copy has another one. */
  id: string | null
}

/** `folder`: of the store, which stands for the tree where there is no repository. */
export function treeIdentityOf({ git }: Repo, folder: string): TreeIdentity {
  if (git === null) return { name: 'main', id: fileBirthId(folder) }
  return { name: relative(git.commonDir, git.gitDir) || 'main', id: fileBirthId(git.gitDir) }
}

/** From the top of the working tree to the project's folder, without a slash at the end. */
export function prefixOf(repo: Where, root: string): string {
  const below = relative(repo.root, resolve(root)).split(sep).join('/')
  return posix
    .join(repo.git?.prefix ?? '', below)
    .replace(/\/$/, '')
    .replace(/^\.$/, '')
}

/** The folder that the clean room stands for. */
export function workingTreeRoot({ git, root }: Repo): string {
  return git?.top ?? root
}

/**
 * The repository of a project, without asking git; null where only git can tell (an environment that points elsewhere, a
 * repository whose files look unusual).
 */
export function findRepoByFiles(root: string, env: Record<string, string | undefined> = ownEnvironment()): Repo | null {
  if (
    env['GIT_DIR'] !== undefined ||
    env['GIT_COMMON_DIR'] !== undefined ||
    env['GIT_CEILING_DIRECTORIES'] !== undefined
  )
    return null
  const real = realPath(root)
  const top = real === null ? null : gitRootOf(real)
  if (real === null || top === null) return null
  const gitDir = gitDirOf(top)
  if (gitDir === null || !exists(join(gitDir, 'HEAD'))) return null
  const common = readIfExists(join(gitDir, 'commondir'))?.trim()
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common)
  const inside = relative(top, real).split(sep).join('/')
  const git = { commonDir, gitDir, top, prefix: inside === '' ? '' : `${inside}/` }
  return { root: real, git, cache: createRepoCache() }
}

/**
 * The tree that a stranger may have filled: the repository around a folder, or the folder itself. Null: the home folder lies in it,
 * so what is there is the user's own.
 */
export function untrustedTree(folder: string, home: string | undefined): string | null {
  const tree = gitRootOf(resolve(folder)) ?? resolve(folder)
  return home !== undefined && isAbsolute(home) && resolvesInto(home, tree) ? null : tree
}

/** `.git` is a folder, or in worktrees and submodules a file that says where the folder is. */
function gitDirOf(top: string): string | null {
  const dot = join(top, '.git')
  if (isFolder(dot)) return dot
  const told = /^gitdir: (.+)$/m.exec(readIfExists(dot) ?? '')?.[1]
  return told === undefined ? null : resolve(top, told.trim())
}

/** Notes of the processes that descend from children of a run; see `system/process/descendant-file.ts`. */
export function processNotesFile(folder: string, run: RunId): string {
  return join(folder, 'logs', run, 'processes')
}
