/** What a project of the bash tool asks for and is not there: nothing starts, and whoever only looks is told. */
import { expect, test } from 'vitest'
import { bashProject, bashProjectFiles } from '../bash-project.ts'
import { testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { collapseSpaces, runInProcess } from '../run-in-process.ts'
import { runBashCommandInProcess } from '../walk/setup-kit.ts'

const WORK: ScriptedTurn = [
  { do: 'append', path: 'work.txt', content: 'more\n' },
  { do: 'status', fields: NOT_YET },
]
const RC = bashProjectFiles().own['.ralphrc'] ?? ''

function look(made: TestProject, argv: string[]) {
  return runInProcess(argv, { cwd: made.path, env: made.env })
}

test.each<[string, { rc?: string; env?: Record<string, string> }, RegExp]>([
  ['a file', { rc: `${RC}SANDBOX_PROVIDER=docker\n` }, /^ralph: \.ralphrc:32 SANDBOX_PROVIDER is not supported: /],
  ['the environment', { env: { CREATE_PR: 'true' } }, /^ralph: environment CREATE_PR is not supported: /],
])('%s: exit 2 with the place and the reason, and no agent is started', async (_, { rc = RC, env = {} }, said) => {
  const made = await bashProject({ files: { '.ralphrc': rc }, turns: [WORK], env })
  for (const argv of [[], ['loop', '--once'], ['--dry-run'], ['--monitor']]) {
    const { code, stderr } = await made.ralph(argv)
    expect([argv, code, stderr]).toEqual([argv, 2, expect.stringMatching(said)])
    expect(stderr).toContain('Nothing was started.')
  }
  expect(made.starts()).toEqual([])
})

test('reading commands report it, and the doctor calls it a problem', async () => {
  const made = await bashProject({ files: { '.ralphrc': `${RC}AUTO_CLOSE=true\n` } })
  const said = '.ralphrc:32 AUTO_CLOSE'
  const [status, config, doctor] = [
    await look(made, ['status']),
    await look(made, ['config', 'list']),
    await look(made, ['doctor']),
  ]
  expect([status.code, config.code, doctor.code]).toEqual([0, 0, 1])
  expect(collapseSpaces(status.out)).toContain(`${said} is not supported, so Ralph cannot start a run`)
  expect(config.out).toContain('Not supported, so no run starts:\n  .ralphrc:32 AUTO_CLOSE: ')
  expect(collapseSpaces(doctor.out)).toContain(`${said} is not supported, so Ralph cannot start a run`)
  expect((await look(made, ['--status'])).code).toBe(0)
})

test('a file of the old tool with everything at its default starts as it is', async () => {
  const rc = `${RC}${[
    'SANDBOX_PROVIDER=""',
    'SANDBOX_DOCKER_IMAGE="ralph-sandbox:latest"',
    'SANDBOX_DOCKER_NETWORK="none"',
    'COMMENT_INTERVAL=5',
    'FOLLOWUP_LABEL="tech-debt"',
    'AUTO_CLOSE=false',
    'GITHUB_ISSUE=""',
    'REVIEW_MODE="off"',
  ].join('\n')}\n`
  const made = await bashProject({ files: { '.ralphrc': rc }, turns: [WORK] })
  const { code } = await made.ralph(['--max-iterations', '1'])
  expect([code, made.starts().length]).toEqual([4, 1])
})

/** Of each program one flag of every kind that it never had, or has no more. */
const FLAGS = ['--process-queue', '--queue-remove', '--auto-close', '--sandbox', '--sync-include', '--plan-model']
const PROGRAMS: [program: string, exit: number][] = [
  ['ralph-setup', 1],
  ['ralph-enable', 3],
  ['ralph-enable-ci', 3],
  ['ralph-import', 1],
  ['ralph-migrate', 1],
  ['ralph-monitor', 1],
  ['ralph-stats', 1],
]

test.each(PROGRAMS)('%s refuses the flags of what is not supported by their names', async (program, exit) => {
  const made = await testProject({ prompt: null })
  for (const flag of FLAGS) {
    const { code, stderr } = await runBashCommandInProcess(made, program, [flag, 'x'])
    expect([code, stderr]).toEqual([exit, expect.stringMatching(new RegExp(`^${program}: ${flag} is not supported: `))])
  }
  expect(made.has('.ralph')).toBe(false)
})

test('there is no ralph queue, and it says so', async () => {
  const made = await testProject({ toml: '' })
  const { code, err } = await look(made, ['queue', 'status'])
  expect([code, err]).toEqual([2, expect.stringContaining('ralph queue is not supported: there is no issue queue')])
})
