/** What the gates show on an arrangement of files, and what a claim therefore amounts to: the truth that the proof has to find. */
import { SHARED_TOOLS_LEVELS, type TrialLayout, type SharedToolsLevel } from '../../src/core/proof/trial.ts'
import { differingPaths, isDocument, isProtectedFile, withPaths, type Files, type TreeState } from './sim-workspace.ts'

/** A claim, as the world knows it. */
export interface ClaimCase {
  base: TreeState
  final: TreeState
  /** Changed files of the protected files, as they are numbered. */
  protectedFiles: string[]
  allowedCount: ReadonlySet<string>
  /** Nobody knows any more what the base was. */
  lost: boolean
  /** What the clean room is shared, and what it would need. */
  sharedTools: SharedToolsLevel
  fitWith: SharedToolsLevel | 'never'
  /** A gate tells how many tests it runs. */
  tells: boolean
  /** Somebody counted them at the base. */
  counted: boolean
}

/** A moment of a trial: what lies in the clean room. */
export function gatesPassOn(one: ClaimCase, trialLayout: TrialLayout): boolean {
  if (trialLayout.is === 'base') return hasEnoughSharedTools(one) && one.base.truth.sound
  const { truth } = one.final
  if (trialLayout.broken !== 'nothing' && notices(one, trialLayout)) return false
  const ignored = trialLayout.is === 'final' && trialLayout.ignored
  const sharedPaths =
    ignored && SHARED_TOOLS_LEVELS.indexOf(one.sharedTools) < SHARED_TOOLS_LEVELS.indexOf('ignored')
      ? 'ignored'
      : one.sharedTools
  const here = truth.room === 'same' || (truth.room === 'ignored' && ignored)
  if (!truth.sound || !here || !hasEnoughSharedTools(one, sharedPaths)) return false
  if (trialLayout.is === 'final') return true
  const kept = keptIn(one, trialLayout)
  return neededProtectedFiles(one).every((path) => kept.has(path))
}

export function hasEnoughSharedTools(
  { fitWith, sharedTools: given }: ClaimCase,
  sharedTools: SharedToolsLevel = given,
): boolean {
  return fitWith !== 'never' && SHARED_TOOLS_LEVELS.indexOf(sharedTools) >= SHARED_TOOLS_LEVELS.indexOf(fitWith)
}

/** Work that fails or is wrong is noticed by the old tests, or by the claim's own where all of them lie in the clean room. */
function notices(one: ClaimCase, trialLayout: Exclude<TrialLayout, { is: 'base' }>): boolean {
  const { looks, sees } = one.final.truth
  if (trialLayout.broken === 'assertions-mutated' || trialLayout.broken === 'tests-fail') return true
  const eyes = trialLayout.broken === 'source-mutated' ? sees : looks
  if (eyes !== 'own') return eyes === 'old'
  return trialLayout.is === 'final' || keptIn(one, trialLayout).size === one.protectedFiles.length
}

function keptIn({ protectedFiles }: ClaimCase, { keep }: Extract<TrialLayout, { is: 'original-tests' }>): Set<string> {
  const kept = new Set<string>()
  for (const [from, to] of keep) for (let at = from; at <= to; at++) kept.add(protectedFiles[at] ?? '')
  return kept
}

/** Which of the changed files of the protected files the work really needs. */
export function neededProtectedFiles({ protectedFiles, final }: ClaimCase): string[] {
  return protectedFiles.filter((path) => final.truth.needs.has(path))
}

/** How many tests run on an arrangement: one in each file of the protected files. */
export function testCountOn(one: ClaimCase, trialLayout: TrialLayout): number {
  if (trialLayout.is === 'base') return testFiles(one.base.files)
  const { final, base } = one
  if (trialLayout.is === 'final') return Math.max(0, testFiles(final.files) - final.truth.hides)
  const kept = keptIn(one, trialLayout)
  const old = one.protectedFiles.filter((path) => !kept.has(path))
  return Math.max(0, testFiles(withPaths(final.files, base.files, old)) - final.truth.hides)
}

function testFiles(files: Files): number {
  return [...files.keys()].filter(isProtectedFile).length
}

export interface Sorted {
  protectedFiles: string[]
  work: string[]
  documents: number
}

export function sortedBetween(base: Files, final: Files): Sorted {
  const changed = differingPaths(base, final)
  const work = changed.filter((path) => !isProtectedFile(path))
  return { protectedFiles: changed.filter(isProtectedFile), work, documents: work.filter(isDocument).length }
}

/** What becomes of a claim that nobody disturbs. `needed`: which files a person has to accept. */
export type ExpectedVerdict =
  | { is: 'proven' | 'refused' | 'unproven'; because: string }
  /** `proofGap`: the gates prove nothing either, so the agent gets its chances before a person is asked. */
  | { is: 'accept'; because: string; needed: string[]; proofGap?: true }

/** The proof in the words of the promise, not of the program. */
export function expectedVerdict(one: ClaimCase): ExpectedVerdict {
  const { truth } = one.final
  const { work, documents } = sortedBetween(one.base.files, one.final.files)
  const asIs = { is: 'final', broken: 'nothing', ignored: false } as const
  const old: TrialLayout = { is: 'original-tests', broken: 'nothing', keep: [] }
  const needed = neededProtectedFiles(one)
  const unclear = truth.unclear + (one.lost ? 1 : 0)
  const asked = needed.filter((path) => !one.allowedCount.has(path))
  const isAsked = asked.length > 0 || unclear > 0
  /** Gates that prove nothing: where something was to be asked, that comes first, because it may be the reason. */
  const proofGap = (because: string): ExpectedVerdict =>
    isAsked ? { is: 'accept', because, needed: asked, proofGap: true } : { is: 'unproven', because }
  if (truth.droppedCheckboxes.length > 0) return { is: 'refused', because: 'boxes are lost' }
  if (work.length + one.protectedFiles.length + unclear === 0) return { is: 'unproven', because: 'nothing has changed' }
  if (!gatesPassOn(one, asIs)) {
    if (gatesPassOn(one, { ...asIs, ignored: true }))
      return { is: 'accept', because: 'it needs files that git ignores', needed: [] }
    return { is: 'refused', because: 'it is red in a clean room' }
  }
  if (one.tells && testCountOn(one, asIs) === 0) return proofGap('no test runs')
  if (one.tells && one.counted && needed.length === 0 && testCountOn(one, old) < testCountOn(one, { is: 'base' }))
    return proofGap('the work keeps tests of the base from running')
  if (work.length > 0 && work.length === documents && !isAsked)
    return { is: 'unproven', because: 'only documents changed' }
  if (work.length - documents === 0 && !isAsked) return { is: 'unproven', because: 'only the judge changed' }
  if (work.length - documents === 0) return { is: 'accept', because: 'it needs changes of the judge', needed: asked }
  if (truth.looks === 'nobody') return proofGap('no gate looks at the work')
  if (one.tells && truth.isMutable && truth.sees === 'nobody') return proofGap('no gate sees a mistake')
  if (isAsked) return { is: 'accept', because: 'it needs changes of the judge', needed: asked }
  return { is: 'proven', because: 'it is honest' }
}
