/** What a person has to review: changes of tests, config and tools that the work needs and no rule allows. */
import { plural } from '../text/format-amounts.ts'
import type { NeededChanges } from './proof-types.ts'
import { rangeMembers, type Range } from './needed-changes-search.ts'
import type { ClassifiedChangesSummary } from './trial.ts'

/** The numbers of the needed changes refer to the file with all changes. */
export interface AcceptanceRequest
  extends NeededChanges, Pick<ClassifiedChangesSummary, 'file' | 'hash' | 'final' | 'plan' | 'refs' | 'unclear'> {
  /** Ignored files that the gates need. */
  ignored: string[]
  /** All of them for people: the first few names, and how many there are. */
  names: string[]
  count: number
  /** How many of them are test files; absent: unknown. */
  tests?: number
}

/** Stands for the whole tree, if the base to compare with was lost. */
export const ENTIRE_TREE = '.'

export const BASE_LOST_REASON =
  'the snapshot from the start of the work is gone or damaged, so Ralph cannot tell what earlier runs changed'

/** Names that a sentence can carry. */
const NAMED = 8

export function createAcceptanceRequest(
  classification: ClassifiedChangesSummary,
  needed: NeededChanges,
  ignored: string[],
): AcceptanceRequest {
  const { file, hash, final, plan, refs, unclear, names, testFiles } = classification
  const numbers = rangeMembers(needed.changes)
  const changed = numbers.map((at) => names.protectedFiles[at]).filter((name) => name !== undefined)
  const all = [...changed, ...unclear.map(({ path }) => path), ...ignored]
  return {
    file,
    hash,
    final,
    plan,
    refs,
    ...needed,
    unclear,
    ignored,
    names: [...new Set(all)].slice(0, NAMED),
    count: numbers.length + unclear.length + ignored.length,
    ...(testFiles === undefined ? {} : { tests: countIn(testFiles, numbers) }),
  }
}

function countIn(ranges: readonly Range[], numbers: number[]): number {
  return numbers.filter((one) => ranges.some(([from, to]) => from <= one && one <= to)).length
}

/** Why a person is asked. */
export function describeAcceptanceRequest(why: string, { proofGap }: Pick<AcceptanceRequest, 'proofGap'>): string {
  return `${why}${proofGap === undefined ? '' : `; besides, ${proofGap}`}`
}

/** For a headline: `1 test file changed`, `3 protected files changed`, `the whole tree`. */
export function acceptanceCountText(
  request: Pick<AcceptanceRequest, 'count' | 'unclear' | 'ignored' | 'tests'>,
): string {
  const { count, ignored, tests = 0 } = request
  const isWhole = coversEntireTree(request)
  const files = isWhole ? count - 1 : count
  if (files === 0) return 'the whole tree'
  const kind = tests === files ? 'test' : tests > 0 ? 'test or config' : 'protected'
  const some =
    ignored.length === files ? `${plural(files, 'ignored file')} used` : `${plural(files, `${kind} file`)} changed`
  return isWhole ? `the whole tree, ${some}` : some
}

export function coversEntireTree({ unclear }: Pick<AcceptanceRequest, 'unclear'>): boolean {
  return unclear.some(({ path }) => path === ENTIRE_TREE)
}
