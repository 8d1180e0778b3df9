/** The SQLite library: built into Node since 24, a package before. One per process: two copies of SQLite on one file break its locks. */
import { dirname, join } from 'node:path'
import { exists } from './files/files.ts'

const PACKAGE = '@photostructure/sqlite'

let loaded: unknown = null

/** Both variants export `DatabaseSync`. */
export function sqliteLibrary(): unknown {
  loaded ??= builtIn() ?? binary() ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(PACKAGE)
  return loaded
}

function builtIn(): unknown {
  return Number.parseInt(process.versions.node, 10) >= 24 ? process.getBuiltinModule('node:sqlite') : null
}

/**
 * The package's binary for this machine, without the package around it: locating the file and wrapping its classes takes a fifth of an
 * empty start, and we use none of the wrapping. Null if it is not in its usual place or does not fit: then the package itself finds
 * another, or reports what is wrong.
 */
function binary(): unknown {
  try {
    const file = prebuilt(import.meta.dirname)
    if (file === null) return null
    const native: { exports: { DatabaseSync?: unknown } } = { exports: {} }
    process.dlopen(native, file)
    return typeof native.exports.DatabaseSync === 'function' ? native.exports : null
  } catch {
    return null
  }
}

/** The nearest one upwards, as Node itself resolves a package. */
function prebuilt(from: string): string | null {
  const folder = join(from, 'node_modules', PACKAGE)
  if (!exists(folder)) return dirname(from) === from ? null : prebuilt(dirname(from))
  const libc = exists('/etc/alpine-release') ? 'musl' : 'glibc'
  const file = `${PACKAGE.replace('/', '+')}.${libc}.node`
  return join(folder, 'prebuilds', `${process.platform}-${process.arch}`, file)
}
