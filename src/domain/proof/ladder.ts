/**
 * The ladder that a completion climbs once its gates are green in the working tree. Each rung is a trial in the clean room: the completion as it
 * stands; the completion with the judge as it was, and if that is red, which changes of the judge it needs; the completion with its work made to
 * fail, and with its changed lines made wrong, which the gates must notice. A rung that cannot add anything is skipped, with its reason.
 * Pure: `climb` is told what the last trial showed and says what to try next, or what it all amounts to. Loop and `verify` both climb it.
 */
import type { Millis } from '../ids.ts'
import { never } from '../machine.ts'
import { BASE_LOST, isAboutTree, WHOLE_TREE } from './acceptance.ts'
import type { Evidence, Gate } from './evidence.ts'
import { failingLines } from './failing-lines.ts'
import { afterTrial, beginSearch, membersOf, rangesOf, searchStep, type Search } from './search.ts'
import { redIn, testsIn, wroteAnew, type Ran, type Sorting, type Broken } from './trial.ts'
import type { RungAnswer, Climb, Failing, Ladder, LadderMove, Needed, Rung, RungName, Side } from './rung.ts'
import { describeFailure } from './verdict.ts'

export function beginClimb(): LadderMove {
  const ladder: Ladder = {
    rung: { is: 'sort' },
    sorting: null,
    needed: null,
    telling: [],
    tookMs: {},
    testsAtBase: null,
    tests: null,
    climbed: [],
    pendingMs: 0,
  }
  return { is: 'sort', ladder, say: null }
}

export function climb(ladder: Ladder, answer: RungAnswer, by: Climb): LadderMove {
  if (answer.is === 'sorted') return sorted(ladder, answer.sorting, by)
  if (answer.is === 'looked') return lookedAgain(ladder, answer.changed)
  const { trial } = answer
  if (trial.is === 'room-failed') return { is: 'room-failed', why: trial.why, ladder, say: null }
  return tried(ladder, trial, by)
}

function tried(ladder: Ladder, trial: Ran, by: Climb): LadderMove {
  const { rung } = ladder
  switch (rung.is) {
    case 'room':
      return inRoom(ladder, { rung, trial }, by)
    case 'ignored':
      return withIgnored(ladder, { rung, trial })
    case 'base':
      return atBase(ladder, { rung, trial }, by)
    case 'old-judge':
      return withOldJudge(ladder, { rung, trial }, by)
    case 'needed':
      return searched(ladder, { rung, trial }, by)
    case 'looks':
      return looked(ladder, { rung, trial }, by)
    case 'expects':
      return expected(ladder, { rung, trial }, by)
    case 'mistake':
      return mistaken(ladder, { rung, trial }, by)
    // Nothing is tried there; an answer that comes all the same leads on from where the ladder stands.
    case 'sort':
    case 'last-look':
      return { is: 'look', ladder: { ...ladder, rung: { is: 'last-look' } }, say: null }
    default:
      return never(rung)
  }
}

// Rung 2: the completion as it stands, in the clean room

