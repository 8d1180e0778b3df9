/**
 * What a completion changed since the base, written down beside the logs: which files of the work, and which changes of the judge, each with
 * a number by which trials keep it or put it back. The state of a run holds numbers only; whoever shows or tries them reads this.
 */
import { parseObject } from '../domain/text/json.ts'
import { lockKind, manifestKind } from './kinds.ts'

export interface Changes {
  /** Trees of the witness. */
  base: string
  final: string
  work: WorkChange[]
  /** Changes of the judge that a trial can put back, by their numbers. */
  judge: JudgeChange[]
  /** Those that no trial can put back. */
  unclear: UnclearChange[]
  /** Tests, in either tree, that have an expectation which can be made wrong. */
  tests: string[]
  /** Test files without their quarantined tests: what stands in the room in their place; null: nothing. */
  quarantined: { path: string; of: string; text: string | null }[]
  /** Quarantined names that no file of the base has. */
  excused: string[]
}

export interface WorkChange {
  path: string
  kind: 'added' | 'changed' | 'deleted'
  isDocument: boolean
  /** A gate or a script starts it, rather than loads it. */
  isProgram: boolean
}

/** A file as the witness keeps it. */
export interface KeptFile {
  hash: string
  mode: 'file' | 'exec' | 'link'
}

export interface JudgeChange {
  path: string
  /** The whole file, or only what of a file of the work belongs to the judge. */
  part: 'file' | 'manifest' | 'inner-tests' | 'suppressions'
  kind: 'added' | 'changed' | 'deleted'
  /** One sentence for people: why it belongs to the judge. */
  why: string
  /** Somebody said beforehand that it may change. */
  allowed: boolean
  base: KeptFile | null
  final: KeptFile | null
  /** For a part: hash of the text that the file has with the judge as it was; null: no such file. */
  old: string | null
}

export interface UnclearChange {
  path: string
  why: string
  base: KeptFile | null
  final: KeptFile | null
}

/** Can a trial make it fail? Not documents, and not manifests: without those nothing at all would run. */
export function isBreakable({ path, kind, isDocument }: WorkChange): boolean {
  return kind !== 'deleted' && !isDocument && manifestKind(path) === null && lockKind(path) === null
}

export function writeChanges(changes: Changes): string {
  return `${JSON.stringify(changes, null, 1)}\n`
}

/** Null: it is not what was written there. Whoever reads it has compared its hash, so its inside is ours. */
export function readChanges(text: string | null): Changes | null {
  const read: Partial<Changes> | null = parseObject(text ?? '')
  return read !== null && 'judge' in read && 'work' in read ? (read as Changes) : null
}
