/** A value that cannot be meant is refused with exit code 2, at every door, before anything is done. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SETTING_KEYS, envVariableOf, settingFlags, settingOf } from '../../src/config/settings.ts'
import type { ValueKind } from '../../src/core/text/value-kind.ts'
import { isCommandGroup } from '../../src/ui/cli/framework/command.ts'
import { COMMANDS } from '../../src/ui/cli/command-table/commands.ts'
import { testProject, type TestProject } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'

let made: TestProject
beforeAll(async () => void (made = await testProject({ toml: '', agents: [], until: 'removed' })))
afterAll(() => made.remove())

function tell(argv: string[], env: Record<string, string> = {}): Promise<CapturedOutput> {
  return runInProcess(argv, { cwd: made.path, env: { ...made.env, ...env } })
}

/** Bad for its kind; null: any text is good. */
function badFor(kind: ValueKind): string | null {
  if (kind.is === 'text' || kind.is === 'list')
    return kind.like === undefined && ('of' in kind ? kind.of === undefined : true) ? null : 'zzz zzz'
  return 'zzz zzz'
}

const CHECKED = SETTING_KEYS.flatMap((key) => {
  const bad = badFor(settingOf(key).kind)
  return bad === null ? [] : [{ key, bad }]
})

describe('a setting', () => {
  test.each(CHECKED)('$key in the environment', async ({ key, bad }) => {
    const { code, err } = await tell(['config', 'list'], { [envVariableOf(key)]: bad })
    expect([code, err]).toEqual([2, expect.stringContaining('expected') as string])
  })

  test.each(CHECKED)('$key in a file', async ({ key, bad }) => {
    await made.write('.ralph.toml', `${key} = "${bad}"\n`)
    const { code, err } = await tell(['status'])
    await made.write('.ralph.toml', '')
    expect([code, err]).toEqual([2, expect.stringMatching(/^ralph: \.ralph\.toml:1: .*expected/) as string])
  })

  test.each(settingFlags().filter(({ key, flag }) => flag.value !== undefined && badFor(settingOf(key).kind) !== null))(
    '$words as a flag',
    async ({ flag }) => {
      const { code, err } = await tell(['loop', `--${flag.long}=zzz zzz`])
      expect([code, err]).toEqual([2, expect.stringContaining('expected') as string])
    },
  )
})

const FLAGS = COMMANDS.flatMap((command) => (isCommandGroup(command) ? [] : [command])).flatMap(
  ({ name, flags = {}, args = {} }) =>
    Object.entries(flags)
      .filter(([, { value }]) => value !== undefined)
      .map(([long, { value }]) => ({
        name,
        long,
        value,
        args: Object.values(args).flatMap(({ takes }) => (takes === 'one' || takes === 'some' ? ['x'] : [])),
      })),
)

describe('a flag of a command', () => {
  test.each(FLAGS)('$name --$long=', async ({ name, long, args }) => {
    const { code, err } = await tell([name, ...args, `--${long}=`])
    expect([code, err]).toEqual([2, expect.stringContaining(`--${long}`) as string])
  })

  test.each(FLAGS.filter(({ value }) => value === 'N' || value === 'X'))(
    '$name --$long takes a number',
    async ({ name, long, args }) => {
      for (const bad of ['zzz', '-1', '1e3']) {
        const { code, err } = await tell([name, ...args, `--${long}=${bad}`])
        expect([bad, code, err]).toEqual([bad, 2, expect.stringContaining(`"${bad}"`) as string])
      }
    },
  )
})

test.each([
  ['an agent nobody knows', ['loop', '--agent', 'cluade']],
  ['a switch with a value', ['runs', '--json=yes']],
  ['a flag that is none', ['runs', '--jsno']],
  ['an argument too many', ['runs', 'x']],
  ['a command that is none', ['rnus']],
])('%s', async (_, argv) => {
  expect((await tell(argv)).code).toBe(2)
})
