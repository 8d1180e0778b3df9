/** Helpers for paths that git reads or prints. */
import { folderOf } from '../protection/file-kinds.ts'
import { foldersUpToRoot as withRoot } from '../protection/file-tree.ts'
import { attempt } from '../system/attempt.ts'
import { sizeOf } from '../system/files/files.ts'

/** For `-z --stdin` and `--pathspec-file-nul`: names may contain anything, newlines included. */
export function toNulTerminated(paths: string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

/** 0 for a dead link or a path in an unreadable folder. */
export function fileSize(path: string): number {
  return attempt(() => sizeOf(path), null) ?? 0
}

/** The names in NUL-terminated output of git. */
export function splitNulTerminated(output: string): string[] {
  return output.split('\0').filter((name) => name !== '')
}

/** The folders above a path, the nearest first, without the root. */
export function foldersAbove(path: string): string[] {
  return withRoot(path).slice(0, -1)
}

/** Computes a value for the folder of a path from the value of the folder above it; each folder is computed once. */
export function memoizeByFolder<T>(top: T, answer: (folder: string, above: T) => T): (path: string) => T {
  const known = new Map<string, T>([['', top]])
  const find = (folder: string): T => {
    if (!known.has(folder)) known.set(folder, answer(folder, find(folderOf(folder))))
    return known.get(folder) as T
  }
  return (path) => find(folderOf(path))
}

/** Whether a path stays inside the tree and outside `.git`. Git checks names when files are added; an index that was written without git
 *  may contain other paths. */
export function isInsideTree(path: string): boolean {
  return path !== '' && !/(^|\/)(\.{1,2}|\.git|)\/|(^|\/)(\.{1,2}|\.git)$/.test(path)
}
