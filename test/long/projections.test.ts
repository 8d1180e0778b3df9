/** The state files that other tools' monitors read, while a run goes on and after it. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject, type TestProjectOptions, type ScriptedTurn } from '../test-project.ts'

const WORK = [
  { do: 'append', path: 'work.txt', content: 'more\n' },
  { do: 'status', fields: NOT_YET },
] satisfies ScriptedTurn
const HANGS: ScriptedTurn = [{ do: 'say', text: 'I think "very" hard' }, { do: 'hang' }]

const WANTED = '[ui]\nprojections = true\n'

async function parsed(made: TestProject, name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await made.read(`.ralph/${name}`)) as Record<string, unknown>
}

/** Until a file says what is waited for; the test's own time limit is the patience. */
async function until(made: TestProject, name: string, holds: (text: string) => boolean): Promise<void> {
  for (;;) {
    if (made.has(`.ralph/${name}`) && holds(await made.read(`.ralph/${name}`))) return
    await sleep(50)
  }
}

test('a monitor can follow a run, and an interrupted one does not stay "running"', async () => {
  const made = await testProject({ toml: WANTED, turns: [WORK, HANGS] })
  const walk = made.start([])
  await until(made, 'progress.json', (text) => text.includes('very') && text.includes('executing'))
  expect(await parsed(made, 'progress.json')).toMatchObject({
    status: 'executing',
    last_output: 'I think "very" hard',
  })
  expect(await parsed(made, 'status.json')).toMatchObject({
    status: 'running',
    last_action: 'executing',
    loop_count: 2,
    calls_made_this_hour: 2,
  })
  expect(await made.read('.ralph/live.log')).toMatch(/^=== Loop #2 - .* ===\nI think "very" hard\n$/)
  const { code } = await walk.kill('SIGINT')
  expect(code).toBe(130)
  expect(await parsed(made, 'status.json')).toMatchObject({
    status: 'stopped',
    last_action: 'interrupted',
    exit_reason: '',
  })
  expect((await parsed(made, 'progress.json'))['status']).toBe('failed')
})

test('git does not see them, and the user is given no other ignore file', async () => {
  const made = await testProject({ toml: WANTED, turns: [WORK] })
  await made.ralph(['--max-iterations', '1'])
  expect(await made.git('status', '--porcelain')).toBe('?? work.txt')
  expect([made.has('.ralph/.gitignore'), made.has('.gitignore'), made.has('.ralph/status.json')]).toEqual([
    true,
    false,
    true,
  ])
})

test('a run that is cut off and resumed keeps its own signals and numbers', async () => {
  const claims: ScriptedTurn = [
    { do: 'append', path: 'work.txt', content: 'x\n' },
    { do: 'status', fields: { ...NOT_YET, STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ]
  const made = await testProject({ toml: `${WANTED}[exit]\nconfirm = 2\n`, turns: [claims, HANGS] })
  const walk = made.start([])
  await until(made, '.exit_signals', (text) => /"completion_indicators": \[\s*1\s*\]/.test(text))
  await until(made, 'progress.json', (text) => text.includes('executing'))
  await walk.kill('SIGKILL')
  await made.play([claims])
  const { code } = await made.ralph([])
  expect(code).toBe(0)
  expect(await parsed(made, '.exit_signals')).toMatchObject({ completion_indicators: [1, 3] })
  expect(await parsed(made, 'status.json')).toMatchObject({
    status: 'completed',
    loop_count: 3,
    calls_made_this_hour: 3,
  })
})

test.each<[what: string, options: TestProjectOptions, state: string | null, written: boolean]>([
  ['a project with a settings file of ours', { toml: '' }, null, false],
  ['one in which the bash tool left a file', { toml: '' }, 'status.json', true],
  ['one with a .ralphrc', { toml: '', files: { '.ralphrc': 'MAX_CALLS_PER_HOUR=50\n' } }, null, true],
  ['one without a settings file of ours', {}, null, true],
  ['the same, whose user wants none', { env: { RALPH_UI_PROJECTIONS: 'false' } }, 'status.json', false],
  ['a new one, whose user wants them', { toml: WANTED }, null, true],
])('%s', async (_what, options, state, written) => {
  const made = await testProject({ ...options, turns: [WORK] })
  if (state !== null) await made.write(`.ralph/${state}`, '{}')
  await made.ralph(['--max-iterations', '1'])
  expect([made.has('.ralph/.call_count'), made.has('.ralph/logs'), made.has('.ralph/.gitignore')]).toEqual([
    written,
    written,
    written,
  ])
})

test('without git the store in the project stays out of a repository that is made later', async () => {
  const made = await testProject({ toml: '', git: false, turns: [WORK] })
  await made.ralph(['--max-iterations', '1'])
  expect([made.has('.ralph/state'), made.has('.ralph/status.json')]).toEqual([true, false])
  await made.git('init', '-q')
  expect(await made.git('status', '--porcelain', '--untracked-files=all')).not.toContain('.ralph/state')
})

/** What stands in `.ralph/logs` for each iteration: its name, and where it leads. */
function outputLogs(made: TestProject): { name: string; leads: string | null }[] {
  const folder = join(made.path, '.ralph', 'logs')
  return readdirSync(folder)
    .filter((name) => name.startsWith('claude_output_'))
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      return { name, leads: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null }
    })
}

test('every iteration leaves its log where the bash tool did, and pruning takes the link along', async () => {
  const made = await testProject({ toml: WANTED, turns: [WORK, WORK] })
  expect((await made.ralph(['--max-iterations', '2'])).code).toBe(4)
  const logs = outputLogs(made)
  expect(logs.map(({ name }) => /^claude_output_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_2)?\.log$/.test(name))).toEqual([
    true,
    true,
  ])
  expect(logs.map(({ leads }) => leads?.startsWith('../../.git/ralph/'))).toEqual([true, true])
  for (const { name } of logs) expect(await made.read(`.ralph/logs/${name}`)).toContain('RALPH_STATUS')
  // Neither git nor the loop takes them for work.
  expect(await made.git('status', '--porcelain')).toBe('?? work.txt')

  await made.write('.ralph/logs/claude_output_2026-07-09_14-40-31.log', 'of the bash tool\n')
  await symlink('/nowhere', join(made.path, '.ralph', 'logs', 'claude_output_mine.log'))
  await made.play([WORK])
  await made.ralph(['--max-iterations', '1'], { env: { RALPH_KEEP_LOGS_GB: '0' } })
  // By where they lead: within one second the new log takes the name that was set free.
  const left = outputLogs(made)
  expect(left.filter(({ leads }) => logs.some((one) => one.leads === leads))).toEqual([])
  expect(left.map(({ leads }) => leads)).toEqual([null, expect.stringContaining('.git/ralph/'), '/nowhere'])
})

test('a link that an agent planted leads no word of ours anywhere', async () => {
  const outside = await testProject({ prompt: null })
  const plant = `rm -rf .ralph/logs && ln -s ${outside.path} .ralph/logs`
  const made = await testProject({ toml: WANTED, turns: [[{ do: 'shell', command: plant }, ...WORK], WORK] })
  const { code, stderr } = await made.ralph(['--max-iterations', '2'])
  expect([code, stderr]).toEqual([4, expect.stringContaining('is a link')])
  expect(await outside.git('status', '--porcelain', '--ignored')).toBe('')
})
