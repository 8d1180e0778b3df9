/** Files that two tasks both want. Paths and patterns of strangers: compared without an expression that could take for ever. */
import type { DraftTask } from './task-file.ts'

export interface SharedFile {
  one: string
  other: string
  /** As one of them says it. */
  file: string
}

type Wanting = Pick<DraftTask, 'key' | 'files'>

/** Who has more of either has other troubles, and would wait for minutes to hear of them. */
const PAIRS_MAX = 2_000
const SIGNS_MAX = 10_000_000
/** What it costs to see that two have different beginnings. */
const LOOK_SIGNS = 4

/** Each pair once, with the first file. */
export function sharedFiles(tasks: Wanting[]): SharedFile[] {
  const wanted = new Map<string, Set<string>>()
  for (const { key, files } of tasks)
    for (const file of files) {
      const path = normalizeTaskPath(file)
      wanted.set(path, (wanted.get(path) ?? new Set()).add(key))
    }
  const pairs = new Map<string, SharedFile>()
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
    // Whoever names a folder means what lies in it; that it is one is seen from what others name.
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

/** One spelling for each path; a folder means all that lies in it. */
export function normalizeTaskPath(file: string): string {
  const parts = file.replaceAll('\\', '/').split('/')
  const path = parts.filter((part, i) => part !== '.' && (part !== '' || i === parts.length - 1)).join('/')
  return path === '' || path.endsWith('/') ? `${path}**` : path
}

function isPattern(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** What every path begins with that it means. */
function fixedOf(path: string): string {
  const at = path.search(/[*?[{]/)
  return at === -1 ? path : path.includes('/') ? path.slice(0, at) : ''
}

/** Whether one path can be meant by both. Classes and choices count as a star: a warning too many costs little. */
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
  // A name alone means a file anywhere, as globs are read elsewhere.
  return parts.length === 1 && isPattern(pattern) ? ['**', ...parts] : parts
}

/** Two lists of which some entries stand for any number of others: row by row, never back. */
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

/** What the empty list meets: beginnings that are nothing but spans. */
function reach(spans: boolean[]): boolean[] {
  const row = [true]
  for (const [j, isAny] of spans.entries()) row.push(row[j] === true && isAny)
  return row
}
