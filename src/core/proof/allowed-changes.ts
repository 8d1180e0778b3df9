/**
 * Permission to change protected files. It is explicit: `[tests: glob]` covers tests, `[protected: glob]` whatever it matches, both for
 * changes, deletions, moves and new files. Naming a file is no permission: a plan that says which test must pass means the opposite.
 */
import { matchesGlob } from '../text/glob.ts'

export interface AllowedChanges {
  tests: string[]
  judge: string[]
}

const MARK = /\[(tests|protected):\s*([^\]\n]+)\]/gi

/** More globs than this are ignored. */
const MARKS_MAX = 200

export function allowedChangesIn(plan: string): AllowedChanges {
  const leave: AllowedChanges = { tests: [], judge: [] }
  for (const [, kind = '', globs = ''] of [...plan.matchAll(MARK)].slice(0, MARKS_MAX)) {
    const list = kind.toLowerCase() === 'tests' ? leave.tests : leave.judge
    list.push(...globs.split(',').flatMap((glob) => glob.trim() || []))
  }
  return leave
}

export function mergeAllowedChanges(one: AllowedChanges, other: AllowedChanges): AllowedChanges {
  return { tests: [...one.tests, ...other.tests], judge: [...one.judge, ...other.judge] }
}

export function isChangeAllowed(
  path: string,
  { isTest }: { isTest: boolean },
  leave: AllowedChanges,
): boolean {
  const matches = (glob: string): boolean => {
    const plain = glob.replace(/^\.\//, '').replace(/\/$/, '')
    return path === plain || path.startsWith(`${plain}/`) || matchesGlob(path, glob)
  }
  return leave.judge.some(matches) || (isTest && leave.tests.some(matches))
}
