/**
 * Decides which changes are source and which are protected. Source is an allow-list; everything else is protected, which costs at most a
 * question to the user, while the opposite could accept a false completion. The base decides wherever it can.
 */
import { importsTestLibrary, isAmbientDeclaration, testLikenessOfName, canFailTest } from './test-helper-detection.ts'
import {
  folderOf,
  isCode,
  isConfiguration,
  isDocument,
  isConfigByName,
  isLoadedByFolder,
  isTestPath,
  isVendored,
  languageOf,
  manifestKind,
  baseNameOf,
  stemOf,
} from './file-kinds.ts'
import type { MergedManifest } from './manifest/manifest.ts'
import { matchesFolderOrGlob } from './project-layout.ts'
import { mergeManifests } from './manifest/merge-manifests.ts'
import type { FileTree } from './file-tree.ts'
import { isTopLevelSource, isLink, analyzeTrees, type TreeAnalysis } from './analyze-trees.ts'

export type { FileTree } from './file-tree.ts'

export interface ChangedPath {
  path: string
  kind: 'added' | 'changed' | 'deleted'
}

export interface ClassifyChangesInput {
  base: FileTree
  final: FileTree
  /** All paths of both trees. */
  paths: { base: readonly string[]; final: readonly string[] }
  changed: readonly ChangedPath[]
  gates: readonly { name: string; run: string; cwd: string }[]
  /** Source folders from the settings; empty: they are detected in the base. */
  work: readonly string[]
  /** Additional protected files from the settings, which win. */
  protectedFiles: readonly string[]
}

export interface ClassifiedPaths {
  /** Code and documents that the task may change, and manifests whose whole change is source. */
  work: ChangedPath[]
  /** Everything else that changed, including manifests that are partly source. */
  protectedFiles: ChangedPath[]
  /** The documents among `work`, which no gate can run. */
  docs: ChangedPath[]
  /** Protected manifests that are partly source, with the text they have in the step *original tests*. */
  mixed: { path: string; underOriginalTests: string | null; why: string }[]
  /** For each protected path, one sentence for people. */
  why: Record<string, string>
}

export function classifyChanges(input: ClassifyChangesInput): ClassifiedPaths {
  const changed = input.changed.filter(({ path }) => !isControlFile(path))
  const sorted: ClassifiedPaths = { work: [], protectedFiles: [], docs: [], mixed: [], why: {} }
  if (changed.length === 0) return sorted
  const trees = analyzeTrees(input)
  const manifests = mergeManifests(changed, trees, input.protectedFiles)
  const why: [string, string][] = []
  for (const change of changed) {
    const { path } = change
    const target = input.protectedFiles.some((glob) => matchesFolderOrGlob(path, glob))
      ? asProtected('the settings protect it')
      : (manifests.get(path) ?? classifyPath(change, trees, { work: input.work }))
    if (target.is === 'protected' || target.is === 'mixed') {
      sorted.protectedFiles.push(change)
      why.push([path, target.why])
      if (target.is === 'mixed') sorted.mixed.push({ path, underOriginalTests: target.text, why: target.why })
    } else {
      sorted.work.push(change)
      if (target.is === 'docs') sorted.docs.push(change)
    }
  }
  // Not by assignment, because a file may be called `__proto__`.
  return { ...sorted, why: Object.fromEntries(why) }
}

/** Ralph's own files: the next start checks their trust, not the proof. */
export function isControlFile(path: string): boolean {
  return /^\.ralph(?:\/|\.toml$|rc$)/.test(path)
}

type Belongs = MergedManifest | { is: 'docs' }

const WORK: Belongs = { is: 'work' }

function asProtected(why: string): Belongs {
  return { is: 'protected', why }
}

function classifyPath(change: ChangedPath, trees: TreeAnalysis, { work }: { work: readonly string[] }): Belongs {
  const { path } = change
  const { base, final, project } = trees
  if (isLink(path, trees)) return asProtected('it is a link, which may point to any file')
  if (isVendored(path)) return asProtected('it is a third-party tool or library')
  if (isTestPath(path)) return asProtected('it is a test or a test helper, by its folder or name')
  if (isConfiguration(path) || manifestKind(path) !== null)
    return asProtected('it configures the project, its build or its tests')
  const isSource = project.isSource(path)
  if (isConfigByName(path) && !(isSource && isLoadedByWork(change, trees)))
    return asProtected('it is configuration, by its name')
  if (isDocument(path) && !(isSource && isLoadedByWork(change, trees))) return classifyDocument(path, trees)
  if (trees.shadows.has(path)) return asProtected('it shadows a file that tests or configuration load')
  if (!isCode(path) && isEntry(path, trees)) return WORK
  if (!isCode(path)) return classifyData(change, trees, { isSaid: work.length > 0 && isSource })
  if (change.kind === 'added' && /\.d\.[cm]?ts$/.test(path) && base.has('tsconfig.json'))
    return asProtected('it declares types that the compiler does not check against the code')
  if (isAmbientDeclaration(path, base.text(path) ?? final.text(path)) && !isLoadedByWork(change, trees))
    return asProtected('it declares types for the whole project, tests included')
  const asTest = classifyTestLibraryUse(change, trees)
  if (asTest !== null) return asTest
  if (base.has(path)) return classifyExistingCode(path, trees)
  return classifyNewCode(change, trees)
}

