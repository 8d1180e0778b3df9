/**
 * Chooses the paths that the clean room shares with the project's folder, step by step: tool folders, then everything that git ignores,
 * then neighbours of the project that its own files name. Caches and stamps are never shared: they may make a gate pass.
 */
import { basename, join, posix } from 'node:path'
import { SHARED_TOOLS_LEVELS, type SharedToolsLevel } from '../../../core/proof/trial.ts'
import { folderSize, isFolder } from '../../../system/files/files.ts'
import { foldersAbove } from '../../paths.ts'
import { workingTreeRoot, type Repo } from '../../repo/find-repo.ts'
import { shareablePathsOf } from './shareable-paths.ts'
import { splitWords } from '../../../core/text/split-words.ts'

export interface SharingContext {
  repo: Repo
  /** Paths of the settings, relative to the top of the working tree. */
  copy: readonly string[]
  /** Texts that may name a neighbour: gates, set-up, files of the project. */
  texts: () => Iterable<string>
}

export async function chooseSharedPaths(sharedTools: SharedToolsLevel, by: SharingContext): Promise<string[]> {
  const isAtLeast = (step: SharedToolsLevel): boolean =>
    SHARED_TOOLS_LEVELS.indexOf(sharedTools) >= SHARED_TOOLS_LEVELS.indexOf(step)
  const { tools, ignored } = sharedTools === 'nothing' ? { tools: [], ignored: [] } : await shareablePathsOf(by.repo)
  const paths = new Set(by.copy)
  if (isAtLeast('tools')) for (const path of tools) if (!isCachePath(path)) paths.add(path)
  if (isAtLeast('ignored')) for (const path of ignored) if (!isCachePath(path)) paths.add(path)
  if (isAtLeast('neighbours')) for (const path of neighboursOf(by)) paths.add(path)
  return outermost([...paths].slice(0, SHARED_MAX))
}

/** Whether there are tool folders, which only a copy can provide. */
export async function hasToolFolders(repo: Repo): Promise<boolean> {
  return (await shareablePathsOf(repo)).tools.some((path) => !isCachePath(path))
}

/** Thousands of single ignored files are build output; no gate needs them all. */
const SHARED_MAX = 2_000

/** Files that a gate or a build leaves for its next run, and that an agent could forge. */
const LEAVINGS: ReadonlySet<string> = new Set(
  splitWords(`
    __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .nyc_output coverage .coverage
    .cache .eslintcache .turbo .nx .parcel-cache .gradle .jest-cache .vite .next .nuxt target _build
    obj .DS_Store
  `),
)

function isCachePath(path: string): boolean {
  return LEAVINGS.has(posix.basename(path)) || path.endsWith('.tsbuildinfo')
}

/** A larger folder is no neighbour that a test reads. */
const NEIGHBOUR_MAX = 256 * 1024 * 1024

/** Only neighbours that a file of the project names: the folder above may hold all of the user's files. */
function neighboursOf({ repo, texts }: SharingContext): string[] {
  const top = workingTreeRoot(repo)
  const named = new Set<string>()
  for (const text of texts()) for (const [, name = ''] of text.matchAll(/\.\.\/(\w[\w.-]*)/g)) named.add(name)
  return [...named]
    .filter((name) => name !== basename(top) && isFolder(join(top, '..', name)))
    .filter((name) => folderSize(join(top, '..', name)) <= NEIGHBOUR_MAX)
    .map((name) => `../${name}`)
}

/** Drops paths inside another shared folder. */
function outermost(paths: string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => !foldersAbove(path).some((folder) => all.has(folder)))
}
