/** Step *final tree*: is the tree still the one that was tried? Then the result of the whole proof. */
import { listWithMore, plural } from '../../text/format-amounts.ts'
import { BASE_LOST_REASON, coversEntireTree } from '../acceptance.ts'
import { requireClassification, type ProofProgress, type ProofMove, type NeededChanges } from '../proof-types.ts'
import { rangeMembers, toRanges } from '../needed-changes-search.ts'
import { MAX_LISTED_NAMES, joinNames } from './step-result.ts'

export function beginFinalTree(progress: ProofProgress): ProofMove {
  return { is: 'look', progress: { ...progress, proofStep: { is: 'final-tree' } }, say: null }
}

export function afterFinalTree(progress: ProofProgress, changed: string[]): ProofMove {
  if (changed.length > 0) {
    return {
      is: 'refused',
      progress,
      say: null,
      verdict: 'failed',
      why: `the tree changed after the gates had passed on it: ${joinNames(changed)}`,
      tell: `While the claim was tried, these files changed: ${joinNames(changed)}. Leave nothing running when you say that you are done. If a gate writes them, they belong in .gitignore.`,
      lines: ['These files changed while the claim was tried:', ...changed.slice(0, MAX_LISTED_NAMES)],
    }
  }
  const open = unapprovedChanges(progress)
  if (open !== null)
    return { is: 'accept', progress, say: null, why: whyAccept(progress, open), needed: open, ignored: [], tell: null }
  return { is: 'proven', progress, say: null, why: summary(progress) }
}

function whyAccept(progress: ProofProgress, { changes, exact }: NeededChanges): string {
  const { unclear } = requireClassification(progress)
  const isWhole = coversEntireTree({ unclear })
  const files = rangeMembers(changes).length + unclear.length - (isWhole ? 1 : 0)
  const passes = `the work passes only with ${exact ? '' : 'one or more of '}${files === 1 ? 'this' : 'these'} changed`
  if (!isWhole) return passes
  return files === 0 ? BASE_LOST_REASON : `${BASE_LOST_REASON}; and ${passes}`
}

export const NO_NEEDED_CHANGES: NeededChanges = { changes: [], exact: true, red: null }

/** Changes that the work needs and no rule allows; null: none. Also changes that no trial could revert. */
export function unapprovedChanges(progress: ProofProgress): NeededChanges | null {
  const { allowedCount, unclear } = requireClassification(progress)
  const needed = progress.needed ?? NO_NEEDED_CHANGES
  const left = rangeMembers(needed.changes).filter((change) => change >= allowedCount)
  if (left.length === 0 && unclear.length === 0) return null
  return { ...needed, changes: toRanges(left) }
}

/** The sentence of a proven result names only the first few steps. */
const SUMMED = 3

function summary(progress: ProofProgress): string {
  const { needed, stepResults } = progress
  const numbers = rangeMembers(needed?.changes ?? [])
  const { names } = requireClassification(progress)
  const first = numbers.slice(0, SUMMED).flatMap((at) => names.protectedFiles[at] ?? [])
  const which = listWithMore(first, numbers.length - first.length)
  const changed = numbers.length === 0 ? '' : `, judge changed as allowed: ${which}`
  const stepLines = stepResults.filter(({ durationMs }) => durationMs > 0).length
  return `proven in a clean room in ${plural(stepLines, 'trial')}${changed}`
}

/** The gates pass and prove nothing. If they pass only with changes that no rule allows, a person is asked about those and is told this too. */
export function unprovenMove(progress: ProofProgress, { why, tell }: { why: string; tell: string | null }): ProofMove {
  const open = unapprovedChanges(progress)
  if (open === null) return { is: 'unproven', progress, say: null, why, tell }
  const needed = { ...open, proofGap: why }
  return { is: 'accept', progress, say: null, why: whyAccept(progress, open), needed, ignored: [], tell }
}
