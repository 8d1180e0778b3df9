/**
 * The environment of a trial: that of the gates, in which nothing tells of Ralph, nothing leads into the working tree, and of the
 * real home folder only what was lent at the start can be seen.
 */
import { literal } from '../../domain/text/text.ts'
import { delimiter, isAbsolute, join, relative } from 'node:path'
import type { Env } from '../../domain/trust/environment.ts'
import { isFolder } from '../../system/files/files.ts'
import { leadsInto, realPath } from '../../system/files/links.ts'
import { NEVER_WHOLE } from './lent/lent-caches.ts'
import { type LentHome, liesIn, linksFolder } from './lent/lent-home.ts'
import type { Room } from './room.ts'

export interface RoomEnvironment {
  /** As gates get it, complete. */
  env: Env
  room: Room
  /** Of the working tree. */
  top: string
  /** The real one. */
  home: string
  /** The folder in which `layLentHome` put the links to programs. It is on the PATH, so its name must say nothing of Ralph either. */
  links: string
  lent: LentHome
}

export function roomEnvironment(options: RoomEnvironment): Env {
  const { env, room, top, lent } = options
  const kept: Env = {}
  for (const [name, value] of Object.entries(env)) {
    const inRoom = isDropped(name) ? null : valueInRoom(name, value, options)
    if (inRoom !== null) kept[name] = inRoom
  }
  const lentVariables = Object.fromEntries(
    Object.entries(lent.variables).map(([name, value]) => [name, moved(value, { top, room })]),
  )
  return {
    ...withPython(kept, options),
    ...lentVariables,
    ...homeVariables(env, room),
    TMPDIR: room.tmp,
    TMP: room.tmp,
    TEMP: room.tmp,
    // mise starts nothing for a project that nobody trusted; that this one is started from was asked before the run began.
    ...(lent.variables['MISE_DATA_DIR'] === undefined ? {} : { MISE_TRUSTED_CONFIG_PATHS: room.top }),
  }
}

function homeVariables(env: Env, { home }: Room): Env {
  const windows = {
    APPDATA: join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(home, 'AppData', 'Local'),
  }
  const own = Object.entries(windows).filter(([name]) => env[name] !== undefined)
  return { HOME: home, USERPROFILE: home, ...Object.fromEntries(own) }
}

/** XDG variables lead to settings, or to sockets and files of the user's session. */
function isDropped(name: string): boolean {
  return /^(RALPH|XDG)_/.test(name)
}

/** Null: it is left out. */
function valueInRoom(name: string, value: string, options: RoomEnvironment): string | null {
  if (name === 'PATH' || name === 'Path') return pathInRoom(value, options)
  if (isAbsolute(value)) {
    const items = value.split(delimiter).map((item) => itemInRoom(name, item, options))
    const left = items.filter((item) => item !== null)
    return left.length === 0 ? null : left.join(delimiter)
  }
  return textInRoom(value, options)
}

function textInRoom(value: string, options: RoomEnvironment): string | null {
  const text = moved(value, options)
  return mentionsHome(text, options) ? null : text
}

/** One path, or one of a list of them. */
function itemInRoom(name: string, item: string, options: RoomEnvironment): string | null {
  const { home, lent } = options
  const inside = insideTop(item, options)
  if (inside !== null) return inside
  if (!isAbsolute(item) || !liesIn(item, home)) return textInRoom(item, options)
  const isKept = isLent(item, lent) || (isToolChain(item, home) && !NEVER_WHOLE.has(name))
  return isKept ? item : null
}

function isLent(path: string, { folders }: LentHome): boolean {
  return folders.some((folder) => leadsInto(path, folder))
}

/** A folder with programs in it (JAVA_HOME, CONDA_PREFIX, VIRTUAL_ENV …), whatever its variable is called. */
function isToolChain(path: string, home: string): boolean {
  // Many have programs in the home folder too.
  if (leadsInto(home, path)) return false
  return isFolder(join(path, 'bin')) || isFolder(join(path, 'Scripts'))
}

/** The same place in the room, for a path that leads into the working tree by its name or really; null: it does not. */
function insideTop(path: string, { top, room }: { top: string; room: Room }): string | null {
  if (!isAbsolute(path) || !leadsInto(path, top)) return null
  const named = relative(top, path)
  if (named !== '..' && !named.startsWith('../') && !isAbsolute(named)) return join(room.top, named)
  return join(room.top, relative(realPath(top) ?? top, realPath(path) ?? path))
}

/** A text in which the working tree is named among other things (`--config=/home/me/app/x`). */
function moved(text: string, { top, room }: { top: string; room: Room }): string {
  return text.replace(mention(top), room.top)
}

function mentionsHome(text: string, { home, room, lent }: RoomEnvironment): boolean {
  if (home === '/' || home === '') return false
  const others = [room.parent, ...lent.folders].reduce(
    (rest, folder) => rest.replace(mention(folder), ''),
    text,
  )
  return mention(home).test(others)
}

/** The path as a whole: `/home/me` is not meant in `/home/medea`, nor in `/mnt/home/me`. */
function mention(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${literal(path)}(?![\\w.-])`, 'g')
}

/** A folder of the project is that of the room, one of the home folder has the programs that were in it at the start. */
function pathInRoom(value: string, options: RoomEnvironment): string {
  const { home, links, lent } = options
  return value
    .split(delimiter)
    .flatMap((entry) => {
      const inside = insideTop(entry, options)
      if (inside !== null) return [inside]
      const index = lent.programs.findIndex(({ folder }) => folder === entry)
      if (index >= 0) return [linksFolder(links, index)]
      if (!isAbsolute(entry) || !liesIn(entry, home) || isLent(entry, lent)) return [entry]
      return [] // it was not there at the start
    })
    .join(delimiter)
}

/** Packages that Python finds in the working tree, it finds in the room. */
function withPython(env: Env, { room, lent }: RoomEnvironment): Env {
  if (lent.python.length === 0) return env
  const folders = lent.python.map((folder) => join(room.top, folder))
  const own = env['PYTHONPATH'] === undefined ? [] : [env['PYTHONPATH']]
  return { ...env, PYTHONPATH: [...folders, ...own].join(delimiter) }
}
