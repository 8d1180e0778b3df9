/**
 * Permission to change protected files. It is explicit: `[tests: glob]` covers tests, `[protected: glob]` whatever it matches, both for
 * changes, deletions, moves and new files. Naming a file is no permission: a plan that says which test must pass means the opposite.
 */
import { matchesGlob } from '../text/glob.ts'

export interface AllowedChanges {
  tests: string[]
  protectedFiles: string[]
}

const MARK = /\[(tests|protected):\s*([^\]\n]+)\]/gi

/** More globs than this are ignored. */
const MARKS_MAX = 200

export function parseAllowedChanges(plan: string): AllowedChanges {
  const allowance: AllowedChanges = { tests: [], protectedFiles: [] }
  for (const [, kind = '', globs = ''] of [...plan.matchAll(MARK)].slice(0, MARKS_MAX)) {
    const list = kind.toLowerCase() === 'tests' ? allowance.tests : allowance.protectedFiles
    list.push(...globs.split(',').flatMap((glob) => glob.trim() || []))
  }
  return allowance
}

export function mergeAllowedChanges(one: AllowedChanges, other: AllowedChanges): AllowedChanges {
  return { tests: [...one.tests, ...other.tests], protectedFiles: [...one.protectedFiles, ...other.protectedFiles] }
}

export function isChangeAllowed(path: string, { isTest }: { isTest: boolean }, allowance: AllowedChanges): boolean {
  const matches = (glob: string): boolean => {
    const plain = glob.replace(/^\.\//, '').replace(/\/$/, '')
    return path === plain || path.startsWith(`${plain}/`) || matchesGlob(path, glob)
  }
  return allowance.protectedFiles.some(matches) || (isTest && allowance.tests.some(matches))
}
