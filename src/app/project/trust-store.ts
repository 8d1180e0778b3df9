/**
 * The programs this user trusts: one small file per program in their own state folder. Two processes never overwrite each other's
 * answers, and a damaged file costs one more question. Trust belongs to a project of a repository, with all its worktrees.
 */
import { dirname, join, resolve } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import { parseObject } from '../../core/text/json.ts'
import {
  untrustedPrograms,
  trustKey,
  type UntrustedProgram,
  type ProjectProgram,
  type TrustedProgram,
} from '../../core/trust/trust.ts'
import { systemClock } from '../../system/clock.ts'
import { ensureFolder, hashText, listFolder, readIfExists, writeAtomic } from '../../system/files/files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import { stateFolder } from '../../system/files/state-folder.ts'
import { openRepo } from '../../workspace/repo/git.ts'
import { untrustedTreeRoot, type GitFolders } from '../../workspace/repo/find-repo.ts'

export interface TrustContext {
  root: string
  env: Record<string, string | undefined>
  home: string
}

export interface TrustStore {
  doubts(wanted: readonly ProjectProgram[]): UntrustedProgram[]
  /** Trusts them from now on. Null: saved; else why they could not be saved. */
  remember(programs: readonly ProjectProgram[]): string | null
  /** Saved answers that cannot be used. */
  remarks: string[]
}

export async function openTrustStore(whose: TrustContext): Promise<TrustStore> {
  const project = await projectAt(whose.root)
  const folder = join(trustFolderPath(whose), hashText(JSON.stringify(project)).slice(0, 32))
  const tree = untrustedTreeRoot(whose.root, whose.home)
  if (tree !== null && resolvesInto(folder, tree)) return refusedTrustStore(folder)
  const { trusted, remarks } = readAll(folder)
  return {
    doubts: (wanted) => untrustedPrograms(wanted, trusted),
    // Protects against accidents only, like the steering commands: a malicious agent can write the file itself.
    remember: (programs) =>
      (whose.env['RALPH_INSIDE'] ?? '') === ''
        ? keep(folder, programs, project)
        : 'an agent or a gate cannot trust commands for you',
    remarks,
  }
}

/** Where trust is stored; no project can choose the folder. */
export function trustFolderPath(whose: Pick<TrustContext, 'env' | 'home'>): string {
  return stateFolder(whose, 'trust')
}

/** A repository could contain such files ready-made. */
function refusedTrustStore(folder: string): TrustStore {
  const why = `${folder} is inside the repository and may come from somebody else`
  return {
    doubts: (wanted) => untrustedPrograms(wanted, []),
    remember: () => why,
    remarks: [`${why}, so Ralph ignores it`],
  }
}

interface ProjectAt {
  repository: string
  /** The project's folder inside the repository. */
  project: string
}

/** One name for a project in all worktrees of its repository; another folder cannot get it by pointing there. */
async function projectAt(root: string): Promise<ProjectAt> {
  const { git } = await openRepo(root)
  // Named like the repository that `git init` would create, so that trust stays valid after it.
  if (git === null) return { repository: join(realPath(root) ?? root, '.git'), project: '' }
  const common = realPath(git.commonDir) ?? git.commonDir
  const top = realPath(git.top) ?? git.top
  const repository = isOf(git, { common, top }) ? common : `${common} from ${top}`
  return { repository, project: git.prefix }
}

/**
 * The repository's own folder, or a worktree that the repository itself lists: a `.git` file may point at any repository, and so may the
 * `commondir` of a folder from an archive.
 */
function isOf(git: GitFolders, { common, top }: { common: string; top: string }): boolean {
  const own = join(top, '.git')
  if (common === own) return true
  const kept = realPath(git.gitDir)
  if (kept === null || dirname(kept) !== join(common, 'worktrees')) return false
  const known = readIfExists(join(kept, 'gitdir'))?.trim()
  return known !== undefined && realPath(resolve(kept, known)) === own
}

function readAll(folder: string): { trusted: TrustedProgram[]; remarks: string[] } {
  const files = listFolder(folder).filter((name) => name.endsWith('.json'))
  const read = files.map((name) => ({ name, kept: readKept(readIfExists(join(folder, name)) ?? '') }))
  return {
    trusted: read.map(({ kept }) => kept).filter((kept) => kept !== null),
    remarks: read
      .filter(({ kept }) => kept === null)
      .map(
        ({ name }) => `${join(folder, name)} is damaged, so Ralph asks again before it runs the command saved there`,
      ),
  }
}

/** Null: the file is damaged. */
function readKept(text: string): TrustedProgram | null {
  const kept: Partial<TrustedProgram> | null = parseObject(text)
  if (kept === null) return null
  const { setting, run, cwd, env, at } = kept
  const isRun = typeof run === 'string' || (Array.isArray(run) && run.every((word) => typeof word === 'string'))
  if (typeof setting !== 'string' || !isRun || typeof cwd !== 'string' || typeof at !== 'number') return null
  if (typeof env !== 'object' || env === null) return null
  return { setting, run, cwd, env, at }
}

function keep(folder: string, programs: readonly ProjectProgram[], project: ProjectAt): string | null {
  const at = systemClock().at()
  try {
    ensureFolder(folder)
    for (const program of programs) {
      const { setting, run, cwd, env } = program
      const kept = { ...project, setting, run, cwd, env, at }
      writeAtomic(join(folder, `${hashText(trustKey(program))}.json`), `${JSON.stringify(kept, null, 2)}\n`)
    }
    return null
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return messageOf(error)
  }
}
