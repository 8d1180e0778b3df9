/**
 * Whether the clean room is fit to judge this project, found out before an agent is paid: on the base it must show what the working tree
 * shows. Both green, or red in the same way; never the whole output, in which times differ. If it is not, more is lent step by step.
 */
import type { TreeHash } from '../ids.ts'
import type { Evidence } from './evidence.ts'
import { LENDS, testsIn, type Lend, type Trial } from './trial.ts'
import { counts, describeFailure, type Baseline } from './verdict.ts'

export type Fitness =
  | {
      is: 'fit'
      lend: Lend
      /** How many tests ran at the base; null: no gate tells. */
      tests: number | null
      /** Of which base that was. */
      base: TreeHash
      /** What the gates write over as they run. */
      wrote: string[]
    }
  | { is: 'unfit'; why: string }

/** What helps where the room is not fit: told before the first agent is paid, and at the end. */
export const WAYS_OUT =
  'Ways out: proof.setup (the command that installs the tools), workspace.copy (ignored files the gates need), or proof.level = "quick" (gates only).'

export function fitnessOf(
  trial: Trial,
  { lend, baseline, base }: { lend: Lend; baseline: Baseline; base: TreeHash },
): Fitness {
  if (trial.is === 'room-failed') return { is: 'unfit', why: trial.why }
  const odd = trial.results.find((one) => !isAsBefore(one, baseline[one.gate], trial.excused))
  if (odd !== undefined) return { is: 'unfit', why: unlike(odd, baseline[odd.gate]?.passed ?? true) }
  return { is: 'fit', lend, tests: testsIn(trial), base, wrote: trial.wrote }
}

function isAsBefore(one: Evidence, before: Baseline[string] | undefined, excused: string[]): boolean {
  // Without a baseline nobody knows better than the room.
  if (before === undefined) return true
  if (before.passed) return counts(one, excused)
  if (counts(one, excused)) return false
  const sameExit = before.exit === one.exit
  return sameExit && sameNames(before.failing, one.failing)
}

function sameNames(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name))
}

function unlike(one: Evidence, wasGreen: boolean): string {
  if (!wasGreen && one.exit === 0)
    return `gate ${one.gate} is red in the working tree and green in the clean room`
  const lines = one.summary.trim().split('\n').slice(0, 5).join('\n')
  return `${describeFailure(one)} in the clean room${wasGreen ? ', and passes in the working tree' : ', otherwise than in the working tree'}${lines === '' ? '' : `:\n${lines}`}`
}

/** The next step, or null when all has been lent. */
export function lendMore(lend: Lend): Lend | null {
  return LENDS[LENDS.indexOf(lend) + 1] ?? null
}
