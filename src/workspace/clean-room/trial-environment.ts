/**
 * The environment of a trial: that of the gates, without any mention of Ralph or path into the working tree; of the real home folder only
 * the parts shared at the start are visible.
 */
import { delimiter, isAbsolute, join, relative } from 'node:path'
import type { Env } from '../../core/trust/environment.ts'
import { isFolder } from '../../system/files/files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import type { HostEnvironment } from './shared-tools/tool-versions.ts'
import { NEVER_SHARED_ENTIRELY } from './shared-tools/shared-home-folders.ts'
import { type SharedHome, isInsideHome, programLinksFolder } from './shared-tools/shared-home.ts'
import type { CleanRoom } from './clean-room.ts'
import { wholePathPattern } from './relocate-paths.ts'

export interface TrialEnvironmentOptions extends HostEnvironment {
  room: CleanRoom
  /** The folder of the program links of `linkSharedHome`. It is on the PATH, so its name must not mention Ralph either. */
  links: string
  sharedPaths: SharedHome
}

export function buildTrialEnvironment(options: TrialEnvironmentOptions): Env {
  const { env, room, top, sharedPaths } = options
  const kept: Env = {}
  for (const [name, value] of Object.entries(env)) {
    const inCleanRoom = isDropped(name) ? null : valueInRoom(name, value, options)
    if (inCleanRoom !== null) kept[name] = inCleanRoom
  }
  const sharedVariables = Object.fromEntries(
    Object.entries(sharedPaths.variables).map(([name, value]) => [name, moved(value, { top, room })]),
  )
  return {
    ...withPython(kept, options),
    ...sharedVariables,
    ...homeVariables(env, room),
    TMPDIR: room.tmp,
    TMP: room.tmp,
    TEMP: room.tmp,
    // mise runs nothing for an untrusted project; the user trusted this one before the run.
    ...(sharedPaths.variables['MISE_DATA_DIR'] === undefined ? {} : { MISE_TRUSTED_CONFIG_PATHS: room.top }),
  }
}

function homeVariables(env: Env, { home }: CleanRoom): Env {
  const windows = { APPDATA: join(home, 'AppData', 'Roaming'), LOCALAPPDATA: join(home, 'AppData', 'Local') }
  const own = Object.entries(windows).filter(([name]) => env[name] !== undefined)
  return { HOME: home, USERPROFILE: home, ...Object.fromEntries(own) }
}

/** XDG variables point to settings, or to sockets and files of the user's session. */
function isDropped(name: string): boolean {
  return /^(RALPH|XDG)_/.test(name)
}

/** Null: leave the variable out. */
function valueInRoom(name: string, value: string, options: TrialEnvironmentOptions): string | null {
  if (name === 'PATH' || name === 'Path') return pathInRoom(value, options)
  if (isAbsolute(value)) {
    const items = value.split(delimiter).map((item) => itemInRoom(name, item, options))
    const left = items.filter((item) => item !== null)
    return left.length === 0 ? null : left.join(delimiter)
  }
  return textInRoom(value, options)
}

function textInRoom(value: string, options: TrialEnvironmentOptions): string | null {
  const text = moved(value, options)
  return mentionsHome(text, options) ? null : text
}

/** One path, or one of a list of them. */
function itemInRoom(name: string, item: string, options: TrialEnvironmentOptions): string | null {
  const { home, sharedPaths } = options
  const inside = insideTop(item, options)
  if (inside !== null) return inside
  if (!isAbsolute(item) || !isInsideHome(item, home)) return textInRoom(item, options)
  const isKept = isShared(item, sharedPaths) || (isToolChain(item, home) && !NEVER_SHARED_ENTIRELY.has(name))
  return isKept ? item : null
}

function isShared(path: string, { folders }: SharedHome): boolean {
  return folders.some((folder) => resolvesInto(path, folder))
}

/** A folder with programs in it (JAVA_HOME, CONDA_PREFIX, VIRTUAL_ENV …), whatever its variable is called. */
function isToolChain(path: string, home: string): boolean {
  // Many have programs in the home folder too.
  if (resolvesInto(home, path)) return false
  return isFolder(join(path, 'bin')) || isFolder(join(path, 'Scripts'))
}

/** The same path in the clean room, for a path into the working tree, directly or through links; null: it is outside. */
function insideTop(path: string, { top, room }: { top: string; room: CleanRoom }): string | null {
  if (!isAbsolute(path) || !resolvesInto(path, top)) return null
  const named = relative(top, path)
  if (named !== '..' && !named.startsWith('../') && !isAbsolute(named)) return join(room.top, named)
  return join(room.top, relative(realPath(top) ?? top, realPath(path) ?? path))
}

/** Replaces the working tree's path inside a longer text (`--config=/home/me/app/x`). */
function moved(text: string, { top, room }: { top: string; room: CleanRoom }): string {
  return text.replace(wholePathPattern(top), room.top)
}

function mentionsHome(text: string, { home, room, sharedPaths }: TrialEnvironmentOptions): boolean {
  if (home === '/' || home === '') return false
  const others = [room.parent, ...sharedPaths.folders].reduce(
    (rest, folder) => rest.replace(wholePathPattern(folder), ''),
    text,
  )
  return wholePathPattern(home).test(others)
}

/** Project folders become those of the clean room; home folders become links to the programs they had at the start. */
function pathInRoom(value: string, options: TrialEnvironmentOptions): string {
  const { home, links, sharedPaths } = options
  return value
    .split(delimiter)
    .flatMap((entry) => {
      const inside = insideTop(entry, options)
      if (inside !== null) return [inside]
      const index = sharedPaths.programs.findIndex(({ folder }) => folder === entry)
      if (index >= 0) return [programLinksFolder(links, index)]
      if (!isAbsolute(entry) || !isInsideHome(entry, home) || isShared(entry, sharedPaths)) return [entry]
      return [] // it did not exist at the start
    })
    .join(delimiter)
}

/** Makes Python load the working tree's packages from the clean room. */
function withPython(env: Env, { room, sharedPaths }: TrialEnvironmentOptions): Env {
  if (sharedPaths.python.length === 0) return env
  const folders = sharedPaths.python.map((folder) => join(room.top, folder))
  const own = env['PYTHONPATH'] === undefined ? [] : [env['PYTHONPATH']]
  return { ...env, PYTHONPATH: [...folders, ...own].join(delimiter) }
}
