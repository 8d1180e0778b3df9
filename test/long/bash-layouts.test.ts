/** Projects laid out as the bash tool makes them: opened as they are, worked on, and left so that it can go on with them. */
import { expect, test } from 'vitest'
import { bashProject, bashProjectFiles, stamps } from '../bash-project.ts'
import { DONE, testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { runBashCommandInProcess } from '../walk/setup-kit.ts'

/** As its set-up writes it, with everything that its loop reads there. */
const RC = `PROJECT_NAME="shop"
PROJECT_TYPE="generic"
CLAUDE_CODE_CMD="claude"
MAX_CALLS_PER_HOUR=100
CLAUDE_TIMEOUT_MINUTES=15
CLAUDE_OUTPUT_FORMAT="json"
#MAX_TOKENS_PER_HOUR=0
ALLOWED_TOOLS="Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(npm *),Bash(pytest)"
SESSION_CONTINUITY=true
SESSION_EXPIRY_HOURS=24
TASK_SOURCES="local"
GITHUB_TASK_LABEL="ralph-task"
BEADS_FILTER="status:open"
CB_NO_PROGRESS_THRESHOLD=3
CB_SAME_ERROR_THRESHOLD=5
CB_OUTPUT_DECLINE_THRESHOLD=70
CLAUDE_AUTO_UPDATE=false
#RALPH_SHELL_INIT_FILE="~/.zshrc"
#SANDBOX_PROVIDER="docker"
#SANDBOX_DOCKER_IMAGE="ralph-sandbox:latest"
`
const PLAN = '# Fix Plan\n\n## High Priority\n- [ ] Sell hats\n\n## Optional\n- [ ] Sell gloves\n'
const CONTROL = {
  '.ralph/PROMPT.md': '# Instructions\n\nYou work on a shop for hats. End with a ---RALPH_STATUS--- block.\n',
  '.ralph/fix_plan.md': PLAN,
  '.ralph/AGENT.md': '# Commands\n\nNone yet.\n',
}

/** An answer to the agent's first call: the one checkbox, and the end. */
function sells(plan: string): ScriptedTurn {
  return {
    conversation: 'c-1',
    steps: [
      { do: 'write', path: 'src/hats.txt', content: 'hats\n' },
      { do: 'replace', path: plan, find: '- [ ] Sell hats', with: '- [x] Sell hats' },
      { do: 'commit', message: 'sell hats' },
      { do: 'status', fields: DONE },
    ],
  }
}

const COUNT = /^\d+\n$/

/** What the bash tool's loop and monitor read, as they read it. */
async function expectReadable(made: TestProject, ended: Record<string, unknown>): Promise<void> {
  const json = async (name: string): Promise<Record<string, unknown>> =>
    JSON.parse(await made.read(`.ralph/${name}`)) as Record<string, unknown>
  for (const name of ['.ralphrc', '.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md', '.ralph/logs'])
    expect([name, made.has(name)]).toEqual([name, true])
  expect(await json('status.json')).toMatchObject(ended)
  const breaker = await json('.circuit_breaker_state')
  expect(['CLOSED', 'HALF_OPEN', 'OPEN']).toContain(breaker['state'])
  expect([typeof breaker['consecutive_no_progress'], typeof breaker['last_change']]).toEqual(['number', 'string'])
  expect(Object.keys(await json('.exit_signals'))).toEqual(['test_only_loops', 'done_signals', 'completion_indicators'])
  expect(Array.isArray(await json('.circuit_breaker_history'))).toBe(true)
  expect(await made.read('.ralph/.call_count')).toMatch(COUNT)
  expect(await made.read('.ralph/.token_count')).toMatch(COUNT)
  expect(await made.read('.ralph/.last_reset')).toMatch(/^\d{10}\n$/)
  const metrics = (await made.read('.ralph/logs/metrics.jsonl')).trimEnd().split('\n')
  for (const line of metrics)
    expect(Object.keys(JSON.parse(line) as object)).toEqual(['timestamp', 'loop', 'duration', 'success', 'calls'])
}

test('a project that was set up', async () => {
  const made = await testProject({
    prompt: null,
    trustsProject: false,
    files: { ...CONTROL, '.ralphrc': RC, '.gitignore': '.ralph/logs/*\n', 'README.md': '# shop\n' },
    turns: [sells('.ralph/fix_plan.md')],
  })
  const { code, stderr } = await made.ralph([])
  expect([code, stderr.includes('note')]).toEqual([0, false])
  expect(await made.read('.ralphrc')).toBe(RC)
  expect(made.starts()[0]?.args).toEqual(expect.arrayContaining(['--allowedTools']))
  await expectReadable(made, { status: 'completed', last_action: 'graceful_exit', loop_count: 1 })
  // Nobody has to ignore anything: what the loop keeps there stays out of git.
  expect(await made.git('status', '--porcelain')).toBe('')
})

test('one that was enabled in an existing project, from a folder inside it', async () => {
  const made = await testProject({
    prompt: null,
    trustsProject: false,
    files: {
      ...CONTROL,
      '.ralphrc': RC.replace('generic', 'javascript').replace('"local"', '"github,local"'),
      'package.json': '{"name": "shop", "scripts": {"test": "true"}}',
      'src/index.js': '',
    },
    turns: [sells('.ralph/fix_plan.md')],
  })
  expect((await made.ralph([], { cwd: 'src' })).code).toBe(0)
  await expectReadable(made, { status: 'completed', exit_reason: 'plan_complete' })
})

test('one in the middle of a run, with an open breaker and its counters', async () => {
  const now = stamps()
  const made = await bashProject({
    turns: [
      [
        { do: 'append', path: 'greet.sh', content: '# more\n' },
        { do: 'status', fields: NOT_YET },
      ],
    ],
    state: {
      '.ralph/.last_reset': `${now.hour}\n`,
      '.ralph/.circuit_breaker_state': JSON.stringify({
        state: 'OPEN',
        last_change: now.utc,
        opened_at: now.utc,
        consecutive_no_progress: 3,
        consecutive_same_error: 0,
        consecutive_permission_denials: 0,
        last_progress_loop: 1,
        total_opens: 2,
        reason: 'No progress detected in 3 consecutive loops',
        current_loop: 4,
      }),
    },
  })
  const held = await made.ralph([])
  expect([held.code, made.starts()]).toEqual([4, []])
  await expectReadable(made, {
    status: 'halted',
    exit_reason: 'stagnation_detected',
    calls_made_this_hour: 17,
  })
  const reset = await made.ralph(['--reset-circuit'])
  expect([reset.code, JSON.parse(await made.read('.ralph/.circuit_breaker_state'))]).toMatchObject([
    0,
    { state: 'CLOSED', total_opens: 0 },
  ])
  expect((await made.ralph(['--max-iterations', '1'])).code).toBe(4)
  await expectReadable(made, { status: 'stopped', loop_count: 1, calls_made_this_hour: 18 })
  const { own } = bashProjectFiles()
  expect(await made.read('.ralphrc')).toBe(own['.ralphrc'])
})

test('one in the flat layout is refused with the way out, and runs when it was migrated', async () => {
  const made = await testProject({
    prompt: null,
    files: {
      'PROMPT.md': CONTROL['.ralph/PROMPT.md'],
      '@fix_plan.md': PLAN,
      '@AGENT.md': 'None yet.\n',
      '.ralphrc': RC,
      'specs/requirements.md': 'hats\n',
    },
    turns: [sells('.ralph/fix_plan.md')],
  })
  const before = await made.ralph([])
  expect([before.code, before.stderr]).toEqual([3, expect.stringContaining('ralph migrate')])
  expect([
    (await runBashCommandInProcess(made, 'ralph-migrate', [])).code,
    made.has('.ralph/specs/requirements.md'),
  ]).toEqual([0, true])
  expect((await made.ralph([])).code).toBe(0)
  await expectReadable(made, { status: 'completed' })
})
