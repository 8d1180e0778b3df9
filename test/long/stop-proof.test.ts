/**
 * A stop is obeyed, and a crash survived, in every phase in which a completion is judged; of the clean room's processes none is left.
 * The ways to stop take turns over the phases; `RALPH_STOP_ALL=1` tries each of them in every phase.
 */
import { describe, expect, test } from 'vitest'
import { DONE, type TestProject } from '../test-project.ts'
import {
  gate,
  startStuckRun,
  stuckPidOf,
  leftoversOf,
  isProcessAlive,
  makeStuckProject,
  release,
  SIGNALS,
  stopStuckRun,
  stopStuckRunTwice,
  type Phase,
} from '../walk/stuck-run.ts'

const WORK = [
  { do: 'write', path: 'src/one.sh', content: 'echo $((1 + 2)) # new\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
/** Changes of the protected files, for the proof steps that are about them. */
const ONE = { do: 'write', path: 'test/one.sh', content: 'echo new\n' } as const
const TWO = { do: 'write', path: 'test/two.sh', content: 'echo new\n' } as const

const LOOKS = '[ "$(sh src/one.sh)" = 3 ]'

interface ProofPhase extends Phase {
  /** How a run ends here that nobody holds. */
  ends?: number
}

function judged(phase: Partial<ProofPhase> & { name: string }): ProofPhase {
  return { toml: gate('check'), check: LOOKS, turns: [[...WORK]], proof: 'full', ...phase }
}

const PHASES: ProofPhase[] = [
  judged({ name: 'finding the base', git: { sub: '--stage', once: '.git/refs/ralph' } }),
  judged({ name: 'making the clean room', git: { sub: 'fetch', once: null } }),
  judged({
    name: 'its set-up',
    toml: `${gate('true && sh src/one.sh')}[proof]\nsetup = "check"\n`,
    check: 'hold',
  }),
  judged({ name: 'finding out whether it is fit', check: `in_room && hold; ${LOOKS}` }),
  judged({
    name: 'sorting the changes',
    git: { sub: '--stage', once: 'changed' },
    check: `! new src/one.sh || : > changed; ${LOOKS}`,
  }),
  judged({ name: 'the trial in the clean room', check: `in_room && new src/one.sh && hold; ${LOOKS}` }),
  judged({
    name: 'the trial with the judge as it was',
    turns: [[ONE, ...WORK]],
    check: `in_room && new src/one.sh && ! new test/one.sh && hold; ${LOOKS}`,
  }),
  judged({
    name: 'the search for the needed changes',
    turns: [[ONE, TWO, ...WORK]],
    check: [
      'in_room && new test/one.sh && ! new test/two.sh && hold',
      'in_room && ! new test/one.sh && new test/two.sh && hold',
      `! new src/one.sh || { new test/one.sh && new test/two.sh && ${LOOKS}; }`,
    ].join('\n'),
    ends: 5,
  }),
  judged({
    name: 'the trial with the work made to fail',
    check: `sh src/one.sh > /dev/null || hold; ${LOOKS}`,
  }),
  judged({
    name: 'the trial with the change made wrong',
    check: `echo 1..1; echo ok 1; sh src/one.sh > /dev/null || exit 1; ${LOOKS} || { hold; exit 1; }`,
  }),
  judged({
    name: 'the last look',
    git: { sub: '--stage', once: '../flag' },
    check: `${LOOKS} || { flag; exit 1; }`,
  }),
]

const cases = PHASES.flatMap((phase, i) =>
  SIGNALS.filter((_, j) => process.env['RALPH_STOP_ALL'] !== undefined || i % SIGNALS.length === j).map((signal) => ({
    phase,
    signal,
  })),
)

describe('a stop is obeyed while a completion is proven, during', () => {
  test.each(cases)('$phase.name ($signal.by)', async ({ phase, signal }) => {
    const fixture = await stopStuckRun(phase, 'claude', signal)
    await endsAsEver(fixture, phase)
  })
})

describe('a second Ctrl+C ends everything at once during', () => {
  test.each(PHASES.filter(({ name }) => ['finding the base', 'the trial in the clean room'].includes(name)))(
    '$name',
    stopStuckRunTwice,
  )
})

describe('a Ralph that was killed is resumed, and what it left is ended, during', () => {
  test.each(
    PHASES.filter(({ name }) =>
      [
        'making the clean room',
        'its set-up',
        'the trial in the clean room',
        'the trial with the work made to fail',
        'the last look',
      ].includes(name),
    ),
  )('$name', async (phase) => {
    const { fixture, walk } = await startStuckRun(phase, 'claude')
    const pid = await stuckPidOf(fixture, walk)
    await walk.kill('SIGKILL')
    expect(isProcessAlive(pid)).toBe(true)
    await release(fixture)
    const again = await fixture.ralph(['loop'])
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('PROVEN DONE')])
    expect(again.stdout).toContain('Resuming run')
    expect([isProcessAlive(pid), await leftoversOf(fixture)]).toEqual([false, []])
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })
})

test.each(['in the working tree', 'in the clean room'])('Ctrl+C ends the gates of `ralph verify` %s', async (where) => {
  const check = where === 'in the clean room' ? `in_room && hold; ${LOOKS}` : `hold; ${LOOKS}`
  const fixture = await makeStuckProject(judged({ name: 'verify', check }))
  await fixture.write('src/one.sh', WORK[0].content)
  const walk = fixture.start(['verify'])
  const pid = await stuckPidOf(fixture, walk)
  const ran = await walk.kill('SIGINT')
  expect([ran.code, isProcessAlive(pid), await leftoversOf(fixture)]).toEqual([130, false, []])
  await release(fixture)
  expect((await fixture.ralph(['verify'])).code).toBe(0)
})

/** What was cut off is not in the way of what comes next. */
async function endsAsEver(fixture: TestProject, { turns, ends = 0 }: ProofPhase): Promise<void> {
  await release(fixture)
  await fixture.play(turns)
  const ran = await fixture.ralph(['loop'])
  const words = ends === 0 ? 'PROVEN DONE' : 'NEEDS REVIEW'
  expect([ran.code, ran.stdout]).toEqual([ends, expect.stringMatching(new RegExp(words, 'i'))])
}
