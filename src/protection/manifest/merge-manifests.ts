/** Decides which changes of manifests and lock files are source, for all of them together, because they must match. */
import { ownField, jsonOrNull, asText } from '../../core/text/json.ts'
import {
  classifyDependencyChange,
  type ClassifiedDependencies,
  directDependencyNames,
  type PackageUses,
} from './dependencies.ts'
import { testLikenessOfName } from '../test-helper-detection.ts'
import {
  type Ecosystem,
  ecosystemOf,
  folderOf,
  isConfiguration,
  isManifestOrLockFile,
  isTestPath,
  isVendored,
  lockFileKind,
  manifestKind,
  baseNameOf,
} from '../file-kinds.ts'
import { classifyLockFileChange, type ClassifiedLockFile } from './classify-lock-file.ts'
import { mergeManifest, type MergedManifest } from './manifest.ts'
import { matchesFolderOrGlob } from '../project-layout.ts'
import { joinInTree, joinPath } from '../file-tree.ts'
import { isLink, type TreeAnalysis } from '../analyze-trees.ts'

interface Changed {
  path: string
  kind: 'added' | 'changed' | 'deleted'
}

export function mergeManifests(
  changed: readonly Changed[],
  trees: TreeAnalysis,
  protectedGlobs: readonly string[],
): Map<string, MergedManifest> {
  const { base, final } = trees
  const found = new Map<string, MergedManifest>()
  const own = changed.filter(({ path }) => isManifestOrLockFile(path) && !isTestPath(path) && !isVendored(path))
  const uses = usesOf(trees)
  const verdicts = own.map(({ path, kind }) => ({ path, kind, ...compareOne(path, trees, uses) }))
  // Manifest and lock file must match: if one is protected, the others of its ecosystem are protected too.
  const kept = new Map<Ecosystem, string>()
  for (const { path, kind, ...verdict } of verdicts)
    if (verdict.is === 'protected' && (kind === 'changed' || (kind === 'deleted' && lockFileKind(path) !== null)))
      kept.set(ecosystem(path), verdict.why)
  for (const { path, kind, ...verdict } of verdicts) {
    const why = kept.get(ecosystem(path))
    const [before, now] = [base.text(path), final.text(path)]
    if (before === null || now === null || isLink(path, trees))
      found.set(path, { is: 'protected', why: missing(path, kind) })
    else if (lockFileKind(path) !== null) found.set(path, why === undefined ? { is: 'work' } : { is: 'protected', why })
    else {
      const merged = mergeManifest(path, before, now, {
        takesDependencies: why === undefined,
        ...entryRules(path, trees, protectedGlobs),
      })
      found.set(
        path,
        merged.is !== 'work' && verdict.is === 'protected'
          ? { ...merged, why: `${merged.why}; ${verdict.why}` }
          : merged,
      )
    }
  }
  return found
}

function compareOne(path: string, trees: TreeAnalysis, uses: PackageUses): ClassifiedLockFile | ClassifiedDependencies {
  const [before, now] = [trees.base.text(path), trees.final.text(path)]
  if (before === null || now === null || isLink(path, trees))
    return { is: 'protected', why: `${baseNameOf(path)} was added or deleted` }
  return lockFileKind(path) === null
    ? classifyDependencyChange(path, before, now, uses)
    : compareLock(path, before, now, trees)
}

function missing(path: string, kind: Changed['kind']): string {
  return kind === 'changed'
    ? `${baseNameOf(path)} cannot be read as text`
    : `${baseNameOf(path)} was ${kind}: it decides how the files below it are loaded and tested`
}

function ecosystem(path: string): Ecosystem {
  return ecosystemOf(manifestKind(path) ?? lockFileKind(path) ?? 'package.json')
}

function compareLock(
  path: string,
  before: string,
  now: string,
  { final, protectedModules }: TreeAnalysis,
): ClassifiedLockFile {
  const direct = new Set(
    final.paths
      .filter((one) => manifestKind(one) !== null && !isTestPath(one) && !isVendored(one))
      .flatMap((one) => directDependencyNames(one, final.text(one) ?? '')),
  )
  return classifyLockFileChange(path, before, now, {
    isDirect: (name) => direct.has(name),
    byProtected: (name) => protectedModules.has(name),
  })
}

function usesOf({ final, protectedModules }: TreeAnalysis): PackageUses {
  const local = new Set(
    final
      .named('package.json')
      .filter((path) => !isVendored(path))
      .map((path) => asText(ownField(jsonOrNull(final.text(path) ?? ''), 'name'))),
  )
  return { byProtected: (name) => protectedModules.has(name), isLocal: (name) => local.has(name) }
}

function entryRules(
  path: string,
  trees: TreeAnalysis,
  protectedGlobs: readonly string[],
): { isEntry(entry: string): boolean; isCommand(name: string): boolean } {
  const { base, final, project } = trees
  const words = new Set(project.commands.flatMap(({ run }) => run.split(/[^\w@.-]+/)))
  return {
    isCommand: (name) => words.has(name),
    isEntry(entry) {
      const target = joinInTree(folderOf(path), entry)
      if (target === null || isTestPath(target) || isConfiguration(target) || isVendored(target)) return false
      if (
        protectedGlobs.some((glob) => matchesFolderOrGlob(target, glob)) ||
        testLikenessOfName(target) === 'test' ||
        trees.isHelper(target)
      )
        return false
      // An entry that is not in the tree is built from it.
      return (
        project.isSource(target) ||
        project.entries.has(target) ||
        !(base.has(target) || final.has(target)) ||
        target === joinPath(folderOf(path), 'package.json')
      )
    },
  }
}
