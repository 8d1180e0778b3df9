/**
 * Every flag and every variable of the bash tool, and what it is here. The first two lists are its tables, transcribed; whatever
 * stands there and has no row below fails.
 */
import { describe, expect, test } from 'vitest'
import { UNSUPPORTED_BY_NAME } from '../../src/compat/bash/unsupported.ts'
import { refuseUnsupportedSettings } from '../../src/config/resolve.ts'
import type { SettingKey } from '../../src/config/settings.ts'
import { settingsOf } from '../kit/config.ts'
import { MINUTE } from '../../src/core/text/value-kind.ts'
import { BASH_RALPH_TOOLS } from '../../src/core/calls/tool-list.ts'
import { findCommand, findLeafCommand } from '../../src/ui/cli/framework/find-command.ts'
import { parseCommandLine } from '../../src/ui/cli/framework/parse-command-line.ts'
import { testProject } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

/** First column of the table of flags, row by row. */
const FLAG_TABLE = String.raw`
-h, --help
-c, --calls N
-p, --prompt FILE
-s, --status
-m, --monitor
-v, --verbose
-l, --live
-t, --timeout MIN
--reset-circuit
--circuit-status
--auto-reset-circuit
--reset-session
--output-format json\|text
--allowed-tools LIST
--no-continue
--session-expiry H
--dry-run
-n, --notify
-b, --backup
--rollback [BRANCH]
--show-tool-args
--queue-status, --process-queue [--halt-on-failure], --resume-queue, --queue-next, --queue-clear, --queue-remove ID
--github-issue REF
--comment-progress, --comment-interval N, --auto-close, --close-summary, --create-pr, --link-issue, --draft-pr
--create-followups, --followup-label L, --add-label L
--sandbox docker\|e2b
--sandbox-image I, --sandbox-memory M, --sandbox-cpus C, --sandbox-network none\|bridge\|host
--sandbox-template T, --sandbox-id ID, --sandbox-timeout S, --sandbox-keep-alive, --sandbox-max-cost USD
--sandbox-cost-alert USD
--sync-include P, --sync-exclude P
`

/** First column of the table of variables, and the names that its templates offer besides. */
const VARIABLE_TABLE = `
MAX_CALLS_PER_HOUR
MAX_TOKENS_PER_HOUR
CLAUDE_TIMEOUT_MINUTES
CLAUDE_OUTPUT_FORMAT
ALLOWED_TOOLS (file) / CLAUDE_ALLOWED_TOOLS (env, file)
SESSION_CONTINUITY / CLAUDE_USE_CONTINUE
SESSION_EXPIRY_HOURS / CLAUDE_SESSION_EXPIRY_HOURS
RALPH_VERBOSE / VERBOSE_PROGRESS
CLAUDE_CODE_CMD
CLAUDE_MODEL, CLAUDE_EFFORT
CLAUDE_AUTO_UPDATE
CLAUDE_MIN_VERSION
RALPH_SHELL_INIT_FILE
ENABLE_NOTIFICATIONS, ENABLE_BACKUP
LIVE_SHOW_TOOL_ARGS
DRY_RUN
OPTIONAL_SECTIONS
CB_NO_PROGRESS_THRESHOLD, CB_SAME_ERROR_THRESHOLD, CB_PERMISSION_DENIAL_THRESHOLD, CB_COOLDOWN_MINUTES, CB_AUTO_RESET
CB_OUTPUT_DECLINE_THRESHOLD
RALPH_JSONL_SAFE_MAX_BYTES
GITHUB_ISSUE, COMMENT_PROGRESS, COMMENT_INTERVAL, AUTO_CLOSE, CLOSE_SUMMARY, CREATE_PR, LINK_ISSUE, DRAFT_PR
CREATE_FOLLOWUPS, FOLLOWUP_LABEL, ADD_COMPLETION_LABELS
SANDBOX_PROVIDER, SANDBOX_DOCKER_IMAGE, SANDBOX_DOCKER_MEMORY, SANDBOX_DOCKER_CPUS, SANDBOX_DOCKER_NETWORK
SANDBOX_E2B_TEMPLATE, SANDBOX_E2B_SANDBOX_ID, SANDBOX_E2B_TIMEOUT, SANDBOX_E2B_KEEP_ALIVE, SANDBOX_E2B_MAX_COST
SANDBOX_E2B_COST_ALERT, SANDBOX_E2B_COST_PER_HOUR, SANDBOX_E2B_PYTHON, SANDBOX_E2B_WORKDIR
E2B_API_KEY, E2B_API_KEY_FILE, ANTHROPIC_API_KEY, SYNC_INCLUDE, SYNC_EXCLUDE, SYNC_MAX_FILE_SIZE, SYNC_LARGE_FILE_ACTION
PROJECT_NAME, PROJECT_TYPE, TASK_SOURCES, GITHUB_TASK_LABEL, BEADS_FILTER
RALPH_HOME
PROMPT_FILE, FIX_PLAN_FILE, AGENT_FILE
`

