/** Reads parts of files that somebody else may still be writing, or may have deleted: logs and plans, as a screen follows them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fileError, isNotFound } from './file-error.ts'

export interface FilePart {
  bytes: Buffer
  /** Of the whole file at this moment. */
  size: number
}

/** At most `max` bytes from `from` on; null when there is no such file. */
export function readPart(path: string, { from, max }: { from: number; max: number }): FilePart | null {
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    const { size } = fstatSync(file)
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(max, size - from)))
    let got = 0
    while (got < bytes.length) {
      const read = readSync(file, bytes, got, bytes.length - got, from + got)
      if (read === 0) break
      got += read
    }
    return { bytes: bytes.subarray(0, got), size }
  } catch (thrown) {
    if (isNotFound(thrown)) return null
    throw fileError(thrown, { activity: 'read', path })
  } finally {
    if (file !== null) closeSync(file)
  }
}
