/** A tree of files for classification: which paths there are, and their texts, read on demand. */
import { folderOf, baseNameOf, stemOf } from './file-kinds.ts'

export interface FileTree {
  has: (path: string) => boolean
  /** Null: binary or absent. */
  text: (path: string) => string | null
  /** Whether it is a symbolic link; its text is its target. */
  isLink?: (path: string) => boolean
}

export interface IndexedTree extends FileTree {
  paths: readonly string[]
  isFolder: (path: string) => boolean
  filesIn: (folder: string) => readonly string[]
  named: (name: string) => readonly string[]
  /** Files of a folder with the same stem: `src/add` gives `src/add.ts` and `src/add.d.ts`. */
  filesByStem: (path: string) => readonly string[]
}

export function indexTree(source: FileTree, paths: readonly string[]): IndexedTree {
  const files = new Set(paths)
  const [folders, names, stems] = [
    new Map<string, string[]>(),
    new Map<string, string[]>(),
    new Map<string, string[]>(),
  ]
  for (const path of paths) {
    push(names, baseNameOf(path), path)
    push(stems, joinPath(folderOf(path), stemOf(path)), path)
    let folder = folderOf(path)
    push(folders, folder, path)
    while (folder !== '' && !folders.has(folderOf(folder))) {
      folder = folderOf(folder)
      folders.set(folder, [])
    }
  }
  return {
    paths,
    has: (path) => files.has(path),
    text: (path) => (files.has(path) ? source.text(path) : null),
    isLink: (path) => source.isLink?.(path) ?? false,
    isFolder: (path) => folders.has(path),
    filesIn: (folder) => folders.get(folder) ?? [],
    named: (name) => names.get(name) ?? [],
    filesByStem: (path) => stems.get(joinPath(folderOf(path), stemOf(path))) ?? [],
  }
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Joins `folder` and `to` to a path inside the tree; null: it leads out of the tree. */
export function joinInTree(folder: string, to: string): string | null {
  const parts = to.startsWith('/') || folder === '' ? [] : folder.split('/')
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** The folders above a file, the nearest first, the root (an empty name) last. */
export function foldersUpToRoot(path: string): string[] {
  const above: string[] = []
  let folder = path
  while (folder !== '') {
    folder = folderOf(folder)
    above.push(folder)
  }
  return above
}

export function joinPath(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`
}
