/**
 * Finds the files of the tree that a reference may mean. It returns all of them, not the choice of one tool: `./add` may load `add.js` or
 * `add.ts`, and the order differs from tool to tool.
 */
import type { Reference } from './imports.ts'
import { assertNever } from '../core/assert-never.ts'
import { extensionOf, folderOf, isCode, languageOf, baseNameOf, stemOf } from './file-kinds.ts'
import { foldersUpToRoot, joinInTree, type IndexedTree, joinPath } from './file-tree.ts'

/** Facts about the project beyond its paths, always from the base. */
export interface ModuleRoots {
  /** Package name → its folder. */
  packages: ReadonlyMap<string, string>
  /** Folders that module names are relative to: the root, `src`, the gates' folders … */
  roots: readonly string[]
  /** A configuration allows JavaScript to import modules of the source folder like packages. */
  namesFromSource: boolean
}

export interface ReferenceTargets {
  files: string[]
  /** The reference may mean everything in these folders. */
  folders: string[]
  globs: string[]
  /** Files in other folders whose path only ends with the word. */
  guessed: string[]
}

export function resolveReference(
  tree: IndexedTree,
  moduleRoots: ModuleRoots,
  from: string,
  reference: Reference,
): ReferenceTargets {
  const none: ReferenceTargets = { files: [], folders: [], globs: [], guessed: [] }
  switch (reference.is) {
    case 'path':
      return { ...none, ...seenFrom(tree, moduleRoots, from, reference.to) }
    case 'module':
      return { ...none, files: unique(moduleFiles(tree, moduleRoots, from, reference.to)) }
    case 'word':
      return { ...none, ...word(tree, moduleRoots, from, reference.to) }
    default:
      return assertNever(reference)
  }
}

const JS_ENDS = ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.d.ts', '.json', '.vue', '.svelte']
const TWINS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}

