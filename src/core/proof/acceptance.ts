/** What a person is asked to accept: changes of protected files that the work needs and no rule allows. */
import { listWithMore } from '../text/format-amounts.ts'
import type { NeededChanges } from './proof-types.ts'
import { rangeMembers } from './needed-changes-search.ts'
import type { ClassifiedChangesSummary } from './trial.ts'

/** In its file with all changes the needed ones are numbers. */
export interface AcceptanceRequest
  extends NeededChanges, Pick<ClassifiedChangesSummary, 'file' | 'hash' | 'final' | 'plan' | 'refs' | 'unclear'> {
  /** Files that git ignores and that the work passes only with. */
  ignored: string[]
  /** All of them for people: the first few names, and how many there are. */
  names: string[]
  count: number
}

/** In place of a file: the whole tree, if the base to compare with was lost. */
export const ENTIRE_TREE = '.'

export const BASE_LOST_REASON =
  'what Ralph had kept of the state before is gone or was changed, so what earlier runs changed is no longer known'

/** Names that a sentence can carry. */
const NAMED = 8

export function createAcceptanceRequest(
  classification: ClassifiedChangesSummary,
  needed: NeededChanges,
  ignored: string[],
): AcceptanceRequest {
  const { file, hash, final, plan, refs, unclear, names } = classification
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
  }
}

/** Why a person is asked, with the names of the files if there are any. */
export function describeAcceptanceRequest(why: string, { names, count, proofGap }: AcceptanceRequest): string {
  const files = names.filter((name) => name !== ENTIRE_TREE)
  const which = files.length === 0 ? '' : `: ${listWithMore(files, count - names.length)}`
  return `${why}${which}${proofGap === undefined ? '' : `; and even then ${proofGap}`}`
}

/** What a title says: `a file`, `3 files`, `the tree as it is`. */
export function acceptanceCountText(count: number, isWhole: boolean): string {
  const files = isWhole ? count - 1 : count
  const some = files === 1 ? 'a file' : `${files} files`
  if (!isWhole) return some
  return files === 0 ? 'the tree as it is' : `the tree as it is and ${some}`
}

export function coversEntireTree({ unclear }: Pick<AcceptanceRequest, 'unclear'>): boolean {
  return unclear.some(({ path }) => path === ENTIRE_TREE)
}
