/** `ralph config set`, `unset` and `edit`, as a user types them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { editSettings, projectSettingsFile } from '../../src/app/project/change-settings.ts'
import { testProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

const TOML = `# Mine
[budget]
usd = 3 # a night

[[gate]]
name = "test"
run = "sh check.sh"
`

async function project(toml: string | null = TOML): Promise<{
  config: (args: string[], env?: Record<string, string>) => ReturnType<typeof runInProcess>
  text: (file?: string) => string
  path: string
  home: string
}> {
  const { path, home } = await testProject(toml === null ? {} : { toml })
  return {
    path,
    home,
    config: (args, env = {}) => runInProcess(['config', ...args], { cwd: path, env: { HOME: home, ...env } }),
    text: (file = join(path, '.ralph.toml')) => readFileSync(file, 'utf8'),
  }
}

describe('set', () => {
  test('changes one value and nothing else in the file', async () => {
    const { config, text } = await project()
    expect(await config(['set', 'budget.usd', '10'])).toEqual({
      code: 0,
      out: 'budget.usd = 10  .ralph.toml:3 budget.usd\n',
      err: '',
    })
    expect(text()).toBe(TOML.replace('usd = 3 #', 'usd = 10 #'))
  })

  test.each<[string, string, string]>([
    ['agent.timeout', '90s', 'timeout = "90s"'],
    ['agent.allow', 'Bash(make *),Bash(git push *)', 'allow = ["Bash(make *)", "Bash(git push *)"]'],
    ['agent.permission', 'bypass', 'permission = "bypass"'],
    ['loop.max_iterations', '0', 'max_iterations = 0'],
    ['budget.usd', 'none', 'usd = "none" # a night'],
  ])('%s %s is written as %s', async (key, value, line) => {
    const { config, text } = await project()
    const { code, err } = await config(['set', key, value])
    expect([code, err]).toEqual([0, ''])
    expect(text().split('\n')).toContain(line)
  })

  test.each<[string[], string]>([
    [['set', 'budget.usd', 'ten'], 'budget.usd: found "ten"'],
    [['set', 'budget.us', '10'], 'unknown setting budget.us'],
    [['set', 'budget.usd'], 'ralph config set needs KEY VALUE'],
    [['set', 'budget', '3'], 'unknown setting budget'],
  ])('config %j is refused, and the file stays as it is', async (args, message) => {
    const { config, text } = await project()
    const { code, err } = await config(args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(text()).toBe(TOML)
  })

  test("writes the user's own file with --user, and says what overrides it", async () => {
    const { config, text, home } = await project()
    const { out } = await config(['set', '--user', 'budget.usd', '7'])
    expect(out).toBe(
      'budget.usd = 3  .ralph.toml:3 budget.usd\n! .ralph.toml:3 budget.usd overrides ~/.config/ralph/config.toml\n',
    )
    expect(text(join(home, '.config/ralph/config.toml'))).toBe('[budget]\nusd = 7\n')
    expect(text()).toBe(TOML)
  })

  test('says that a variable overrides the file', async () => {
    const { config } = await project()
    const { out } = await config(['set', 'budget.usd', '5', '--json'], { RALPH_BUDGET_USD: '9' })
    expect(JSON.parse(out)).toMatchObject({ value: 9, changed: true, overriddenBy: 'environment RALPH_BUDGET_USD' })
  })

  test('does not touch a file that has a mistake in it', async () => {
    const { config, text } = await project('[budget]\nusd = = 3\n')
    const { code, err } = await config(['set', 'budget.usd', '5'])
    expect([code, err]).toEqual([2, expect.stringContaining('.ralph.toml:2')])
    expect(text()).toBe('[budget]\nusd = = 3\n')
  })

  test('is refused in a project of bash Ralph, whose settings are in .ralphrc', async () => {
    const { config, path } = await project(null)
    writeFileSync(join(path, '.ralphrc'), 'MAX_CALLS_PER_HOUR=5\n')
    const { code, err } = await config(['set', 'budget.usd', '5'])
    expect([code, err]).toEqual([2, expect.stringContaining('.ralphrc')])
    expect((await config(['set', '--user', 'budget.usd', '5'])).code).toBe(0)
  })

  test('is refused inside a run', async () => {
    const { config, text } = await project()
    expect((await config(['set', 'budget.usd', '5'], { RALPH_INSIDE: 'abc' })).code).not.toBe(0)
    expect(text()).toBe(TOML)
  })
})

test('unset removes a value and shows what applies now', async () => {
  const { config, text } = await project()
  expect((await config(['unset', 'budget.usd'])).out).toBe('budget.usd = none  default\n')
  expect(text()).toBe(TOML.replace('usd = 3 # a night\n', ''))
  expect((await config(['unset', 'budget.usd'])).out).toContain('.ralph.toml does not set budget.usd')
})

describe('edit', () => {
  test('saves what a person wrote, if a start would accept it', async () => {
    const { path, text } = await project()
    const file = projectSettingsFile({ root: path })
    expect(await editSettings(file, async (copy) => writeFileSync(copy, '[loop]\nmax_iterations = 2\n'))).toBe(true)
    expect(text()).toBe('[loop]\nmax_iterations = 2\n')
  })

  test("keeps the person's version and the old file if there is a mistake in it", async () => {
    const { path, text } = await project()
    const editing = editSettings(projectSettingsFile({ root: path }), async (copy) =>
      writeFileSync(copy, '[loop]\nmax_iterations = "many"\n'),
    )
    await expect(editing).rejects.toMatchObject({
      hint: expect.stringContaining('.ralph.toml is unchanged; your version is in') as string,
    })
    expect(text()).toBe(TOML)
  })

  test('does not overwrite what another program wrote meanwhile', async () => {
    const { path, text } = await project()
    const editing = editSettings(projectSettingsFile({ root: path }), async (copy) => {
      writeFileSync(copy, '[loop]\nmax_iterations = 2\n')
      writeFileSync(join(path, '.ralph.toml'), '# theirs\n')
    })
    await expect(editing).rejects.toMatchObject({ code: 'changed-meanwhile' })
    expect(text()).toBe('# theirs\n')
  })
})