function sorted(ladder: Ladder, sorting: Sorting, by: Climb): LadderMove {
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

/** More names than these nobody reads. */
const LISTED = 10

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

interface On<R extends Rung['is']> {
  rung: Extract<Rung, { is: R }>
  trial: Ran
}

function inRoom(ladder: Ladder, { rung, trial }: On<'room'>, by: Climb): LadderMove {
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
  const telling = trial.results.filter(({ tests }) => (tests ?? null) !== null).map(({ gate }) => gate)
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

function ranNoTest(ladder: Ladder): LadderMove {
  return unproven(ladder, {
    why: 'the gates pass and ran 0 tests',
    tell: `The gates pass because they ran 0 tests. ${mend(ladder, 'Write tests that check the work, where the test runner finds them.')}`,
  })
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

function atBase(ladder: Ladder, { trial }: On<'base'>, by: Climb): LadderMove {
  const testsAtBase = testsIn(trial)
  const said = testsAtBase === null ? 'nobody tells how many' : `${testsAtBase} ran`
  return judgeAsItWas({ ...noted(ladder, { rung: 'base', trial }, said), testsAtBase }, by)
}

/** The gates run the work, and the work has written over what judges it. */
function reachedForJudge(ladder: Ladder, on: { rung: RungName; trial: Ran }, wrote: string[]): LadderMove {
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

/** The search for the cause went as far as one run goes: it was the ignored files, or it was not. */
function withIgnored(ladder: Ladder, { rung, trial }: On<'ignored'>): LadderMove {
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

// Rung 3: the judge as it was

function judgeAsItWas(ladder: Ladder, by: Climb): LadderMove {
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

const NOTHING_NEEDED: Needed = { changes: [], exact: true, red: null }

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
        ? `${count(judge, 'change')} of the judge put back (${listed(names.judge)}): do the gates still pass?`
        : 'the gates were red with the old judge; they are run again',
  }
}

function withOldJudge(ladder: Ladder, { rung, trial }: On<'old-judge'>, by: Climb): LadderMove {
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

function searched(ladder: Ladder, { rung, trial }: On<'needed'>, by: Climb): LadderMove {
  const search = afterTrial(rung.search, redIn(trial) === null)
  return searchOn(timed(ladder, trial), { search, red: rung.red }, by)
}

// Rung 4: does the judge look at the work?

function judgeLooks(ladder: Ladder, by: Climb): LadderMove {
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
      why: 'only files that judge the work changed, and nothing judges those',
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

function looked(ladder: Ladder, { rung, trial }: On<'looks'>, by: Climb): LadderMove {
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

function mistaken(ladder: Ladder, { rung, trial }: On<'mistake'>, by: Climb): LadderMove {
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

function expected(ladder: Ladder, { rung, trial }: On<'expects'>, by: Climb): LadderMove {
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

// Rung 6: a last look

function lastLook(ladder: Ladder): LadderMove {
  return { is: 'look', ladder: { ...ladder, rung: { is: 'last-look' } }, say: null }
}

function lookedAgain(ladder: Ladder, changed: string[]): LadderMove {
  if (changed.length > 0) {
    return {
      is: 'refused',
      ladder,
      say: null,
      verdict: 'failed',
      why: `the tree changed after the gates had passed on it: ${listed(changed)}`,
      tell: `While the claim was tried, these files changed: ${listed(changed)}. Leave nothing running when you say that you are done. If a gate writes them, they belong in .gitignore.`,
      lines: ['These files changed while the claim was tried:', ...changed.slice(0, LISTED)],
    }
  }
  const open = unpermitted(ladder)
  if (open !== null)
    return {
      is: 'accept',
      ladder,
      say: null,
      why: whyAccept(ladder, open),
      needed: open,
      ignored: [],
      tell: null,
    }
  return { is: 'proven', ladder, say: null, why: summary(ladder) }
}

function whyAccept(ladder: Ladder, { changes, exact }: Needed): string {
  const { unclear } = sortingOf(ladder)
  const isWhole = isAboutTree({ unclear })
  const files = membersOf(changes).length + unclear.length - (isWhole ? 1 : 0)
  const passes = `the work passes only with ${exact ? '' : 'one or more of '}${files === 1 ? 'this' : 'these'} changed`
  if (!isWhole) return passes
  return files === 0 ? BASE_LOST : `${BASE_LOST}; and ${passes}`
}

/** What the work needs changed and nobody has allowed; null: nothing. Also what no trial could put back. */
function unpermitted(ladder: Ladder): Needed | null {
  const { permitted, unclear } = sortingOf(ladder)
  const needed = ladder.needed ?? NOTHING_NEEDED
  const left = membersOf(needed.changes).filter((change) => change >= permitted)
  if (left.length === 0 && unclear.length === 0) return null
  return { ...needed, changes: rangesOf(left) }
}

/** A sentence of praise stays short. */
const SUMMED = 3

function summary(ladder: Ladder): string {
  const { needed, climbed } = ladder
  const numbers = membersOf(needed?.changes ?? [])
  const { names } = sortingOf(ladder)
  const first = numbers.slice(0, SUMMED).flatMap((at) => names.judge[at] ?? [])
  const more = numbers.length - first.length
  const which = `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const changed = numbers.length === 0 ? '' : `, judge changed as allowed: ${which}`
  const rungs = climbed.filter(({ durationMs }) => durationMs > 0).length
  return `proven in a clean room in ${count(rungs, 'trial')}${changed}`
}

// Words and small things

/** The gates pass and prove nothing. Where they pass only by what nobody has allowed, a person is asked about that, and hears this too. */
function unproven(ladder: Ladder, { why, tell }: { why: string; tell: string | null }): LadderMove {
  const open = unpermitted(ladder)
  if (open === null) return { is: 'unproven', ladder, say: null, why, tell }
  const needed = { ...open, blind: why }
  return { is: 'accept', ladder, say: null, why: whyAccept(ladder, open), needed, ignored: [], tell }
}

export function sortingOf({ sorting }: Ladder): Sorting {
  if (sorting === null) throw new Error('a claim climbs only after its changes were sorted')
  return sorting
}

/** What could be chance: not a program that is missing, nor one that ran out of time. */
function mayBeFlaky({ timedOut, missing }: Evidence): boolean {
  return !timedOut && !missing
}

/** The telling lines of what a gate said: the next prompt and the state have only so much room. */
const LINES_MAX = 1_000

function failingOf(red: Evidence): Failing {
  return { why: describeFailure(red), lines: failingLines(red).join('\n').slice(0, LINES_MAX) }
}

/** A trial that leaves its rung open. */
function timed(ladder: Ladder, { durationMs }: Ran): Ladder {
  return { ...ladder, pendingMs: ladder.pendingMs + durationMs }
}

function noted(ladder: Ladder, { rung, trial }: { rung: RungName; trial: Ran }, said: string): Ladder {
  const durationMs = ladder.pendingMs + trial.durationMs
  return { ...ladder, climbed: [...ladder.climbed, { rung, said, durationMs }], pendingMs: 0 }
}

function skipped(ladder: Ladder, rung: RungName, why: string): Ladder {
  return { ...ladder, climbed: [...ladder.climbed, { rung, said: `skipped: ${why}`, durationMs: 0 }] }
}

function listed(names: string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`
}
