/** Paths on their way into git and out of the working tree. */
import { sizeOf } from '../system/files/files.ts'

/** For `-z --stdin` and `--pathspec-file-nul`: any name may stand there, newlines included. */
export function nulSeparated(paths: string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

/** What leads nowhere, or into a folder we may not enter, is small itself. */
export function fileSize(path: string): number {
  try {
    return sizeOf(path) ?? 0
  } catch {
    return 0
  }
}

/** The folders that a path leads through, the nearest first. */
export function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    above.push(path.slice(0, at))
  return above
}

/** Whether a name from the top of a tree leads to something in it that is not git's own. Git checks names when they are added; whoever
 *  writes an index without git could name what lies elsewhere. */
export function isInsideTree(path: string): boolean {
  return path !== '' && !/(^|\/)(\.{1,2}|\.git|)\/|(^|\/)(\.{1,2}|\.git)$/.test(path)
}