function classifyDocument(path: string, { protectedFiles: reach, sourceFilesBefore }: TreeAnalysis): Belongs {
  if (reach.names(path)) return asProtected('a gate, a script, a test or a configuration reads it')
  return sourceFilesBefore.loads(path)
    ? asProtected('source code includes it, so tests may run its examples')
    : { is: 'docs' }
}

/** Data is source if source of the base names it, or if it is new and source names it now, and no protected file does. */
function classifyData(
  { path, kind }: ChangedPath,
  { protectedFiles: reach, sourceFilesBefore, sourceFilesNow }: TreeAnalysis,
  { isSaid }: { isSaid: boolean },
): Belongs {
  if (reach.names(path)) return asProtected('a test, a gate, a script or a configuration reads it')
  if (isSaid) return WORK
  const isNamed = kind === 'added' ? sourceFilesNow.names(path) : sourceFilesBefore.names(path)
  return isNamed
    ? WORK
    : asProtected(
        kind === 'added'
          ? 'it is data that no source file reads'
          : 'it is data that no source file read before the change',
      )
}

/** A program without a file extension that the manifest names, but no gate or script. */
function isEntry(path: string, { project, newEntryPoints, commands }: TreeAnalysis): boolean {
  return (project.entries.has(path) || newEntryPoints.has(path)) && !commands.names(path)
}

function isLoadedByWork({ path, kind }: ChangedPath, { sourceFilesBefore, sourceFilesNow }: TreeAnalysis): boolean {
  return kind === 'added' ? sourceFilesNow.loads(path) : sourceFilesBefore.loads(path)
}

/** Source does not use a test library; a file that starts to import one is no longer only source. */
function classifyTestLibraryUse({ path, kind }: ChangedPath, { base, final, work }: TreeAnalysis): Belongs | null {
  const [before, now] = [base.text(path), final.text(path)]
  const did = before !== null && importsTestLibrary(path, before)
  const does = now !== null && importsTestLibrary(path, now)
  if (does && !did) return asProtected('it imports a test library')
  return did && (kind === 'added' || !work.has(path)) ? asProtected('it imports a test library') : null
}

function classifyExistingCode(path: string, trees: TreeAnalysis): Belongs {
  const { base, project, work, commands, atBase, role } = trees
  if (trees.isHelper(path)) return asProtected('it is a test helper: only tests load it')
  const isInside = role(path) === 'source'
  if (!isInside && !project.entries.has(path)) {
    if (isTopLevelSource(path, project))
      return commands.names(path) && !isCompiled(path, trees)
        ? asProtected('a gate, a script or a configuration names it')
        : WORK
    if (!work.has(path)) return asProtected('it is outside the source folders, and no source file loads it')
    return commands.names(path) ? asProtected('a gate, a script or a configuration names it') : WORK
  }
  const isLoaded =
    project.entries.has(path) ||
    project.starts.has(path) ||
    atBase.importersOf(path).some((loader) => work.has(loader) || role(loader) === 'other')
  if (isLoaded) return WORK
  if (isSetUp(path, trees)) return asProtected('a gate or a configuration loads it before the tests')
  if (commands.loads(path) && canFailTest(base.text(path) ?? '') && isRun(path, trees))
    return asProtected('a gate runs it as a check')
  const isFound = trees.runners.finds(path) && !atBase.importersOf(path).some((loader) => role(loader) === 'test')
  return isFound ? asProtected('tests or gates find it by its folder, and no source file loads it') : WORK
}

function classifyNewCode(change: ChangedPath, trees: TreeAnalysis): Belongs {
  const { path } = change
  const { project, sourceFilesNow, loadsInFinal, base, role, newEntryPoints } = trees
  const isInside = role(path) === 'source'
  if (isNewTestPackage(path, trees)) return asProtected('it changes how Python finds modules for tests')
  if (sourceFilesNow.loads(path)) {
    if (testLikenessOfName(path) === 'test') return asProtected('it is a test helper, by its name')
    return !isInside && trees.commands.names(path) ? asProtected('a gate, a script or a configuration names it') : WORK
  }
  if (!isInside && !isTopLevelSource(path, project))
    return asProtected('it is new, outside the source folders, and no source file loads it')
  if (testLikenessOfName(path) === 'test') return asProtected('it is a test helper, by its name')
  if (loadsInFinal.importersOf(path).some((loader) => role(loader) === 'test')) return WORK
  if (isInside && isAwaited(path, trees)) return WORK
  if (newEntryPoints.has(path)) return WORK
  if (isInside && isLoadedByFolder(path))
    return isForeignPackage(path) ? asProtected('it has the name of a test library') : WORK
  if (isInside && isByConvention(path, base.isFolder(folderOf(path))))
    return project.commands.some(({ run }) => run.split(/\W/).includes(stemOf(path)))
      ? asProtected('it has the name of a command that a gate runs')
      : WORK
  return asProtected('it is new, and nothing loads it')
}