function seenFrom(tree: IndexedTree, moduleRoots: ModuleRoots, from: string, to: string): Partial<ReferenceTargets> {
  const folders = to.startsWith('/') ? ['', ...packageRoots(moduleRoots, from)] : [folderOf(from)]
  // C finds headers in its include folders.
  if (languageOf(from) === 'c')
    folders.push(...moduleRoots.roots, ...moduleRoots.roots.map((root) => joinPath(root, 'include')))
  const paths = folders.map((folder) => joinInTree(folder, to.replace(/^\//, ''))).filter((path) => path !== null)
  if (to.includes('*')) return { globs: paths }
  return {
    files: unique(paths.flatMap((path) => withEnds(tree, path, from))),
    folders: paths.filter((path) => path !== '' && tree.isFolder(path)),
  }
}

function withEnds(tree: IndexedTree, path: string, from: string): string[] {
  const ends = endsFor(from)
  const twins = Object.entries(TWINS).flatMap(([end, others]) =>
    path.endsWith(end) ? others.map((other) => path.slice(0, -end.length) + other) : [],
  )
  const isMeant = (file: string) =>
    file === path || (file.startsWith(path) && ends.includes(file.slice(path.length))) || twins.includes(file)
  const found = tree.filesByStem(path).filter(isMeant)
  if (tree.isFolder(path)) {
    const index = joinPath(path, 'index')
    found.push(...tree.filesByStem(index).filter((file) => ends.includes(file.slice(index.length))))
    if (tree.has(joinPath(path, 'package.json'))) found.push(joinPath(path, 'package.json'))
  }
  // A file that includes a header is linked with its source.
  if (/\.(?:h|hh|hpp|hxx)$/.test(path)) {
    const stem = stemOf(path)
    for (const end of ['c', 'cc', 'cpp', 'cxx', 'm', 'mm']) found.push(...tree.named(`${stem}.${end}`))
  }
  return found
}

const ENDS: Readonly<Record<string, readonly string[]>> = { ruby: ['.rb'], php: ['.php'], lua: ['.lua'], js: JS_ENDS }

function endsFor(from: string): readonly string[] {
  if (/\.(?:scss|sass|less|css)$/.test(from)) return ['.scss', '.sass', '.less', '.css']
  const language = languageOf(from)
  return language === null ? JS_ENDS : (ENDS[language] ?? [])
}

function packageRoots(moduleRoots: ModuleRoots, from: string): string[] {
  const above = new Set(foldersUpToRoot(from))
  return [...moduleRoots.packages.values(), ...moduleRoots.roots].filter((folder) => above.has(folder))
}

function moduleFiles(tree: IndexedTree, moduleRoots: ModuleRoots, from: string, to: string): string[] {
  const language = languageOf(from)
  switch (language) {
    case 'python':
      return pythonFiles(tree, moduleRoots, from, to)
    case 'rust':
      return rustFiles(tree, from, to.replace(/^mod /, ''))
    case 'go':
      return goFiles(tree, moduleRoots, to)
    case 'c':
      return moduleRoots.roots
        .flatMap((root) => [joinPath(root, to), joinPath(root, `include/${to}`)])
        .filter(tree.has)
        .flatMap((path) => withEnds(tree, path, from))
    case 'ruby':
      return moduleRoots.roots
        .flatMap((root) => [joinPath(root, `${to}.rb`), joinPath(root, `lib/${to}.rb`)])
        .filter(tree.has)
    case 'lua':
      return dotted(tree, moduleRoots, to.replaceAll('.', '/'), '.lua')
    case 'perl':
      return dotted(tree, moduleRoots, to.replaceAll('::', '/'), '.pm')
    case 'dart':
      return dotted(tree, moduleRoots, to.replace(/^package:[^/]{1,80}\//, ''), '')
    case 'php':
      return endingLike(tree, to.replaceAll('\\', '/'), ['.php'])
    case 'java':
      return endingLike(tree, to.replaceAll('.', '/'), ['.java', '.kt', '.scala', '.groovy'])
    case 'js':
      return jsFiles(tree, moduleRoots, from, to)
    case 'csharp':
    case 'swift':
    case 'elixir':
    case 'haskell':
    case 'shell':
    case 'other':
    case null:
      return []
    default:
      return assertNever(language)
  }
}

function jsFiles(tree: IndexedTree, moduleRoots: ModuleRoots, from: string, to: string): string[] {
  const paths: string[] = []
  for (const [name, folder] of moduleRoots.packages) {
    if (to === name) paths.push(...entryGuesses(folder))
    else if (to.startsWith(`${name}/`)) {
      const rest = to.slice(name.length + 1)
      paths.push(joinPath(folder, rest), joinPath(folder, `src/${rest}`))
    }
  }
  const alias = to.replace(/^(?:[@~#]\/?|\$lib\/|\$)/, '')
  if (alias !== to || to.includes('/') || moduleRoots.namesFromSource)
    for (const root of new Set(['', ...packageRoots(moduleRoots, from)]))
      paths.push(
        joinPath(root, alias),
        joinPath(root, `src/${alias}`),
        joinPath(root, `src/lib/${alias}`),
        joinPath(root, `app/${alias}`),
      )
  return unique(paths.flatMap((path) => withEnds(tree, path, from)))
}

function entryGuesses(folder: string): string[] {
  return ['', 'index', 'src', 'src/index', 'lib/index', 'src/main'].map((path) =>
    joinPath(folder, path).replace(/\/$/, ''),
  )
}

/** `import a.b` runs `a/__init__.py` too. */
function pythonFiles(tree: IndexedTree, moduleRoots: ModuleRoots, from: string, to: string): string[] {
  const dots = /^\.{0,20}/.exec(to)?.[0].length ?? 0
  const parts = to
    .slice(dots)
    .split('.')
    .filter((part) => part !== '')
  const starts =
    dots > 0
      ? [joinInTree(folderOf(from), '../'.repeat(dots - 1))].filter((folder) => folder !== null)
      : unique([folderOf(from), ...moduleRoots.roots])
  const found: string[] = []
  for (const start of starts) {
    let path = start
    if (dots > 0 && tree.has(joinPath(path, '__init__.py'))) found.push(joinPath(path, '__init__.py'))
    for (const part of parts) {
      path = joinPath(path, part)
      for (const file of [`${path}.py`, `${path}.pyi`, `${path}/__init__.py`]) if (tree.has(file)) found.push(file)
    }
  }
  return unique(found)
}

function rustFiles(tree: IndexedTree, from: string, name: string): string[] {
  const isRoot =
    /(?:^|\/)(?:mod|lib|main|build)\.rs$/.test(from) || /(?:^|\/)(?:tests|examples|benches|bin)\/[^/]+$/.test(from)
  const folder = isRoot ? folderOf(from) : joinPath(folderOf(from), stemOf(from))
  return [joinPath(folder, `${name}.rs`), joinPath(folder, `${name}/mod.rs`)].filter(tree.has)
}

function goFiles(tree: IndexedTree, moduleRoots: ModuleRoots, to: string): string[] {
  for (const [name, folder] of moduleRoots.packages) {
    if (to !== name && !to.startsWith(`${name}/`)) continue
    const inside = joinPath(folder, to.slice(name.length + 1)).replace(/\/$/, '')
    return tree.filesIn(inside).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'))
  }
  return []
}

function dotted(tree: IndexedTree, moduleRoots: ModuleRoots, path: string, end: string): string[] {
  return moduleRoots.roots
    .flatMap((root) =>
      ['', 'src/', 'lib/', 'lua/']
        .flatMap((folder) => [`${folder}${path}${end}`, `${folder}${path}/init${end}`])
        .map((file) => joinPath(root, file)),
    )
    .filter(tree.has)
}

/** A class is found by its package and name, wherever the package's folder is. */
function endingLike(tree: IndexedTree, path: string, ends: readonly string[]): string[] {
  const folder = folderOf(path)
  const last = baseNameOf(folder)
  return ends
    .flatMap((end) => tree.named(`${baseNameOf(path)}${end}`))
    .filter((file) => folder === '' || folderOf(file).endsWith(folder) || baseNameOf(folderOf(file)) === last)
}

/** More files of one name are too ambiguous. */
const LOOSE_AT_MOST = 20

function word(tree: IndexedTree, moduleRoots: ModuleRoots, from: string, to: string): Partial<ReferenceTargets> {
  const sourceHomes = packageRoots(moduleRoots, from).filter((root) => !/(?:^|\/)(?:src|lib)$/.test(root))
  const starts = unique([folderOf(from), '', ...sourceHomes])
  const paths = starts
    .map((folder) => joinInTree(folder, to))
    .filter((path) => path !== null && path !== '') as string[]
  // A pattern without a folder matches names beside the file.
  if (/[*?{]/.test(to)) return { globs: to.includes('/') || languageOf(from) === 'shell' ? paths : paths.slice(0, 1) }
  const files = paths.filter(tree.has)
  const folders = paths.filter((path) => tree.isFolder(path))
  if (files.length > 0 || extensionOf(to) === '') return { files, folders }
  const end = `/${to.replace(/^\//, '')}`
  const guessed = tree.named(baseNameOf(to)).filter((path) => !isCode(path) && `/${path}`.endsWith(end))
  return { folders, guessed: guessed.length > LOOSE_AT_MOST ? [] : guessed }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
