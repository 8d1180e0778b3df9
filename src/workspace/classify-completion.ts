/** Sorts the changes of a completion since the base into source and protected files, from the bytes in the tree archive. */
import { isChangeAllowed, type AllowedChanges } from '../core/proof/allowed-changes.ts'
import type { Gate } from '../core/proof/evidence.ts'
import { mutateChangedLines } from '../protection/mutation/mutate-file.ts'
import {
  isBreakableSource,
  type ClassifiedChanges,
  type ProtectedChange,
  type TreeArchiveEntry,
  type UnclearChange,
  type SourceChange,
} from '../protection/classified-changes.ts'
import { doGatesReadGit, createIsStartedByGate } from '../protection/gate-commands.ts'
import { revertInlineTests } from '../protection/mutation/inline-tests.ts'
import { isCode, isTestPath } from '../protection/file-kinds.ts'
import { findSuspiciousChanges } from '../protection/suspicious-changes.ts'
import { removeQuarantinedTests } from '../protection/mutation/remove-quarantined.ts'
import { classifyChanges, type ChangedPath, type FileTree } from '../protection/classify-changes.ts'
import { removeNewSuppressions } from '../protection/mutation/strip-suppressions.ts'
import { chooseTestsToMutate } from '../protection/tests-to-mutate.ts'
import { diffTrees, type ArchiveTreeId, type ArchiveTree } from './archive/tree-listing.ts'
import type { TreeArchive } from './archive/tree-archive.ts'

export interface CompletionToClassify {
  archive: TreeArchive
  base: ArchiveTreeId
  final: ArchiveTreeId
  /** `cwd` is relative to the top of the working tree. */
  gates: Pick<Gate, 'name' | 'run' | 'cwd'>[]
  /** Globs relative to the top of the working tree. */
  work: string[]
  protect: string[]
  quarantine: string[]
  /** Commits, branches or tags differ from those of the base. */
  gitRefsChanged: boolean
  allowance: AllowedChanges
}

export interface ClassifiedCompletion {
  changes: ClassifiedChanges
  /** Whether the changed lines of the source contain anything to mutate. */
  isMutable: boolean
  notes: string[]
}

export function classifyCompletion(completion: CompletionToClassify): ClassifiedCompletion {
  const { archive } = completion
  const [base, final] = [archive.tree(completion.base), archive.tree(completion.final)]
  const [then, now] = [textsOf(archive, base), textsOf(archive, final)]
  const changed: ChangedPath[] = diffTrees(base, final)
  const sorted = classifyChanges({
    base: then,
    final: now,
    paths: { base: [...base.keys()], final: [...final.keys()] },
    changed,
    gates: completion.gates,
    work: completion.work,
    protectedFiles: completion.protect,
  })
  const said = { gates: completion.gates, base: then, paths: [...base.keys()] }
  const isStarted = createIsStartedByGate(said)
  const documents = new Set(sorted.docs.map(({ path }) => path))
  const work: SourceChange[] = sorted.work.map(({ path, kind }) => ({
    path,
    kind,
    isDocument: documents.has(path),
    isProgram: isStarted(path),
  }))
  const found: Found = { protectedFiles: [], unclear: [] }
  const mixed = new Map(sorted.mixed.map((one) => [one.path, one]))
  for (const { path, kind } of sorted.protectedFiles) {
    const why = sorted.why[path] ?? 'it is not a source file'
    const old = mixed.get(path)
    addProtected(found, completion, {
      path,
      part: old === undefined ? 'file' : 'manifest',
      kind,
      why: old?.why ?? why,
      base: keptIn(base, path),
      final: keptIn(final, path),
      old: old === undefined || old.underOriginalTests === null ? null : archive.keep(old.underOriginalTests),
      trees: { base, final },
    })
  }
  for (const { path, kind } of sorted.work) {
    if (kind !== 'deleted' && isCode(path))
      addInside(found, completion, { path, kind, texts: [then, now], base, final })
  }
  if (
    completion.gitRefsChanged &&
    doGatesReadGit(said, isStarted) &&
    !isChangeAllowed('.git', { isTest: false }, completion.allowance)
  )
    found.unclear.push({
      path: '.git',
      why: 'a gate reads commits, branches or tags, and these changed',
      base: null,
      final: null,
    })
  const quarantined = findQuarantinedTests(archive, { base, final }, completion.quarantine)
  return {
    changes: {
      base: completion.base,
      final: completion.final,
      work,
      // Allowed changes come first, so that their count identifies them.
      protectedFiles: found.protectedFiles.toSorted((one, other) => Number(other.allowed) - Number(one.allowed)),
      unclear: found.unclear,
      tests: chooseTestsToMutate(said, {
        final: now,
        added: [...final.keys()].filter((path) => !base.has(path)),
        work,
        isStarted,
      }),
      ...quarantined,
    },
    isMutable: work.some((change) => isBreakableSource(change) && hasMutableLines(change.path, then, now)),
    notes: notesIn(changed, then, now),
  }
}