/** A file that a gate starts referred to it before it existed, and still does. */
function isAwaited(path: string, { loadsInFinal, base, final, commands }: TreeAnalysis): boolean {
  return loadsInFinal
    .importersOf(path)
    .some((loader) => commands.names(loader) && base.has(loader) && base.text(loader) === final.text(loader))
}

/** Every file of a C project is in its Makefile: being compiled says nothing, having a `main` does. */
function isCompiled(path: string, { base, project }: TreeAnalysis): boolean {
  if (languageOf(path) !== 'c' || /\bmain[ \t]{0,4}\(/.test(base.text(path) ?? '')) return false
  return testLikenessOfName(path) === 'no' && !project.commands.some(({ run }) => run.includes(baseNameOf(path)))
}

/** A new `__init__.py` changes the folder from which pytest names the tests below it. */
function isNewTestPackage(path: string, { base }: TreeAnalysis): boolean {
  if (baseNameOf(path) !== '__init__.py') return false
  const folder = folderOf(path)
  return folder === '' || base.paths.some((other) => isTestPath(other) && other.startsWith(`${folder}/`))
}

/** Keys whose values are files that run before the tests, or replace something they use. */
const SET_UP_KEY =
  /(?:set_?up|require|reporter|environment|transform|resolver|runner|preset|plugin|global|loader|hook|teardown|serializ|matcher|bootstrap|alias|mapper)\w{0,20}["']?\s{0,4}[:=,[({][^;}\]]{0,120}$/i
const SET_UP_FLAG =
  /\s(?:-r|-p|-f|--file|--(?:experimental-)?(?:import|require|loader|reporter|setup\w{0,20}|global\w{0,20}|env\w{0,20}|init|bootstrap|test-reporter))[=\s]["']?\S{0,100}$/

function isSetUp(path: string, { base, project, atBase }: TreeAnalysis): boolean {
  const [folder, stem] = [baseNameOf(folderOf(path)), stemOf(path)]
  const name = folder === '' ? stem : `${folder}/${stem}`
  const configs = atBase
    .importersOf(path)
    .filter(isConfiguration)
    .map((loader) => base.text(loader) ?? '')
  return (
    project.commands.some(({ run }) => followsKey(run, name, SET_UP_FLAG)) ||
    [...project.sections.map(({ run }) => run), ...configs].some((content) => followsKey(content, name, SET_UP_KEY))
  )
}

function followsKey(content: string, name: string, key: RegExp): boolean {
  let seen = 0
  for (let at = content.indexOf(name); at >= 0 && seen < 50; at = content.indexOf(name, at + 1)) {
    seen++
    if (key.test(content.slice(Math.max(0, at - 160), at))) return true
  }
  return false
}

/** A gate starts the file itself: `node src/verify.js`, `./src/verify.sh`, `python -m calc.verify`. */
function isRun(path: string, { project }: TreeAnalysis): boolean {
  const name = baseNameOf(path).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const run = new RegExp(
    `(?:^|[\\s;&|("'])(?:(?:node|deno|bun|tsx|ts-node|python[\\d.]*|ruby|php|perl|lua|sh|bash|zsh|uv run|go run)(?:\\s+-[\\w=.-]{1,40}){0,4}\\s+\\S{0,200}|\\.{0,2}/\\S{0,200})${name}(?![\\w-])`,
  )
  return project.commands.some((command) => run.test(command.run) && !/--check\b|py_compile|-c\b/.test(command.run))
}

/** Files that a framework finds by their path. */
function isByConvention(path: string, wasFolder: boolean): boolean {
  if (
    /(?:^|\/)(?:pages|routes|app)\/(?:.{0,300}\/)?(?:\+?(?:page|layout|route|loading|error|not-found|template|server)\b[^/]{0,40}|index\.[jt]sx?)$/.test(
      path,
    )
  )
    return true
  if (/(?:^|\/)pages\/[^/].{0,300}\.(?:[jt]sx?|vue|astro)$/.test(path)) return true
  if (/(?:^|\/)(?:migrations|management\/commands|templatetags|versions)\/[^/]{1,200}\.(?:py|rb|php)$/.test(path))
    return wasFolder
  if (/(?:^|\/)app\/.{1,300}\.rb$/.test(path)) return wasFolder
  return /(?:^|\/)src\/(?:main|lib|bin\/[^/]{1,100})\.rs$/.test(path)
}

/** A class in such a package would shadow the library's. */
function isForeignPackage(path: string): boolean {
  return /(?:^|\/)(?:org\/(?:junit|hamcrest|assertj|mockito|testng|scalatest)|junit|kotlin\/test|io\/kotest|io\/mockk|PHPUnit|Mockery|Xunit|NUnit|gtest|catch2)\//i.test(
    path,
  )
}
