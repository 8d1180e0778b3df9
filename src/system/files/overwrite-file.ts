/**
 * A short text that is overwritten in place: one call, no rename, no sync. For notes that must cost nothing and may be missing: a failed
 * write is ignored, because the same information is available elsewhere.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { attempt } from '../attempt.ts'

export interface InPlaceTextFile {
  write(text: string): void
  close(): void
}

/** Longer than any text, and shorter than a sector: the disk stores all of it or nothing. */
const LENGTH = 256

export function openInPlaceTextFile(path: string): InPlaceTextFile {
  let file: number | null = attempt(() => openSync(path, 'a', 0o600), null)
  // Append mode ignores the position; the file exists now, so it can be opened for writing in place.
  if (file !== null) closeSync(file)
  file = file === null ? null : attempt(() => openSync(path, 'r+'), null)
  return {
    write(text) {
      const fd = file
      if (fd !== null) attempt(() => writeSync(fd, text.padEnd(LENGTH), 0), null)
    },
    close() {
      const fd = file
      file = null
      if (fd !== null) attempt(() => closeSync(fd), null)
    },
  }
}
