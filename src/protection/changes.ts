/**
 * What a completion changed since the base, written down beside the logs: which files of the work, and which changes of the protected files, each with
 * a number by which trials keep or revert it. The state of a run holds numbers only; screens and trials read the names here.
 */
import { parseObject } from '../core/text/json.ts'
import { lockKind, manifestKind } from './file-kinds.ts'

export interface ClassifiedChanges {
  /** Trees of the tree archive. */
  base: string
  final: string
  work: SourceChange[]
  /** Changes of the protected files that a trial can reverted, by their numbers. */
  protectedFiles: ProtectedChange[]
  /** Those that no trial can reverted. */
  unclear: UnclearChange[]
  /** Tests, in either tree, that have an expectation which can be made wrong. */
  tests: string[]
  /** Test files without their quarantined tests: what stands in the clean room in their place; null: nothing. */
  quarantined: { path: string; of: string; text: string | null }[]
  /** Quarantined names that no file of the base has. */
  unremovableTests: string[]
}

export interface SourceChange {
  path: string
  kind: 'added' | 'changed' | 'deleted'
  isDocument: boolean
  /** A gate or a script starts it, rather than loads it. */
  isProgram: boolean
}

/** A file as the tree archive keeps it. */
export interface ArchivedFile {
  hash: string
  mode: 'file' | 'exec' | 'link'
}

export interface ProtectedChange {
  path: string
  /** The whole file, or only what of a file of the work belongs to the protected files. */
  part: 'file' | 'manifest' | 'inner-tests' | 'suppressions'
  kind: 'added' | 'changed' | 'deleted'
  /** One sentence for people: why it belongs to the protected files. */
  why: string
  /** A rule allows this change. */
  allowed: boolean
  base: ArchivedFile | null
  final: ArchivedFile | null
  /** For a part: hash of the text that the file has with the protected files as they were; null: no such file. */
  old: string | null
}

export interface UnclearChange {
  path: string
  why: string
  base: ArchivedFile | null
  final: ArchivedFile | null
}

/** Can a trial make it fail? Not documents, and not manifests: without those nothing at all would run. */
export function canBreakSource({ path, kind, isDocument }: SourceChange): boolean {
  return kind !== 'deleted' && !isDocument && manifestKind(path) === null && lockKind(path) === null
}

export function serializeChanges(changes: ClassifiedChanges): string {
  return `${JSON.stringify(changes, null, 1)}\n`
}

/** Null: the file is damaged. Callers have compared its hash, so its content is Ralph's own. */
export function parseChanges(text: string | null): ClassifiedChanges | null {
  const read: Partial<ClassifiedChanges> | null = parseObject(text ?? '')
  return read !== null && 'protectedFiles' in read && 'work' in read ? (read as ClassifiedChanges) : null
}
