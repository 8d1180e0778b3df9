/** Rung 3: the judge as it was, and if that is red, which of its changes the work needs. */
import { count } from '../../text/amounts.ts'
import { sortingOf, type Climb, type Failing, type Ladder, type LadderMove, type Needed } from '../rung.ts'
import { afterTrial, beginSearch, membersOf, searchStep, type Search } from '../search.ts'
import { redIn, testsIn, wroteAnew, type Ran } from '../trial.ts'
import { describeFailure } from '../verdict.ts'
import { judgeLooks } from './broken-work.ts'
import { failingOf, listed, mayBeFlaky, noted, reachedForJudge, skipped, timed, type On } from './climbed.ts'
import { NOTHING_NEEDED, unproven } from './last-look.ts'

export function judgeAsItWas(ladder: Ladder, by: Climb): LadderMove {
  const sorting = sortingOf(ladder)
  if (sorting.judge === 0) {
    // With the judge unchanged the completion was tried with the old judge already.
    const fewer = fewerTests(ladder, ladder.tests)
    if (fewer !== null) return fewer
    return judgeLooks(
      skipped({ ...ladder, needed: NOTHING_NEEDED }, 'old-judge', 'nothing of the judge has changed'),
      by,
    )
  }
  return tryOldJudge(ladder, by)
}

function tryOldJudge(ladder: Ladder, by: Climb, tries = 0): LadderMove {
  const { judge, names } = sortingOf(ladder)
  return {
    is: 'try',
    ladder: { ...ladder, rung: { is: 'old-judge', tries } },
    arrangement: { is: 'old-judge', broken: 'nothing', keep: [] },
    gates: by.gates,
    purpose: 'old-judge',
    say:
      tries === 0
        ? `${count(judge, 'change')} of tests, configuration and the like put back (${listed(names.judge)}): do the gates still pass?`
        : 'the gates were red with the old judge; they are run again',
  }
}

export function withOldJudge(ladder: Ladder, { rung, trial }: On<'old-judge'>, by: Climb): LadderMove {
  const red = redIn(trial)
  const wrote = wroteAnew(trial, by.wroteAtBase)
  if (red === null && wrote.length > 0) return reachedForJudge(ladder, { rung: 'old-judge', trial }, wrote)
  if (red === null) return harmless(ladder, trial, by)
  if (mayBeFlaky(red) && rung.tries < by.reruns) return tryOldJudge(timed(ladder, trial), by, rung.tries + 1)
  const known = noted(ladder, { rung: 'old-judge', trial }, `red: ${describeFailure(red)}`)
  const search = beginSearch(sortingOf(ladder).judge, trial.named, by.trials)
  return searchOn(known, { search, red: failingOf(red) }, by)
}

function harmless(ladder: Ladder, trial: Ran, by: Climb): LadderMove {
  const known = noted(ladder, { rung: 'old-judge', trial }, 'green: every change of the judge is harmless')
  return fewerTests(known, testsIn(trial)) ?? judgeLooks({ ...known, needed: NOTHING_NEEDED }, by)
}

/** Fewer tests under the same judge have no honest reason, and none at all only where all are new. Null: there are as many as ever. */
function fewerTests(ladder: Ladder, ran: number | null): LadderMove | null {
  const { testsAtBase } = ladder
  const { judge, judgeAdded } = sortingOf(ladder)
  if (ran === 0 && judge > 0 && judgeAdded === 0) {
    return unproven(ladder, {
      why: 'with the judge as it was the gates run 0 tests',
      tell: 'With the tests as they were, the gates run none of them, so only what you changed in them judges your work. Make them run.',
    })
  }
  if (ran === null || testsAtBase === null || ran >= testsAtBase) return null
  return unproven(ladder, {
    why: `with the judge as it was only ${ran} of ${testsAtBase} tests run`,
    tell: `With the tests as they were, only ${ran} of ${testsAtBase} run: something in the work keeps them from running. Undo that.`,
  })
}

function searchOn(ladder: Ladder, found: { search: Search; red: Failing }, by: Climb): LadderMove {
  const step = searchStep(found.search)
  if (step.is === 'try') {
    return {
      is: 'try',
      ladder: { ...ladder, rung: { is: 'needed', ...found } },
      arrangement: { is: 'old-judge', broken: 'nothing', keep: step.keep },
      gates: by.gates,
      purpose: 'needed',
      say: null,
    }
  }
  const needed: Needed = { changes: step.files, exact: step.exact, red: found.red }
  return judgeLooks({ ...toldSearch(ladder, needed, by.trials - found.search.left), needed }, by)
}

/** A single change needs no search. */
function toldSearch(ladder: Ladder, { changes, exact }: Needed, trials: number): Ladder {
  if (trials === 0) return ladder
  const { names } = sortingOf(ladder)
  const numbers = membersOf(changes)
  const some = `${exact ? '' : 'one or more of '}${listed(numbers.map((at) => names.judge[at] ?? `change ${at + 1}`))}`
  const said = `${some}, found in ${count(trials, 'trial')}`
  return {
    ...ladder,
    climbed: [...ladder.climbed, { rung: 'needed', said, durationMs: ladder.pendingMs }],
    pendingMs: 0,
  }
}

export function searched(ladder: Ladder, { rung, trial }: On<'needed'>, by: Climb): LadderMove {
  const search = afterTrial(rung.search, redIn(trial) === null)
  return searchOn(timed(ladder, trial), { search, red: rung.red }, by)
}
