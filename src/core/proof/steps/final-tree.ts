/** Step *final tree*: has the tree changed since the trials? Then the result of the whole proof. */
import { listWithMore, plural } from '../../text/format-amounts.ts'
import { BASE_LOST_REASON, coversEntireTree, ENTIRE_TREE } from '../acceptance.ts'
import {
  requireClassification,
  type NeededChanges,
  type ProofInput,
  type ProofMove,
  type ProofProgress,
  type ProofStepResult,
} from '../proof-types.ts'
import { rangeMembers, toRanges } from '../needed-changes-search.ts'
import { describePassedGates } from '../verdict.ts'
import { MAX_LISTED_NAMES, joinNames } from './step-result.ts'

export function beginFinalTree(progress: ProofProgress): ProofMove {
  return { is: 'look', progress: { ...progress, proofStep: { is: 'final-tree' } }, say: null }
}

export function afterFinalTree(before: ProofProgress, changed: string[], { gates }: ProofInput): ProofMove {
  const progress = withFinalTree(before, changed)
  if (changed.length > 0) {
    return {
      is: 'refused',
      progress,
      say: null,
      verdict: 'failed',
      why: `files changed during the proof: ${joinNames(changed)}`,
      tell: `These files changed while Ralph ran the proof: ${joinNames(changed)}. Leave no process running when you say that you are done. If a gate writes these files, add them to .gitignore.`,
      lines: ['These files changed during the proof:', ...changed.slice(0, MAX_LISTED_NAMES)],
    }
  }
  const open = unapprovedChanges(progress)
  if (open !== null)
    return { is: 'accept', progress, say: null, why: whyAccept(progress, open), needed: open, ignored: [], tell: null }
  return { is: 'proven', progress, say: null, why: `${describePassedGates(gates)}, ${summary(progress)}` }
}

function withFinalTree(progress: ProofProgress, changed: string[]): ProofProgress {
  const result: ProofStepResult = {
    proofStep: 'final-tree',
    ...(changed.length === 0
      ? { mark: 'good', said: 'final tree: unchanged' }
      : { mark: 'bad', said: `final tree: changed (${joinNames(changed)})` }),
    durationMs: 0,
  }
  return { ...progress, stepResults: [...progress.stepResults, result] }
}

/** Why a person has to review changes, with the first names. */
function whyAccept(progress: ProofProgress, { changes, exact }: NeededChanges): string {
  const { unclear, names } = requireClassification(progress)
  const needed = rangeMembers(changes)
  const untried = unclear.map(({ path }) => path).filter((path) => path !== ENTIRE_TREE)
  const reasons = [
    coversEntireTree({ unclear }) ? BASE_LOST_REASON : null,
    needed.length === 0 ? null : passesOnlyWith(needed, { names: names.protectedFiles, exact }),
    untried.length === 0 ? null : `Ralph could not check the changes to ${joinNames(untried)}`,
  ]
  return reasons.filter((reason) => reason !== null).join('; ')
}

function passesOnlyWith(needed: number[], { names, exact }: { names: string[]; exact: boolean }): string {
  const known = needed.flatMap((at) => names[at] ?? []).slice(0, NAMED)
  const files = known.length === 0 ? plural(needed.length, 'file') : listWithMore(known, needed.length - known.length)
  if (!exact) return `the gates pass only because one or more of these changed: ${files}`
  return `the gates pass only because ${files} ${needed.length === 1 ? 'was' : 'were'} changed`
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

/** The sentence of a proven result names only the first few files. */
const NAMED = 3

function summary(progress: ProofProgress): string {
  const { needed, stepResults } = progress
  const numbers = rangeMembers(needed?.changes ?? [])
  const { names } = requireClassification(progress)
  const first = numbers.slice(0, NAMED).flatMap((at) => names.protectedFiles[at] ?? [])
  const which = listWithMore(first, numbers.length - first.length)
  const changed = numbers.length === 0 ? '' : `, with the allowed changes to ${which}`
  const steps = stepResults.filter(({ mark }) => mark !== 'skipped').length
  return `here and in the clean room (${plural(steps, 'step')})${changed}`
}

/** The gates pass and prove nothing. If they pass only with changes that no rule allows, a person is asked about those and is told this too. */
export function unprovenMove(progress: ProofProgress, { why, tell }: { why: string; tell: string | null }): ProofMove {
  const open = unapprovedChanges(progress)
  if (open === null) return { is: 'unproven', progress, say: null, why, tell }
  const needed = { ...open, proofGap: why }
  return { is: 'accept', progress, say: null, why: whyAccept(progress, open), needed, ignored: [], tell }
}
