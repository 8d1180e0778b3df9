/** `ralph prune`, as a user types it. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { ADDS, CLAIM, makeProofProject, runProof } from './proof-project.ts'
import { runCommand } from './sample-run.ts'

const ONE_ITERATION = { turns: [[{ do: 'status' as const, text: 'Begun.', fields: NOT_YET }]] }

async function ids(made: TestProject): Promise<string[]> {
  return (JSON.parse((await runCommand(made, 'runs', '--json')).out) as { id: string }[]).map(({ id }) => id)
}

const logsOf = (made: TestProject, run: string): string => join(made.path, '.git', 'ralph', 'root', 'logs', run)

test('runs beyond keep.runs are forgotten with their logs; a dry run only says so', async () => {
  const made = await testProject(ONE_ITERATION)
  for (let n = 0; n < 3; n++) await made.ralph(['loop', '--once'])
  const [newest = '', middle = '', oldest = ''] = await ids(made)
  await made.write('.ralph.toml', '[keep]\nruns = 1\n')
  const dry = await runCommand(made, 'prune', '--dry-run')
  expect([dry.out.split('\n')[0], await ids(made)]).toEqual([
    `Would delete 2 runs: ${middle}, ${oldest}`,
    [newest, middle, oldest],
  ])
  const { out } = await runCommand(made, 'prune', '--json')
  const told = JSON.parse(out) as { runs: string[]; logs: string[]; bytes: number }
  expect([told.runs, told.logs, told.bytes > 0]).toEqual([[middle, oldest], [], true])
  expect([await ids(made), existsSync(logsOf(made, newest)), existsSync(logsOf(made, oldest))]).toEqual([
    [newest],
    true,
    false,
  ])
})

test('logs beyond keep.logs_gb go, and the record stays', async () => {
  const made = await testProject(ONE_ITERATION)
  await made.ralph(['loop', '--once'])
  await made.ralph(['loop', '--once'])
  const [newest = '', oldest = ''] = await ids(made)
  await made.write('.ralph.toml', '[keep]\nlogs_gb = 0\n')
  const { stdout, code } = await made.ralph(['prune'])
  expect([code, stdout.split('\n')[0]]).toEqual([0, `Deleted the logs of 2 runs: ${newest}, ${oldest}`])
  expect((await runCommand(made, 'logs', oldest, '--agent')).out).toContain('its log was pruned or deleted')
})

test('where there is nothing to prune it is said', async () => {
  const made = await testProject(ONE_ITERATION)
  await made.ralph(['loop', '--once'])
  expect((await runCommand(made, 'prune')).out).toBe(
    'Nothing to prune: everything is within the limits (keep.runs, keep.logs_gb).\n',
  )
})

test('says that it removed the clean room of a project that was deleted', async () => {
  const { fixture: gone } = await runProof([[ADDS, CLAIM]])
  const here = await makeProofProject({ env: { XDG_STATE_HOME: gone.env['XDG_STATE_HOME'] ?? '' }, turns: [[CLAIM]] })
  await here.ralph(['loop', '--once'])
  await rm(gone.path, { recursive: true })
  const said = 'clean rooms and tree copies of 1 deleted project.\n'
  expect((await here.ralph(['prune', '--dry-run'])).stdout).toBe(`Would remove ${said}`)
  expect((await here.ralph(['prune'])).stdout).toBe(`Removed ${said}`)
  expect((await here.ralph(['prune'])).stdout).toContain('Nothing to prune')
})
