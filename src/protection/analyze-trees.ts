/**
 * Compares both trees: which files load which, then and now, and what the protected files of the base name. Only the base decides which
 * files are protected, so that nothing an agent writes can turn protected files into source.
 */
import {
  hasOwnAssertions,
  definesTests,
  importsAssert,
  importsTestLibrary,
  isTestNamedAfter,
  hasOnlyConstants,
  testLikenessOfName,
  canFailTest,
} from './test-helper-detection.ts'
import {
  folderOf,
  isCode,
  isConfiguration,
  isManifestOrLockFile,
  isConfigByName,
  isTestPath,
  isVendored,
  languageOf,
  baseNameOf,
} from './file-kinds.ts'
import {
  type FolderCommand,
  type ImportGraph,
  importGraphOf,
  targetsOfCommand,
  type ReferencedFiles,
  referencedFilesOf,
  mergeTargets,
} from './import-graph.ts'
import { jsonOrNull } from '../core/text/json.ts'
import { packageEntryPaths, type ProjectLayout, readProjectLayout } from './project-layout.ts'
import type { ReferenceTargets } from './resolve-reference.ts'
import { findShadowingFiles } from './shadowing-files.ts'
import { indexTree, joinInTree, type IndexedTree, type FileTree } from './file-tree.ts'

export interface TreeAnalysis {
  base: IndexedTree
  final: IndexedTree
  project: ProjectLayout
  atBase: ImportGraph
  loadsInFinal: ImportGraph
  /** Source of the base: source files, entry points, and the files these load. */
  work: ReadonlySet<string>
  /** Files that this source loads or names at the base, and files that it and new source load or name now. */
  sourceFilesBefore: ReferencedFiles
  sourceFilesNow: ReferencedFiles
  /** Files that tests, configuration, scripts and gates of the base load or name. */
  protectedFiles: ReferencedFiles
  /** Files that gates, scripts and configuration of the base name. */
  commands: ReferencedFiles
  /** Files that tests and runners of the base find by folders and patterns. */
  runners: ReferencedFiles
  /** New files that shadow a file which the protected files of the base load. */
  shadows: ReadonlySet<string>
  /** Entry points that manifests of the base name now. */
  newEntryPoints: ReadonlySet<string>
  /** Names of modules that tests, configuration and commands of the base use. */
  protectedModules: ReadonlySet<string>
  role: (path: string) => FileRole
  isHelper: (path: string) => boolean
}

/** The role of a file of the base by its path; `ignored`: it reads files, but no gate depends on it. */
export type FileRole = 'test' | 'config' | 'source' | 'ignored' | 'other'

export interface AnalyzeTreesInput {
  base: FileTree
  final: FileTree
  paths: { base: readonly string[]; final: readonly string[] }
  changed: readonly { path: string; kind: 'added' | 'changed' | 'deleted' }[]
  gates: readonly { run: string; cwd: string }[]
  work: readonly string[]
  protectedFiles: readonly string[]
}

export function analyzeTrees(input: AnalyzeTreesInput): TreeAnalysis {
  const [base, final] = [indexTree(input.base, input.paths.base), indexTree(input.final, input.paths.final)]
  const project = readProjectLayout({ base, gates: input.gates, work: input.work })
  const atBase = importGraphOf(base, project)
  const withUpdatedAt = new Set(input.changed.map(({ path }) => path))
  const loadsInFinal = importGraphOf(
    final,
    project,
    new Map([...atBase.references].filter(([path]) => !withUpdatedAt.has(path))),
  )
  const role = memoize((path) => roleOf(path, project))
  const isHelper = memoize(createIsHelper({ base, project, atBase, role }))
  const work = findSourceFiles({ base, project, atBase, role, isHelper })
  // A reference to the folder of a whole package means no single file of it.
  const sourceHomes = new Set(project.sourceHomes)
  const except = (folder: string) => project.isSourceRoot(folder) || sourceHomes.has(folder)
  const protectedPaths = base.paths.filter(
    (path) => role(path) === 'test' || (role(path) === 'config' && !work.has(path)),
  )
  const tests = mergeTargets(protectedPaths.filter((path) => role(path) === 'test').map((path) => atBase.of(path)))
  const named = namedByProtected({
    base,
    project,
    atBase,
    configs: protectedPaths.filter((path) => role(path) === 'config'),
  })
  const newWork = findNewSourceFiles({ base, final, project, loadsInFinal, role, work })
  return {
    base,
    final,
    project,
    atBase,
    loadsInFinal,
    work,
    sourceFilesBefore: referencedFilesOf(mergeTargets([...work].map((path) => atBase.of(path))), {
      guesses: 'single',
      except,
    }),
    sourceFilesNow: referencedFilesOf(mergeTargets([...newWork].map((path) => loadsInFinal.of(path))), {
      guesses: 'single',
      except,
    }),
    protectedFiles: referencedFilesOf(mergeTargets([named.running, named.reading, tests]), { guesses: 'all', except }),
    commands: referencedFilesOf(mergeTargets([named.running, named.reading]), { guesses: 'all', except }),
    runners: referencedFilesOf(mergeTargets([named.running, tests]), { guesses: 'all', except }),
    shadows: findShadowingFiles({ base, final, project, references: atBase.references, protectedPaths }),
    newEntryPoints: newEntriesOf(base, final),
    protectedModules: modulesOf(protectedPaths, atBase, project),
    role,
    isHelper,
  }
}

