/**
 * Folders that tools fill: installed packages, virtual environments, build caches. Nobody's work, even where nobody ignores them. A
 * name alone is enough only where nobody would give it to a folder of sources; else something must stand in it or beside it.
 */
import { join, posix } from 'node:path'
import { exists } from '../../system/files/files.ts'
import { folderAnswers } from '../paths.ts'
import { words } from '../../core/text/words.ts'

const BY_NAME: ReadonlySet<string> = new Set(
  words(`
    node_modules bower_components .venv .tox .nox .gradle .stack-work .dart_tool elm-stuff __pycache__
    .pytest_cache .mypy_cache .ruff_cache
  `),
)

/** What a tool puts into a folder that it has made for itself. */
const INSIDE = ['pyvenv.cfg', 'CACHEDIR.TAG']

/** Such a folder is the tool's where one of these files stands beside it. */
const BESIDE = new Map<string, readonly string[]>([
  ['target', ['Cargo.toml', 'pom.xml', 'build.sbt']],
  ['vendor', ['composer.json']],
  ['deps', ['mix.exs']],
  ['_build', ['mix.exs', 'rebar.config', 'dune-project']],
  ['Pods', ['Podfile']],
])

/** Whether a folder, named from the top of a tree, is one that a tool has filled. */
export function isToolFolder(top: string, folder: string): boolean {
  const name = posix.basename(folder)
  if (BY_NAME.has(name) || folder === 'vendor/bundle' || folder.endsWith('/vendor/bundle')) return true
  const above = join(top, posix.dirname(folder))
  const extras = BESIDE.get(name) ?? []
  return extras.some((file) => exists(join(above, file))) || INSIDE.some((file) => exists(join(top, folder, file)))
}

/** Gives the outermost folder of a tool that a path lies in, or null; each folder is looked at once. */
export function toolFolderFinder(top: string): (path: string) => string | null {
  return folderAnswers<string | null>(null, (folder, above) => above ?? (isToolFolder(top, folder) ? folder : null))
}
