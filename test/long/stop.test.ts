/**
 * A stop is obeyed in every phase of a run, however it is asked for: the run is held where it is (by an agent, a gate or a git that
 * never ends, or by a far reset), then told to stop, and the process must be gone with all it started.
 *
 * Dialects take turns over the phases; `RALPH_STOP_ALL=1` tries every phase in each of them.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DONE, testProject, NOT_YET, type TestProject, type Program } from '../test-project.ts'
import {
  gate,
  startStuckRun,
  stuckPidOf,
  leftoversOf,
  isProcessAlive,
  release,
  SIGNALS,
  stopStuckRun,
  stopStuckRunTwice,
  STUCK,
  type Phase,
} from '../walk/stuck-run.ts'

const HALF = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'Half.', fields: NOT_YET },
] as const
const ALL = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
const HANG = [{ do: 'shell', command: 'echo $PPID > ../held' }, { do: 'hang' }] as const
const LIMIT = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3 * 3_600_000 }] as const

const PHASES: Phase[] = [
  { name: 'the look before the first iteration', turns: [[...HALF]], git: { sub: 'write-tree', once: null } },
  { name: 'a gate of the baseline', toml: gate(STUCK), turns: [[...HALF]] },
  { name: 'the work of an agent', turns: [[...HANG]] },
  { name: 'the look after an agent', turns: [[...HALF]], git: { sub: 'write-tree', once: 'one.txt' } },
  {
    name: 'a commit',
    toml: '[loop]\ncommit = "iteration"\n',
    turns: [[...HALF]],
    git: { sub: 'commit', once: null },
  },
  { name: 'a usage limit', turns: [[...LIMIT]], shows: 'waits until' },
  { name: 'the quota of the hour', args: ['--calls', '1'], turns: [[...HALF]], shows: 'waits until' },
  {
    name: 'the back-off after a failure',
    toml: '[retry]\nfirst = "1h"\nmax = "1h"\n',
    turns: [[{ do: 'crash', signal: 'SIGKILL' }]],
    shows: 'retrying in',
  },
  {
    name: 'an outage',
    toml: '[retry]\nfirst = "1h"\nmax = "1h"\n',
    turns: [[{ do: 'limit', kind: 'overload' }]],
    shows: 'next try',
  },
  {
    name: 'pause between iterations',
    toml: '[loop]\npause = "1h"\n',
    turns: [[...HALF]],
    shows: 'not finished yet',
  },
  { name: 'a gate of the proof', toml: gate(`test ! -e one.txt || { ${STUCK}; }`), turns: [[...ALL]] },
  {
    name: 'a second opinion',
    toml: `${gate('true')}[proof]\nreviewer = "copilot"\n`,
    turns: [[...ALL], [...HANG]],
  },
]

const DIALECTS: Program[] = ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'cursor-agent']

const cases = PHASES.flatMap((phase, i) =>
  (process.env['RALPH_STOP_ALL'] === undefined ? [DIALECTS[i % DIALECTS.length] ?? 'claude'] : DIALECTS).map(
    (agent) => ({ phase, agent }),
  ),
)

describe('a stop is obeyed during', () => {
  test.each(cases)('$phase.name ($agent)', async ({ phase, agent }) => {
    await Promise.all(
      SIGNALS.map(async (signal) => {
        const fixture = await stopStuckRun(phase, agent, signal)
        if (signal.afterwards === 'loop' && phase.shows === undefined) await beginsAnew(fixture, agent)
      }),
    )
  })
})

describe('a second Ctrl+C ends everything at once during', () => {
  const deaf = { sub: 'write-tree', once: null }
  test.each([
    { name: 'a look', turns: [[...HALF]], git: deaf },
    {
      name: 'a commit',
      toml: '[loop]\ncommit = "iteration"\n',
      turns: [[...HALF]],
      git: { sub: 'commit', once: null },
    },
    { name: 'a gate', toml: gate(`trap '' TERM; ${STUCK}`), turns: [[...HALF]] },
    {
      name: 'the work of an agent',
      toml: '[agent]\nstop_grace = "10m"\n',
      turns: [[{ do: 'ignore-term' as const }, ...HANG]],
    },
  ] satisfies Phase[])('$name', async (phase) => {
    await stopStuckRunTwice(phase)
  })
})

test('a signal while a finished run is tidied up cuts that short', async () => {
  const phase: Phase = {
    name: 'clean-up',
    toml: gate('true'),
    turns: [[...ALL]],
    git: { sub: 'for-each-ref', once: 'one.txt' },
  }
  const { fixture, walk } = await startStuckRun(phase, 'claude')
  const ran = await walk.kill('SIGINT')
  expect([ran.code, walk.output()]).toEqual([130, expect.stringContaining('GATES PASSED')])
  expect(await leftoversOf(fixture)).toEqual([])
})

test('git that a killed Ralph left running is ended by the next start', async () => {
  const phase = PHASES[0]
  if (phase === undefined) throw new Error('there is no first phase')
  const { fixture, walk } = await startStuckRun(phase, 'claude')
  await walk.kill('SIGKILL')
  const pid = await stuckPidOf(fixture)
  expect(isProcessAlive(pid)).toBe(true)
  await release(fixture)
  await fixture.play([[...ALL], [...ALL]])
  expect((await fixture.ralph(['loop'])).stdout).toContain('Resuming run')
  expect(isProcessAlive(pid)).toBe(false)
})

test('Ctrl+C ends the gates of `ralph verify`', async () => {
  const fixture = await testProject({ toml: gate(STUCK) })
  const walk = fixture.start(['verify'])
  const pid = await stuckPidOf(fixture)
  const ran = await walk.kill('SIGINT')
  expect([ran.code, isProcessAlive(pid)]).toEqual([130, false])
  expect(await leftoversOf(fixture)).toEqual([])
})

/** What was cut off is not in the way of what comes next. */
async function beginsAnew(fixture: TestProject, agent: Program): Promise<void> {
  await release(fixture)
  await rm(join(fixture.path, 'one.txt'), { force: true })
  await fixture.write('.ralph.toml', gate('true'))
  await fixture.play([[...ALL]])
  const ran = await fixture.ralph(['loop', '--agent', agent])
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('GATES PASSED')])
}
