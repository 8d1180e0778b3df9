/** What `init` detects in a folder before it changes anything: the project, its gates, sources of tasks, and installed agents. */
import { resolve } from 'node:path'
import { allDrivers } from '../../agents/registry.ts'
import { findProject } from '../../config/find-project.ts'
import { hasBeads } from '../../sources/beads.ts'
import { hasGithubCli } from '../../sources/github.ts'
import { findPrds } from '../../sources/prd.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { exists, isFolder } from '../../system/files/files.ts'
import { findProgram } from '../../system/process/process.ts'
import {
  detectGates,
  detectProject,
  type ProposedGate,
  type DetectedProject,
} from '../../workspace/detect/detect-project.ts'
import { detectSetup, type DetectedSetup } from '../../workspace/detect/detect-setup.ts'
import { git, openRepo } from '../../workspace/repo/git.ts'

export type { ProposedGate } from '../../workspace/detect/detect-project.ts'

/** The folder's git state. */
export type GitPresence =
  /** No repository; `installed`: git could create one. */
  | { is: 'none'; installed: boolean }
  /** `top`: the root of the repository. */
  | { is: 'empty' | 'ready'; top: string }

export interface ProjectContext {
  project: DetectedProject
  gates: ProposedGate[]
  /** The command that installs the tools in a clean room; null: there is nothing to install. */
  setUp: DetectedSetup | null
  git: GitPresence
  /** The folder of the project that contains this folder; null: none. */
  above: string | null
  /** `owner/name` if the origin is on GitHub. */
  github: string | null
  /** The default branch, or the one that is checked out; null: none, or no git. */
  branch: string | null
  /** Sources of tasks that are available here. */
  beads: boolean
  gh: boolean
  prds: string[]
  /** Installed agents, in Ralph's order. */
  agents: string[]
}

export async function detectProjectContext(root: string, env: SourceEnvironment): Promise<ProjectContext> {
  const [project, gates, location] = await Promise.all([detectProject(root), detectGates(root), gitFacts(root, env)])
  const github = location.origin === null ? null : parseGithubRepo(location.origin)
  return {
    project,
    gates,
    setUp: detectSetup(root),
    git: location.git,
    above: enclosingProject(root, env),
    github,
    branch: location.branch,
    beads: hasBeads(root),
    gh: github !== null && hasGithubCli(env),
    prds: findPrds(root),
    agents: installedAgents(env),
  }
}

interface GitFacts {
  git: GitPresence
  origin: string | null
  branch: string | null
}

async function gitFacts(root: string, env: SourceEnvironment): Promise<GitFacts> {
  const none = { is: 'none' as const, installed: findProgram('git', env) !== null }
  if (!exists(root)) return { git: none, origin: null, branch: null }
  const repo = await openRepo(root)
  if (repo.git === null) return { git: none, origin: null, branch: null }
  const say = async (args: string[]) => (await git(repo, args)).stdout.trim() || null
  const [origin, main, current, head] = await Promise.all([
    say(['config', '--get', 'remote.origin.url']),
    say(['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD']),
    say(['symbolic-ref', '--quiet', '--short', 'HEAD']),
    say(['rev-parse', '--quiet', '--verify', 'HEAD']),
  ])
  return {
    git: { is: head === null ? 'empty' : 'ready', top: repo.git.top },
    origin,
    branch: main?.replace(/^origin\//, '') ?? current,
  }
}

/** The project that contains a folder which is no project itself; null: none. */
export function enclosingProject(root: string, env: SourceEnvironment): string | null {
  const found = findProject(root, { home: env['HOME'] ?? env['USERPROFILE'] ?? '/' })
  return found.kind === 'none' || found.root === root ? null : found.root
}

/** From either form of URL: `https://github.com/o/n.git`, `git@github.com:o/n`. */
export function parseGithubRepo(origin: string): string | null {
  const found = /^(?:https?:\/\/(?:[^@/]+@)?|ssh:\/\/git@|git@)github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(
    origin,
  )
  return found?.[1] ?? null
}

function installedAgents(env: SourceEnvironment): string[] {
  return allDrivers()
    .filter((driver) => findProgram(driver.find?.(env) ?? driver.program, env) !== null)
    .map((driver) => driver.name)
}

/** An argument of several words is a description, unless a folder has that name. */
export function descriptionFromArgument(said: string | null, cwd: string): string | null {
  const isWish = said !== null && /\S\s+\S/.test(said) && !isFolder(resolve(cwd, said))
  return isWish ? said.trim() : null
}

/** One word that is no path here: it may be the name of a new folder, or a goal. */
export function isMissingPath(said: string, cwd: string): boolean {
  return !exists(resolve(cwd, said))
}
