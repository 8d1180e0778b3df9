/** The layout of the project at the base: source folders, entry points, and the commands that test it. */
import { matchesGlob } from '../core/text/glob.ts'
import { ownField, jsonOrNull, asRecord, asText, asTexts } from '../core/text/json.ts'
import { asList, tomlOrNull } from './parse-data.ts'
import { directDependencyNames } from './manifest/dependencies.ts'
import {
  folderOf,
  isCode,
  isTestPath,
  isVendored,
  isInTopLevelToolFolder,
  languageOf,
  manifestKind,
  baseNameOf,
} from './file-kinds.ts'
import { possibleFileNames } from './imports.ts'
import type { FolderCommand } from './import-graph.ts'
import type { ModuleRoots } from './resolve-reference.ts'
import { joinInTree, type IndexedTree, joinPath } from './file-tree.ts'

export interface ProjectLayout extends ModuleRoots {
  isSource: (path: string) => boolean
  /** A folder whose content as a whole is source, such as `src`. */
  isSourceRoot: (folder: string) => boolean
  /** There is no source folder: files in a root are source. */
  hasTopLevelSource: boolean
  /** Folders of gates and manifests. */
  sourceHomes: readonly string[]
  entries: ReadonlySet<string>
  /** Files that people start: `npm start`. */
  starts: ReadonlySet<string>
  commands: readonly FolderCommand[]
  /** Packages that the manifests of the base require. */
  asks: ReadonlySet<string>
  /** Sections of tools in manifests, with their folders. */
  sections: readonly FolderCommand[]
}

export interface ProjectLayoutInput {
  base: IndexedTree
  gates: readonly { run: string; cwd: string }[]
  work: readonly string[]
}

const SOURCE = new Set(
  'src lib libs app source sources cmd internal pkg include inc server client frontend backend web core api pages components routes'.split(
    ' ',
  ),
)
/** At the root these are source folders only if they contain a manifest or code of the base: the names are ambiguous. */
const CONTAINERS = new Set('packages crates apps services modules libs plugins projects workspaces'.split(' '))
const SURE = new Set('src lib app source sources cmd internal pkg include'.split(' '))

export function readProjectLayout({ base, gates, work }: ProjectLayoutInput): ProjectLayout {
  const manifests = base.paths.filter((path) => manifestKind(path) !== null && !isTestPath(path) && !isVendored(path))
  const sourceHomes = [
    ...new Set(['', ...gates.map(({ cwd }) => joinInTree('', cwd) ?? ''), ...manifests.map(folderOf)]),
  ]
  const read = manifests.map((path) => readManifest(path, base.text(path) ?? ''))
  const auto = foundFolders(base, sourceHomes, new Set(read.flatMap(({ sources }) => sources)))
  const isSource = work.length > 0 ? (path: string) => work.some((glob) => matchesFolderOrGlob(path, glob)) : auto
  const commands = [
    ...gates.map(({ run, cwd }) => ({ folder: joinInTree('', cwd) ?? '', run })),
    ...read.flatMap((one) => one.commands),
  ]
  return {
    packages: new Map(read.flatMap(({ names, folder }) => names.map((name) => [name, folder] as const))),
    roots: [...new Set(sourceHomes.flatMap((home) => [home, joinPath(home, 'src'), joinPath(home, 'lib')]))],
    namesFromSource: base.paths.some((path) => namesFromSource(path, base)),
    isSource,
    isSourceRoot: (folder) => SURE.has(baseNameOf(folder)) || SOURCE.has(folder),
    hasTopLevelSource: !base.paths.some((path) => isCode(path) && !isTestPath(path) && isSource(path)),
    sourceHomes,
    entries: new Set(read.flatMap(({ entries }) => entries)),
    starts: new Set(read.flatMap(({ starts }) => starts)),
    commands,
    asks: new Set([
      ...manifests.flatMap((path) => directDependencyNames(path, base.text(path) ?? '')),
      ...lockedNames(base),
    ]),
    sections: read.flatMap((one) => one.sections),
  }
}

