/**
 * What was seen to descend from a child of ours, kept in a small file beside its logs: if we are killed, whoever takes the run up again
 * ends it by these notes. Start times tell a process from a later one with its pid, the boot tells that the machine was restarted.
 */
import { dirname } from 'node:path'
import { appendLine, ensureFolder, readIfThere, removeIfThere } from '../files/files.ts'
import { me } from './identity.ts'
import type { Known } from './process-table.ts'

export interface Notes {
  add(seen: Known[]): void
  /** Whoever carries this one is meant too. */
  addMark(mark: string): void
  remove(): void
}

/** Losing them is no reason to disturb an agent at its work: while we live nobody needs them. */
export function openNotes(path: string, mark: string): Notes {
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
    appendLine(path, `boot ${me().boot}\nmark ${mark}`)
  })
  return {
    add: (seen) =>
      attempt(() => appendLine(path, seen.map(({ pid, startTime }) => `${pid} ${startTime}`).join('\n'))),
    addMark: (more) => attempt(() => appendLine(path, `mark ${more}`)),
    remove: () => removeNotes(path),
  }
}

/** When nobody they name is left. Notes that stay name nobody. */
export function removeNotes(path: string): void {
  try {
    removeIfThere(path)
  } catch {
    // A disk that cannot be written to has its own way of being told.
  }
}

export interface Noted {
  marks: string[]
  seen: Known[]
}

/** What the notes tell of processes that may still live. An unfinished last line names nobody: its start time is nobody's. */
export function readNotes(path: string): Noted {
  const lines = (readIfThere(path) ?? '').split('\n').map((line) => /^(\w+) (.+)$/.exec(line))
  const noted: Noted = { marks: [], seen: [] }
  let boot = ''
  for (const line of lines) {
    const [, word = '', rest = ''] = line ?? []
    if (word === 'boot') boot = rest
    else if (boot !== me().boot) continue
    else if (word === 'mark') noted.marks.push(rest)
    else if (/^\d+$/.test(word)) noted.seen.push({ pid: Number(word), startTime: rest })
  }
  return noted
}