/** What a flag or a variable is here. */
type Here =
  /** A setting: said so, it has this value. */
  | { is: 'setting'; said: string; key: SettingKey; value: unknown }
  /** A flag that does something of its own; its output says so. */
  | { is: 'act'; says: RegExp }
  /** A flag that the loop itself takes. */
  | { is: 'loop' }
  /** Exit 2, with the reason. */
  | { is: 'refused'; because: RegExp; said?: string }
  /** Told by `ralph config list`, and nothing else. */
  | { is: 'note'; said?: string }

const set = (said: string, key: SettingKey, value: unknown): Here => ({ is: 'setting', said, key, value })
const on = (key: SettingKey): Here => set('', key, true)
const refused = (because: RegExp, said = 'x'): Here => ({ is: 'refused', because, said })

const QUEUE = refused(/there is no issue queue/)
const ISSUES = refused(/the loop does not report to GitHub issues/)
const SANDBOX = refused(/Ralph has no sandbox/)
const SYNC = refused(/it is for the E2B sandbox/)

const FLAGS: Record<string, Here> = {
  '-h': { is: 'act', says: /Usage|ralph loop/ },
  '--help': { is: 'act', says: /Usage|ralph loop/ },
  '-c': set('7', 'quota.calls_per_hour', 7),
  '--calls': set('7', 'quota.calls_per_hour', 7),
  '-p': set('P.md', 'loop.prompt', 'P.md'),
  '--prompt': set('P.md', 'loop.prompt', 'P.md'),
  '-s': { is: 'act', says: /^No status file found/ },
  '--status': { is: 'act', says: /^No status file found/ },
  '-m': { is: 'loop' },
  '--monitor': { is: 'loop' },
  '-v': on('ui.verbose'),
  '--verbose': on('ui.verbose'),
  '-l': on('ui.live'),
  '--live': on('ui.live'),
  '-t': set('30', 'agent.timeout', 30 * MINUTE),
  '--timeout': set('30', 'agent.timeout', 30 * MINUTE),
  '--reset-circuit': { is: 'act', says: /The breaker is closed/ },
  '--circuit-status': { is: 'act', says: /CLOSED/ },
  '--auto-reset-circuit': on('breaker.auto_reset'),
  '--reset-session': { is: 'act', says: /starts a new agent session/ },
  '--output-format': set('text', 'agent.output', 'text'),
  '--allowed-tools': set('Read,Bash(git *)', 'agent.tools', ['Read', 'Bash(git *)']),
  '--no-continue': set('', 'agent.continue', false),
  '--session-expiry': set('48', 'agent.conversation_hours', 48 * 60 * MINUTE),
  '--dry-run': on('loop.dry_run'),
  '-n': on('ui.notify'),
  '--notify': on('ui.notify'),
  '-b': on('loop.backup'),
  '--backup': on('loop.backup'),
  '--rollback': { is: 'act', says: /./ },
  '--show-tool-args': on('ui.tool_args'),
  '--queue-status': QUEUE,
  '--process-queue': QUEUE,
  '--halt-on-failure': QUEUE,
  '--resume-queue': QUEUE,
  '--queue-next': QUEUE,
  '--queue-clear': QUEUE,
  '--queue-remove': QUEUE,
  '--github-issue': ISSUES,
  '--comment-progress': ISSUES,
  '--comment-interval': ISSUES,
  '--auto-close': ISSUES,
  '--close-summary': ISSUES,
  '--create-pr': ISSUES,
  '--link-issue': ISSUES,
  '--draft-pr': ISSUES,
  '--create-followups': ISSUES,
  '--followup-label': ISSUES,
  '--add-label': ISSUES,
  '--sandbox': SANDBOX,
  '--sandbox-image': SANDBOX,
  '--sandbox-memory': SANDBOX,
  '--sandbox-cpus': SANDBOX,
  '--sandbox-network': SANDBOX,
  '--sandbox-template': SANDBOX,
  '--sandbox-id': SANDBOX,
  '--sandbox-timeout': SANDBOX,
  '--sandbox-keep-alive': SANDBOX,
  '--sandbox-max-cost': SANDBOX,
  '--sandbox-cost-alert': SANDBOX,
  '--sync-include': SYNC,
  '--sync-exclude': SYNC,
}

