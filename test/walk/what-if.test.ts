/** `ralph replay --what-if` and `--from`, as a user types them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed' })))
afterAll(() => night.remove())

test('the binary tells the first decision that differs, with both reasons', async () => {
  const { stdout, code } = await night.ralph(['replay', night.run, '--what-if', 'loop.max_iterations=1'])
  expect([code, stdout.split('\n').slice(0, 3)]).toEqual([
    0,
    [
      expect.stringMatching(
        new RegExp(
          `^Run ${night.run} with loop\\.max_iterations=1: the first different decision is in row \\d+, iteration 1, after snapshot-taken\\.$`,
        ),
      ) as string,
      '    recorded  loop: iteration 2 is next',
      '    instead   exit: iteration_limit: the run used its one iteration',
    ],
  ])
  expect(stdout).toContain('(recorded facts)')
})

test('settings may be given one after another or by the flag again', async () => {
  const told = async (...argv: string[]): Promise<unknown> =>
    (JSON.parse((await runCommand(night, 'replay', '--json', ...argv)).out) as { changes: unknown }).changes
  const both = ['exit.confirm=2', 'proof.reruns=0']
  expect(await told('--what-if', 'exit.confirm=2', 'proof.reruns=0')).toEqual(both)
  expect(await told('--what-if', 'exit.confirm=2', '--what-if', 'proof.reruns=0')).toEqual(both)
})

test('settings that change nothing are said to', async () => {
  const { out } = await runCommand(night, 'replay', '--what-if', 'breaker.no_progress=50')
  expect(out).toMatch(/: no decision differs \(\d+ rows\)\.$/m)
})

test('--from begins with an iteration', async () => {
  const { out } = await runCommand(night, 'replay', '--speed', '0', '--from', '3')
  expect([out.includes('Everything is done.'), out.includes('Now it is.')]).toEqual([false, true])
  const { code, err } = await runCommand(night, 'replay', '--from', '9')
  expect([code, err]).toEqual([1, expect.stringContaining('has no iteration 9') as string])
})

test('the night still follows from its rows', async () => {
  const { code, out } = await runCommand(night, 'replay', '--check')
  expect([code, out]).toEqual([0, expect.stringMatching(/all \d+ rows and the saved state match/) as string])
})

test.each([
  [['--what-if', 'exit.confrim=2'], /exit\.confrim has no effect in --what-if\n +Did you mean exit\.confirm\?/],
  [['exit.confirm=2'], /"exit\.confirm=2" needs --what-if\n +ralph replay --what-if exit\.confirm=2/],
  [['one', 'two'], /ralph replay: unexpected argument "two"/],
])('replay %j is refused', async (argv, message) => {
  const { code, err } = await runCommand(night, 'replay', ...argv)
  expect(code).toBe(2)
  expect(err).toMatch(message)
})