function namesFromSource(path: string, base: IndexedTree): boolean {
  if (
    !/(?:^|\/)(?:[jt]sconfig[\w.-]{0,40}\.json|(?:jest|vite|vitest|webpack)\.config\.\w{2,4}|package\.json|\.babelrc|babel\.config\.\w{2,4})$/.test(
      path,
    )
  )
    return false
  if (isVendored(path)) return false
  return /\bbaseUrl\b|\bmodulePaths\b|\bmoduleDirectories\b|\bmoduleNameMapper\b|\bNODE_PATH\b|"paths"|module-resolver/.test(
    base.text(path) ?? '',
  )
}

/** Transitive packages of Python are only in the lock file. */
function lockedNames(base: IndexedTree): string[] {
  const locks = ['poetry.lock', 'uv.lock'].flatMap((name) => base.named(name))
  return locks.flatMap((path) =>
    [...(base.text(path) ?? '').matchAll(/^name = "([\w.-]{1,100})"$/gm)].map(([, name = '']) => name),
  )
}

/** A setting may be a folder or a pattern. */
export function matchesFolderOrGlob(path: string, glob: string): boolean {
  const plain = glob.replace(/^\.\//, '').replace(/\/$/, '')
  return path === plain || path.startsWith(`${plain}/`) || matchesGlob(path, glob)
}

function foundFolders(
  base: IndexedTree,
  sourceHomes: readonly string[],
  said: ReadonlySet<string>,
): (path: string) => boolean {
  const known = new Set(sourceHomes)
  const groups = new Set(
    base.paths
      .filter(isCode)
      .map((path) => path.split('/'))
      .filter((parts) => parts.length > 2)
      .map((parts) => parts[0] ?? ''),
  )
  const isGo = base.has('go.mod') || sourceHomes.some((home) => base.has(joinPath(home, 'go.mod')))
  return (path) => {
    const parts = path.split('/')
    for (let depth = 0; depth < parts.length - 1; depth++) {
      const [home, part] = [parts.slice(0, depth).join('/'), parts[depth] ?? '']
      const folder = joinPath(home, part)
      if (said.has(folder)) return true
      if (known.has(home) && (SURE.has(part) || (SOURCE.has(part) && base.isFolder(folder)))) return true
      // A new package beside those of the base.
      if (depth === 2 && CONTAINERS.has(parts[0] ?? '') && groups.has(parts[0] ?? '') && SURE.has(part)) return true
      if (known.has(home) && isPythonPackage(base, folder)) return true
    }
    if (isGo && path.endsWith('.go')) return !isInTopLevelToolFolder(path)
    return languageOf(path) === 'csharp' && isInDotnetProject(base, path)
  }
}

function isPythonPackage(base: IndexedTree, folder: string): boolean {
  return base.has(`${folder}/__init__.py`) && !isTestPath(`${folder}/x.py`) && !isInTopLevelToolFolder(`${folder}/x.py`)
}

function isInDotnetProject(base: IndexedTree, path: string): boolean {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (base.filesIn(folder).some((file) => /\.(?:cs|fs)proj$/.test(file))) return true
    if (folder === '') return false
  }
}

interface ReadManifest {
  folder: string
  names: string[]
  entries: string[]
  starts: string[]
  sources: string[]
  commands: FolderCommand[]
  sections: FolderCommand[]
}

function readManifest(path: string, content: string): ReadManifest {
  const folder = folderOf(path)
  const none: ReadManifest = { folder, names: [], entries: [], starts: [], sources: [], commands: [], sections: [] }
  switch (manifestKind(path)) {
    case 'package.json':
      return { ...none, ...readPackage(folder, jsonOrNull(content)) }
    case 'composer.json': {
      const data = jsonOrNull(content)
      const loads = ['psr-4', 'psr-0'].flatMap((key) =>
        Object.values(asRecord(ownField(ownField(data, 'autoload'), key), asTexts)).flat(),
      )
      const sources = loads
        .map((one) => joinInTree(folder, one) ?? '')
        .filter((one) => one !== '' && !isTestPath(`${one}/x.php`))
      const commands = Object.values(asRecord(ownField(data, 'scripts'), asTexts)).flat()
      return {
        ...none,
        sources,
        entries: inside(folder, asTexts(ownField(data, 'bin')) ?? []),
        commands: commands.map((run) => ({ folder, run })),
      }
    }
    case 'go.mod': {
      const name = /^module[ \t]+(\S{1,300})/m.exec(content)?.[1]
      return { ...none, names: name === undefined ? [] : [name] }
    }
    case 'pyproject.toml':
      return { ...none, ...readPyproject(folder, tomlOrNull(content)) }
    case 'Cargo.toml': {
      const data = tomlOrNull(content)
      const paths = [ownField(data, 'lib'), ...asList(ownField(data, 'bin'))].map((one) =>
        asText(ownField(one, 'path')),
      )
      return { ...none, entries: inside(folder, [...paths.filter((one) => one !== null), 'src/main.rs', 'src/lib.rs']) }
    }
    case 'requirements.txt':
    case 'Gemfile':
    case null:
      return none
  }
}

