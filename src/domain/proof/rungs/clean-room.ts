/** Rung 2: the completion as it stands, in the clean room; and why it is red there, if it is. */
import { BASE_LOST, WHOLE_TREE } from '../acceptance.ts'
import { sortingOf, type Climb, type Ladder, type LadderMove } from '../rung.ts'
import { redIn, testsIn, wroteAnew, type Sorting } from '../trial.ts'
import { describeFailure } from '../verdict.ts'
import { ranNoTest } from './broken-work.ts'
import { failingOf, LISTED, listed, mayBeFlaky, noted, reachedForJudge, timed, type On } from './climbed.ts'
import { judgeAsItWas } from './judge-before.ts'

export function sorted(ladder: Ladder, sorting: Sorting, by: Climb): LadderMove {
  const known = { ...ladder, sorting: vouched(sorting, by) }
  if (sorting.lostBoxes.length > 0) return boxesLost(known, sorting.lostBoxes)
  if (sorting.work + sorting.judge + known.sorting.unclear.length === 0) return nothingChanged(known, by)
  return tryRoom(known, by)
}

/** A base that nobody has vouched for is itself something that no trial can put back. */
function vouched(sorting: Sorting, { base }: Climb): Sorting {
  if (base.from !== 'lost') return sorting
  return { ...sorting, unclear: [{ path: WHOLE_TREE, why: BASE_LOST }, ...sorting.unclear] }
}

function boxesLost(ladder: Ladder, boxes: string[]): LadderMove {
  const list = boxes.map((box) => `- ${box}`).join('\n')
  return {
    is: 'refused',
    ladder,
    say: null,
    verdict: 'failed',
    why: `${boxes.length === 1 ? 'a box that was' : `${boxes.length} boxes that were`} open ${boxes.length === 1 ? 'is' : 'are'} gone from the plan without being ticked: ${boxes.slice(0, 3).join('; ')}`,
    tell: `These boxes were open and are gone from the plan, or stand under an optional heading now. Put them back and do the work:\n${list}`,
    lines: ['Put these boxes back into the plan:', ...boxes.slice(0, LISTED).map((box) => `- [ ] ${box}`)],
  }
}

/** Who claims work and has done none is sent back; who asks about the tree alone hears that its proof still holds, if there is one. */
function nothingChanged(ladder: Ladder, { base, about, testsAtBase }: Climb): LadderMove {
  const still = { ladder: { ...ladder, tests: testsAtBase }, say: null }
  const since = base.from === 'first' ? 'since the work began' : `since the state that was ${base.from} last`
  const why = `nothing has changed ${since}${base.from === 'first' ? ', so the gates say nothing about it' : ''}`
  if (about === 'work') {
    const tell = 'Nothing has changed since the work began. Do the work before you say that it is done.'
    return { is: 'unproven', why, tell, ...still }
  }
  if (base.from === 'first') return { is: 'unproven', why, tell: null, ...still }
  if (about === 'state') return { is: 'proven', why, ...still }
  return {
    is: 'unproven',
    why: `nothing but what a person changed is new ${since}; to have that judged: ralph verify --since REF`,
    tell: null,
    ...still,
  }
}

function tryRoom(ladder: Ladder, by: Climb, tries = 0): LadderMove {
  return {
    is: 'try',
    ladder: { ...ladder, rung: { is: 'room', tries } },
    arrangement: { is: 'final', broken: 'nothing', ignored: false },
    gates: by.gates,
    purpose: 'room',
    say: tries === 0 ? null : 'the gates were red in the clean room; they are run again there',
  }
}

export function inRoom(ladder: Ladder, { rung, trial }: On<'room'>, by: Climb): LadderMove {
  const red = redIn(trial)
  const wrote = wroteAnew(trial, by.wroteAtBase)
  if (red === null && wrote.length > 0) return reachedForJudge(ladder, { rung: 'room', trial }, wrote)
  if (red !== null) {
    if (mayBeFlaky(red) && rung.tries < by.reruns) return tryRoom(timed(ladder, trial), by, rung.tries + 1)
    return {
      is: 'try',
      ladder: noted(
        { ...ladder, rung: { is: 'ignored', red: failingOf(red) } },
        { rung: 'room', trial },
        `red: ${describeFailure(red)}`,
      ),
      arrangement: { is: 'final', broken: 'nothing', ignored: true },
      gates: by.gates,
      purpose: 'ignored',
      say: 'green in the working tree and red in the clean room; once more with the files that git ignores',
    }
  }
  const telling = trial.results.filter(({ tests }) => tests !== null).map(({ gate }) => gate)
  const passed = noted(
    {
      ...ladder,
      telling,
      tests: testsIn(trial),
      tookMs: Object.fromEntries(trial.results.map(({ gate, durationMs }) => [gate, durationMs])),
    },
    { rung: 'room', trial },
    rung.tries > 0 ? 'green, after it had been red' : 'green',
  )
  // Where the judge changed, that may be why: then the change is what to ask about.
  if (passed.tests === 0 && sortingOf(ladder).judge === 0) return ranNoTest(passed)
  const counted = { ...passed, testsAtBase: by.testsAtBase }
  if (by.testsAtBase === null && telling.length > 0) return countAtBase(counted, by)
  return judgeAsItWas(counted, by)
}

/** The base is another one than the room was last counted with: a person moved it. */
function countAtBase(ladder: Ladder, by: Climb): LadderMove {
  return {
    is: 'try',
    ladder: { ...ladder, rung: { is: 'base' } },
    arrangement: { is: 'base' },
    gates: by.gates.filter(({ name }) => ladder.telling.includes(name)),
    purpose: 'base',
    say: null,
  }
}

export function atBase(ladder: Ladder, { trial }: On<'base'>, by: Climb): LadderMove {
  const testsAtBase = testsIn(trial)
  const said = testsAtBase === null ? 'nobody tells how many' : `${testsAtBase} ran`
  return judgeAsItWas({ ...noted(ladder, { rung: 'base', trial }, said), testsAtBase }, by)
}

/** The search for the cause went as far as one run goes: it was the ignored files, or it was not. */
export function withIgnored(ladder: Ladder, { rung, trial }: On<'ignored'>): LadderMove {
  const { red } = rung
  if (redIn(trial) === null) {
    const known = noted(ladder, { rung: 'ignored', trial }, 'green with the files that git ignores')
    const why = `the work passes only with files that git ignores: ${listed(trial.lent)}`
    return {
      is: 'accept',
      ladder: known,
      say: null,
      why,
      needed: { changes: [], exact: true, red },
      ignored: trial.lent,
      tell: null,
    }
  }
  return {
    is: 'refused',
    ladder: noted(ladder, { rung: 'ignored', trial }, 'red with the files that git ignores as well'),
    say: null,
    verdict: 'failed',
    why: `the gates pass where you work and fail in a clean copy of the same files: ${red.why}`,
    tell: `The gates pass in the working tree, but in a clean copy of exactly these files they fail: ${red.why}. ${red.lines}\nThe work must not need anything that lies outside the project's own files: caches, ignored files, running processes, settings of this machine.`,
    lines: red.lines.split('\n').filter((line) => line.trim() !== ''),
  }
}
