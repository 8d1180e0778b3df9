/**
 * Folders that tools fill: installed packages, virtual environments, build caches. They are not source, even if git does not ignore them.
 * The name alone is enough only if no source folder would have it; otherwise a file in it or beside it must confirm it.
 */
import { join, posix } from 'node:path'
import { exists } from '../../system/files/files.ts'
import { memoizeByFolder } from '../paths.ts'
import { splitWords } from '../../core/text/split-words.ts'

const BY_NAME: ReadonlySet<string> = new Set(
  splitWords(`
    node_modules bower_components .venv .tox .nox .gradle .stack-work .dart_tool elm-stuff __pycache__
    .pytest_cache .mypy_cache .ruff_cache
  `),
)

/** Files that tools write into the folders they create. */
const INSIDE = ['pyvenv.cfg', 'CACHEDIR.TAG']

/** A folder of this name belongs to a tool if one of these files is beside it. */
const BESIDE = new Map<string, readonly string[]>([
  ['target', ['Cargo.toml', 'pom.xml', 'build.sbt']],
  ['vendor', ['composer.json']],
  ['deps', ['mix.exs']],
  ['_build', ['mix.exs', 'rebar.config', 'dune-project']],
  ['Pods', ['Podfile']],
])

/** Whether a tool filled this folder (relative to the top of the tree). */
export function isToolFolder(top: string, folder: string): boolean {
  const name = posix.basename(folder)
  if (BY_NAME.has(name) || folder === 'vendor/bundle' || folder.endsWith('/vendor/bundle')) return true
  const above = join(top, posix.dirname(folder))
  const extras = BESIDE.get(name) ?? []
  return extras.some((file) => exists(join(above, file))) || INSIDE.some((file) => exists(join(top, folder, file)))
}

/** Returns the outermost tool folder around a path, or null; each folder is checked once. */
export function toolFolderFinder(top: string): (path: string) => string | null {
  return memoizeByFolder<string | null>(null, (folder, above) => above ?? (isToolFolder(top, folder) ? folder : null))
}
