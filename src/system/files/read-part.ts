/** Reads parts of files that another process may still write or may have deleted: logs and plans that a screen follows. */
import { fstatSync, readSync } from 'node:fs'
import { nullIfMissing } from './file-error.ts'
import { withOpenFile } from './open-file.ts'

export interface FilePart {
  bytes: Buffer
  /** The size of the whole file at this moment. */
  size: number
}

/** At most `max` bytes starting at `from`; null if the file does not exist. */
export function readFilePart(path: string, { from, max }: { from: number; max: number }): FilePart | null {
  const read = (file: number): FilePart => {
    const { size } = fstatSync(file)
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(max, size - from)))
    let got = 0
    while (got < bytes.length) {
      const more = readSync(file, bytes, got, bytes.length - got, from + got)
      if (more === 0) break
      got += more
    }
    return { bytes: bytes.subarray(0, got), size }
  }
  return nullIfMissing({ activity: 'read', path }, () => withOpenFile(path, { flags: 'r' }, read))
}
