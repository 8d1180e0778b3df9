/** How far an agent may go when nobody has said anything, and when somebody has. */
import { expect, test } from 'vitest'
import {
  testProject,
  NOT_YET,
  type TestProjectOptions,
  type CommandResult,
  type ScriptedTurn,
} from '../test-project.ts'

const OLD =
  'Write Read Edit Bash(git_add_*) Bash(git_commit_*) Bash(git_diff_*) Bash(git_log_*) Bash(git_status) Bash(git_status_*) Bash(git_push_*) Bash(git_pull_*) Bash(git_fetch_*) Bash(git_checkout_*) Bash(git_branch_*) Bash(git_stash_*) Bash(git_merge_*) Bash(git_tag_*) Bash(npm_*) Bash(pytest)'
    .split(' ')
    .map((entry) => entry.replaceAll('_', ' '))
const STEP: ScriptedTurn = [{ do: 'status', text: 'One step.', fields: NOT_YET }]
const BASH = { '.ralphrc': 'PROJECT_NAME="x"\n', '.ralph/AGENT.md': '# A\n' }
const PLAN = '- [ ] one\n'

async function once(options: TestProjectOptions, args: string[] = []): Promise<{ ran: CommandResult; args: string[] }> {
  const fixture = await testProject({ plan: PLAN, turns: [STEP], ...options })
  const ran = await fixture.ralph(['loop', '--once', ...args], { env: options.env ?? {} })
  return { ran, args: fixture.starts()[0]?.args ?? [] }
}

function after(flag: string, args: string[]): string[] {
  const from = args.indexOf(flag)
  if (from < 0) return []
  const rest = args.slice(from + 1)
  const to = rest.findIndex((word) => word.startsWith('--'))
  return to < 0 ? rest : rest.slice(0, to)
}

/** The tools by which an agent tells us things: allowed wherever they are offered. */
const OURS = 'mcp__ralph'

test('a project of the bash tool gets the list of the bash tool, and no more', async () => {
  const { ran, args } = await once({ files: BASH })
  expect(after('--permission-mode', args)).toEqual(['default'])
  expect(after('--allowedTools', args)).toEqual([...OLD, OURS])
  expect(args).not.toContain('--disallowedTools')
  expect(ran.stdout).not.toContain('MAY DO ANYTHING')
})

test('ALLOWED_TOOLS is the list, whatever it leaves out', async () => {
  const { args } = await once({ files: { ...BASH, '.ralphrc': 'ALLOWED_TOOLS="Read,Bash(make *)"\n' } })
  expect(after('--allowedTools', args)).toEqual(['Read', 'Bash(make *)', OURS])
})

test('a project of ours: the same, its own programs, those of its gates, and what looks', async () => {
  const toml = '[[gate]]\nname = "test"\nrun = "./check.sh --fast"\n'
  const files = { 'Cargo.toml': '[package]\nname = "x"\n', 'check.sh': '#!/bin/sh\n' }
  const { ran, args } = await once({ toml, files }, ['--yes'])
  expect(after('--permission-mode', args)).toEqual(['default'])
  const list = after('--allowedTools', args)
  expect(list).toEqual(
    expect.arrayContaining([
      ...OLD.filter((entry) => !entry.includes('push')),
      'Bash(cargo *)',
      'Bash(./check.sh *)',
      'Bash(ls)',
      'Bash(find *)',
    ]),
  )
  expect(list).not.toContain('Bash')
  expect(list.join()).not.toContain('push')
  expect(after('--disallowedTools', args)).toContain('Bash(find *-exec*)')
  expect(ran.stdout).toMatch(/permissions may edit files and run \d+ commands \(ralph config get agent\.tools\)$/m)
})

test('--allow adds to it, and a ! removes', async () => {
  const { args } = await once({ toml: '' }, ['--allow', 'Bash(git push *),!Bash(git tag *)'])
  expect(after('--allowedTools', args)).toEqual(expect.arrayContaining(['Bash(git push *)', 'Bash(npm *)']))
  expect(after('--disallowedTools', args)).toContain('Bash(git tag *)')
})

test('everything without asking is a choice, and is shown as one', async () => {
  const toml = '[agent]\npermission = "bypass"\n'
  const { ran, args } = await once({ toml, env: { NO_COLOR: '', FORCE_COLOR: '1' } })
  expect(after('--permission-mode', args)).toEqual(['bypassPermissions'])
  expect(args).not.toContain('--allowedTools')
  expect(ran.stdout).toContain('\u001B[31mMAY DO ANYTHING that your user may, without asking')
})

test.each<[args: string[], flags: string[]]>([
  [
    ['--agent', 'codex'],
    ['--sandbox', 'workspace-write'],
  ],
  [
    ['--agent', 'codex', '--permission', 'bypass'],
    ['--sandbox', 'danger-full-access'],
  ],
  [
    ['--agent', 'gemini'],
    ['--approval-mode', 'auto_edit', '--allowed-tools', 'run_shell_command(git add)'],
  ],
  [
    ['--agent', 'gemini', '--permission', 'bypass'],
    ['--approval-mode', 'yolo'],
  ],
  [
    ['--agent', 'copilot'],
    ['--allow-tool', 'write', '--allow-tool', 'shell(git add:*)'],
  ],
  [['--agent', 'copilot', '--permission', 'bypass'], ['--yolo']],
  [['--agent', 'opencode', '--permission', 'bypass'], ['--auto']],
  [
    ['--permission', 'edits'],
    ['--permission-mode', 'acceptEdits', '--allowedTools', 'Write'],
  ],
  // The vendor's own.
  [
    ['--permission', 'acceptEdits'],
    ['--permission-mode', 'acceptEdits', '--allowedTools', 'Write'],
  ],
])('%j starts it with %j', async (said, flags) => {
  const { args } = await once({ toml: '' }, said)
  expect(args.join(' ')).toContain(flags.join(' '))
})

test('what a vendor cannot is said', async () => {
  const { ran } = await once({ toml: '' }, ['--agent', 'cursor'])
  expect(ran.stdout).toMatch(/note +Cursor has no tool list/)
  const codex = await once({ toml: '' }, ['--agent', 'codex'])
  expect(codex.ran.stdout).toMatch(/permissions sandbox workspace-write \(Codex has no tool list\)/)
})

test('a permission mode that the agent does not know starts nothing', async () => {
  const misspelt = await once({ toml: '[agent]\npermission = "bypas"\n' })
  expect(misspelt.ran.code).toBe(2)
  expect(misspelt.ran.stderr).toMatch(
    /\.ralph\.toml:2: .*Claude Code has no permission mode "bypas". Did you mean bypass\?/,
  )
  expect(misspelt.args).toEqual([])
  const foreign = await once({ toml: '' }, ['--permission', 'yolo'])
  expect([foreign.ran.code, foreign.args]).toEqual([2, []])
  expect(foreign.ran.stderr).toContain('Did you mean bypass?')
})