/** Tools that read code and run none of it: their input files are not tests for that reason. */
const READERS =
  /^(?:\s|npx|bunx|pnpm|yarn|exec|run|poetry|pdm|pipenv|uv|bundle|\.?venv\/bin\/|python\d? -m|-\S{1,20}|[A-Z_]{1,30}=\S{0,60}){0,20}(?:eslint|prettier|tsc|tsd|biome|oxlint|oxfmt|xo|standard|ruff|black|isort|mypy|pyright|flake8|pylint|stylelint|markdownlint\S{0,10}|cspell|gofmt|go vet|golangci-lint|rubocop|tsup|rollup|rolldown|webpack|esbuild|swc|babel|vite build|cargo (?:fmt|clippy|build|check))\b/
const RUNNER_FILES =
  /(?:^|\/)(?:\.?(?:vitest|vite|jest|mocharc|mocha|ava|karma|playwright|cypress|jasmine|tap|wdio|cucumber|phpunit|pytest|tox|noxfile|rspec|nextest)[\w.-]{0,40}|\.taprc|Makefile|GNUmakefile|justfile|Rakefile|CMakeLists\.txt|.{1,60}\.(?:mk|sh|bash|rake))$/i

/**
 * The files that commands and configuration name. Folders and patterns count only if they select files to run; the `src` of a compiler or
 * linter says nothing about a file in it, and neither does a list of ignored files.
 */
function namedByProtected({ base, project, atBase, configs }: Omit<Base, 'role'> & { configs: readonly string[] }): {
  running: ReferenceTargets
  reading: ReferenceTargets
} {
  const parts = project.commands.flatMap(({ folder, run }) =>
    run.split(/&&|\|\||[;\n]/).map((part) => ({ folder, run: part })),
  )
  const isReviewer = (command: FolderCommand) => READERS.test(command.run)
  const isRunnerSection = ({ run }: FolderCommand) =>
    /^(?:jest|vitest|mocha|ava|tap|nyc|c8|karma|jasmine|pytest|tox|poe|taskipy|wireit)\b/.test(run)
  const say = (commands: readonly FolderCommand[]) =>
    mergeTargets(commands.map((command) => targetsOfCommand(base, project, command)))
  return {
    running: mergeTargets([
      say(parts.filter((part) => !isReviewer(part))),
      say(project.sections.filter(isRunnerSection)),
      ...configs.filter((path) => RUNNER_FILES.test(path) || isCode(path)).map((path) => atBase.of(path)),
    ]),
    reading: onlyFiles(
      mergeTargets([
        say(parts.filter(isReviewer)),
        say(project.sections.filter((section) => !isRunnerSection(section))),
        ...configs.map((path) => atBase.of(path)),
      ]),
    ),
  }
}

function onlyFiles({ files, guessed }: ReferenceTargets): ReferenceTargets {
  return { files, guessed, folders: [], globs: [] }
}

/** Caches answers, because the same paths are queried again and again. */
function memoize<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const found = ask(path)
    known.set(path, found)
    return found
  }
}

/** A link can point to anything. */
export function isLink(path: string, { base, final }: TreeAnalysis): boolean {
  return base.isLink?.(path) === true || final.isLink?.(path) === true
}

/** Files for publishing, deploying or listing: no gate depends on the files they name. */
const NO_GATE =
  /^\.(?:github|gitlab|circleci|changeset|devcontainer|vscode|idea)\/|(?:^|\/)(?:\.\w{0,20}ignore|\.gitattributes|\.gitlab-ci\.yml|dockerfile\S{0,40}|docker-compose\S{0,40}|renovate\.json|mkdocs\.yml|typedoc\.json|cliff\.toml|\.release\S{0,40}|release\.config\.\w{1,4}|vercel\.json|netlify\.toml|azure-pipelines\S{0,20}|jenkinsfile|manifest\.in|[^/]{1,80}\.(?:gemspec|podspec))$/i

