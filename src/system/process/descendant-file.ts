/**
 * What was seen to descend from a child of ours, kept in a small file beside its logs: if we are killed, whoever takes the run up again
 * ends it by these notes. Start times tell a process from a later one with its pid, the boot tells that the machine was restarted.
 */
import { dirname } from 'node:path'
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
  let broken = false
  const attempt = (work: () => void): void => {
    try {
      if (!broken) work()
    } catch {
      broken = true
    }
  }
  attempt(() => {
    ensureFolder(dirname(path))
    appendLine(path, `boot ${ownIdentity().boot}\nmark ${mark}`)
  })
  return {
    add: (seen) =>
      attempt(() => appendLine(path, seen.map(({ pid, startTime }) => `${pid} ${startTime}`).join('\n'))),
    addMark: (more) => attempt(() => appendLine(path, `mark ${more}`)),
    remove: () => removeDescendantFile(path),
  }
}

/** When nobody they name is left. Notes that stay name nobody. */
export function removeDescendantFile(path: string): void {
  try {
    removeIfExists(path)
  } catch {
    // A disk that cannot be written to has its own way of being told.
  }
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
