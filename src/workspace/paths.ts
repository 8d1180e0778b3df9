/** Paths on their way into git and out of the working tree. */
import { folderOf } from '../protection/file-kinds.ts'
import { foldersUpToRoot as withRoot } from '../protection/file-tree.ts'
import { attempt } from '../system/attempt.ts'
import { sizeOf } from '../system/files/files.ts'

/** For `-z --stdin` and `--pathspec-file-nul`: any name may stand there, newlines included. */
export function nulSeparated(paths: string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

/** What leads nowhere, or into a folder we may not enter, is small itself. */
export function fileSize(path: string): number {
  return attempt(() => sizeOf(path), null) ?? 0
}

/** The names in what git ends with NUL. */
export function nulList(output: string): string[] {
  return output.split('\0').filter((name) => name !== '')
}

/** The folders that a path leads through, the nearest first; the root is none of them. */
export function foldersAbove(path: string): string[] {
  return withRoot(path).slice(0, -1)
}

/** Answers a question about the folder of a path from the answer for the folder above it; each folder is asked about once. */
export function folderAnswers<T>(top: T, answer: (folder: string, above: T) => T): (path: string) => T {
  const known = new Map<string, T>([['', top]])
  const find = (folder: string): T => {
    if (!known.has(folder)) known.set(folder, answer(folder, find(folderOf(folder))))
    return known.get(folder) as T
  }
  return (path) => find(folderOf(path))
}

/** Whether a name from the top of a tree leads to something in it that is not git's own. Git checks names when they are added; whoever
 *  writes an index without git could name what lies elsewhere. */
export function isInsideTree(path: string): boolean {
  return path !== '' && !/(^|\/)(\.{1,2}|\.git|)\/|(^|\/)(\.{1,2}|\.git)$/.test(path)
}
