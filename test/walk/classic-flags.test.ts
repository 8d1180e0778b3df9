/** Every flag of the bash tool, on bare `ralph` and on `ralph loop`. */
import { describe, expect, test } from 'vitest'
import { findCommand, findLeafCommand } from '../../src/ui/cli/framework/find-command.ts'
import { parseCommandLine } from '../../src/ui/cli/framework/parse-command-line.ts'
import { bashProject } from '../bash-project.ts'
import { testProject, NOT_YET, type ScriptedTurn } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

/** Of the flags only those that were given. */
function read(words: string[]): Pick<ReturnType<typeof parseCommandLine>, 'flags' | 'settings' | 'words'> {
  const { flags, settings, words: args } = parseCommandLine(findLeafCommand(findCommand('loop', words)))
  const given = Object.entries(flags).filter(([, value]) => value !== false && value !== null)
  return { flags: Object.fromEntries(given), settings, words: args }
}

/** In the order in which the bash tool wrote them. */
const STATUS_KEYS = [
  'timestamp',
  'loop_count',
  'calls_made_this_hour',
  'max_calls_per_hour',
  'tokens_used_this_hour',
  'max_tokens_per_hour',
  'last_action',
  'status',
  'exit_reason',
  'sandbox',
  'next_reset',
]

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
  expect(read(words)).toEqual({ flags: {}, settings, words: [] })
})

test.each<[string[], Record<string, unknown>]>([
  [['-s'], { status: true }],
  [['--status'], { status: true }],
  [['-m'], { monitor: true }],
  [['--circuit-status'], { circuitStatus: true }],
  [['--reset-circuit'], { resetCircuit: true }],
  [['--reset-session'], { resetSession: true }],
  [['--rollback'], { rollback: true }],
  [['--rollback', 'ralph-backup-loop-3-1'], { rollback: 'ralph-backup-loop-3-1' }],
  [['--rollback=ralph-backup-loop-3-1'], { rollback: 'ralph-backup-loop-3-1' }],
  [['--rollback', '--json'], { rollback: true, json: true }],
])('%j is known', (words, flags) => {
  expect(read(words)).toEqual({ flags, settings: {}, words: [] })
})

describe('flags that act and end', () => {
  test.each<[string[], RegExp]>([
    [['--status'], /^No status file found\. Ralph may not be running\.\n$/],
    [['-s', '--calls', '7'], /No status file found/],
    [['loop', '--status'], /No status file found/],
    [['--circuit-status'], /^State: +✅ CLOSED$/m],
    [['--reset-circuit'], /The breaker is closed/],
    [['--reset-session'], /starts a new agent session/],
    [['--circuit-status', '--reset-circuit'], /State: +✅ CLOSED/],
  ])('%j', async (argv, said) => {
    const made = await testProject({ toml: '' })
    const { code, out, err } = await runInProcess(argv, { cwd: made.path, env: made.env })
    expect([code, out, err]).toEqual([0, expect.stringMatching(said), ''])
    expect(made.starts()).toEqual([])
  })

  test('--status where there is no project at all', async () => {
    const made = await testProject({ prompt: null })
    const { code, out } = await runInProcess(['--status'], { cwd: made.path, env: made.env })
    expect([code, out]).toEqual([0, 'No status file found. Ralph may not be running.\n'])
  })

  test('what the bash tool left is printed as it printed it', async () => {
    const made = await bashProject()
    const { code, out } = await runInProcess(['--status'], { cwd: made.path, env: made.env })
    const left: unknown = JSON.parse(await made.read('.ralph/status.json'))
    expect([code, out]).toEqual([0, `Current Status:\n${JSON.stringify(left, null, 2)}\n`])
    const circuit = await runInProcess(['--circuit-status'], { cwd: made.path, env: made.env })
    expect([circuit.code, circuit.out.split('\n').slice(3)]).toEqual([
      0,
      [
        'State:                 ⚠️  HALF_OPEN',
        'Reason:                no reason was given',
        'Loops since progress: 1',
        'Last progress:        Loop #3',
        'Current loop:         #5',
        'Total opens:          1',
        '',
        '',
      ],
    ])
  })

  test('after a run both are made from its record, whatever became of the files', async () => {
    const idle: ScriptedTurn = [{ do: 'status', fields: NOT_YET }]
    const made = await testProject({ files: { '.ralphrc': '' }, turns: [idle, idle, idle] })
    expect((await made.ralph([])).code).toBe(4)
    await made.write('.ralph/status.json', '{"status":"running"}')
    const { code, out } = await runInProcess(['--status'], { cwd: made.path, env: made.env })
    const [head, ...rest] = out.split('\n')
    const told = JSON.parse(rest.join('\n')) as Record<string, unknown>
    expect([code, head, Object.keys(told)]).toEqual([0, 'Current Status:', STATUS_KEYS])
    expect(told).toMatchObject({
      loop_count: 3,
      calls_made_this_hour: 3,
      last_action: 'circuit_breaker_open',
      status: 'halted',
      exit_reason: 'stagnation_detected',
    })
    const circuit = await runInProcess(['--circuit-status'], { cwd: made.path, env: made.env })
    expect(circuit.out).toMatch(/^State: +🚨 OPEN$/m)
    expect(circuit.out).toMatch(/^Reason: +no changes in 3 iterations/m)
    expect(circuit.out).toMatch(/^Loops since progress: 3$/m)
    expect(circuit.out).toMatch(/^Current loop: +#3$/m)
    expect(circuit.out).toMatch(/^Total opens: +1$/m)
  })

  test('where its files are not written, both are made from the record all the same', async () => {
    const moves: ScriptedTurn = [
      { do: 'write', path: 'work.txt', content: 'work\n' },
      { do: 'status', fields: NOT_YET },
    ]
    const idle: ScriptedTurn = [{ do: 'status', fields: NOT_YET }]
    const made = await testProject({ toml: '', turns: [idle, moves, idle, idle, idle] })
    expect((await made.ralph([])).code).toBe(4)
    const { out } = await runInProcess(['--status'], { cwd: made.path, env: made.env })
    expect(JSON.parse(out.slice(out.indexOf('\n')))).toMatchObject({ loop_count: 5, status: 'halted' })
    const circuit = await runInProcess(['--circuit-status'], { cwd: made.path, env: made.env })
    expect(circuit.out).toMatch(/^Last progress: +Loop #2$/m)
    expect(circuit.out).toMatch(/^Current loop: +#5$/m)
    expect(made.has('.ralph/status.json')).toBe(false)
  })

  test('the binary answers them in JSON as well', async () => {
    const made = await testProject({ toml: '' })
    const { code, stdout } = await made.ralph(['--circuit-status', '--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { breaker: { is: 'closed' } }])
  })

  test('a reset of the session by its flag has the old reason', async () => {
    const made = await testProject({ toml: '' })
    await runInProcess(['--reset-session'], { cwd: made.path, env: made.env })
    const { out } = await runInProcess(['session', 'history', '--json'], { cwd: made.path, env: made.env })
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
  const made = await testProject({ toml: '', turns: [[{ do: 'say', text: 'started' }]] })
  const { code, err } = await runInProcess(argv, { cwd: made.path, env: made.env })
  expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`^ralph: ${argv[0] ?? ''} is not supported: `))])
  expect(made.starts()).toEqual([])
})

test('a flag without its value is an error and not a loop', async () => {
  const made = await testProject({ toml: '' })
  const { code, err } = await runInProcess(['--calls'], { cwd: made.path, env: made.env })
  expect([code, err]).toEqual([2, expect.stringContaining('--calls needs a value: --calls N')])
})
