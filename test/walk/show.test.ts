/** `ralph show`, as a user types it. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IterationDetails } from '../../src/app/run/run-details.ts'
import type { TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed', proof: 'full' })))
afterAll(() => night.remove())

test('a run: its report and a line for each iteration', async () => {
  const { out, code } = await runCommand(night, 'show')
  expect(code).toBe(0)
  expect(out).toContain(`Run ${night.run}: proven done`)
  expect(out.match(/^ {2}[✓·✗] \d {2}/gm)).toEqual(['  ✓ 1  ', '  ✗ 2  ', '  ✓ 3  '])
})

test('an iteration: prompt, reply, change, evidence and why', async () => {
  const { out } = await runCommand(night, 'show', night.run, '2')
  expect(out).toMatch(/^Prompt\n {2}# Work$/m)
  expect(out).toMatch(/^Reply\n {2}Everything is done\.$/m)
  expect(out).toMatch(/^Evidence\n {2}✗ words: failed \(exit 1\)/m)
  expect(out).toContain('proof refuse: words failed (exit 1)')
})

test('the same by worker and number', async () => {
  const [named, bare] = [
    await runCommand(night, 'show', night.run, 'w1:2'),
    await runCommand(night, 'show', night.run, '2'),
  ]
  expect(named.out).toBe(bare.out)
})

test('the whole of it for programs', async () => {
  const shown = JSON.parse((await runCommand(night, 'show', night.run, '3', '--json')).out) as IterationDetails
  expect([shown.iteration, shown.agent, shown.prompt?.intact, shown.reply?.end, shown.change?.files]).toEqual([
    3,
    'claude',
    true,
    'success',
    1,
  ])
  expect(shown.patch?.patch).toBe(
    `diff --git a/src/words.sh b/src/words.sh\nindex 2f08be9..854394f 100644\n--- a/src/words.sh\n+++ b/src/words.sh\n@@ -1 +1,2 @@\n echo hello\n+echo world\n`,
  )
})

test('one part alone can be piped: the patch applies backwards', async () => {
  const { stdout } = await night.ralph(['show', night.run, '3', '--patch'])
  await night.write('taken.patch', stdout)
  await night.git('apply', '-R', 'taken.patch')
  expect(await night.read('src/words.sh')).toBe('echo hello\n')
  await night.git('checkout', '-q', 'src/words.sh')
})

test.each([
  [['show', '--patch'], 2, /--patch needs RUN and ITERATION/],
  [['show', 'RUN', '9'], 1, /has no iteration 9: valid: 1 to 3/],
  [['show', 'RUN', 'w2:1'], 1, /has no iteration w2:1/],
  [['show', 'RUN', '0'], 2, /ITERATION must be a whole number, 1 or more, not "0"/],
])('%j: exit %i', async (argv, code, message) => {
  const heard = await runCommand(night, ...argv.map((word) => (word === 'RUN' ? night.run : word)))
  expect([heard.code, heard.out]).toEqual([code, ''])
  expect(heard.err).toMatch(message)
})

test('a prompt that was deleted is named as gone; the rest is shown', async () => {
  const made = await finishSampleRun()
  await rm(join(made.path, '.git', 'ralph', 'root', 'logs', made.run, 'w1', '1', 'prompt.md'))
  const { out, code } = await runCommand(made, 'show', made.run, '1')
  expect([code, out.includes('the prompt file was pruned or deleted'), out.includes('Hello is written.')]).toEqual([
    0,
    true,
    true,
  ])
  const alone = await runCommand(made, 'show', made.run, '1', '--prompt')
  expect([alone.code, alone.out, alone.err]).toEqual([
    1,
    '',
    expect.stringContaining('the prompt of iteration 1 no longer exists') as string,
  ])
})
