/**
 * Hashes of files that the tree archive has read: a file with an unchanged fingerprint is not read again. Saved between runs; if the saved
 * file is damaged, the project's files are read again.
 */
import { join } from 'node:path'
import { attempt } from '../../system/attempt.ts'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'

export interface FileHashCache {
  /** Null: the file must be read. */
  hash(path: string, fingerprint: string): string | null
  /** `isSettled`: any later change of the file gives it another fingerprint. */
  learn(path: string, known: { fingerprint: string; hash: string; isSettled: boolean }): void
  /** Forgets all paths but these, and writes the file if anything changed. */
  save(paths: { has(path: string): boolean } | null): void
}

const FILE = 'known-hashes'

export function openFileHashCache(folder: string): FileHashCache {
  const path = join(folder, FILE)
  // It only saves time, so an unreadable file counts as empty.
  const known = readKnown(attempt(() => readIfExists(path), null) ?? '')
  let isNew = false
  return {
    hash(name, fingerprint) {
      const found = known.get(name)
      return found?.fingerprint === fingerprint ? found.hash : null
    },
    learn(name, { fingerprint, hash, isSettled }) {
      const before = known.get(name)
      if (isSettled) known.set(name, { fingerprint, hash })
      else known.delete(name)
      isNew ||= isSettled || before !== undefined
    },
    save(paths) {
      if (paths !== null) for (const name of known.keys()) if (!paths.has(name)) isNew = known.delete(name) || isNew
      if (!isNew) return
      const lines: string[] = []
      for (const [name, { fingerprint, hash }] of known) lines.push(`${fingerprint} ${hash} ${name}\0`)
      writeWithoutSync(path, lines.join(''))
      isNew = false
    },
  }
}

function readKnown(text: string): Map<string, { fingerprint: string; hash: string }> {
  const known = new Map<string, { fingerprint: string; hash: string }>()
  for (const line of text.split('\0')) {
    const [one, two] = [line.indexOf(' '), line.indexOf(' ', line.indexOf(' ') + 1)]
    const hash = line.slice(one + 1, two)
    if (one > 0 && hash.length === 64) known.set(line.slice(two + 1), { fingerprint: line.slice(0, one), hash })
  }
  return known
}
