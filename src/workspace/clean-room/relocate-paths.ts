/** Replaces absolute paths of the working tree by those of the clean room, in links and in files where tools record their own path. */
import { dirname, isAbsolute, resolve } from 'node:path'
import { escapeRegExp } from '../../core/text/sanitize.ts'
import { realPath } from '../../system/files/links.ts'
import type { OpenCleanRoom } from './clean-room.ts'

export interface PathRelocator {
  /** The target of the link at `to`; `from` is the link's path in the working tree. */
  link(target: Buffer, at: { from: string; to: string }): Buffer
  /** The text with its paths changed. */
  text(bytes: Buffer): Buffer
}

/** `neighbours`: those that the clean room has too, relative to the top of the working tree (`../name`). */
export function createPathRelocator(room: OpenCleanRoom, neighbours: readonly string[] = []): PathRelocator {
  const real = realPath(room.original) ?? room.original
  const places = ['.', ...neighbours].flatMap((path) =>
    [...new Set([room.original, real])].map((top) => ({ from: resolve(top, path), to: resolve(room.top, path) })),
  )
  const moved = (path: string): string | null => {
    const place = places.find(({ from }) => path === from || path.startsWith(`${from}/`))
    return place === undefined ? null : place.to + path.slice(place.from.length)
  }
  const changes = places.flatMap(({ from, to }) => [
    { from: bytewise(from), to: bytewise(to) },
    ...(encodeURI(from) === from ? [] : [{ from: encodeURI(from), to: encodeURI(to) }]),
  ])
  return {
    link(target, { from, to }) {
      const said = target.toString()
      const inCleanRoom = moved(resolve(dirname(from), said))
      if (inCleanRoom === null || (!isAbsolute(said) && resolve(dirname(to), said) === inCleanRoom)) return target
      return Buffer.from(inCleanRoom)
    },
    text(bytes) {
      // Binary files are not changed, because offsets in them must stay.
      if (bytes.includes(0)) return bytes
      const before = bytes.toString('latin1')
      const after = changes.reduce((text, { from, to }) => text.replace(wholePathPattern(from), () => to), before)
      return after === before ? bytes : Buffer.from(after, 'latin1')
    },
  }
}

/** Any bytes as text of the same length, because a file may not be UTF-8. */
function bytewise(path: string): string {
  return Buffer.from(path).toString('latin1')
}

/** Matches only the whole path: not `/home/me` in `/home/medea` or in `/mnt/home/me`. */
export function wholePathPattern(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapeRegExp(path)}(?![\\w.-])`, 'g')
}

/** Files that record a path are smaller. */
const NOTE_MAX = 1024 * 1024

/** Whether a tool's file may contain its own path: programs of virtual environments do in their first line, and packages installed in
 *  editable mode in several kinds of files. */
export function mayContainPaths(path: string, size: number): boolean {
  if (size > NOTE_MAX) return false
  return (
    /(^|\/)(\.?bin|Scripts)\/[^/]+$/.test(path) ||
    /\.(pth|cfg|egg-link)$/.test(path) ||
    /(^|\/)(direct_url\.json|__editable__[^/]*\.py)$/.test(path)
  )
}