function roleOf(path: string, project: ProjectLayout): FileRole {
  if (NO_GATE.test(path)) return 'ignored'
  if (isTestPath(path)) return 'test'
  if (isVendored(path) || isManifestOrLockFile(path)) return 'other'
  if (isConfiguration(path)) return /^(?:docs?|documentation|website|site)\//.test(path) ? 'ignored' : 'config'
  if (isCode(path) && project.isSource(path)) return 'source'
  if (/^(?:docs?|documentation|website|site)\//.test(path)) return 'ignored'
  if (isConfigByName(path)) return 'config'
  // People and gates run code in the root or in a scripts folder that is no entry point.
  if (isCode(path) && !project.entries.has(path) && !isTopLevelSource(path, project)) return 'config'
  return 'other'
}

export function isTopLevelSource(path: string, { hasTopLevelSource, sourceHomes }: ProjectLayout): boolean {
  if (!hasTopLevelSource || !isCode(path) || languageOf(path) === 'shell') return false
  return sourceHomes.some((home) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === home)
}

interface Base {
  base: IndexedTree
  project: ProjectLayout
  atBase: ImportGraph
  role: (path: string) => FileRole
}

/** Whether a source of the base is a test helper. */
function createIsHelper({ base, project, atBase, role }: Base): (path: string) => boolean {
  const isSuspect = memoize(
    (path) =>
      testLikenessOfName(path) === 'test' ||
      importsTestLibrary(path, base.text(path) ?? '') ||
      definesTests(path, base.text(path) ?? ''),
  )
  return (path) => {
    if (!base.has(path) || !isCode(path) || (project.entries.has(path) && !isSuspect(path))) return false
    const loaders = atBase.importersOf(path)
    if (loaders.some((loader) => ['source', 'other'].includes(role(loader)) && !isSuspect(loader))) return false
    if (isSuspect(path)) return true
    const tests = loaders.filter((loader) => role(loader) === 'test')
    if (tests.length === 0 || tests.some((test) => isTestNamedAfter(test, path))) return false
    const text = base.text(path) ?? ''
    if (testLikenessOfName(path) === 'perhaps' || importsAssert(path, text)) return true
    const isBeside = tests.every((test) =>
      atBase.of(test).files.some((file) => file !== path && role(file) === 'source'),
    )
    if (!isBeside) return false
    return (
      hasOnlyConstants(path, text) ||
      (canFailTest(text) && tests.some((test) => !hasOwnAssertions(test, base.text(test) ?? '')))
    )
  }
}

/** Sources and entry points of the base, and the code that these load, directly or not. */
function findSourceFiles({
  base,
  project,
  atBase,
  role,
  isHelper,
}: Base & { isHelper: (path: string) => boolean }): Set<string> {
  const start = base.paths.filter((path) => {
    if (role(path) === 'source' || isTopLevelSource(path, project)) return !isHelper(path) && !isTestPath(path)
    return (
      (project.entries.has(path) || project.starts.has(path)) &&
      isCode(path) &&
      !isTestPath(path) &&
      !isConfiguration(path)
    )
  })
  return closure(start, (path) => atBase.of(path).files.filter((file) => mayBeLoadedWork(file, base)))
}

function mayBeLoadedWork(path: string, tree: IndexedTree): boolean {
  return (
    tree.has(path) && !isTestPath(path) && !isConfiguration(path) && !isVendored(path) && !isManifestOrLockFile(path)
  )
}

interface New extends Omit<Base, 'atBase'> {
  final: IndexedTree
  loadsInFinal: ImportGraph
  work: ReadonlySet<string>
}

/** The base's source that still exists, new sources that tests load, and everything these load. */
function findNewSourceFiles({ base, final, project, loadsInFinal, role, work }: New): Set<string> {
  const isNewSource = (path: string) =>
    !base.has(path) &&
    (role(path) === 'source' || isTopLevelSource(path, project)) &&
    testLikenessOfName(path) !== 'test'
  const start = final.paths.filter((path) => {
    if (work.has(path)) return true
    return isNewSource(path) && loadsInFinal.importersOf(path).some((loader) => role(loader) === 'test')
  })
  return closure(start, (path) =>
    loadsInFinal.of(path).files.filter((file) => mayBeLoadedWork(file, final) && (work.has(file) || !base.has(file))),
  )
}

function newEntriesOf(base: IndexedTree, final: IndexedTree): Set<string> {
  const found = new Set<string>()
  for (const path of final.named('package.json')) {
    if (isTestPath(path) || isVendored(path) || !base.has(path)) continue
    for (const entry of packageEntryPaths(jsonOrNull(final.text(path) ?? '')))
      found.add(joinInTree(folderOf(path), entry) ?? '')
  }
  return found
}

function closure(start: readonly string[], next: (path: string) => readonly string[]): Set<string> {
  const found = new Set(start)
  const open = [...start]
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const file of next(path))
      if (!found.has(file)) {
        found.add(file)
        open.push(file)
      }
  return found
}

function modulesOf(
  protectedPaths: readonly string[],
  atBase: ReturnType<typeof importGraphOf>,
  project: ProjectLayout,
): Set<string> {
  const names = protectedPaths.flatMap((path) => (atBase.references.get(path) ?? []).map(({ to }) => to))
  const words = [...project.commands, ...project.sections].flatMap(({ run }) => run.split(/[^\w@/.-]+/))
  return new Set(
    [...names, ...words].flatMap((name) => {
      const scoped = name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] ?? '')
      return [name, scoped, baseNameOf(scoped), (name.split('.')[0] ?? '').toLowerCase().replaceAll('_', '-')]
    }),
  )
}
