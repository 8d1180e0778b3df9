/** `ralph logs`, as a user types it. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed' })))
afterAll(() => night.remove())

const lines = (text: string): string[] => text.trim().split('\n')

test("the agent's words, with where each line comes from", async () => {
  const { out, code } = await runCommand(night, 'logs', '--agent', '--iteration', '1')
  expect(code).toBe(0)
  expect(lines(out).every((line) => line.startsWith('[1 claude] '))).toBe(true)
  expect(out).toContain('[1 claude] I begin with hello.')
})

test("the gates' output and the events of one iteration", async () => {
  const { out } = await runCommand(night, 'logs', night.run, '--gate', '--events', '--iteration', '2')
  expect(out).toContain('[2 event] ✗ words: failed (exit 1)')
  expect(out).not.toContain('claude]')
})

test('without a choice everything comes, in the order in which it happened', async () => {
  const { out } = await runCommand(night, 'logs')
  const order = ['I begin with hello.', 'Everything is done.', 'completion rejected', 'Now it is.', 'words: pass']
  expect(order.map((words) => out.indexOf(words))).toEqual(
    order.map((words) => out.indexOf(words)).toSorted((a, b) => a - b),
  )
  expect(out.indexOf(order[0] ?? '')).toBeGreaterThan(0)
})

test('--grep chooses lines, whatever their case', async () => {
  const { out } = await runCommand(night, 'logs', '--agent', '--grep', 'EVERYTHING IS')
  expect(lines(out).every((line) => line.includes('Everything is done.'))).toBe(true)
})

test('-n: only the last lines; with -f the last 20 unless said otherwise', async () => {
  const all = lines((await runCommand(night, 'logs')).out)
  expect(all.length).toBeGreaterThan(24)
  expect(lines((await runCommand(night, 'logs', '-n', '3')).out)).toEqual(all.slice(-3))
  const followed = lines((await night.ralph(['logs', '-f', '--events'])).stdout)
  const events = lines((await runCommand(night, 'logs', '--events')).out)
  expect(followed).toEqual(events.slice(-20))
  expect(lines((await night.ralph(['logs', '-f', '--events', '-n', '2'])).stdout)).toEqual(events.slice(-2))
  expect((await runCommand(night, 'logs', '-n', '0')).out).toBe('')
})

test('--json is one object per line', async () => {
  const { out } = await runCommand(night, 'logs', '--json', '--iteration', '1')
  const items = lines(out).map((line) => JSON.parse(line) as { from: string; iteration: number })
  expect(new Set(items.map(({ from }) => from))).toEqual(new Set(['events', 'agent']))
  expect(items.every(({ iteration }) => iteration === 1)).toBe(true)
})

describe('what cannot be shown is said with the next step', () => {
  test.each([
    [['logs', '--iteration', '9'], 1, /has no iteration 9: valid: 1 to 3\n +List them: ralph show/],
    [['logs', '--iteration', 'two'], 2, /--iteration must be a whole number, 0 or more, not "two"/],
    [['logs', '--grep', '('], 2, /--grep needs a valid regular expression, not "\("/],
    [['logs', 'zzzzzz'], 1, /there is no run "zzzzzz"\n +List the runs: ralph runs/],
  ])('%j: exit %i', async (argv, code, message) => {
    const heard = await runCommand(night, ...argv)
    expect([heard.code, heard.out]).toEqual([code, ''])
    expect(heard.err).toMatch(message)
  })

  test('a run id with a slip in it', async () => {
    const slip = `${night.run.slice(0, 4)}${night.run[5] ?? ''}${night.run[4] ?? ''}`
    const { err, code } = await runCommand(night, 'logs', slip)
    expect([code, err]).toEqual(
      slip === night.run ? [0, ''] : [1, expect.stringContaining(`Did you mean ${night.run}?`) as string],
    )
  })
})

test('logs that were deleted by hand are named as gone, and nothing breaks', async () => {
  const made = await finishSampleRun()
  const folder = join(made.path, '.git', 'ralph', 'root', 'logs', made.run)
  expect((await readdir(folder)).length).toBeGreaterThan(0)
  await rm(folder, { recursive: true })
  const { out, code } = await runCommand(made, 'logs')
  expect(code).toBe(0)
  expect(out).toContain('[1 claude] (its log was pruned or deleted)')
  expect(out).toContain('[2 gate words] (its log was pruned or deleted)')
})

test('-f follows a living run to its end, through the binary', async () => {
  const made = await testProject({
    turns: [
      [
        { do: 'say', text: 'first words' },
        { do: 'delay', ms: 300 },
        { do: 'status', text: 'last words', fields: NOT_YET },
      ],
    ],
  })
  const loop = made.start(['loop', '--once'])
  await loop.waitFor('start')
  // The record exists once the run shows its first lines; until then `logs` says that nothing has run.
  let follow = await made.ralph(['logs', '-f', '--agent'])
  for (let tries = 0; follow.code === 3 && tries < 20; tries++) follow = await made.ralph(['logs', '-f', '--agent'])
  expect(follow.stdout).toContain('[1 claude] first words')
  expect(follow.stdout).toContain('last words')
  expect(follow.code).toBe(0)
  await loop.ended
})