/** Scripts that start or publish the program; they test nothing. */
const NO_PROTECTED = /^(?:start|dev|serve|watch|preview|deploy|release|publish|docs|storybook)(?::|$)/
/** Keys of package.json that describe the package; every other one belongs to a tool. */
const DESCRIBES = new Set(
  'name version description keywords homepage bugs license author contributors funding files main module browser types typings exports bin man directories repository dependencies devDependencies peerDependencies peerDependenciesMeta optionalDependencies bundledDependencies bundleDependencies engines os cpu private publishConfig scripts sideEffects type'.split(
    ' ',
  ),
)

function readPackage(folder: string, data: unknown): Partial<ReadManifest> {
  const name = asText(ownField(data, 'name'))
  const scripts = asRecord(ownField(data, 'scripts'), asText)
  const tools = Object.entries(asRecord(data, (value) => value ?? null)).filter(([key]) => !DESCRIBES.has(key))
  return {
    names: name === null || name === '' ? [] : [name],
    entries: inside(folder, packageEntryPaths(data)),
    starts: Object.entries(scripts)
      .filter(([key]) => NO_PROTECTED.test(key))
      .flatMap(([, run]) => inside(folder, possibleFileNames(run).filter(isCode))),
    commands: Object.entries(scripts)
      .filter(([key]) => !NO_PROTECTED.test(key))
      .map(([, run]) => ({ folder, run })),
    sections: tools.map(([key, value]) => ({ folder, run: `${key}: ${JSON.stringify(value)}` })),
  }
}

/** Paths of a package.json through which others load or run the package. */
export function packageEntryPaths(data: unknown): string[] {
  const found = ['main', 'module', 'browser', 'bin', 'exports', 'types', 'typings'].flatMap((key) =>
    leaves(ownField(data, key)),
  )
  const all = found.filter((path) => !path.includes('*'))
  return ownField(data, 'main') === null && ownField(data, 'exports') === null ? [...all, 'index.js'] : all
}

function leaves(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 8) return []
  return Object.values(value).flatMap((inner) => leaves(inner, depth + 1))
}

function inside(folder: string, paths: readonly string[]): string[] {
  const joinedPaths = paths
    .map((path) => joinInTree(folder, path))
    .filter((path) => path !== null && path !== '') as string[]
  return joinedPaths.flatMap((path) =>
    isCode(path) || /\.\w+$/.test(path) ? [path] : [path, `${path}.js`, `${path}/index.js`],
  )
}

function readPyproject(folder: string, data: unknown): Partial<ReadManifest> {
  const tool = ownField(data, 'tool')
  const scripts = [
    ownField(ownField(data, 'project'), 'scripts'),
    ownField(ownField(tool, 'poetry'), 'scripts'),
  ].flatMap((asTable) => Object.values(asRecord(asTable, asText)))
  const modules = scripts.map((script) => (script.split(':')[0] ?? '').replaceAll('.', '/'))
  const tools = Object.entries(asRecord(tool, (value) => value ?? null)).filter(
    ([key]) => !/^(?:poetry|setuptools|flit|pdm|hatch|uv)$/.test(key),
  )
  return {
    entries: modules
      .flatMap((module) => [`${module}.py`, `src/${module}.py`, `${module}/__init__.py`])
      .map((path) => joinPath(folder, path)),
    sections: tools.map(([key, value]) => ({ folder, run: `${key}: ${JSON.stringify(value)}` })),
  }
}