const NOTE: Here = { is: 'note' }
const TOOLS = set('Read,Bash(git *)', 'agent.tools', ['Read', 'Bash(git *)'])

const VARIABLES: Record<string, Here> = {
  MAX_CALLS_PER_HOUR: set('7', 'quota.calls_per_hour', 7),
  MAX_TOKENS_PER_HOUR: set('500000', 'quota.tokens_per_hour', 500_000),
  CLAUDE_TIMEOUT_MINUTES: set('30', 'agent.timeout', 30 * MINUTE),
  CLAUDE_OUTPUT_FORMAT: set('text', 'agent.output', 'text'),
  ALLOWED_TOOLS: TOOLS,
  CLAUDE_ALLOWED_TOOLS: TOOLS,
  SESSION_CONTINUITY: set('false', 'agent.continue', false),
  CLAUDE_USE_CONTINUE: set('false', 'agent.continue', false),
  SESSION_EXPIRY_HOURS: set('48', 'agent.conversation_hours', 48 * 60 * MINUTE),
  CLAUDE_SESSION_EXPIRY_HOURS: set('48', 'agent.conversation_hours', 48 * 60 * MINUTE),
  RALPH_VERBOSE: set('true', 'ui.verbose', true),
  VERBOSE_PROGRESS: set('true', 'ui.verbose', true),
  CLAUDE_CODE_CMD: set('npx @anthropic-ai/claude-code', 'agent.command', ['npx', '@anthropic-ai/claude-code']),
  CLAUDE_MODEL: set('opus', 'agent.model', 'opus'),
  CLAUDE_EFFORT: set('high', 'agent.effort', 'high'),
  CLAUDE_AUTO_UPDATE: set('true', 'agent.update_check', true),
  CLAUDE_MIN_VERSION: set('2.0.76', 'agent.min_version', '2.0.76'),
  RALPH_SHELL_INIT_FILE: refused(/Ralph starts no shell/, '~/.zshrc'),
  ENABLE_NOTIFICATIONS: set('true', 'ui.notify', true),
  ENABLE_BACKUP: set('true', 'loop.backup', true),
  LIVE_SHOW_TOOL_ARGS: set('yes', 'ui.tool_args', true),
  DRY_RUN: set('true', 'loop.dry_run', true),
  OPTIONAL_SECTIONS: set('Later,Some day', 'loop.optional_sections', ['Later', 'Some day']),
  CB_NO_PROGRESS_THRESHOLD: set('4', 'breaker.no_progress', 4),
  CB_SAME_ERROR_THRESHOLD: set('6', 'breaker.same_error', 6),
  CB_PERMISSION_DENIAL_THRESHOLD: set('3', 'breaker.denials', 3),
  CB_COOLDOWN_MINUTES: set('45', 'breaker.cooldown', 45 * MINUTE),
  CB_AUTO_RESET: set('true', 'breaker.auto_reset', true),
  CB_OUTPUT_DECLINE_THRESHOLD: set('60', 'breaker.output_decline', 60),
  RALPH_JSONL_SAFE_MAX_BYTES: NOTE,
  GITHUB_ISSUE: refused(/GitHub issue/, '#7'),
  COMMENT_PROGRESS: refused(/GitHub issue/, 'true'),
  COMMENT_INTERVAL: NOTE,
  AUTO_CLOSE: refused(/GitHub issue/, 'true'),
  CLOSE_SUMMARY: refused(/GitHub issue/, 'true'),
  CREATE_PR: refused(/GitHub issue/, 'true'),
  LINK_ISSUE: refused(/GitHub issue/, 'true'),
  DRAFT_PR: refused(/GitHub issue/, 'true'),
  CREATE_FOLLOWUPS: refused(/GitHub issue/, 'true'),
  FOLLOWUP_LABEL: NOTE,
  ADD_COMPLETION_LABELS: refused(/GitHub issue/, 'done'),
  SANDBOX_PROVIDER: refused(/Ralph has no sandbox/, 'docker'),
  SANDBOX_DOCKER_IMAGE: NOTE,
  SANDBOX_DOCKER_MEMORY: NOTE,
  SANDBOX_DOCKER_CPUS: NOTE,
  SANDBOX_DOCKER_NETWORK: NOTE,
  SANDBOX_E2B_TEMPLATE: NOTE,
  SANDBOX_E2B_SANDBOX_ID: NOTE,
  SANDBOX_E2B_TIMEOUT: NOTE,
  SANDBOX_E2B_KEEP_ALIVE: NOTE,
  SANDBOX_E2B_MAX_COST: NOTE,
  SANDBOX_E2B_COST_ALERT: NOTE,
  SANDBOX_E2B_COST_PER_HOUR: NOTE,
  SANDBOX_E2B_PYTHON: NOTE,
  SANDBOX_E2B_WORKDIR: NOTE,
  E2B_API_KEY: NOTE,
  E2B_API_KEY_FILE: NOTE,
  ANTHROPIC_API_KEY: refused(/Ralph does not read API keys from project files/, 'sk-1'),
  SYNC_INCLUDE: NOTE,
  SYNC_EXCLUDE: NOTE,
  SYNC_MAX_FILE_SIZE: NOTE,
  SYNC_LARGE_FILE_ACTION: NOTE,
  PROJECT_NAME: NOTE,
  PROJECT_TYPE: NOTE,
  TASK_SOURCES: NOTE,
  GITHUB_TASK_LABEL: NOTE,
  BEADS_FILTER: NOTE,
  RALPH_HOME: NOTE,
  PROMPT_FILE: set('P.md', 'loop.prompt', 'P.md'),
  FIX_PLAN_FILE: set('plan.md', 'loop.plan', 'plan.md'),
  AGENT_FILE: NOTE,
}

