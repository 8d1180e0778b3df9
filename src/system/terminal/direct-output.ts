/**
 * Output to a file or a pipe, written to its descriptor at once. Without Node's stream, which is a good part of Node to load for one
 * screen. Only for commands that say little and end: a slow reader is waited for, and nothing else happens meanwhile.
 */
import { fstatSync, statSync, writeSync } from 'node:fs'
import { attempt } from '../attempt.ts'

/** Gives back what could not be written, for the stream to try: it tells whoever listens that the reader left. */
export type DirectOutput = (text: string) => Buffer | null

/** Null: it may be a terminal, or is one of Windows' pipes, which want to be waited for. */
export function openDirectOutput(descriptor: 1 | 2): DirectOutput | null {
  if (!isPlain(descriptor)) return null
  return (text) => {
    const bytes = Buffer.from(text)
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at)
      return null
    } catch {
      return bytes.subarray(at)
    }
  }
}

function isPlain(descriptor: number): boolean {
  if (process.platform === 'win32') return false
  const stats = attempt(() => fstatSync(descriptor), null)
  if (stats === null) return false
  return !stats.isCharacterDevice() || stats.rdev === attempt(() => statSync('/dev/null').rdev, null)
}
