/**
 * What was seen to descend from a child of ours, kept in a small file beside its logs: if we are killed, whoever takes the run up again
 * ends it by these notes. Start times tell a process from a later one with its pid, the boot tells that the machine was restarted.
 */
import { dirname } from 'node:path'
import { attempt } from '../attempt.ts'
import { appendLine, ensureFolder, readIfExists, removeIfExists } from '../files/files.ts'
import { ownIdentity } from './process-identity.ts'
import type { ProcessKey } from './process-table.ts'

export interface DescendantFile {
  add(seen: ProcessKey[]): void
  /** Whoever carries this one is meant too. */
  addMark(mark: string): void
  remove(): void
}

/** Losing them is no reason to disturb an agent at its work: while we live nobody needs them. */
export function openDescendantFile(path: string, mark: string): DescendantFile {
  const failed = (work: () => void): boolean => attempt(() => work(), 'failed') === 'failed'
  let broken = failed(() => ensureFolder(dirname(path)))
  const note = (lines: string): void => {
    broken ||= failed(() => appendLine(path, lines))
  }
  note(`boot ${ownIdentity().boot}\nmark ${mark}`)
  return {
    add: (seen) => note(seen.map(({ pid, startTime }) => `${pid} ${startTime}`).join('\n')),
    addMark: (more) => note(`mark ${more}`),
    remove: () => removeDescendantFile(path),
  }
}

/** When nobody they name is left. Notes that stay name nobody. */
export function removeDescendantFile(path: string): void {
  // A disk that cannot be written to is reported elsewhere.
  attempt(() => removeIfExists(path), undefined)
}

export interface RecordedDescendants {
  marks: string[]
  seen: ProcessKey[]
}

/** What the notes tell of processes that may still live. An unfinished last line names nobody: its start time is nobody's. */
export function readDescendantFile(path: string): RecordedDescendants {
  const lines = (readIfExists(path) ?? '').split('\n').map((line) => /^(\w+) (.+)$/.exec(line))
  const noted: RecordedDescendants = { marks: [], seen: [] }
  let boot = ''
  for (const line of lines) {
    const [, word = '', rest = ''] = line ?? []
    if (word === 'boot') boot = rest
    else if (boot !== ownIdentity().boot) continue
    else if (word === 'mark') noted.marks.push(rest)
    else if (/^\d+$/.test(word)) noted.seen.push({ pid: Number(word), startTime: rest })
  }
  return noted
}