test('every flag of the tables has its row, and nothing else has', () => {
  const named = FLAG_TABLE.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? []
  expect(Object.keys(FLAGS)).toEqual(named)
})

test('every variable has its row', () => {
  const named = VARIABLE_TABLE.match(/[A-Z][A-Z0-9]*_[A-Z0-9_]+/g) ?? []
  expect(Object.keys(VARIABLES)).toEqual(named)
})

/** Every setting that is said by these words of the command line. */
async function saidBy(words: string[]): Promise<Awaited<ReturnType<typeof settingsOf>>> {
  return settingsOf({ flags: parseCommandLine(findLeafCommand(findCommand('loop', words))).settings })
}

describe('flags', () => {
  const rows = Object.entries(FLAGS)

  test.each(rows.filter(([, { is }]) => is === 'setting'))('%s is a setting', async (flag, here) => {
    if (here.is !== 'setting') return
    const settings = await saidBy(here.said === '' ? [flag] : [flag, here.said])
    expect([settings.values[here.key], settings.origin(here.key).from]).toEqual([here.value, 'flag'])
  })

  test.each(rows.filter(([, { is }]) => is === 'loop'))('%s is a flag of the loop', async (flag) => {
    await expect(saidBy([flag])).resolves.toBeDefined()
  })

  test('those that act and end do so with exit code 0', async () => {
    const made = await testProject({ toml: '' })
    for (const [flag, here] of rows) {
      if (here.is !== 'act') continue
      const { code, out } = await runInProcess([flag], { cwd: made.path, env: made.env })
      expect([flag, code, out]).toEqual([flag, 0, expect.stringMatching(here.says)])
    }
  })

  test('those of what is not supported are refused by name and reason, with a value and without', async () => {
    const made = await testProject({ toml: '' })
    for (const [flag, here] of rows) {
      if (here.is !== 'refused') continue
      for (const argv of [[flag], [flag, 'x'], [`${flag}=x`]]) {
        const { code, err } = await runInProcess(argv, { cwd: made.path, env: made.env })
        expect([argv, code, err]).toEqual([argv, 2, expect.stringMatching(here.because)])
        expect(err).toContain(`${flag} is not supported`)
      }
    }
  })
})

