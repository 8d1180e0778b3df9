/**
 * What the witness has read already: a file whose seal is still the same is not read again. Kept between runs; what cannot be read of
 * it is read from the files anew.
 */
import { join } from 'node:path'
import { readIfThere, writeLoose } from '../../system/files/files.ts'

export interface KnownHashes {
  /** Null: it must be read. */
  hash(path: string, seal: string): string | null
  /** `isSettled`: whatever changes the file from now on gives it another seal. */
  learn(path: string, known: { seal: string; hash: string; isSettled: boolean }): void
  /** Forgets all paths but these, and writes it down where anything is new. */
  save(paths: { has(path: string): boolean } | null): void
}

const FILE = 'known-hashes'

export function openKnownHashes(folder: string): KnownHashes {
  const path = join(folder, FILE)
  const known = readKnown(readText(path))
  let isNew = false
  return {
    hash(name, seal) {
      const found = known.get(name)
      return found?.seal === seal ? found.hash : null
    },
    learn(name, { seal, hash, isSettled }) {
      const before = known.get(name)
      if (isSettled) known.set(name, { seal, hash })
      else known.delete(name)
      isNew ||= isSettled || before !== undefined
    },
    save(paths) {
      if (paths !== null)
        for (const name of known.keys()) if (!paths.has(name)) isNew = known.delete(name) || isNew
      if (!isNew) return
      const lines: string[] = []
      for (const [name, { seal, hash }] of known) lines.push(`${seal} ${hash} ${name}\0`)
      writeLoose(path, lines.join(''))
      isNew = false
    },
  }
}

function readText(path: string): string {
  try {
    return readIfThere(path) ?? ''
  } catch {
    // It only saves time.
    return ''
  }
}

function readKnown(text: string): Map<string, { seal: string; hash: string }> {
  const known = new Map<string, { seal: string; hash: string }>()
  for (const line of text.split('\0')) {
    const [one, two] = [line.indexOf(' '), line.indexOf(' ', line.indexOf(' ') + 1)]
    const hash = line.slice(one + 1, two)
    if (one > 0 && hash.length === 64) known.set(line.slice(two + 1), { seal: line.slice(0, one), hash })
  }
  return known
}
