/** What every rung needs: how it is noted on the ladder, and what a trial showed in a few words. */
import type { Evidence } from '../evidence.ts'
import { failingLines } from '../failing-lines.ts'
import type { Failing, Ladder, LadderMove, Rung, RungName } from '../rung.ts'
import type { Ran } from '../trial.ts'
import { describeFailure } from '../verdict.ts'

export interface On<R extends Rung['is']> {
  rung: Extract<Rung, { is: R }>
  trial: Ran
}

/** More names than these nobody reads. */
export const LISTED = 10

/** The gates run the work, and the work has written over what judges it. */
export function reachedForJudge(
  ladder: Ladder,
  on: { rung: RungName; trial: Ran },
  wrote: string[],
): LadderMove {
  return {
    is: 'refused',
    ladder: noted(ladder, on, `something changed ${listed(wrote)} while the gates ran`),
    say: null,
    verdict: 'tampered',
    why: `while the gates ran in the clean room, something they start changed ${listed(wrote)}`,
    tell: `While the gates ran, something they start changed ${listed(wrote)}: files that judge the work. Take that out of the work.`,
    lines: [
      'Something that the work starts writes to these files, which judge it. Take that out, and put them back if they are changed:',
      ...wrote.slice(0, LISTED),
    ],
  }
}

/** What could be chance: not a program that is missing, nor one that ran out of time. */
export function mayBeFlaky({ timedOut, missing }: Evidence): boolean {
  return !timedOut && !missing
}

/** The telling lines of what a gate said: the next prompt and the state have only so much room. */
const LINES_MAX = 1_000

export function failingOf(red: Evidence): Failing {
  return { why: describeFailure(red), lines: failingLines(red).join('\n').slice(0, LINES_MAX) }
}

/** A trial that leaves its rung open. */
export function timed(ladder: Ladder, { durationMs }: Ran): Ladder {
  return { ...ladder, pendingMs: ladder.pendingMs + durationMs }
}

export function noted(ladder: Ladder, { rung, trial }: { rung: RungName; trial: Ran }, said: string): Ladder {
  const durationMs = ladder.pendingMs + trial.durationMs
  return { ...ladder, climbed: [...ladder.climbed, { rung, said, durationMs }], pendingMs: 0 }
}

export function skipped(ladder: Ladder, rung: RungName, why: string): Ladder {
  return { ...ladder, climbed: [...ladder.climbed, { rung, said: `skipped: ${why}`, durationMs: 0 }] }
}

export function listed(names: string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}
