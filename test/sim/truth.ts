/** What the gates show on an arrangement of files, and what a claim therefore amounts to: the truth that the ladder has to find. */
import { LENDS, type Arrangement, type Lend } from '../../src/domain/proof/trial.ts'
import { differing, isDocument, isJudge, withPaths, type Files, type State } from './trees.ts'

/** A claim, as the world knows it. */
export interface Case {
  base: State
  final: State
  /** Changed files of the judge, as they are numbered. */
  judge: string[]
  permitted: ReadonlySet<string>
  /** Nobody knows any more what the base was. */
  lost: boolean
  /** What the room is lent, and what it would need. */
  lend: Lend
  fitWith: Lend | 'never'
  /** A gate tells how many tests it runs. */
  tells: boolean
  /** Somebody counted them at the base. */
  counted: boolean
}

/** A moment of a trial: what lies in the room. */
export function isGreen(one: Case, arrangement: Arrangement): boolean {
  if (arrangement.is === 'base') return isLentEnough(one) && one.base.truth.sound
  const { truth } = one.final
  if (arrangement.broken !== 'nothing' && notices(one, arrangement)) return false
  const ignored = arrangement.is === 'final' && arrangement.ignored
  const lent = ignored && LENDS.indexOf(one.lend) < LENDS.indexOf('ignored') ? 'ignored' : one.lend
  const here = truth.room === 'same' || (truth.room === 'ignored' && ignored)
  if (!truth.sound || !here || !isLentEnough(one, lent)) return false
  if (arrangement.is === 'final') return true
  const kept = keptIn(one, arrangement)
  return neededOf(one).every((path) => kept.has(path))
}

export function isLentEnough({ fitWith, lend: given }: Case, lend: Lend = given): boolean {
  return fitWith !== 'never' && LENDS.indexOf(lend) >= LENDS.indexOf(fitWith)
}

/** Work that fails or is wrong is noticed by the old tests, or by the claim's own where all of them lie in the room. */
function notices(one: Case, arrangement: Exclude<Arrangement, { is: 'base' }>): boolean {
  const { looks, sees } = one.final.truth
  if (arrangement.broken === 'tests-wrong' || arrangement.broken === 'tests-fail') return true
  const eyes = arrangement.broken === 'work-wrong' ? sees : looks
  if (eyes !== 'own') return eyes === 'old'
  return arrangement.is === 'final' || keptIn(one, arrangement).size === one.judge.length
}

function keptIn({ judge }: Case, { keep }: Extract<Arrangement, { is: 'old-judge' }>): Set<string> {
  const kept = new Set<string>()
  for (const [from, to] of keep) for (let at = from; at <= to; at++) kept.add(judge[at] ?? '')
  return kept
}

/** Which of the changed files of the judge the work really needs. */
export function neededOf({ judge, final }: Case): string[] {
  return judge.filter((path) => final.truth.needs.has(path))
}

/** How many tests run on an arrangement: one in each file of the judge. */
export function testsOn(one: Case, arrangement: Arrangement): number {
  if (arrangement.is === 'base') return testFiles(one.base.files)
  const { final, base } = one
  if (arrangement.is === 'final') return Math.max(0, testFiles(final.files) - final.truth.hides)
  const kept = keptIn(one, arrangement)
  const old = one.judge.filter((path) => !kept.has(path))
  return Math.max(0, testFiles(withPaths(final.files, base.files, old)) - final.truth.hides)
}

function testFiles(files: Files): number {
  return [...files.keys()].filter(isJudge).length
}

export interface Sorted {
  judge: string[]
  work: string[]
  documents: number
}

export function sortedBetween(base: Files, final: Files): Sorted {
  const changed = differing(base, final)
  const work = changed.filter((path) => !isJudge(path))
  return { judge: changed.filter(isJudge), work, documents: work.filter(isDocument).length }
}

/** What becomes of a claim that nobody disturbs. `needed`: which files a person has to accept. */
export type Deserved =
  | { is: 'proven' | 'refused' | 'unproven'; because: string }
  /** `blind`: the gates prove nothing either, so the agent gets its chances before a person is asked. */
  | { is: 'accept'; because: string; needed: string[]; blind?: true }

/** The ladder in the words of the promise, not of the program. */
export function deserved(one: Case): Deserved {
  const { truth } = one.final
  const { work, documents } = sortedBetween(one.base.files, one.final.files)
  const asIs = { is: 'final', broken: 'nothing', ignored: false } as const
  const old: Arrangement = { is: 'old-judge', broken: 'nothing', keep: [] }
  const needed = neededOf(one)
  const unclear = truth.unclear + (one.lost ? 1 : 0)
  const asked = needed.filter((path) => !one.permitted.has(path))
  const isAsked = asked.length > 0 || unclear > 0
  /** Gates that prove nothing: where something was to be asked, that comes first, because it may be the reason. */
  const blind = (because: string): Deserved =>
    isAsked ? { is: 'accept', because, needed: asked, blind: true } : { is: 'unproven', because }
  if (truth.lostBoxes.length > 0) return { is: 'refused', because: 'boxes are lost' }
  if (work.length + one.judge.length + unclear === 0)
    return { is: 'unproven', because: 'nothing has changed' }
  if (!isGreen(one, asIs)) {
    if (isGreen(one, { ...asIs, ignored: true }))
      return { is: 'accept', because: 'it needs files that git ignores', needed: [] }
    return { is: 'refused', because: 'it is red in a clean room' }
  }
  if (one.tells && testsOn(one, asIs) === 0) return blind('no test runs')
  if (one.tells && one.counted && needed.length === 0 && testsOn(one, old) < testsOn(one, { is: 'base' }))
    return blind('the work keeps tests of the base from running')
  if (work.length > 0 && work.length === documents && !isAsked)
    return { is: 'unproven', because: 'only documents changed' }
  if (work.length - documents === 0 && !isAsked) return { is: 'unproven', because: 'only the judge changed' }
  if (work.length - documents === 0)
    return { is: 'accept', because: 'it needs changes of the judge', needed: asked }
  if (truth.looks === 'nobody') return blind('no gate looks at the work')
  if (one.tells && truth.wrongable && truth.sees === 'nobody') return blind('no gate sees a mistake')
  if (isAsked) return { is: 'accept', because: 'it needs changes of the judge', needed: asked }
  return { is: 'proven', because: 'it is honest' }
}
