/**
 * The changes of a completion since the base, saved beside the logs: the changed source files, and the protected changes, each with a
 * number by which trials keep or revert it. The state of a run holds numbers only; screens and trials read the names here.
 */
import { parseObject } from '../core/text/json.ts'
import { isManifestOrLockFile } from './file-kinds.ts'

export interface ClassifiedChanges {
  /** Trees of the tree archive. */
  base: string
  final: string
  work: SourceChange[]
  /** Protected changes that a trial can revert, by their numbers. */
  protectedFiles: ProtectedChange[]
  /** Protected changes that no trial can revert. */
  unclear: UnclearChange[]
  /** Tests, in either tree, with an assertion that can be mutated. */
  tests: string[]
  /** Test files with quarantined tests, and the text that replaces them in the clean room; null: the file is removed. */
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

/** A file in the tree archive. */
export interface TreeArchiveEntry {
  hash: string
  mode: 'file' | 'exec' | 'link'
}

export interface ProtectedChange {
  path: string
  /** The whole file, or only the protected part of a source file. */
  part: 'file' | 'manifest' | 'inner-tests' | 'suppressions'
  kind: 'added' | 'changed' | 'deleted'
  /** One sentence for people: why the change is protected. */
  why: string
  /** A rule allows this change. */
  allowed: boolean
  base: TreeArchiveEntry | null
  final: TreeArchiveEntry | null
  /** For a part: hash of the file's text with the protected part of the base; null: no such file. */
  old: string | null
}

export interface UnclearChange {
  path: string
  why: string
  base: TreeArchiveEntry | null
  final: TreeArchiveEntry | null
}

/** Whether a trial can break it. Not documents, and not manifests: without those nothing would run. */
export function isBreakableSource({ path, kind, isDocument }: SourceChange): boolean {
  return kind !== 'deleted' && !isDocument && !isManifestOrLockFile(path)
}

export function serializeChanges(changes: ClassifiedChanges): string {
  return `${JSON.stringify(changes, null, 1)}\n`
}

/** Null: the file is damaged. Callers have compared its hash, so its content is Ralph's own. */
export function parseChanges(text: string | null): ClassifiedChanges | null {
  const read: Partial<ClassifiedChanges> | null = parseObject(text ?? '')
  return read !== null && 'protectedFiles' in read && 'work' in read ? (read as ClassifiedChanges) : null
}
