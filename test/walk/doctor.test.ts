/** `ralph doctor`, as a user types it. */
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/app/doctor/finding.ts'
import { testProject, NOT_YET, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "sh check.sh"\n'

interface Told {
  code: number
  ok: boolean
  root: string | null
  findings: Finding[]
}

async function examined({ path, env }: TestProject, cwd = path): Promise<Told> {
  const { code, out } = await runInProcess(['doctor', '--json'], { cwd, env })
  return { code, ...(JSON.parse(out) as Omit<Told, 'code'>) }
}

/** What is not well, and how to mend it. */
function problems({ findings }: Told): Omit<Finding, 'what'>[] {
  return findings.filter(({ level }) => level !== 'ok').map(({ level, about, fix }) => ({ level, about, fix }))
}

test('the binary says of a project that has all it needs that it is ready', async () => {
  const made = await testProject({ toml: GATE })
  const { code, stdout, stderr } = await made.ralph(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`Ralph doctor · ${made.path}`)
  expect(stdout).toMatch(/^ {2}✓ agent claude +Claude Code \d.*, logged in$/m)
  expect(stdout).toMatch(/^ {2}✓ gate test +sh check\.sh$/m)
  expect(stdout).toMatch(/Ready to run\.\n$/)
})

test('git that does not know its user is worth a warning', async () => {
  const made = await testProject({ toml: GATE, agents: ['claude'] })
  await made.git('config', '--unset', 'user.email')
  const { code, stdout } = await made.ralph(['doctor', '--json'], { env: { GIT_CONFIG_NOSYSTEM: '1' } })
  const told = { code, ...JSON.parse(stdout) } as Told
  expect([told.code, problems(told)]).toEqual([
    0,
    [
      {
        level: 'warn',
        about: 'identity',
        fix: 'git config --global user.name "Your Name" && git config --global user.email you@example.org',
      },
    ],
  ])
})

describe('what must be fixed', () => {
  const cases: [what: string, options: TestProjectOptions, expected: Pick<Finding, 'about' | 'what'>][] = [
    [
      'the chosen agent is not installed',
      { toml: `agent = "codex"\n${GATE}`, agents: ['claude'] },
      { about: 'agent codex', what: 'chosen, but codex is not on the PATH' },
    ],
    [
      'there is no such agent',
      { toml: `agent = "cluade"\n${GATE}` },
      { about: 'agent cluade', what: 'unknown agent "cluade"' },
    ],
    [
      'the program of a gate is not there',
      { toml: GATE.replace('sh check.sh', 'nonsuch') },
      { about: 'gate test', what: 'nonsuch: nonsuch is not on the PATH' },
    ],
    ['there is no prompt', { toml: GATE, prompt: null }, { about: 'prompt', what: '.ralph/PROMPT.md is missing' }],
    ['the prompt is empty', { toml: GATE, prompt: ' \n' }, { about: 'prompt', what: '.ralph/PROMPT.md is empty' }],
    [
      'a setting cannot be read',
      { toml: `[budget]\nusd = "much"\n${GATE}` },
      {
        about: 'settings',
        what: '.ralph.toml:2: budget.usd: found "much", expected a number of at least 0.01, or "none"',
      },
    ],
  ]

  test.each(cases)('%s: exit 1, with a remedy', async (_what, options, expected) => {
    // One agent is enough, unless the case is about agents: each costs a start of Node.
    const told = await examined(await testProject({ agents: ['claude'], ...options }))
    expect([told.code, told.ok]).toEqual([1, false])
    const bad = told.findings.filter(({ level }) => level === 'bad')
    expect(bad.map(({ about, what }) => ({ about, what }))).toEqual([expected])
    expect(bad[0]?.fix).toBeTruthy()
  })
})

test.each<[agent: string, answer: string, what: string, fix: string]>([
  ['codex', 'Not logged in', 'OpenAI Codex 9.9.9 is not logged in', 'Log in: codex login'],
  ['claude', '{"loggedIn": false}', 'Claude Code 9.9.9 is not logged in', 'Log in: claude auth login'],
  ['claude', 'error: unknown command', 'Claude Code 9.9.9, login unknown', 'Check it: claude auth status'],
  [
    'gemini',
    '',
    'Gemini CLI 9.9.9, login unknown',
    'Check it: start gemini once and see whether Gemini CLI asks you to log in',
  ],
])('%s that answers "%s" about its login is a warning', async (agent, answer, what, fix) => {
  const made = await testProject({ toml: `agent = "${agent}"\n${GATE}`, agents: [] })
  const bin = join(made.home, 'vendor')
  await mkdir(bin)
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo 9.9.9 || echo '${answer}'\n`
  await writeFile(join(bin, agent), script, { mode: 0o755 })
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  const json = await made.ralph(['doctor', '--json'], { env })
  const { findings } = JSON.parse(json.stdout) as Told
  expect(findings.find(({ about }) => about === `agent ${agent}`)).toEqual({
    level: 'warn',
    about: `agent ${agent}`,
    what,
    fix,
  })
  const { code, stdout } = await made.ralph(['doctor'], { env })
  expect(code).toBe(0)
  expect(stdout).toContain(`  ! agent ${agent} `)
  expect(stdout).not.toContain('Ready to run.')
})

test('an agent that takes over later need not be there, and no gate is allowed: both warn', async () => {
  const told = await examined(await testProject({ toml: 'agent = ["claude", "gemini"]\n', agents: ['claude'] }))
  expect([told.code, problems(told).map(({ level, about }) => [level, about])]).toEqual([
    0,
    [
      ['warn', 'agent gemini'],
      ['warn', 'gates'],
    ],
  ])
})

test('outside a project the machine is looked at, and that is said', async () => {
  const made = await testProject({ agents: ['claude'] })
  const told = await examined(made, made.home)
  expect([told.code, told.root]).toEqual([0, null])
  expect(problems(told).filter(({ about }) => about !== 'identity')).toEqual([
    { level: 'warn', about: 'project', fix: 'Set it up: ralph init' },
  ])
  expect(told.findings.map(({ about }) => about)).toEqual(
    expect.arrayContaining(['node', 'git', 'agent claude', 'tmux', 'gh', 'bd']),
  )
})

describe('the store', () => {
  async function withStore(): Promise<{ made: TestProject; file: string }> {
    const made = await testProject({
      toml: GATE,
      agents: ['claude'],
      turns: [[{ do: 'status', text: 'Begun.', fields: NOT_YET }]],
    })
    await made.ralph(['loop', '--once'])
    const folder = join(made.path, '.git', 'ralph', 'root')
    expect(await readdir(folder)).toContain('ralph.db')
    return { made, file: join(folder, 'ralph.db') }
  }

  test('is sound and private after a run; one that others may read is worth a warning', async () => {
    const { made, file } = await withStore()
    const before = await examined(made)
    const [found, ...others] = before.findings.filter(({ about }) => about === 'store')
    expect([found?.level, others]).toEqual(['ok', []])
    expect(found?.what).toMatch(/schema \d+, 1 run$/)
    await chmod(file, 0o644)
    expect(problems(await examined(made))).toEqual([{ level: 'warn', about: 'store', fix: `chmod 600 '${file}'` }])
  })

  test('that is damaged is bad', async () => {
    const { made, file } = await withStore()
    await writeFile(file, 'this is no database at all, whatever its name says\n'.repeat(100))
    const told = await examined(made)
    expect([told.code, problems(told).map(({ level, about }) => [level, about])]).toEqual([1, [['bad', 'store']]])
  })
})
