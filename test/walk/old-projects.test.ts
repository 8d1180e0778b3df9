/** Projects that the old commands make: what the bash tool's integrity check, its shell and its loop want to find. */
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DONE, testProject, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { JS, runBashCommand, runBashCommandInProcess } from './setup-kit.ts'

/** Without one of them the bash tool stops. */
const REQUIRED = ['.ralph', '.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md', '.ralphrc']
const FOLDERS = ['specs/stdlib', 'examples', 'logs', 'docs/generated'].map((name) => `.ralph/${name}`)

/** What a shell makes of the settings file, which the bash tool runs. */
function sourced(made: TestProject, folder: string, names: string[]): Record<string, string> {
  const script = `. ./.ralphrc; for name in ${names.join(' ')}; do printf '%s=%s\\n' "$name" "\${!name}"; done`
  const out = execFileSync('bash', ['-euc', script], { cwd: join(made.path, folder), encoding: 'utf8' })
  return Object.fromEntries(
    out
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

test.each<[program: string, args: string[], folder: string]>([
  ['ralph-setup', ['shop'], 'shop'],
  ['ralph-enable', ['--non-interactive', '--skip-tasks'], '.'],
  ['ralph-enable-ci', ['--from', 'none'], '.'],
  ['ralph-import', ['spec.md', 'shop', '--no-agent'], 'shop'],
])('%s makes a project that the bash tool opens', async (program, args, folder) => {
  const made = await testProject({ prompt: null, files: { 'spec.md': '# Shop\n\n- [ ] Sell hats\n' } })
  expect((await runBashCommandInProcess(made, program, args)).code).toBe(0)
  const missing = [...REQUIRED, ...FOLDERS].filter((name) => !made.has(join(folder, name)))
  expect([missing, made.has(join(folder, '.ralph.toml'))]).toEqual([[], false])
  expect(statSync(join(made.path, folder, '.ralphrc')).mode & 0o777).toBe(0o600)
  const prompt = await made.read(join(folder, '.ralph/PROMPT.md'))
  expect(prompt).toContain('---RALPH_STATUS---')
  expect(prompt).toContain('`.ralphrc`')
  expect(await made.read(join(folder, '.gitignore'))).toContain('.ralph/logs/')
})

const LOOP_READS = [
  'MAX_CALLS_PER_HOUR',
  'MAX_TOKENS_PER_HOUR',
  'CLAUDE_TIMEOUT_MINUTES',
  'ALLOWED_TOOLS',
  'SESSION_CONTINUITY',
  'SESSION_EXPIRY_HOURS',
  'CB_NO_PROGRESS_THRESHOLD',
  'CB_SAME_ERROR_THRESHOLD',
  'CB_COOLDOWN_MINUTES',
]

test('its settings are bash in which nothing runs, whatever the project is called', async () => {
  const name = 'a "shop" for $HOME and `id` $(id)'
  const made = await testProject({ prompt: null, files: { 'Cargo.toml': '[package]\nname = "x"\n' } })
  expect((await runBashCommandInProcess(made, 'ralph-enable-ci', ['--project-name', name])).code).toBe(0)
  const values = sourced(made, '.', ['PROJECT_NAME', 'PROJECT_TYPE', ...LOOP_READS])
  expect(values).toMatchObject({
    PROJECT_NAME: name,
    PROJECT_TYPE: 'rust',
    MAX_CALLS_PER_HOUR: '100',
    CLAUDE_TIMEOUT_MINUTES: '15',
    SESSION_EXPIRY_HOURS: '24',
  })
  // The old list alone would deny a Rust project its own tests.
  expect(values['ALLOWED_TOOLS']).toMatch(/^Write,Read,Edit,Bash\(git add \*\),.*,Bash\(cargo \*\)$/)
})

test('a set-up project is committed, and what was there stays', async () => {
  const made = await testProject({
    prompt: null,
    files: { 'taken/README.md': 'mine\n', 'taken/.gitignore': '*.o\n' },
  })
  expect((await runBashCommandInProcess(made, 'ralph-setup', ['shop'])).code).toBe(0)
  expect(await made.git('-C', 'shop', 'log', '--format=%s')).toBe('Initial Ralph project setup')
  expect(await made.git('-C', 'shop', 'status', '--porcelain')).toBe('')
  expect((await runBashCommandInProcess(made, 'ralph-setup', ['taken'])).code).toBe(0)
  expect([await made.read('taken/README.md'), await made.read('taken/.gitignore')]).toEqual(['mine\n', '*.o\n'])
})

test('gates that were found stand in it, need no second question, and prove the work', async () => {
  const work: ScriptedTurn = [
    { do: 'write', path: 'roman.mjs', content: 'export const one = "I"\n' },
    { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' },
    { do: 'commit', message: 'work' },
    { do: 'status', fields: DONE },
  ]
  const made = await testProject({
    prompt: null,
    trustsProject: false,
    files: { 'package.json': JS, 'test.mjs': 'process.exit(0)\n', 'todo.md': '- [ ] write it\n' },
    turns: [work],
  })
  const enabled = await runBashCommand(made, 'ralph-enable', ['--from', 'prd', 'todo.md', '--non-interactive'])
  expect(enabled.code).toBe(0)
  expect(await made.read('.ralphrc')).toContain('\nTEST_COMMAND="npm test"\n')
  const { code, stdout } = await made.ralph([])
  expect([code, stdout]).toEqual([0, expect.stringContaining('npm test')])
  expect(JSON.parse(await made.read('.ralph/status.json'))).toMatchObject({ status: 'completed' })
})

test('a .ralph.toml that is there stays the settings file, and the bash tool is said not to open it', async () => {
  const made = await testProject({ toml: '[quota]\ncalls_per_hour = 7\n', prompt: null })
  const { code, stdout } = await runBashCommandInProcess(made, 'ralph-enable', ['--non-interactive'])
  expect([code, made.has('.ralphrc')]).toEqual([0, false])
  expect(stdout).toContain('cannot open this project')
})
