/** What names the working tree by its absolute path names the clean room instead: links, and the notes of tools about where they are. */
import { dirname, isAbsolute, resolve } from 'node:path'
import { escapeRegExp } from '../../core/text/sanitize.ts'
import { realPath } from '../../system/files/links.ts'
import type { OpenCleanRoom } from './clean-room.ts'

export interface Relocation {
  /** As the link shall say it at `to`; `from` is where it stands in the working tree. */
  link(target: Buffer, at: { from: string; to: string }): Buffer
  /** The text with its paths changed. */
  text(bytes: Buffer): Buffer
}

/** `neighbours`: from the top of the working tree (`../name`), those that stand in the clean room too. */
export function createRelocation(room: OpenCleanRoom, neighbours: readonly string[] = []): Relocation {
  const real = realPath(room.original) ?? room.original
  const places = ['.', ...neighbours].flatMap((path) =>
    [...new Set([room.original, real])].map((top) => ({
      from: resolve(top, path),
      to: resolve(room.top, path),
    })),
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
      // A program, not a text: its parts must stay where they are.
      if (bytes.includes(0)) return bytes
      const before = bytes.toString('latin1')
      const after = changes.reduce((text, { from, to }) => text.replace(wholePath(from), () => to), before)
      return after === before ? bytes : Buffer.from(after, 'latin1')
    },
  }
}

/** Any bytes as a text of the same length: a file need not be UTF-8. */
function bytewise(path: string): string {
  return Buffer.from(path).toString('latin1')
}

/** The path as a whole: `/home/me` is not meant in `/home/medea`, nor in `/mnt/home/me`. */
export function wholePath(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapeRegExp(path)}(?![\\w.-])`, 'g')
}

/** Larger ones are no notes. */
const NOTE_MAX = 1024 * 1024

/** Whether a file of a tool may say where it stands: programs of virtual environments do in their first lines, packages that are
 *  installed as they lie there in notes of several kinds. */
export function mayContainPaths(path: string, size: number): boolean {
  if (size > NOTE_MAX) return false
  return (
    /(^|\/)(\.?bin|Scripts)\/[^/]+$/.test(path) ||
    /\.(pth|cfg|egg-link)$/.test(path) ||
    /(^|\/)(direct_url\.json|__editable__[^/]*\.py)$/.test(path)
  )
}
