/** One small run for each kind of end, for tests that look at the same end through several screens. */
import {
  DONE,
  testProject,
  NOT_YET,
  type TestProject,
  type TestProjectOptions,
  type ScriptedTurn,
} from '../test-project.ts'

export interface RunEnding {
  /** The run's outcome; null: it has not ended. */
  is: string | null
  options: TestProjectOptions
  /** Words after `ralph`; absent: `loop`. */
  args?: string[]
  /** Ends by a signal, once its second iteration works. */
  by?: NodeJS.Signals
  /** What a person does afterwards. */
  afterwards?: string[]
}

const GATE = '[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
const FILES = {
  'test.sh': 'sh src/add.sh | grep -q 3 || { echo "1 passed, 1 failed"; exit 1; }\n',
  'src/add.sh': 'true\n',
}
const PLAN = '- [ ] add\n- [ ] tell\n- [ ] sing\n'

const HALF: ScriptedTurn = {
  steps: [
    { do: 'write', path: 'src/half.sh', content: 'true\n' },
    { do: 'status', text: 'Half.', fields: NOT_YET },
  ],
  usage: { input: 1000, output: 100, usd: 0.25 },
}
const CLAIM = [
  { do: 'write', path: '.ralph/fix_plan.md', content: PLAN.replaceAll('[ ]', '[x]') },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
const WHOLE: ScriptedTurn = {
  steps: [{ do: 'write', path: 'src/add.sh', content: 'echo 3\n' }, ...CLAIM],
  usage: { input: 500, output: 50, usd: 0.125 },
}
const LIE: ScriptedTurn = { steps: [...CLAIM], usage: { input: 500, output: 50, usd: 0.125 } }
const IDLE: ScriptedTurn = [
  { do: 'say', text: 'Hm.' },
  { do: 'status', fields: NOT_YET },
]
const HANGS: ScriptedTurn = [{ do: 'say', text: 'working on it' }, { do: 'hang' }]
const DENIED: ScriptedTurn = [
  { do: 'denied', tool: 'Bash', command: 'npm publish' },
  { do: 'status', text: 'I may not.', fields: NOT_YET },
]

function project(turns: ScriptedTurn[], more: TestProjectOptions = {}): TestProjectOptions {
  return { toml: GATE, files: FILES, plan: PLAN, turns, ...more }
}

export const RUN_ENDINGS: Record<string, RunEnding> = {
  'gates passed': { is: 'project_complete', options: project([HALF, WHOLE]) },
  unproven: { is: 'plan_complete', options: project([WHOLE], { toml: '' }) },
  'an iteration limit': {
    is: 'iteration_limit',
    options: project([HALF, LIE]),
    args: ['loop', '--max-iterations', '2'],
  },
  'an open breaker': { is: 'breaker', options: project([HALF, IDLE]) },
  'an open breaker that a person closed': {
    is: 'breaker',
    options: project([IDLE]),
    afterwards: ['circuit', 'reset'],
  },
  'an open breaker that held the next run back': {
    is: 'breaker',
    options: project([IDLE]),
    afterwards: ['loop'],
  },
  'spent money': { is: 'cost_limit', options: project([HALF]), args: ['loop', '--budget-usd', '0.3'] },
  'a bad key': { is: 'agent_unusable', options: project([HALF, [{ do: 'limit', kind: 'auth' }]]) },
  // In a project with a .ralph.toml the agent is told first; twice in a row opens the breaker.
  'a denied tool': { is: 'breaker', options: project([DENIED]) },
  'refused completions': { is: 'cannot_prove', options: project([LIE]) },
  'another agent that took over': {
    is: 'project_complete',
    options: project([WHOLE], { turnsByAgent: { claude: [[{ do: 'limit', kind: 'overload' }]] } }),
    args: ['loop', '--agent', 'claude,codex'],
  },
  'an outage': {
    is: 'outage',
    options: project([HALF, [{ do: 'limit', kind: 'overload' }]], {
      toml: `${GATE}[retry]\nfirst = "20ms"\noutage = "300ms"\n`,
    }),
  },
  'a stop': { is: 'stopped', options: project([HALF, HANGS]), by: 'SIGINT' },
  'a crash': { is: null, options: project([HALF, HANGS]), by: 'SIGKILL' },
}

/** The run of that end, over. */
export async function playEnding({ options, args = ['loop'], by, afterwards }: RunEnding): Promise<TestProject> {
  const made = await testProject(options)
  if (by === undefined) await made.ralph(args)
  else {
    const walk = made.start([...args, '--live'])
    await walk.waitFor('working on it')
    await walk.kill(by)
  }
  if (afterwards !== undefined) await made.ralph(afterwards)
  return made
}
