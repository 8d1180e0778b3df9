/**
 * A short text that is overwritten in place: one call, no rename, nothing waited for. For what must cost nothing and may be missing:
 * a note that cannot be written says nothing, and whatever it would tell of is told elsewhere.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { attempt } from '../attempt.ts'

export interface OverwrittenFile {
  write(text: string): void
  close(): void
}

/** Longer than any text it gets, and shorter than a sector: it is on the disk as a whole or not at all. */
const LENGTH = 256

export function openOverwrittenFile(path: string): OverwrittenFile {
  let file: number | null = attempt(() => openSync(path, 'a', 0o600), null)
  // Appending would ignore the position; the file is there now, so it can be opened for writing in place.
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
