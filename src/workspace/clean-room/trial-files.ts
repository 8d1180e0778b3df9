/** The files of a trial: the base, the completion, or the completion with the base's protected files; the source intact or broken. */
import type { TrialLayout, MutationKind } from '../../core/proof/trial.ts'
import { rangeMembers } from '../../core/proof/needed-changes-search.ts'
import { assertNever } from '../../core/assert-never.ts'
import { failingTestText, failingSourceText, mutateChangedLines } from '../../protection/mutation/mutate-file.ts'
import { isBreakableSource, type ClassifiedChanges, type ProtectedChange } from '../../protection/classified-changes.ts'
import { mutateAssertions } from '../../protection/mutation/mutate-assertions.ts'
import { foldersAbove } from '../paths.ts'
import type { ArchiveEntry, ArchiveTree } from '../archive/tree-listing.ts'
import type { TreeArchive } from '../archive/tree-archive.ts'

/** Files of the tree archive, some with a changed text. */
export type TrialFiles = Map<string, ArchiveEntry>

export function trialFilesFor(
  archive: TreeArchive,
  changes: ClassifiedChanges,
  trialLayout: Exclude<TrialLayout, { is: 'base' }>,
): TrialFiles {
  const files: TrialFiles = new Map(archive.tree(changes.final))
  if (trialLayout.is === 'original-tests')
    restoreProtectedFiles(files, { archive, changes, keep: rangeMembers(trialLayout.keep) })
  breakAll(files, { archive, changes, broken: trialLayout.broken })
  removeQuarantinedTests(files, archive, changes)
  return files
}

/** The base, without its quarantined tests. */
export function baseTrialFiles(
  archive: TreeArchive,
  tree: ArchiveTree,
  changes: Pick<ClassifiedChanges, 'quarantined'>,
): TrialFiles {
  const files: TrialFiles = new Map(tree)
  removeQuarantinedTests(files, archive, changes)
  return files
}

function restoreProtectedFiles(
  files: TrialFiles,
  { archive, changes, keep }: { archive: TreeArchive; changes: ClassifiedChanges; keep: number[] },
): void {
  const kept = new Set(keep)
  const base = archive.tree(changes.base)
  for (const [number, change] of changes.protectedFiles.entries()) {
    if (!kept.has(number)) restoreProtectedFile(files, { archive, base, change })
  }
  // If a folder became a file or the other way round, the reverted part wins.
  for (const path of files.keys()) if (foldersAbove(path).some((folder) => files.has(folder))) files.delete(path)
}

function restoreProtectedFile(
  files: TrialFiles,
  { archive, base, change }: { archive: TreeArchive; base: ArchiveTree; change: ProtectedChange },
): void {
  const { path, part, old, final } = change
  if (part === 'file') {
    const before = base.get(path)
    if (before === undefined) files.delete(path)
    else files.set(path, before)
    return
  }
  // Null: the base's protected files do not include this manifest. Otherwise the file gets the text that it has with them.
  if (old === null) files.delete(path)
  else files.set(path, textFile(archive, old, final?.mode ?? 'file'))
}

function textFile(archive: TreeArchive, hash: string, mode: ArchiveEntry['mode']): ArchiveEntry {
  return { hash, size: archive.bytes(hash).length, mode, kept: true }
}

interface Breaking {
  archive: TreeArchive
  changes: ClassifiedChanges
  broken: MutationKind
}

function breakAll(files: TrialFiles, breaking: Breaking): void {
  switch (breaking.broken) {
    case 'nothing':
      return
    case 'source-fails':
    case 'source-fails-first':
    case 'source-mutated':
      return breakSource(files, breaking)
    case 'assertions-mutated':
    case 'tests-fail':
      return breakTests(files, breaking)
    default:
      return assertNever(breaking.broken)
  }
}

function breakTests(files: TrialFiles, { archive, changes, broken }: Breaking): void {
  for (const path of changes.tests) {
    const file = files.get(path)
    if (file === undefined || !file.kept || file.mode === 'link') continue
    const text = archive.bytes(file.hash).toString('utf8')
    const wrong = mutateAssertions(path, text)
    if (wrong === null) continue
    // Exactly the files whose assertions were mutated, so that both trials concern the same tests.
    const changed = broken === 'assertions-mutated' ? wrong : failingTestText(path, text)
    files.set(path, textFile(archive, archive.keep(changed), file.mode))
  }
}

function breakSource(files: TrialFiles, { archive, changes, broken: how }: Breaking): void {
  const base = archive.tree(changes.base)
  for (const change of changes.work) {
    const { path } = change
    const file = files.get(path)
    if (!isBreakableSource(change) || file === undefined || !file.kept || file.mode === 'link') continue
    const text = archive.bytes(file.hash).toString('utf8')
    const before = base.get(path)
    const then = before?.kept === true ? archive.bytes(before.hash).toString('utf8') : null
    const isProgram = change.isProgram || how === 'source-fails-first'
    const broken =
      how === 'source-mutated' ? mutateChangedLines(path, then, text) : failingSourceText(path, text, { isProgram })
    if (broken !== null) files.set(path, textFile(archive, archive.keep(broken), file.mode))
  }
}

function removeQuarantinedTests(
  files: TrialFiles,
  archive: TreeArchive,
  { quarantined }: Pick<ClassifiedChanges, 'quarantined'>,
): void {
  for (const { path, of, text } of quarantined) {
    const file = files.get(path)
    if (file?.hash !== of) continue
    if (text === null) files.delete(path)
    else files.set(path, textFile(archive, text, file.mode))
  }
}
