/** Files that two tasks both write. The patterns are untrusted, so they are compared without regular expressions that could hang. */
import type { DraftTask } from './task-file.ts'

export interface TasksSharingFile {
  one: string
  other: string
  /** As one of the tasks writes it. */
  file: string
}

type Wanting = Pick<DraftTask, 'key' | 'files'>

/** Limits of the comparison: beyond them it would take minutes and help nobody. */
const PAIRS_MAX = 2_000
const SIGNS_MAX = 10_000_000
/** The cost of comparing two beginnings. */
const LOOK_SIGNS = 4

/** Each pair of tasks once, with the first file they share. */
export function findTasksSharingFiles(tasks: Wanting[]): TasksSharingFile[] {
  const wanted = new Map<string, Set<string>>()
  for (const { key, files } of tasks)
    for (const file of files) {
      const path = normalizeTaskPath(file)
      wanted.set(path, (wanted.get(path) ?? new Set()).add(key))
    }
  const pairs = new Map<string, TasksSharingFile>()
  const meet = (file: string, keys: Iterable<string>, others: Iterable<string>): void => {
    for (const one of keys)
      for (const other of others) {
        if (pairs.size >= PAIRS_MAX) return
        const [a, b] = one < other ? [one, other] : [other, one]
        const name = `${a} ${b}`
        if (a !== b && !pairs.has(name)) pairs.set(name, { one: a, other: b, file })
      }
  }
  for (const [path, keys] of wanted) {
    if (keys.size > 1) meet(path, keys, keys)
    // A path that is the folder of another task's path means everything in it.
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      meet(path, keys, wanted.get(path.slice(0, at)) ?? [])
  }
  const all = [...wanted].map(([path, keys]) => ({ path, keys, fixed: fixedOf(path) }))
  let signs = 0
  for (const one of all.filter(({ path }) => isPattern(path))) {
    if (signs > SIGNS_MAX) break
    for (const other of all) {
      signs += LOOK_SIGNS
      if (one === other || !(one.fixed.startsWith(other.fixed) || other.fixed.startsWith(one.fixed))) continue
      signs += one.path.length * other.path.length
      if (signs > SIGNS_MAX) break
      if (canPathsOverlap(one.path, other.path))
        meet(isPattern(other.path) ? one.path : other.path, one.keys, other.keys)
    }
  }
  return [...pairs.values()].toSorted((a, b) => compare(a.one, b.one) || compare(a.other, b.other))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** One spelling for each path; a folder means everything in it. */
export function normalizeTaskPath(file: string): string {
  const parts = file.replaceAll('\\', '/').split('/')
  const path = parts.filter((part, i) => part !== '.' && (part !== '' || i === parts.length - 1)).join('/')
  return path === '' || path.endsWith('/') ? `${path}**` : path
}

function isPattern(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** The fixed beginning of every path that matches. */
function fixedOf(path: string): string {
  const at = path.search(/[*?[{]/)
  return at === -1 ? path : path.includes('/') ? path.slice(0, at) : ''
}

/** Whether one path can match both. Classes and alternatives count as a star: a false warning costs little. */
export function canPathsOverlap(a: string, b: string): boolean {
  return meets(partsOf(a), partsOf(b), {
    spans: (part) => part === '**',
    meets: (one, other) =>
      meets(Array.from(one), Array.from(other), {
        spans: (sign) => sign === '*',
        meets: (sign, sign2) => sign === sign2 || sign === '?' || sign2 === '?',
      }),
  })
}

function partsOf(pattern: string): string[] {
  const parts = pattern.replace(/\{[^}]*\}|\[[^\]]*\]/g, '*').split('/')
  // A pattern without a slash matches in any folder, like other globs here.
  return parts.length === 1 && isPattern(pattern) ? ['**', ...parts] : parts
}

/** Whether two lists with wildcard entries can match: row by row, without backtracking. */
function meets(
  a: string[],
  b: string[],
  { spans, meets: alike }: { spans: (part: string) => boolean; meets: (a: string, b: string) => boolean },
): boolean {
  let row = reach(b.map((part) => spans(part)))
  for (const part of a) {
    const isAny = spans(part)
    const next: boolean[] = [isAny && row[0] === true]
    for (const [j, other] of b.entries()) {
      const isWide = isAny || spans(other)
      next.push(isWide ? row[j + 1] === true || next[j] === true : row[j] === true && alike(part, other))
    }
    row = next
  }
  return row[b.length] === true
}

/** The first row: the empty list matches only a beginning of wildcards. */
function reach(spans: boolean[]): boolean[] {
  const row = [true]
  for (const [j, isAny] of spans.entries()) row.push(row[j] === true && isAny)
  return row
}