interface Found {
  protectedFiles: ProtectedChange[]
  unclear: UnclearChange[]
}

interface Candidate extends Omit<ProtectedChange, 'allowed'> {
  trees: { base: ArchiveTree; final: ArchiveTree }
}

/** A file that the tree archive lists without its bytes cannot be reverted, so its change is unclear. */
function addProtected(found: Found, { allowance }: CompletionToClassify, { trees, ...change }: Candidate): void {
  const { path } = change
  const allowed = isChangeAllowed(path, { isTest: isTestPath(path) }, allowance)
  if (trees.base.get(path)?.kept === false || trees.final.get(path)?.kept === false) {
    if (!allowed)
      found.unclear.push({
        path,
        why: `${change.why}; it is too large to save, or looks like a secret`,
        base: change.base,
        final: change.final,
      })
    return
  }
  found.protectedFiles.push({ ...change, allowed })
}

interface Inside {
  path: string
  kind: 'added' | 'changed'
  /** Texts of the base and of the completion. */
  texts: [FileTree, FileTree]
  base: ArchiveTree
  final: ArchiveTree
}

/** Adds the protected parts of a source file: inline tests, and comments that suppress a checker's warnings. */
function addInside(
  found: Found,
  completion: CompletionToClassify,
  { path, kind, texts: [then, now], base, final }: Inside,
): void {
  const text = now.text(path)
  if (text === null) return
  const before = then.text(path)
  const { archive, allowance } = completion
  const kept = { base: keptIn(base, path), final: keptIn(final, path) }
  const allowed = isChangeAllowed(path, { isTest: true }, allowance)
  const inner = before === null ? { is: 'same' as const } : revertInlineTests(path, before, text)
  if (inner.is === 'unclear') {
    if (!allowed) found.unclear.push({ path, why: 'its inline tests were edited', ...kept })
    return
  }
  const own = inner.is === 'revert' ? inner.text : text
  const stripped = removeNewSuppressions(path, before, own)
  if (inner.is === 'same' && stripped.removed === 0) return
  const part = inner.is === 'revert' ? 'inner-tests' : 'suppressions'
  const why = part === 'inner-tests' ? 'its inline tests changed' : 'new comments turn off checker warnings'
  found.protectedFiles.push({ path, part, kind, why, allowed, ...kept, old: archive.keep(stripped.text) })
}

function keptIn(tree: ArchiveTree, path: string): TreeArchiveEntry | null {
  const file = tree.get(path)
  return file === undefined ? null : { hash: file.hash, mode: file.mode }
}

/** Larger files are not read as text. */
const TEXT_MAX = 1024 * 1024

/** Texts of a tree; each file is read once. */
function textsOf(archive: TreeArchive, tree: ArchiveTree): FileTree {
  const known = new Map<string, string | null>()
  const read = (path: string): string | null => {
    const file = tree.get(path)
    if (file === undefined || !file.kept || file.size > TEXT_MAX) return null
    const bytes = archive.bytes(file.hash)
    return bytes.includes(0) ? null : bytes.toString('utf8')
  }
  return {
    has: (path) => tree.has(path),
    isLink: (path) => tree.get(path)?.mode === 'link',
    text(path) {
      const found = known.get(path)
      if (found !== undefined) return found
      const text = read(path)
      known.set(path, text)
      return text
    },
  }
}

function hasMutableLines(path: string, then: FileTree, now: FileTree): boolean {
  const text = now.text(path)
  return text !== null && mutateChangedLines(path, then.text(path), text) !== null
}

/** Looks in both trees, because the clean room may hold either. */
export function findQuarantinedTests(
  archive: TreeArchive,
  { base, final }: { base: ArchiveTree; final: ArchiveTree },
  quarantine: string[],
): Pick<ClassifiedChanges, 'quarantined' | 'unremovableTests'> {
  if (quarantine.length === 0) return { quarantined: [], unremovableTests: [] }
  const quarantined: ClassifiedChanges['quarantined'] = []
  const atBase = new Set<string>()
  for (const tree of [base, final]) {
    const texts = textsOf(archive, tree)
    for (const [path, file] of tree) {
      if (!isTestPath(path) && !isCode(path)) continue
      const without = removeQuarantinedTests(path, texts.text(path) ?? '', quarantine)
      if (without.is === 'same') continue
      if (tree === base) for (const glob of without.found) atBase.add(glob)
      const text = without.is === 'gone' ? null : archive.keep(without.text)
      quarantined.push({ path, of: file.hash, text })
    }
  }
  return { quarantined, unremovableTests: quarantine.filter((glob) => !atBase.has(glob)) }
}

const NOTES_MAX = 10

function notesIn(changed: ChangedPath[], then: FileTree, now: FileTree): string[] {
  return changed
    .flatMap(({ path, kind }) =>
      kind === 'deleted' || !isCode(path) ? [] : findSuspiciousChanges(path, then.text(path), now.text(path) ?? ''),
    )
    .slice(0, NOTES_MAX)
}
