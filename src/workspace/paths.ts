/** Paths on their way into git and out of the working tree. */
import { sizeOf } from '../system/files.ts'

/** For `-z --stdin` and `--pathspec-file-nul`: any name may stand there, newlines included. */
export function nulLines(paths: string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

/** What leads nowhere, or into a folder we may not enter, is small itself. */
export function safeSize(path: string): number {
  try {
    return sizeOf(path) ?? 0
  } catch {
    return 0
  }
}
