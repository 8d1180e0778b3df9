/**
 * The parts of the user's home that a run's trials share, determined once at the start, so that later changes by an agent have no effect.
 * Plain data, which the run saves.
 */
import { delimiter, isAbsolute, join } from 'node:path'
import type { Env } from '../../../core/trust/environment.ts'
import {
  ensureFolder,
  exists,
  isFolder,
  listFolder,
  removeFolder,
  writeWithoutSync,
} from '../../../system/files/files.ts'
import { resolvesInto, createLinkTo } from '../../../system/files/links.ts'
import { IS_WINDOWS } from '../../../system/platform.ts'
import { findProgram } from '../../../system/process/process.ts'
import { git } from '../../repo/git.ts'
import type { Repo } from '../../repo/find-repo.ts'
import { editablePythonFolders } from '../editable-python.ts'
import { packageRegistryVariables } from './package-registries.ts'
import {
  MOVABLE_HOME_FOLDERS,
  PACKAGE_CACHES,
  HOME_LINKS,
  type FolderVariable,
  TOOLCHAINS,
  TOOL_VARIABLES,
} from './shared-home-folders.ts'
import { toolVersionVariables, type HostEnvironment } from './tool-versions.ts'
import { linkPrograms, type ProgramLink, findProgramsToLink } from '../program-links.ts'
import type { CleanRoom } from '../clean-room.ts'

export interface SharedHome {
  /** Variables for tool chains, caches, chosen versions and package addresses. */
  variables: Env
  /** Folders of the real home that a trial may see; its environment names no others. */
  folders: string[]
  /** Name in the new home → target. */
  links: Record<string, string>
  /** Entries of the PATH in the real home, each with its programs. */
  programs: { folder: string; programs: ProgramLink[] }[]
  /** Folders, relative to the top of the working tree, from which Python loads packages. */
  python: string[]
  /** Text of git's settings: the identity for commits. */
  git: string
}

export async function findSharedHome({ env, repo, top, home }: HostEnvironment & { repo: Repo }): Promise<SharedHome> {
  const roots = sharedFolders(TOOLCHAINS, { env, home })
  const caches = sharedFolders(PACKAGE_CACHES, { env, home })
  const links = sharedLinks({ env, home })
  const settings = TOOL_VARIABLES.filter(({ program }) => findProgram(program, env) !== null)
  const python = editablePythonFolders({ env, top, home })
  return {
    variables: {
      ...roots,
      ...caches,
      ...userSite(home),
      ...toolVersionVariables({ env, top, home }),
      ...packageRegistryVariables({ env, home }),
      ...Object.fromEntries(settings.map(({ variable, value }) => [variable, value])),
    },
    folders: [...new Set([...Object.values(roots), ...Object.values(caches), ...Object.values(links)])],
    links,
    programs: homeEntries({ env, top, home })
      .filter((folder) => !isShims(folder, Object.values(roots)))
      .map((folder) => ({ folder, programs: findProgramsToLink(folder) })),
    python,
    git: await identity(repo),
  }
}

/** By variable: the user's own value, or the first usual folder that exists. */
function sharedFolders(rows: readonly FolderVariable[], { env, home }: { env: Env; home: string }): Env {
  const found: Env = {}
  for (const { variable, at, neededBy } of rows) {
    const own = valueOf(env, variable)
    const places = own === null ? at.map((path) => homePath(path, { env, home })) : [own]
    const needed = neededBy !== undefined && findProgram(neededBy, env) !== null ? places[0] : undefined
    const place = places.find((path) => isAbsolute(path) && isFolder(path)) ?? needed
    if (place !== undefined) found[variable] = place
  }
  return found
}

/** npm ignores the case of its variables. */
function valueOf(env: Env, variable: string): string | null {
  const wanted = variable.startsWith('npm_') ? variable.toLowerCase() : null
  const name = Object.keys(env).find((one) => one === variable || one.toLowerCase() === wanted)
  return name === undefined || env[name] === '' ? null : (env[name] ?? null)
}

function homePath(path: string, { env, home }: { env: Env; home: string }): string {
  const [first = '', ...rest] = path.split('/')
  const base = MOVABLE_HOME_FOLDERS[first]
  if (base === undefined) return join(home, path)
  // GOPATH may be a list; packages are in its first folder.
  const own = env[base.variable]?.split(delimiter)[0]
  return join(own === undefined || !isAbsolute(own) ? join(home, base.at) : own, ...rest)
}

function sharedLinks({ env, home }: { env: Env; home: string }): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { at, as, neededBy } of HOME_LINKS) {
    const target = homePath(at, { env, home })
    if (isFolder(target) || (neededBy !== undefined && findProgram(neededBy, env) !== null)) found[as] = target
  }
  return found
}

/** Python looks for packages of `pip install --user` below the home folder. */
function userSite(home: string): Env {
  const own = join(home, '.local')
  const isUsed = listFolder(join(own, 'lib')).some((name) => name.startsWith('python'))
  return isUsed ? { PYTHONUSERBASE: own } : {}
}

/** The entries of the PATH in the real home but outside the working tree. */
function homeEntries({ env, top, home }: HostEnvironment): string[] {
  // On Windows only administrators can create links.
  if (IS_WINDOWS) return []
  const entries = (env['PATH'] ?? '').split(delimiter).filter((entry) => isAbsolute(entry))
  return [...new Set(entries)].filter(
    (entry) => isInsideHome(entry, home) && !resolvesInto(entry, top) && exists(entry),
  )
}

/** False if the home folder is the root of the disk, as for some users in containers. */
export function isInsideHome(path: string, home: string): boolean {
  return home !== '/' && isAbsolute(home) && resolvesInto(path, home)
}

/** Programs of a version manager look for this folder on the PATH, to skip themselves. */
function isShims(folder: string, roots: string[]): boolean {
  if (!roots.some((root) => resolvesInto(folder, root))) return false
  return /(^|\/)shims\/?$/.test(folder) || exists(join(folder, 'volta-shim'))
}

/** Commits of a gate need an identity. It is in a file, because variables would override the settings of repositories that a test
 *  creates. */
async function identity(repo: Repo): Promise<string> {
  if (repo.git === null) return ''
  const values = await Promise.all(
    ['user.name', 'user.email', 'init.defaultBranch'].map((key) => git(repo, ['config', '--get', key])),
  )
  const [name, email, branch] = values.map(({ code, stdout }) => (code === 0 ? stdout.trim() : ''))
  const line = (key: string, value: string | undefined) =>
    value === undefined || value === '' ? '' : `\t${key} = ${JSON.stringify(value)}\n`
  return `[user]\n${line('name', name)}${line('email', email)}[init]\n${line('defaultBranch', branch)}`
}

/** The folder of program links for one entry of the PATH. */
export function programLinksFolder(links: string, index: number): string {
  return join(links, String(index))
}

/** Before every trial, creates the shared links in its new home again, whatever the last trial did to them. */
export function linkSharedHome(sharedPaths: SharedHome, { room, links }: { room: CleanRoom; links: string }): void {
  sharedPaths.programs.forEach(({ programs }, index) => linkPrograms(programLinksFolder(links, index), programs))
  for (const [name, target] of Object.entries(sharedPaths.links)) {
    ensureFolder(target, 0o755)
    const link = join(room.home, name)
    removeFolder(link) // removes only the link itself
    createLinkTo(target, link)
  }
  if (sharedPaths.git !== '') writeWithoutSync(join(room.home, '.gitconfig'), sharedPaths.git)
}
