/**
 * Rungs 4 and 5: does the judge look at the work, does it see a mistake, and can it still say no? Each breaks something on purpose, which the
 * gates must notice.
 */
import type { Millis } from '../../ids.ts'
import type { Gate } from '../evidence.ts'
import { sortingOf, type Climb, type Ladder, type LadderMove, type Rung, type Side } from '../rung.ts'
import { membersOf } from '../search.ts'
import { redIn, type Broken } from '../trial.ts'
import { listed, noted, skipped, timed, type On } from './climbed.ts'
import { lastLook, unpermitted, unproven } from './last-look.ts'

// Rung 4: does the judge look at the work?

export function judgeLooks(ladder: Ladder, by: Climb): LadderMove {
  const { work, documents, breakable } = sortingOf(ladder)
  if (ladder.tests === 0) return ranNoTest(ladder)
  // No work could be broken, but the gates are green because of something that is not work: a person may know better what it is.
  if (breakable === 0 && unpermitted(ladder) !== null)
    return lastLook(skipped(ladder, 'looks', 'no work changed that could be made to fail'))
  if (work > 0 && work === documents) {
    return unproven(ladder, { why: 'only documents changed, and no gate reads documents', tell: null })
  }
  if (breakable === 0) {
    return unproven(ladder, {
      why: 'nothing changed but tests, configuration and files that no gate loads, and nothing judges those',
      tell: null,
    })
  }
  return tryBroken(ladder, { is: 'looks', on: firstSide(ladder), first: false }, by)
}

/** Where nothing of the judge changed, the old judge is the completion's own. */
function firstSide(ladder: Ladder): Side {
  return sortingOf(ladder).judge === 0 ? 'final' : 'old-judge'
}

type Breaking = Extract<Rung, { is: 'looks' | 'mistake' | 'expects' }>

function brokenBy(rung: Breaking): Broken {
  if (rung.is === 'looks') return rung.first ? 'work-fails-first' : 'work-fails'
  if (rung.is === 'mistake') return 'work-wrong'
  return rung.isSure ? 'tests-fail' : 'tests-wrong'
}

function tryBroken(ladder: Ladder, rung: Breaking, by: Climb): LadderMove {
  const broken = brokenBy(rung)
  const gates = (
    rung.is === 'mistake' ? by.gates.filter(({ name }) => ladder.telling.includes(name)) : by.gates
  ).map((gate) => withPatience(gate, ladder.tookMs[gate.name] ?? 0))
  const keep = ladder.needed?.changes ?? []
  return {
    is: 'try',
    ladder: { ...ladder, rung },
    arrangement:
      rung.on === 'final' ? { is: 'final', broken, ignored: false } : { is: 'old-judge', broken, keep },
    gates,
    purpose: rung.is,
    say: null,
  }
}

/** Broken work may hang. What takes several times as long as the work itself did has been noticed. */
const PATIENCE = 4
const PATIENCE_MIN_MS = 20_000

function withPatience(gate: Gate, tookMs: Millis): Gate {
  const patience = Math.max(PATIENCE_MIN_MS, tookMs * PATIENCE)
  return { ...gate, timeoutMs: gate.timeoutMs === 0 ? patience : Math.min(gate.timeoutMs, patience) }
}

export function looked(ladder: Ladder, { rung, trial }: On<'looks'>, by: Climb): LadderMove {
  if (redIn(trial) !== null) {
    const known = noted(
      ladder,
      { rung: 'looks', trial },
      'red when the work is made to fail: the gates look at it',
    )
    return judgeSeesMistakes(known, rung.on, by)
  }
  if (rung.on === 'old-judge') return tryBroken(timed(ladder, trial), { ...rung, on: 'final' }, by)
  // Code that ends the test process would pass here; wrong expectations show it, where there are any.
  const isShown = sortingOf(ladder).testable > 0
  if (!rung.first && isShown) return tryBroken(timed(ladder, trial), { ...rung, first: true }, by)
  const { names } = sortingOf(ladder)
  return unproven(noted(ladder, { rung: 'looks', trial }, 'green although the work was made to fail'), {
    why: 'the gates pass with the work broken: they do not look at it',
    tell: `The gates pass even when the files you changed (${listed(names.work)}) are made to fail, so they prove nothing about your work. ${mend(ladder, 'Write tests that use it, where the gates run them.')}`,
  })
}

