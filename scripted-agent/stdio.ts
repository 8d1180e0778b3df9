/**
 * Standard input and output without streams: all output has reached the pipe before the next step begins, so a crash or an exit never
 * loses earlier output, and a slow reader slows the agent down like a real one.
 */
import { fstatSync, readSync, writeSync } from 'node:fs'

export const STDOUT = 1
export const STDERR = 2

export function print(fd: number, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done, bytes.length - done)
    } catch (problem) {
      if (!isBusy(problem)) throw problem
      nap()
    }
  }
}

/** All of stdin; empty if there is none or if it is a terminal (both are devices, not pipes). */
export function readInput(): string {
  if (fstatSync(0).isCharacterDevice()) return ''
  const chunks: Buffer[] = []
  const chunk = Buffer.alloc(65_536)
  for (;;) {
    try {
      const size = readSync(0, chunk)
      if (size === 0) break
      chunks.push(Buffer.from(chunk.subarray(0, size)))
    } catch (problem) {
      if (!isBusy(problem)) break
      nap()
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A pipe that its other end made non-blocking returns "again" instead of waiting. */
function isBusy(problem: unknown): boolean {
  return problem instanceof Error && 'code' in problem && problem.code === 'EAGAIN'
}

function nap(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
}
