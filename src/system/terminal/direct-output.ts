/**
 * Writes output to a file or a pipe directly through its descriptor, because loading Node's stream is slow for one screen. Only for
 * commands that print little and end: a slow reader blocks everything else.
 */
import { fstatSync, statSync, writeSync } from 'node:fs'
import { attempt } from '../attempt.ts'

/** Returns what could not be written, for the stream to try: the stream reports that the reader has gone. */
export type DirectOutput = (text: string) => Buffer | null

/** Null: it may be a terminal, or is a Windows pipe, which needs asynchronous writes. */
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
