/** `ralph runs` and `ralph status`, as a user types them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ListedRun } from '../../src/app/run/run-list.ts'
import { testProject, type TestProject } from '../test-project.ts'
import { finishSampleRun, runCommand } from './sample-run.ts'

let night: TestProject & { run: string }
beforeAll(async () => (night = await finishSampleRun({ until: 'removed', proof: 'full' })))
afterAll(() => night.remove())

test('the binary lists what has run, with outcome and cost', async () => {
  const { stdout, code } = await night.ralph(['runs'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    new RegExp(
      `^${night.run}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +\\S+ +3  \\$0\\.50  claude  proven done: words passes, here and in the clean room .*$`,
      'm',
    ),
  )
})

test('for programs: everything that is known of each', async () => {
  const [run] = JSON.parse((await runCommand(night, 'runs', '--json')).out) as ListedRun[]
  expect([run?.id, run?.is, run?.isThisWorkspace, run?.iterations, run?.end?.verdict, run?.usage.tokens]).toEqual([
    night.run,
    'ended',
    true,
    3,
    'proven',
    2530,
  ])
})

test('where nothing has run it is said', async () => {
  const { code, err } = await runCommand(await testProject(), 'runs')
  expect([code, err]).toEqual([3, expect.stringContaining('this project has no runs yet') as string])
})

test('status of a project without a run: plan, agents, gates, and what to fix', async () => {
  const made = await testProject({
    plan: '- [x] a\n- [ ] b\n',
    toml: '[agent]\norder = ["codex", "claude"]\n',
    agents: [],
  })
  const { out, code } = await runCommand(made, 'status')
  expect(code).toBe(0)
  expect(out).toMatch(/^ {2}state +Nothing has run here yet\.$/m)
  expect(out).toMatch(/^ {2}plan +█{6}░{6} 1 of 2 items done, next: b$/m)
  expect(out).toMatch(/^ {2}agents +codex, then claude$/m)
  expect(out).toMatch(/^ {2}health +no gate is configured: nothing can be proven$/m)
})

test('status for programs tells the project with and without a run', async () => {
  const project = (text: string): unknown => (JSON.parse(text) as { project: unknown }).project
  const there = JSON.parse((await runCommand(night, 'status', '--json')).out) as {
    run: string
    outcome: { verdict: string }
  }
  expect([there.run, there.outcome.verdict]).toEqual([night.run, 'proven'])
  expect(project((await runCommand(night, 'status', '--json')).out)).toEqual({
    prompt: { file: '.ralph/PROMPT.md', there: true },
    plan: { file: '.ralph/fix_plan.md', checkboxes: { open: 0, done: 2 }, next: null },
    agents: ['claude'],
    gates: [{ name: 'words', run: 'sh src/words.sh | grep -q world' }],
    problems: [],
  })
})

test('status --verbose asks the agents, and only then', async () => {
  const made = await testProject({ agents: ['claude'] })
  const { out } = await runCommand(made, 'status', '--verbose')
  expect(out).toMatch(/^ {2}Claude Code +\d/m)
  expect(out).toMatch(/^ {2}OpenAI Codex +not installed$/m)
})