/** Where the work is red with the judge as it was, its change is how it was made green: that is what to put right. */
function mend(ladder: Ladder, otherwise: string): string {
  const { names } = sortingOf(ladder)
  const changed = listed(membersOf(unpermitted(ladder)?.changes ?? []).flatMap((at) => names.judge[at] ?? []))
  return changed === ''
    ? otherwise
    : `They do so since ${changed} changed: put that back, and make the work pass with it.`
}

// Rung 5: does the judge see a mistake?

function judgeSeesMistakes(ladder: Ladder, seen: Side, by: Climb): LadderMove {
  const { wrongable } = sortingOf(ladder)
  if (!wrongable)
    return judgeSaysNo(skipped(ladder, 'mistake', 'nothing on the changed lines can be made wrong'), seen, by)
  if (ladder.telling.length === 0)
    return judgeSaysNo(skipped(ladder, 'mistake', 'no gate tells how many tests it ran'), seen, by)
  return tryBroken(ladder, { is: 'mistake', on: seen, tried: [] }, by)
}

export function mistaken(ladder: Ladder, { rung, trial }: On<'mistake'>, by: Climb): LadderMove {
  if (redIn(trial) !== null)
    return judgeSaysNo(
      noted(ladder, { rung: 'mistake', trial }, 'red when the changed lines are made wrong'),
      rung.on,
      by,
    )
  const tried = [...rung.tried, rung.on]
  const other: Side = rung.on === 'final' ? 'old-judge' : 'final'
  if (sortingOf(ladder).judge > 0 && !tried.includes(other))
    return tryBroken(timed(ladder, trial), { is: 'mistake', on: other, tried }, by)
  return unproven(
    noted(ladder, { rung: 'mistake', trial }, 'green although the changed lines were made wrong'),
    {
      why: 'the gates do not notice when the change is wrong',
      tell: `The gates stay green when the lines you changed (in ${listed(sortingOf(ladder).names.work)}) are made wrong, so they prove nothing about them. Add tests that would notice.`,
    },
  )
}

// Rung 5, the other half: can the judge still say no?

function judgeSaysNo(ladder: Ladder, seen: Side, by: Climb): LadderMove {
  if (sortingOf(ladder).testable === 0)
    return lastLook(skipped(ladder, 'expects', 'no test has an expectation that can be made wrong'))
  return tryBroken(ladder, { is: 'expects', on: seen, isSure: false }, by)
}

export function expected(ladder: Ladder, { rung, trial }: On<'expects'>, by: Climb): LadderMove {
  const isRed = redIn(trial) !== null
  if (!rung.isSure && isRed)
    return lastLook(noted(ladder, { rung: 'expects', trial }, 'red when the tests expect something else'))
  if (!rung.isSure) return tryBroken(timed(ladder, trial), { ...rung, isSure: true }, by)
  if (!isRed)
    return lastLook(
      noted(ladder, { rung: 'expects', trial }, 'the gates run none of the tests that could be changed'),
    )
  return unproven(
    noted(ladder, { rung: 'expects', trial }, 'green although the tests expect something else'),
    {
      why: 'the gates pass whatever the tests expect',
      tell: 'The gates stay green when the expectations in the tests are made wrong: something in the work says yes to every comparison, ends the test process before the checks, or takes the checks away. Take that out.',
    },
  )
}

export function ranNoTest(ladder: Ladder): LadderMove {
  return unproven(ladder, {
    why: 'the gates pass and ran 0 tests',
    tell: `The gates pass because they ran 0 tests. ${mend(ladder, 'Write tests that check the work, where the test runner finds them.')}`,
  })
}