describe('variables', () => {
  const rows = Object.entries(VARIABLES)
  const inFile = (name: string, said: string) => settingsOf({ files: { '.ralphrc': `${name}="${said}"\n` } })
  const inEnvironment = (name: string, said: string) => settingsOf({ env: { [name]: said } })

  test.each(rows.filter(([, { is }]) => is === 'setting'))('%s is a setting', async (name, here) => {
    if (here.is !== 'setting') return
    const [file, environment] = [await inFile(name, here.said), await inEnvironment(name, here.said)]
    expect([file.values[here.key], file.origin(here.key)]).toEqual([
      here.value,
      { from: 'project', file: '.ralphrc', line: 1, name },
    ])
    expect([environment.values[here.key], environment.origin(here.key)]).toEqual([
      here.value,
      { from: 'environment', name },
    ])
  })

  test.each(rows.filter(([, { is }]) => is === 'refused'))('%s is refused', async (name, here) => {
    if (here.is !== 'refused') return
    const file = await inFile(name, here.said ?? '')
    expect(() => refuseUnsupportedSettings(file)).toThrow(here.because)
    expect(() => refuseUnsupportedSettings(file)).toThrow(`.ralphrc:1 ${name} is not supported`)
    const environment = await inEnvironment(name, here.said ?? '')
    // The vendor's own variable is where a key belongs.
    if (name === 'ANTHROPIC_API_KEY') expect(environment.refused).toEqual([])
    else expect(() => refuseUnsupportedSettings(environment)).toThrow(`environment ${name} is not supported`)
  })

  test.each(rows.filter(([, { is }]) => is === 'note'))('%s is a note', async (name) => {
    const { unused, refused: no, remarks } = await inFile(name, 'x')
    expect([unused.map((one) => one.name), no, remarks]).toEqual([[name], [], []])
    expect((await inEnvironment(name, 'x')).refused).toEqual([])
  })
})

test('the defaults that the bash tool had are those of its projects, or are said on the migration page', async () => {
  const { values } = await settingsOf({ files: { '.ralphrc': '' } })
  expect(values).toMatchObject({
    'quota.calls_per_hour': 100,
    'quota.tokens_per_hour': 0,
    'agent.timeout': 15 * MINUTE,
    'agent.continue': true,
    'agent.conversation_hours': 24 * 60 * MINUTE,
    'ui.verbose': false,
    'ui.notify': false,
    'loop.backup': false,
    'loop.dry_run': false,
    'loop.optional_sections': ['Optional', 'Future', 'Future Enhancements', 'Nice to Have'],
    'breaker.no_progress': 3,
    'breaker.same_error': 5,
    'breaker.denials': 2,
    'breaker.cooldown': 30 * MINUTE,
    'breaker.auto_reset': false,
    'loop.prompt': '.ralph/PROMPT.md',
  })
  expect(BASH_RALPH_TOOLS.join(',')).toBe(
    'Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),Bash(git status),Bash(git status *),Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)',
  )
})

test('a name of the bash tool that is no setting has its place in the table of old names', () => {
  const missing = Object.entries(VARIABLES).filter(
    ([name, { is }]) => (is === 'note' || is === 'refused') && !Object.hasOwn(UNSUPPORTED_BY_NAME, name),
  )
  expect(missing.map(([name]) => name)).toEqual([])
})
