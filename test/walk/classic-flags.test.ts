/** Every flag of the bash tool, on bare `ralph` and on `ralph loop`. */
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/ui/cli/commands.ts'
import { parseLine } from '../../src/ui/cli/parse.ts'
import { garden } from '../garden.ts'
import { hear } from '../hear.ts'

const LOOP = COMMANDS.find(({ name }) => name === 'loop')

function read(words: string[]): Pick<ReturnType<typeof parseLine>, 'flags' | 'settings' | 'args'> {
  if (LOOP === undefined) throw new Error('there is no loop')
  const { flags, settings, args } = parseLine(LOOP, words)
  return { flags, settings, args }
}

test.each<[string[], Record<string, unknown>]>([
  [['-c', '7'], { calls: '7' }],
  [['--calls', '7'], { calls: '7' }],
  [['-p', 'P.md'], { prompt: 'P.md' }],
  [['--prompt', 'P.md'], { prompt: 'P.md' }],
  [['-v'], { verbose: true }],
  [['-l'], { live: true }],
  [['-t', '30'], { timeout: '30' }],
  [['--auto-reset-circuit'], { 'auto-reset-circuit': true }],
  [['--output-format', 'text'], { 'output-format': 'text' }],
  [['--allowed-tools', 'Write,Bash(git *)'], { 'allowed-tools': 'Write,Bash(git *)' }],
  [['--no-continue'], { continue: false }],
  [['--session-expiry', '48'], { 'session-expiry': '48' }],
  [['--dry-run'], { 'dry-run': true }],
  [['-n'], { notify: true }],
  [['-b'], { backup: true }],
  [['--show-tool-args'], { 'show-tool-args': true }],
])('%j sets what it did', (words, settings) => {
  expect(read(words)).toEqual({ flags: {}, settings, args: [] })
})

test.each<[string[], Record<string, unknown>]>([
  [['-s'], { status: true }],
  [['--status'], { status: true }],
  [['-m'], { monitor: true }],
  [['--circuit-status'], { 'circuit-status': true }],
  [['--reset-circuit'], { 'reset-circuit': true }],
  [['--reset-session'], { 'reset-session': true }],
  [['--rollback'], { rollback: true }],
  [['--rollback', 'ralph-backup-loop-3-1'], { rollback: 'ralph-backup-loop-3-1' }],
  [['--rollback=ralph-backup-loop-3-1'], { rollback: 'ralph-backup-loop-3-1' }],
  [['--rollback', '--json'], { rollback: true, json: true }],
])('%j is known', (words, flags) => {
  expect(read(words)).toEqual({ flags, settings: {}, args: [] })
})

describe('flags that act and end', () => {
  test.each<[string[], RegExp]>([
    [['--status'], /Nothing has run here yet/],
    [['-s', '--calls', '7'], /Nothing has run here yet/],
    [['loop', '--status'], /Nothing has run here yet/],
    [['--circuit-status'], /state +closed/],
    [['--reset-circuit'], /The breaker is closed/],
    [['--reset-session'], /begins a fresh conversation/],
    [['--circuit-status', '--reset-circuit'], /state +closed/],
  ])('%j', async (argv, said) => {
    const made = await garden({ toml: '' })
    const { code, out, err } = await hear(argv, { cwd: made.path, env: made.env })
    expect([code, out, err]).toEqual([0, expect.stringMatching(said), ''])
    expect(made.starts()).toEqual([])
  })

  test('the binary answers them in JSON as well', async () => {
    const made = await garden({ toml: '' })
    const { code, stdout } = await made.ralph(['--circuit-status', '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { breaker: { is: 'closed' } }])
  })

  test('a reset of the session by its flag has the old reason', async () => {
    const made = await garden({ toml: '' })
    await hear(['--reset-session'], { cwd: made.path, env: made.env })
    const { out } = await hear(['session', 'history', '--json'], { cwd: made.path, env: made.env })
    expect(JSON.parse(out)).toMatchObject([{ reason: 'manual_reset_flag' }])
  })
})

test.each([
  ['--sandbox', 'docker'],
  ['--sandbox-image', 'x'],
  ['--github-issue', '#7'],
  ['--process-queue'],
  ['--sync-include', 'src'],
])('%s is refused with the reason, and nothing is started', async (...argv) => {
  const made = await garden({ toml: '', turns: [[{ do: 'say', text: 'started' }]] })
  const { code, err } = await hear(argv, { cwd: made.path, env: made.env })
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(new RegExp(`^ralph: ${argv[0] ?? ''} is not offered: `)),
  ])
  expect(made.starts()).toEqual([])
})

test('a flag without its value is an error and not a loop', async () => {
  const made = await garden({ toml: '' })
  const { code, err } = await hear(['--calls'], { cwd: made.path, env: made.env })
  expect([code, err]).toEqual([2, expect.stringContaining('--calls needs a value: --calls N')])
})
