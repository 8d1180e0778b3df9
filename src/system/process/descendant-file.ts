/**
 * Records the known descendants of a child in a small file beside its logs: if we are killed, the process that resumes the run ends them
 * by these notes. Start times distinguish a process from a later one with the same pid; the boot id shows whether the machine was
 * restarted.
 */
import { dirname } from 'node:path'
import { attempt } from '../attempt.ts'
import { appendLine, ensureFolder, readIfExists, removeIfExists } from '../files/files.ts'
import { ownProcessIdentity } from './process-identity.ts'
import type { ProcessKey } from './process-table.ts'

export interface DescendantFile {
  add(seen: ProcessKey[]): void
  /** Processes with this mark belong to the child too. */
  addMark(mark: string): void
  remove(): void
}

/** Write errors are ignored and do not disturb the agent: the notes are needed only if we die. */
export function openDescendantFile(path: string, mark: string): DescendantFile {
  const failed = (work: () => void): boolean => attempt(() => work(), 'failed') === 'failed'
  let broken = failed(() => ensureFolder(dirname(path)))
  const note = (lines: string): void => {
    broken ||= failed(() => appendLine(path, lines))
  }
  note(`boot ${ownProcessIdentity().boot}\nmark ${mark}`)
  return {
    add: (seen) => note(seen.map(({ pid, startTime }) => `${pid} ${startTime}`).join('\n')),
    addMark: (more) => note(`mark ${more}`),
    remove: () => removeDescendantFile(path),
  }
}

/** For when none of the named processes is left. */
export function removeDescendantFile(path: string): void {
  // A disk that cannot be written to is reported elsewhere.
  attempt(() => removeIfExists(path), undefined)
}

export interface RecordedDescendants {
  marks: string[]
  seen: ProcessKey[]
}

/** The recorded processes that may still live. An unfinished last line is ignored: its start time is incomplete. */
export function readDescendantFile(path: string): RecordedDescendants {
  const lines = (readIfExists(path) ?? '').split('\n').map((line) => /^(\w+) (.+)$/.exec(line))
  const noted: RecordedDescendants = { marks: [], seen: [] }
  let boot = ''
  for (const line of lines) {
    const [, word = '', rest = ''] = line ?? []
    if (word === 'boot') boot = rest
    else if (boot !== ownProcessIdentity().boot) continue
    else if (word === 'mark') noted.marks.push(rest)
    else if (/^\d+$/.test(word)) noted.seen.push({ pid: Number(word), startTime: rest })
  }
  return noted
}
