/**
 * Finds a repository and Ralph's store of it from files alone: commands that only read must start fast, and starting git would add a third
 * to their time.
 */
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import type { GitContext } from '../../system/process/git-context.ts'
import { ownEnvironment } from '../../system/environment.ts'
import { fileBirthId, exists, isFolder, readIfExists } from '../../system/files/files.ts'
import { resolvesInto, realPath, gitRootOf } from '../../system/files/links.ts'
import { createRepoCache, type RepoCache } from './repo-cache.ts'

/** A project's folder and its repository. */
export interface Repo {
  root: string
  /** Null: there is no repository, or no git on this machine. */
  git: GitFolders | null
  /** The context of git calls. Absent: a command, whose git ends with it. */
  by?: GitContext | undefined
  cache: RepoCache
}

export interface GitFolders {
  /** Shared by all worktrees of the repository. */
  commonDir: string
  /** The git folder of this worktree, with its index and its HEAD. */
  gitDir: string
  /** The folder of the working tree; git runs here, so paths in its answers start here. */
  top: string
  /** From `top` to `root`, with a slash at the end; empty when they are the same. */
  prefix: string
}

/** The part that is needed to find paths. */
type Where = Pick<Repo, 'root' | 'git'>

/** The folder of the project's store: in the repository's git folder, so that no clean, checkout or commit touches it and all
 *  worktrees share it. */
export function storeFolder(repo: Where, projectRoot: string = repo.root): string {
  if (repo.git === null) return join(projectRoot, '.ralph', 'state')
  return join(repo.git.commonDir, 'ralph', projectName(repo, projectRoot))
}

/** The path inside the repository as one folder name, because a monorepo may hold several projects. */
function projectName(repo: Where, projectRoot: string): string {
  // A path outside the top folder is named as if it were inside.
  const path = posix.join('/', projectPrefix(repo, projectRoot)).slice(1)
  if (path === '') return 'root'
  // `%` first, so that no two paths share a name; a folder called `root` must not get the root's own name.
  const name = path.replaceAll('%', '%25').replaceAll('/', '%2F')
  return name === 'root' ? '%72oot' : name
}

/** Identifies a working tree independently of its path: by its name in the repository and by its git folder. */
export interface TreeIdentity {
  /** `main`, or the git folder of a linked worktree: `worktrees/review`. */
  name: string
  /** The id of that folder. It stays the same when the project is moved on its disk; a copy has another one. */
  id: string | null
}

/** `folder`: of the store, which identifies the tree if there is no repository. */
export function treeIdentityOf({ git }: Repo, folder: string): TreeIdentity {
  if (git === null) return { name: 'main', id: fileBirthId(folder) }
  return { name: relative(git.commonDir, git.gitDir) || 'main', id: fileBirthId(git.gitDir) }
}

/** From the top of the working tree to the project's folder, without a slash at the end. */
export function projectPrefix(repo: Where, root: string): string {
  const below = relative(repo.root, resolve(root)).split(sep).join('/')
  return posix
    .join(repo.git?.prefix ?? '', below)
    .replace(/\/$/, '')
    .replace(/^\.$/, '')
}

/** The folder that the clean room reproduces. */
export function workingTreeRoot({ git, root }: Repo): string {
  return git?.top ?? root
}

/**
 * The repository of a project, found without git; null if only git can find it (environment variables point elsewhere, or the
 * repository's files look unusual).
 */
export function findRepoWithoutGit(
  root: string,
  env: Record<string, string | undefined> = ownEnvironment(),
): Repo | null {
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
 * The tree whose content may come from a stranger: the repository around a folder, or the folder itself. Null: it contains the home folder,
 * so its content is the user's own.
 */
export function untrustedTreeRoot(folder: string, home: string | undefined): string | null {
  const tree = gitRootOf(resolve(folder)) ?? resolve(folder)
  return home !== undefined && isAbsolute(home) && resolvesInto(home, tree) ? null : tree
}

/** `.git` is a folder, or in worktrees and submodules a file with the path of the folder. */
function gitDirOf(top: string): string | null {
  const dot = join(top, '.git')
  if (isFolder(dot)) return dot
  const told = /^gitdir: (.+)$/m.exec(readIfExists(dot) ?? '')?.[1]
  return told === undefined ? null : resolve(top, told.trim())
}

/** The file that records descendant processes of a run; see `system/process/descendant-file.ts`. */
export function descendantFilesFolder(folder: string, run: RunId): string {
  return join(folder, 'logs', run, 'processes')
}
