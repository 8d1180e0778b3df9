/** Which file loads or names which in a tree: every text is read once, and the graph is queried in both directions. */
import { matchesGlob } from '../core/text/glob.ts'
import { type Reference, referencesIn, possibleFileNames } from './imports.ts'
import {
  extensionOf,
  folderOf,
  isCode,
  isConfiguration,
  isManifestOrLockFile,
  isVendored,
  languageOf,
  baseNameOf,
} from './file-kinds.ts'
import { type ReferenceTargets, resolveReference, type ModuleRoots } from './resolve-reference.ts'
import { type IndexedTree, joinPath } from './file-tree.ts'

/** A command line and its folder: a gate, or a script of a manifest. */
export interface FolderCommand {
  folder: string
  run: string
}

export interface ImportGraph {
  of: (path: string) => ReferenceTargets
  /** Files that load this one or name it exactly. */
  importersOf: (path: string) => readonly string[]
}

export type ReferencesByFile = Map<string, readonly Reference[]>

/** `known`: references of unchanged texts, so that nothing is read twice. */
export function importGraphOf(
  tree: IndexedTree,
  moduleRoots: ModuleRoots,
  known: ReferencesByFile = new Map(),
): ImportGraph & { references: ReferencesByFile } {
  const [of, by, references] = [
    new Map<string, ReferenceTargets>(),
    new Map<string, Set<string>>(),
    new Map<string, readonly Reference[]>(),
  ]
  for (const path of tree.paths) {
    if (!isRead(path)) continue
    const found = known.get(path) ?? referencesIn(path, tree.text(path) ?? '')
    references.set(path, found)
    const all = mergeTargets(found.map((reference) => resolveReference(tree, moduleRoots, path, reference)))
    all.files.push(...neighbours(tree, path))
    of.set(path, all)
    for (const file of new Set(all.files)) {
      const loaders = by.get(file)
      if (loaders === undefined) by.set(file, new Set([path]))
      else loaders.add(path)
    }
  }
  return {
    of: (path) => of.get(path) ?? NOTHING,
    importersOf: (path) => [...(by.get(path) ?? [])].filter((loader) => loader !== path),
    references,
  }
}

const NOTHING: ReferenceTargets = { files: [], folders: [], globs: [], guessed: [] }

/** Data files load nothing; manifests have parsers of their own. */
function isRead(path: string): boolean {
  if (isVendored(path) || isManifestOrLockFile(path)) return false
  return isCode(path) || isConfiguration(path) || /^(?:html?|css|scss|sass|less)$/.test(extensionOf(path))
}

/** Files that belong together without an import: those of a Go package, the library of a crate. */
function neighbours(tree: IndexedTree, path: string): string[] {
  const language = languageOf(path)
  if (language === 'go')
    return tree.filesIn(folderOf(path)).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
  if (language !== 'rust') return []
  const crate = /^(.{0,300}?)(?:^|\/)(?:tests|examples|benches|src\/bin|src)\/[^/]+$/.exec(path)?.[1]
  return crate === undefined ? [] : [joinPath(crate, 'src/lib.rs')].filter((file) => file !== path && tree.has(file))
}

export function mergeTargets(all: readonly ReferenceTargets[]): ReferenceTargets {
  return {
    files: all.flatMap(({ files }) => files),
    folders: all.flatMap(({ folders }) => folders),
    globs: all.flatMap(({ globs }) => globs),
    guessed: all.flatMap(({ guessed }) => guessed),
  }
}

/** The files that a command line names. */
export function targetsOfCommand(
  tree: IndexedTree,
  moduleRoots: ModuleRoots,
  { folder, run }: FolderCommand,
): ReferenceTargets {
  const here = joinPath(folder, 'command.sh')
  return mergeTargets(possibleFileNames(run).map((to) => resolveReference(tree, moduleRoots, here, { is: 'word', to })))
}

/** Everything that some files load or name. */
export interface ReferencedFiles {
  names: (path: string) => boolean
  /** Names it exactly, not by its folder or a pattern. */
  loads: (path: string) => boolean
  /** Names it by a folder or pattern below a source folder: `src/cases/*.js`, not all of `src`. */
  finds: (path: string) => boolean
}

/** `guesses`: whether a word refers to a file whose path only ends with it: always, or only if no other path does. */
export function referencedFilesOf(
  all: ReferenceTargets,
  { guesses, except }: { guesses: 'all' | 'single'; except: (folder: string) => boolean },
): ReferencedFiles {
  const files = new Set(all.files)
  const ends = new Map<string, number>()
  for (const path of new Set(all.guessed)) ends.set(baseNameOf(path), (ends.get(baseNameOf(path)) ?? 0) + 1)
  const guessed = new Set(all.guessed.filter((path) => guesses === 'all' || ends.get(baseNameOf(path)) === 1))
  const folders = new Set(all.folders.filter((folder) => !except(folder)))
  const globs = [...new Set(all.globs)].filter((glob) => /[^*?/.]/.test(glob))
  const isInside = (path: string) => {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) if (folders.has(folder)) return true
    return false
  }
  return {
    loads: (path) => files.has(path),
    finds: (path) =>
      isInside(path) || globs.some((glob) => !except(folderOf(glob.split(/[*?{[]/)[0] ?? '')) && safely(path, glob)),
    names: (path) => files.has(path) || guessed.has(path) || isInside(path) || globs.some((glob) => safely(path, glob)),
  }
}

/** A pattern from foreign text may be invalid; one with many stars is decoration. */
function safely(path: string, glob: string): boolean {
  if ((glob.match(/\*/g)?.length ?? 0) > 8) return false
  try {
    // Without a slash it would match the name in any folder.
    return matchesGlob(path, glob.includes('/') ? glob : `./${glob}`)
  } catch {
    return false
  }
}
