/** A project of the bash tool, as it is, with nothing but the new program: bare `ralph`. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bashProject, bashProjectFiles, stamps } from '../bash-project.ts'
import { MAY_END, UNTIL_IT_MAY_END, DONE, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'
import { hasTmux, openTmux } from '../tmux.ts'

const NAMED: ScriptedTurn = {
  conversation: 'new-1',
  steps: [
    { do: 'say', text: 'I greet by name now.' },
    { do: 'write', path: 'greet.sh', content: '#!/bin/sh\necho "hello $1"\n' },
    { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ] Greet a person', with: '- [x] Greet a person' },
    { do: 'commit', message: 'greet by name' },
    { do: 'status', fields: NOT_YET },
  ],
}
const DESCRIBED: ScriptedTurn = {
  conversation: 'new-1',
  steps: [
    { do: 'append', path: 'README.md', content: '\nsh greet.sh NAME\n' },
    {
      do: 'replace',
      path: '.ralph/fix_plan.md',
      find: '- [ ] Say in the README',
      with: '- [x] Say in the README',
    },
    { do: 'commit', message: 'say how to call it' },
    { do: 'status', fields: DONE },
  ],
}

const JSON_FILES = [
  'status.json',
  'progress.json',
  '.exit_signals',
  '.response_analysis',
  '.circuit_breaker_state',
  '.circuit_breaker_history',
  '.ralph_session',
  '.ralph_session_history',
]

function stepsOf(turn: ScriptedTurn): Extract<ScriptedTurn, readonly unknown[]> {
  return Array.isArray(turn) ? turn : turn.steps
}

async function parsed(made: TestProject, name: string): Promise<unknown> {
  return JSON.parse(await made.read(`.ralph/${name}`)) as unknown
}

test('an old project runs to its end, its files are kept current, and nothing of the user is changed', async () => {
  const made = await bashProject({ turns: [NAMED, DESCRIBED] })
  const { own, state } = bashProjectFiles()
  const { code, stdout, stderr } = await made.ralph([])
  expect([code, stdout]).toEqual([0, expect.stringContaining('every item of the plan is done')])
  expect(stderr).toContain('Imported from bash Ralph')

  // Two done signals and a denial lay in the old files: had they counted, no agent would have been started.
  expect(made.starts().length).toBe(2)
  // The old conversation is older than a day.
  expect(made.starts()[0]?.args).not.toContain('--resume')

  const files = await Promise.all(JSON_FILES.map((name) => parsed(made, name)))
  expect(files).toHaveLength(JSON_FILES.length)
  expect(await parsed(made, 'status.json')).toMatchObject({
    status: 'completed',
    last_action: 'graceful_exit',
    exit_reason: 'plan_complete',
    loop_count: 2,
    max_calls_per_hour: 100,
  })
  expect(await parsed(made, 'progress.json')).toMatchObject({ status: 'completed' })
  expect(await parsed(made, '.response_analysis')).toMatchObject({
    loop_number: 2,
    analysis: { exit_signal: true, has_permission_denials: false },
  })
  expect(await parsed(made, '.circuit_breaker_state')).toMatchObject({
    state: 'CLOSED',
    total_opens: 1,
    last_progress_loop: 2,
    current_loop: 2,
  })
  expect(await parsed(made, '.circuit_breaker_history')).toMatchObject([
    { loop: 2, from_state: 'CLOSED', to_state: 'HALF_OPEN', reason: 'Monitoring: 2 loops without progress' },
    { loop: 1, from_state: 'HALF_OPEN', to_state: 'CLOSED' },
  ])
  expect(await parsed(made, '.ralph_session_history')).toMatchObject([
    { reason: 'manual_circuit_reset' },
    { reason: 'project_complete', loop_number: 2 },
  ])
  expect(made.has('.ralph/.claude_session_id')).toBe(false)

  // Logs go on where they were.
  const metrics = await made.read('.ralph/logs/metrics.jsonl')
  expect(
    metrics
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { loop: number }).loop),
  ).toEqual([4, 1, 2])
  const log = await made.read('.ralph/logs/ralph.log')
  expect(log.startsWith(state['.ralph/logs/ralph.log'] ?? '?')).toBe(true)
  expect(log).toMatch(/\] \[LOOP\] === Starting Loop #2 ===/)
  expect(await made.read('.ralph/logs/claude_output_2026-07-09_14-40-31.log')).toBe(
    state['.ralph/logs/claude_output_2026-07-09_14-40-31.log'],
  )

  for (const path of [
    '.ralphrc',
    '.gitignore',
    'test.sh',
    '.ralph/PROMPT.md',
    '.ralph/AGENT.md',
    '.ralph/specs/requirements.md',
  ]) {
    expect([path, await made.read(path)]).toEqual([path, own[path]])
  }
  expect(made.has('.ralph.toml')).toBe(false)
  expect(await made.git('status', '--porcelain')).toBe('')
  expect(await made.git('diff', '--name-only', 'HEAD~2', 'HEAD')).toBe('.ralph/fix_plan.md\nREADME.md\ngreet.sh')
})

test('a gate named in .ralphrc proves the end', async () => {
  const rc = `${bashProjectFiles().own['.ralphrc'] ?? ''}\nTEST_COMMAND="sh test.sh"\n`
  const made = await bashProject({ proof: 'full', files: { '.ralphrc': rc }, turns: [NAMED, DESCRIBED] })
  // A script beside the gate's own may well belong to the gate: that it is the work, only the person knows.
  const asked = await made.ralph([])
  expect([asked.code, asked.stdout]).toEqual([5, expect.stringContaining('DONE, NEEDS REVIEW')])
  expect([(await made.ralph(['accept', '--yes', 'greet.sh'])).code, (await made.ralph(['verify'])).code]).toEqual([
    0, 0,
  ])
})

test('and without a question, where the settings say what the work is', async () => {
  const rc = `${bashProjectFiles().own['.ralphrc'] ?? ''}\nTEST_COMMAND="sh test.sh"\n`
  const made = await bashProject({
    proof: 'full',
    files: { '.ralphrc': rc },
    env: { RALPH_PROOF_SOURCE: 'greet.sh' },
    turns: [NAMED, DESCRIBED],
  })
  const { code, stdout } = await made.ralph([])
  expect([code, stdout]).toEqual([0, expect.stringContaining('PROVEN DONE')])
})

test('calls of this hour and a fresh conversation are taken over', async () => {
  const now = stamps()
  const made = await bashProject({
    turns: [NAMED],
    state: {
      '.ralph/.last_reset': `${now.hour}\n`,
      '.ralph/.claude_session_id': JSON.stringify({ session_id: 'old-1', timestamp: now.utc }),
    },
  })
  const { code } = await made.ralph(['--max-iterations', '1'])
  expect(code).toBe(4)
  expect(made.starts()[0]?.args).toEqual(expect.arrayContaining(['--resume', 'old-1']))
  expect([await made.read('.ralph/.call_count'), await made.read('.ralph/.last_reset')]).toEqual([
    '18\n',
    `${now.hour}\n`,
  ])
  expect(await parsed(made, '.claude_session_id')).toMatchObject({ session_id: 'new-1' })
})

test('an open breaker ends the first run before any agent is started; it may be reset by the old flags', async () => {
  const reason = 'No progress detected in 3 consecutive loops'
  const open = {
    state: 'OPEN',
    last_change: stamps().utc,
    consecutive_no_progress: 3,
    total_opens: 1,
    reason,
  }
  const made = await bashProject({
    turns: [NAMED, DESCRIBED],
    state: { '.ralph/.circuit_breaker_state': JSON.stringify(open) },
  })
  const before = await runInProcess(['--circuit-status'], { cwd: made.path, env: made.env })
  expect([before.code, before.out]).toEqual([0, expect.stringMatching(/State: +🚨 OPEN\nReason: +No progress/)])
  const held = await made.ralph([])
  expect([held.code, made.starts().length]).toEqual([4, 0])
  expect(await parsed(made, 'status.json')).toMatchObject({
    status: 'halted',
    last_action: 'circuit_breaker_open',
    exit_reason: 'stagnation_detected',
  })
  const first = await made.ralph(['--auto-reset-circuit', '--max-iterations', '1'])
  expect([first.code, made.starts().length]).toEqual([4, 1])
})

test('a reset before the first start holds for it', async () => {
  const open = {
    state: 'OPEN',
    last_change: stamps().utc,
    consecutive_no_progress: 3,
    total_opens: 1,
    reason: 'idle',
  }
  const made = await bashProject({
    turns: [NAMED],
    state: { '.ralph/.circuit_breaker_state': JSON.stringify(open) },
  })
  const reset = await runInProcess(['--reset-circuit'], { cwd: made.path, env: made.env })
  expect([reset.code, reset.err]).toEqual([0, ''])
  expect(await parsed(made, '.circuit_breaker_state')).toMatchObject({ state: 'CLOSED', total_opens: 0 })
  await made.ralph(['--max-iterations', '1'])
  expect(made.starts().length).toBe(1)
})

test('--monitor --dry-run makes no call', async () => {
  const made = await bashProject({ turns: [NAMED] })
  const { code, stdout } = await made.ralph(['--monitor', '--dry-run'])
  expect([code, made.starts()]).toEqual([0, []])
  expect(stdout).toContain('Would start:')
})

test.skipIf(!(await hasTmux()))(
  'the same loop on a terminal, driven by keys (skipped where tmux is not installed)',
  async () => {
    const slow: ScriptedTurn = {
      conversation: 'new-1',
      steps: [UNTIL_IT_MAY_END, ...stepsOf(NAMED)],
    }
    const made = await bashProject({ turns: [slow, DESCRIBED] })
    const tmux = await openTmux(made, { columns: 120, rows: 30 })
    const ralph = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`
    await tmux.type(`${ralph} --monitor; echo "code $?"`, 'Enter')
    await tmux.shows('Start anyway?')
    await tmux.type('y')
    await tmux.shows(/iteration 1/)
    await tmux.type('s')
    await tmux.shows('message for the next prompt:')
    await tmux.type('be brief', 'Enter')
    await tmux.shows('accepted')
    await made.write(MAY_END, '')
    await tmux.shows('plan_complete')
    await tmux.type('q')
    await tmux.shows('code 0')
    expect(made.starts().length).toBe(2)
  },
)
