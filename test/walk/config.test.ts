/** `ralph config`, as a user types it. */
import { describe, expect, test } from 'vitest'
import { SETTING_KEYS } from '../../src/config/settings.ts'
import { testProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

interface Listing {
  root: string | null
  settings: { key: string }[]
}

const TOML = `[budget]
usd = 3

[[gate]]
name = "test"
run = "sh check.sh"
env = { TOKEN = "s3cret" }
`

describe('list', () => {
  test('shows every setting with its value and source', async () => {
    const { path, home } = await testProject({ toml: TOML })
    const env = { HOME: home, RALPH_QUOTA_CALLS_PER_HOUR: '7' }
    const { code, out } = await runInProcess(['config', '--json', '--timeout', '5'], { cwd: path, env })
    expect(code).toBe(0)
    const { settings, ...rest } = JSON.parse(out) as Listing
    expect(settings.map(({ key }) => key)).toEqual(SETTING_KEYS)
    const byKey = Object.fromEntries(settings.map((one) => [one.key, one]))
    expect([byKey['budget.usd'], byKey['quota.calls_per_hour'], byKey['agent.timeout'], byKey['agent.idle']]).toEqual([
      {
        key: 'budget.usd',
        value: 3,
        valueText: '3',
        origin: { from: 'project', file: '.ralph.toml', line: 2, name: 'budget.usd' },
        where: '.ralph.toml:2 budget.usd',
      },
      {
        key: 'quota.calls_per_hour',
        value: 7,
        valueText: '7',
        origin: { from: 'environment', name: 'RALPH_QUOTA_CALLS_PER_HOUR' },
        where: 'environment RALPH_QUOTA_CALLS_PER_HOUR',
      },
      {
        key: 'agent.timeout',
        value: 300_000,
        valueText: '5m',
        origin: { from: 'flag', flag: 'timeout' },
        where: 'flag --timeout',
      },
      { key: 'agent.idle', value: 600_000, valueText: '10m', origin: { from: 'default' }, where: 'default' },
    ])
    expect(rest).toEqual({
      root: path,
      gates: [
        {
          name: 'test',
          run: 'sh check.sh',
          timeoutMs: 600_000,
          when: 'completion',
          cwd: '.',
          env: ['TOKEN'],
        },
      ],
      agents: [],
      programs: {},
      remarks: [],
      unused: [],
      refused: [],
    })
  })

  test('what was set and has no effect is listed with what to know; nothing secret is printed', async () => {
    const { path, home } = await testProject({
      toml: TOML,
      files: { '.ralphrc': 'PROJECT_NAME="x"\nMAX_CALLS_PER_HOUR=9\n' },
    })
    const { out } = await runInProcess(['config', 'list'], { cwd: path, env: { HOME: home } })
    expect(out).toContain('.ralphrc:2 MAX_CALLS_PER_HOUR')
    expect(out).toContain('PROJECT_NAME (.ralphrc:1): for information only')
    expect(out).toContain('gate test: sh check.sh')
    expect(out).not.toContain('s3cret')
    expect(out).not.toContain('\u001b')
  })

  test("outside a project the user's own file and the defaults hold", async () => {
    const { home } = await testProject()
    const { code, out } = await runInProcess(['config', 'list', '--json'], { cwd: home, env: { HOME: home } })
    const { root, settings } = JSON.parse(out) as Listing
    expect([code, root, settings.length]).toEqual([0, null, SETTING_KEYS.length])
  })
})

describe('get', () => {
  test('prints the value alone, as one would write it', async () => {
    const { path, home } = await testProject({ toml: TOML })
    const where = { cwd: path, env: { HOME: home } }
    expect(await runInProcess(['config', 'get', 'agent.timeout'], where)).toEqual({
      code: 0,
      out: '15m\n',
      err: '',
    })
  })

  test.each([
    [['get', 'budget.us'], 'unknown setting budget.us', 'Did you mean budget.usd?'],
    [['get', 'limits.calls_per_hour'], 'unknown setting limits.calls_per_hour', 'Did you mean quota.calls_per_hour?'],
    [['get', 'MAX_CALLS_PER_HOUR'], 'unknown setting MAX_CALLS_PER_HOUR', 'Did you mean quota.calls_per_hour?'],
    [['get', 'run'], 'unknown setting run', 'It is a group of settings: run.on_hangup'],
    [['get'], 'ralph config get needs KEY', 'Usage: ralph config get KEY'],
    [['lsit'], 'there is no command "ralph config lsit"', 'Did you mean: ralph config list?'],
    [['schema', 'x'], 'ralph config schema: unexpected argument "x"', 'Usage: ralph config schema'],
  ])('config %j is refused with what was meant', async (args, message, hint) => {
    const { home } = await testProject()
    const heard = await runInProcess(['config', ...args], { cwd: home, env: { HOME: home } })
    expect(heard).toEqual({ code: 2, out: '', err: `ralph: ${message}\n       ${hint}\n` })
  })
})

test('the binary prints the schema for an editor, whatever the settings are', async () => {
  const made = await testProject({ toml: 'nonsense' })
  const { code, stdout } = await made.ralph(['config', 'schema'])
  expect([code, (JSON.parse(stdout) as { title: string }).title]).toEqual([0, '.ralph.toml'])
})
