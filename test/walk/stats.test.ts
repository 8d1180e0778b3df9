/** `ralph stats`, as a user types it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Stats } from '../../src/core/presentation/stats.ts'
import type { TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed', proof: 'full' })))
afterAll(() => night.remove())

const shape = ({ key, runs, proven, iterations, succeeded, tokens, usd, unknown }: Stats['total']): unknown => ({
  key,
  runs,
  proven,
  iterations,
  succeeded,
  tokens,
  usd,
  unknown,
})

test('by run, for programs', async () => {
  const stats = JSON.parse((await runCommand(night, 'stats', '--json')).out) as Stats
  const row = { runs: 1, proven: 1, iterations: 3, succeeded: 3, tokens: 2530, usd: 0.5, unknown: 0 }
  expect([stats.by, stats.rows.map(shape), shape(stats.total)]).toEqual([
    'run',
    [{ key: night.run, ...row }],
    { key: 'total', ...row },
  ])
})

test("by task: the plan's box that was next", async () => {
  const stats = JSON.parse((await runCommand(night, 'stats', '--by', 'task', '--json')).out) as Stats
  expect(stats.rows.map(({ key, iterations }) => [key, iterations])).toEqual([
    ['write hello', 1],
    ['write world', 1],
    ['(no task)', 1],
  ])
})

test('the binary prints a table, and CSV for a spreadsheet', async () => {
  expect((await night.ralph(['stats', '--by', 'agent'])).stdout).toMatch(
    /^claude +1 of 1 +3 +0 +0:0\d +2\.5k +\$0\.50$/m,
  )
  const { out } = await runCommand(night, 'stats', '--by', 'day', '--csv')
  expect(out).toMatch(
    /^day,runs,proven,iterations,succeeded,durationMs,tokens,usd,unknown,estimated\r\n\d{4}-\d\d-\d\d,1,1,3,3,\d+,2530,0\.5,0,0\r\n$/,
  )
})

test('a word that is none is refused with the nearest', async () => {
  const { code, err } = await runCommand(night, 'stats', '--by', 'agnet')
  expect([code, err]).toEqual([2, expect.stringContaining('Did you mean agent?') as string])
})
