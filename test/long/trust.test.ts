/** A repository may name programs; nothing of it runs before the person has said so. */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  DONE,
  testProject,
  NOT_YET,
  type TestProject,
  type TestProjectOptions,
  type CommandResult,
} from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { install } from '../walk/setup-kit.ts'

/** Programs that leave a file behind when they are started, whoever starts them. */
const EVIL = '#!/bin/sh\ntouch "$(dirname "$0")/../ran-$(basename "$0")"\necho 9.9.9\n'
const PROGRAMS = ['evil.sh', 'claude', 'codex', 'git', 'gate.sh']

interface Stranger extends TestProject {
  /** Which of its programs were started. */
  ran(): string[]
}

/** A project that brings programs of its own. */
async function stranger(options: TestProjectOptions = {}): Promise<Stranger> {
  const files = Object.fromEntries(PROGRAMS.map((name) => [`bin/${name}`, EVIL]))
  const made = await testProject({ trustsProject: false, ...options, files: { ...files, ...options.files } })
  for (const name of PROGRAMS) chmodSync(join(made.path, 'bin', name), 0o755)
  await made.git('commit', '-q', '-a', '-m', 'programs')
  return { ...made, ran: () => PROGRAMS.filter((name) => existsSync(join(made.path, `ran-${name}`))) }
}

const NAMES_PROGRAMS = `[agent]
order = ["claude", "acp:./bin/evil.sh --acp", "mine"]
command = ["./bin/evil.sh", "--now"]
[agents.mine]
command = ["./bin/evil.sh"]
[agents.codex]
command = ["./bin/codex"]
[proof]
reviewer = "acp:./bin/evil.sh"
[[gate]]
name = "test"
run = "./bin/gate.sh"
`

/** Controls but the end of a line, and what reorders or joins. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}]/u

const GATE = '[[gate]]\nname = "test"\nrun = "./bin/gate.sh"\n'
const TURN = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const

/** Nothing of the project was started, no agent either, and no run was begun. */
function expectNothing(fixture: Stranger, ran: CommandResult, code = 2): void {
  const begun = existsSync(join(fixture.path, '.git', 'ralph'))
  expect([ran.code, fixture.ran(), fixture.starts().length, begun], `${ran.stdout}${ran.stderr}`).toEqual([
    code,
    [],
    0,
    false,
  ])
}

describe('a mere look starts nothing of the repository', () => {
  test.each([
    [['agents']],
    [['agents', '--json']],
    [['doctor']],
    [['status', '--verbose']],
    [['config']],
    [['loop', '--dry-run']],
    [['complete', '+ralph', '+loop', '+--agent', '+']],
  ])('%s', async (args) => {
    const fixture = await stranger({ toml: NAMES_PROGRAMS })
    const ran = await fixture.ralph(args)
    expect([ran.code === 70, fixture.ran()], ran.stderr).toEqual([false, []])
  })

  test.each([[['agents']], [['doctor']], [['loop', '--dry-run']], [['status', '--verbose']]])(
    '%s, with folders of the repository on the PATH',
    async (args) => {
      const fixture = await stranger()
      for (const folder of ['bin', './bin', join(fixture.path, 'bin')]) {
        const ran = await fixture.ralph(args, { env: { PATH: `${folder}:${fixture.env['PATH'] ?? ''}` } })
        expect([ran.code === 70, fixture.ran()], `${folder}: ${ran.stderr}`).toEqual([false, []])
      }
    },
  )
})

test.each([[['agents']], [['doctor']], [['status', '--verbose']], [['config']], [['loop', '--dry-run']], [['loop']]])(
  '%s shows no value of a settings file to a terminal as it stands',
  async (args) => {
    const evil = String.raw`\u001b]0;owned\u0007\u001b[2J\u202e\u200b\r`
    const fixture = await stranger({
      toml: `[agent]
order = ["acp:sh ${evil}", "codex"]
model = "m${evil}"
[agents.codex]
command = ["sh", "${evil}"]
`,
    })
    const { stdout, stderr } = await fixture.ralph(args)
    expect(stdout + stderr).not.toMatch(HIDDEN)
    expect(stdout + stderr).not.toBe('')
  },
)

describe('without a terminal', () => {
  test('a loop says what would run and what to type, and starts nothing', async () => {
    const fixture = await stranger({ toml: NAMES_PROGRAMS })
    const ran = await fixture.ralph(['loop'])
    expectNothing(fixture, ran)
    expect(ran.stdout).toBe('')
    expect(ran.stderr)
      .toBe(`ralph: the settings files in ${fixture.path} specify 5 commands that you haven't approved: agent.command, agent.order, proof.reviewer, agents.mine, gate test. Nothing was started

  agent.command  (.ralph.toml:3)
    ./bin/evil.sh --now

  agent.order  (.ralph.toml:2)
    ./bin/evil.sh --acp

  proof.reviewer  (.ralph.toml:9)
    ./bin/evil.sh

  agents.mine  (.ralph.toml:4)
    ./bin/evil.sh

  gate test  (.ralph.toml:10)
    ./bin/gate.sh

       To approve: ralph loop --trust. This time only: RALPH_TRUST=1 ralph loop
`)
  })

  test.each([
    [['loop', '--once']],
    [['loop', '--quiet']],
    [['loop', '--detach']],
    [['loop', '--monitor']],
    [['loop', '--fresh']],
    [['verify']],
    [['verify', '--gate', 'test']],
    [['resume']],
    [['import', 'README.md', '--force']],
  ])('%s', async (args) => {
    const fixture = await stranger({ toml: NAMES_PROGRAMS })
    // There is no run to resume, which is said instead.
    expectNothing(fixture, await fixture.ralph(args), args[0] === 'resume' ? 3 : 2)
  })

  test('programs read it as JSON', async () => {
    const fixture = await stranger({ toml: GATE })
    const ran = await fixture.ralph(['verify', '--json'])
    expectNothing(fixture, ran)
    expect(JSON.parse(ran.stdout)).toEqual({
      error: 'untrusted',
      message: `the settings files in ${fixture.path} specify 1 command that you haven't approved: gate test. Nothing was started`,
      hint: 'To approve: ralph verify --trust. This time only: RALPH_TRUST=1 ralph verify',
      exit: 2,
      programs: [{ setting: 'gate test', run: './bin/gate.sh', cwd: '.', env: {}, where: '.ralph.toml:1', was: null }],
    })
  })

  test('values that steer terminals, hide or go on for ever are shown as what they are', async () => {
    const run = `true\\u001b[2A\\u001b[2K\\n./bin/evil.sh\\u202e${'x'.repeat(100_000)}END`
    const fixture = await stranger({
      toml: `[agent]\norder = ["mine"]\n[agents.mine]\ncommand = ["sh", "-c", "${run}"]\n`,
    })
    const ran = await fixture.ralph(['loop'])
    expectNothing(fixture, ran)
    expect(ran.stderr).toContain(
      String.raw`sh -c "true\u001b[2A\u001b[2K\n./bin/evil.sh\u{202e}${'x'.repeat(100_000)}END`,
    )
    expect(ran.stderr).not.toMatch(HIDDEN)
  })
})

describe('trust', () => {
  test('by flag is remembered: for the values, not for the file', async () => {
    const fixture = await stranger({ toml: GATE, turns: [[...TURN]] })
    expect((await fixture.ralph(['verify', '--trust'])).code).toBe(0)
    expect((await fixture.ralph(['verify'])).code).toBe(0)
    await fixture.write('.ralph.toml', `# a comment\n[budget]\nusd = 7\n${GATE}timeout = "3m"\n`)
    expect((await fixture.ralph(['loop'])).code).toBe(0)
    await fixture.write('.ralph.toml', GATE.replace('gate.sh', 'evil.sh --all'))
    const changed = await fixture.ralph(['verify'])
    expect([changed.code, fixture.ran()]).toEqual([2, ['gate.sh']])
    expect(changed.stderr).toContain(`
  gate test  (.ralph.toml:1) changed since you approved it
    was  ./bin/gate.sh
    now  ./bin/evil.sh --all
`)
    await fixture.write('.ralph.toml', GATE)
    expect((await fixture.ralph(['verify'])).code).toBe(0)
  })

  test('by RALPH_TRUST=1 holds for this time only', async () => {
    const fixture = await stranger({ toml: GATE })
    expect((await fixture.ralph(['verify'], { env: { RALPH_TRUST: '1' } })).code).toBe(0)
    expect((await fixture.ralph(['verify'])).code).toBe(2)
    expect((await fixture.ralph(['verify'], { env: { RALPH_TRUST: '0' } })).code).toBe(2)
  })

  test('is not needed for what is said by flag, by environment or in the user’s own file', async () => {
    const fixture = await stranger({
      turns: [[...TURN], [...TURN]],
      toml: '[agent]\ncommand = "./bin/evil.sh"\n',
    })
    const named = await fixture.ralph(['loop', '--once', '--agent', 'codex'])
    expect([named.code, fixture.starts().length, fixture.ran()], named.stderr).toEqual([4, 1, []])
    const own = join(fixture.path, 'bin', 'evil.sh')
    await fixture.write('.ralph.toml', '')
    await fixture.write('../home/.config/ralph/config.toml', `[agents.mine]\ncommand = ["${own}"]\n`)
    await fixture.ralph(['loop', '--once', '--agent', 'mine'])
    expect(fixture.ran()).toEqual(['evil.sh'])
  })

  test('holds in a worktree of the repository, and not after it was moved', async () => {
    const fixture = await stranger({ toml: GATE })
    expect((await fixture.ralph(['verify', '--trust'])).code).toBe(0)
    await fixture.git('worktree', 'add', '-q', join(fixture.path, '..', 'second'))
    expect((await fixture.ralph(['verify'], { cwd: '../second' })).code).toBe(0)
    await fixture.git('worktree', 'remove', '--force', join(fixture.path, '..', 'second'))
    renameSync(fixture.path, `${fixture.path}-moved`)
    const moved = await fixture.ralph(['verify'], { cwd: '../project-moved' })
    expect(moved.code, moved.stderr).toBe(2)
    renameSync(`${fixture.path}-moved`, fixture.path)
  })

  test('asks only for what is started', async () => {
    const fixture = await stranger({
      toml: `${NAMES_PROGRAMS}[[gate]]\nname = "build"\nrun = "./bin/evil.sh"\n`,
    })
    expect((await fixture.ralph(['verify', '--gate', 'test', '--trust'])).code).toBe(0)
    expect((await fixture.ralph(['verify', '--gate', 'test'])).code).toBe(0)
    expect([(await fixture.ralph(['verify'])).code, fixture.ran()]).toEqual([2, ['gate.sh']])
  })

  test('cannot be given from inside a run', async () => {
    const fixture = await stranger({ toml: GATE })
    const inside = { env: { RALPH_INSIDE: 'k7f3qa' } }
    for (const args of [
      ['loop', '--trust'],
      ['verify', '--trust'],
      ['resume', '--trust'],
      ['init', '--force', '--yes'],
    ]) {
      const ran = await fixture.ralph(args, inside)
      expect([args[0], ran.code]).toEqual([args[0], args[0] === 'init' ? 0 : 1])
    }
    await fixture.write('.ralph.toml', GATE)
    expect((await fixture.ralph(['verify'])).code).toBe(2)
    expect(existsSync(join(fixture.home, '.local'))).toBe(false)
  })

  test('that was kept and is damaged counts for nothing, and that is said', async () => {
    const fixture = await stranger({ toml: GATE })
    expect((await fixture.ralph(['verify', '--trust'])).code).toBe(0)
    const kept = join('..', 'home', '.local', 'state', 'ralph', 'trust')
    const [folder = ''] = readdirSync(join(fixture.path, kept))
    const [file = ''] = readdirSync(join(fixture.path, kept, folder))
    await fixture.write(join(kept, folder, file), '{"setting": "gat')
    const ran = await fixture.ralph(['verify'])
    expect([ran.code, ran.stderr.includes(`${file} is damaged`)]).toEqual([2, true])
  })
})

describe('set-up', () => {
  test('trusts what it writes itself: init, then loop, asks nothing', async () => {
    const fixture = await testProject({
      trustsProject: false,
      prompt: null,
      files: { 'package.json': '{"scripts": {"test": "node --version"}}' },
      turns: [[...TURN]],
    })
    expect((await fixture.ralph(['init', '--yes'])).code).toBe(0)
    const ran = await fixture.ralph(['loop', '--once'])
    expect([ran.code, fixture.starts().length], ran.stderr).toEqual([4, 1])
    expect((await fixture.ralph(['verify'])).code).toBe(0)
  })

  test('says which programs it found, and does not trust them', async () => {
    const fixture = await stranger({ prompt: null, files: { '.ralphrc': 'TEST_COMMAND="./bin/gate.sh"\n' } })
    const ran = await fixture.ralph(['init', '--yes'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('project files specify commands: gate test; ralph loop asks before it runs them')
    expect((await fixture.ralph(['loop'])).code).toBe(2)
    expect(fixture.ran()).toEqual([])
  })

  test('the demo asks nothing', async () => {
    const fixture = await testProject({ trustsProject: false })
    expect((await fixture.ralph(['demo'], { env: { TMPDIR: join(fixture.path, '..') } })).code).toBe(0)
  })
})

/** Edits the settings so that its successor would be another program, and dies with the engine. */
const EDITS = [
  {
    do: 'write',
    path: '.ralph.toml',
    content: `agent = "claude"\n[agents.claude]\ncommand = ["./bin/evil.sh"]\n${GATE.replace('gate.sh', 'evil.sh')}`,
  },
  { do: 'status', text: 'Edited.', fields: NOT_YET },
] as const

describe('an agent that edits what is started', () => {
  test.each([['loop'], ['resume']])(
    'changes nothing for its run, not even after a crash and ralph %s; the next start asks',
    async (command) => {
      const fixture = await stranger({ toml: GATE, turns: [[...EDITS], [{ do: 'hang' }]] })
      const walk = fixture.start(['loop', '--trust', '--json'])
      await walk.waitFor(/"agent-started"[^]*"agent-started"/)
      await walk.kill('SIGKILL')
      await fixture.play([[...TURN]])
      const resumed = await fixture.ralph([command])
      // The edit itself is no matter of proof; what is started is what was trusted.
      expect([resumed.code, fixture.ran()], resumed.stdout + resumed.stderr).toEqual([0, ['gate.sh']])
      expect(fixture.starts().length).toBeGreaterThan(0)
      expect(resumed.stderr).toContain('Changed settings: agent claude, gate test (since run')
      const next = await fixture.ralph(['loop'])
      expect([next.code, fixture.ran()]).toEqual([2, ['gate.sh']])
      expect(next.stderr).toContain('agents.claude  (.ralph.toml:2)\n    ./bin/evil.sh\n')
      expect(next.stderr).toContain('was  ./bin/gate.sh\n    now  ./bin/evil.sh\n')
    },
  )
})

describe('the set-up of the clean room', () => {
  const toml = (setup: string): string => `${GATE}[proof]\nsetup = "${setup}"\n`
  const work = { do: 'write', path: 'src/add.sh', content: 'echo 3\n' } as const
  const files = { 'src/add.sh': 'echo 2\n', 'bin/gate.sh': '#!/bin/sh\ntest "$(sh src/add.sh)" = 3\n' }

  test('is a program of the project like any other: it runs in the room once it is trusted', async () => {
    const fixture = await stranger({
      toml: toml('brings tools'),
      files,
      proof: 'full',
      turns: [[work, ...TURN.slice(1)]],
    })
    const brings = await install(fixture, 'brings', 'test "$PWD" != "$(dirname "$0")/../project"')
    const refused = await fixture.ralph(['loop'])
    expectNothing(fixture, refused)
    expect(refused.stderr).toContain('\n  proof.setup  (.ralph.toml:5)\n    brings tools\n')
    expect(await brings.calls()).toEqual([])
    const loop = await fixture.ralph(['loop', '--trust'])
    expect([loop.code, loop.stdout]).toEqual([0, expect.stringContaining('PROVEN DONE')])
    expect((await brings.calls()).length).toBeGreaterThan(0)
    await fixture.write('.ralph.toml', toml('brings --more'))
    const changed = await fixture.ralph(['verify'])
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining('now  brings --more')])
  })

  test('that an agent names during its run is not started', async () => {
    const edits = { do: 'write', path: '.ralph.toml', content: toml('./bin/evil.sh') } as const
    const fixture = await stranger({
      toml: GATE,
      files,
      proof: 'full',
      turns: [[edits, work, ...TURN.slice(1)]],
    })
    const loop = await fixture.ralph(['loop', '--trust'])
    expect([loop.code, loop.stdout]).toEqual([0, expect.stringContaining('PROVEN DONE')])
    expect((await fixture.ralph(['loop'])).code).toBe(2)
  })
})

describe('an unfinished run', () => {
  /** Cut off in its first iteration. */
  async function cutOff(fixture: Stranger, how: { args: string[]; env?: Record<string, string> }): Promise<void> {
    const walk = fixture.start(['loop', '--json', ...how.args], { env: how.env ?? {} })
    await walk.waitFor('"agent-started"')
    await walk.kill('SIGKILL')
    await fixture.play([[...TURN]])
  }
  const UNSEEN = `${GATE}[proof]\nbaseline = "off"\n`

  test.each([
    [['loop'], true],
    [['resume'], true],
    [['loop', '--detach'], true],
    [['loop', '--json'], true],
    [['loop'], false],
  ])('whose record came along starts nothing by ralph %s (in a repository: %s)', async (args, git) => {
    const fixture = await stranger({ toml: UNSEEN, turns: [[{ do: 'hang' }]], git: true })
    if (!git) rmSync(join(fixture.path, '.git'), { recursive: true })
    await cutOff(fixture, { args: [], env: { RALPH_TRUST: '1' } })
    await fixture.write('.ralph.toml', '')
    const ran = await fixture.ralph(args)
    const said = ran.stdout + ran.stderr
    // The one start is the one that was cut off.
    expect([ran.code, fixture.ran(), fixture.starts().length], said).toEqual([2, [], 1])
    expect(said).toMatch(/the record of the unfinished run \w+ in \S+ specifies 1 command that you haven't approved/)
  })

  test('shows what its record would start, and continues when that is trusted', async () => {
    const fixture = await stranger({ toml: UNSEEN, turns: [[{ do: 'hang' }]] })
    await cutOff(fixture, { args: [], env: { RALPH_TRUST: '1' } })
    const refused = await fixture.ralph(['resume'])
    const run = /unfinished run (\w+)/.exec(refused.stderr)?.[1] ?? ''
    expect(refused.stderr).toContain(`\n  gate test  (record of run ${run})\n    ./bin/gate.sh\n`)
    expect(refused.stderr).toContain('ralph resume --trust. This time only: RALPH_TRUST=1 ralph resume.')
    const resumed = await fixture.ralph(['resume', '--trust'])
    expect([resumed.code, fixture.ran(), fixture.starts().length], resumed.stdout).toEqual([0, ['gate.sh'], 2])
  })

  test('is given up without starting anything of its record', async () => {
    const fixture = await stranger({ toml: UNSEEN, turns: [[{ do: 'hang' }]] })
    await cutOff(fixture, { args: [], env: { RALPH_TRUST: '1' } })
    await fixture.write('.ralph.toml', '')
    const fresh = await fixture.ralph(['loop', '--fresh', '--once'])
    expect([fixture.ran(), fixture.starts().length], fresh.stderr).toEqual([[], 2])
  })

  test.each([
    ['agent.command', 'agent = { order = ["claude"], command = ["env", "claude"] }\n'],
    ['agents.claude', 'agent = "claude"\n[agents.claude]\ncommand = ["env", "claude"]\n'],
  ])('of one’s own goes on unasked, whatever named its program: %s', async (_, toml) => {
    const fixture = await stranger({ toml, turns: [[{ do: 'hang' }]] })
    await cutOff(fixture, { args: ['--trust'] })
    const resumed = await fixture.ralph(['resume'])
    expect([resumed.code, fixture.starts().length > 1], resumed.stderr).toEqual([0, true])
  })
})

describe('a settings file of the user’s own that lies in the repository is not the user’s', () => {
  test.each([
    ['a relative XDG_CONFIG_HOME', () => ({ XDG_CONFIG_HOME: '.config' })],
    ['XDG_CONFIG_HOME inside', (path: string) => ({ XDG_CONFIG_HOME: join(path, '.config') })],
    ['no home', () => ({ HOME: '' })],
    ['a relative home', () => ({ HOME: '.' })],
    ['the repository as home', (path: string) => ({ HOME: path })],
  ])('%s', async (_, env) => {
    const mine = 'agent = "mine"\n[agents.mine]\ncommand = ["./bin/evil.sh"]\n'
    const fixture = await stranger({
      toml: '',
      turns: [[...TURN]],
      files: { '.config/ralph/config.toml': mine },
    })
    const ran = await fixture.ralph(['loop', '--once'], { env: env(fixture.path) })
    expect(fixture.ran(), ran.stdout + ran.stderr).toEqual([])
  })
})

const RALPH = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`

describe.skipIf(!(await hasTmux()))('on a terminal (skipped where tmux is not installed)', () => {
  test('it asks, No is the default, and Yes is remembered', async () => {
    const fixture = await stranger({ toml: GATE, turns: [[...TURN]] })
    const tmux = await openTmux(fixture, { columns: 110, rows: 45 })
    await tmux.type(`${RALPH} loop; echo "code $?"`, 'Enter')
    const asked = await tmux.shows('Let Ralph run it in this repository')
    expect(asked).toMatch(/The settings files in \S+ specify 1 command that you haven't approved before:/)
    expect(asked).toMatch(/ {2}gate test {2}\(\.ralph\.toml:1\)\n {4}\.\/bin\/gate\.sh/)
    await tmux.type('Enter')
    await tmux.shows('code 2')
    expect([fixture.ran(), fixture.starts().length]).toEqual([[], 0])
    await tmux.type(`clear; ${RALPH} verify; echo "code $?"`, 'Enter')
    await tmux.shows('Let Ralph run it in this repository')
    await tmux.type('y')
    await tmux.shows('code 0')
    // Other words than before: the screen still shows the last ones until it is cleared.
    await tmux.type(`clear; ${RALPH} loop --yes; echo "loop $?"`, 'Enter')
    expect(await tmux.shows('loop 0')).not.toContain('Trust')
    expect([fixture.ran(), fixture.starts().length]).toEqual([['gate.sh'], 1])
  })

  test.each([['--detach'], ['--monitor'], ['--monitor --tmux']])(
    'loop %s asks before the engine leaves the terminal',
    async (how) => {
      const fixture = await stranger({ toml: GATE, turns: [[...TURN]] })
      const tmux = await openTmux(fixture, { columns: 110, rows: 45 })
      await tmux.type(`${RALPH} loop ${how}; echo "code $?"`, 'Enter')
      await tmux.shows('Let Ralph run it in this repository')
      expectNothing(fixture, { code: 2, signal: null, stdout: '', stderr: '' })
      await tmux.type('C-c')
      await tmux.shows('code 130')
      expectNothing(fixture, { code: 2, signal: null, stdout: '', stderr: '' })
      if (how !== '--detach') return
      await tmux.type(`clear; ${RALPH} loop ${how} --yes; echo "code $?"`, 'Enter')
      await tmux.shows('Let Ralph run it in this repository')
      await tmux.type('y')
      await tmux.shows('continues in the background')
      await tmux.shows('code 0')
    },
  )

  test('set-up asks about what it found', async () => {
    const fixture = await stranger({
      files: { '.ralphrc': 'TEST_COMMAND="./bin/gate.sh"\n' },
      plan: '- [ ] x\n',
    })
    await fixture.write('.ralph/AGENT.md', 'x\n')
    const tmux = await openTmux(fixture, { columns: 110, rows: 45 })
    await tmux.type(`${RALPH} init; echo "code $?"`, 'Enter')
    await tmux.shows('Let Ralph run it in this repository')
    await tmux.type('y')
    await tmux.shows('code 0')
    expect([(await fixture.ralph(['verify'])).code, fixture.ran()]).toEqual([0, ['gate.sh']])
  })

  test('what is longer than the screen is said to be', async () => {
    const fixture = await stranger({ toml: `[[gate]]\nname = "test"\nrun = "${'x'.repeat(100_000)} END"\n` })
    const tmux = await openTmux(fixture, { columns: 110, rows: 45 })
    await tmux.type(`${RALPH} verify; echo "code $?"`, 'Enter')
    const asked = await tmux.shows(
      /Let Ralph run it in this repository.*\(9\d\d lines: scroll up and read all of them\)/s,
    )
    expect(asked).toContain('xxx END')
    await tmux.type('n')
    await tmux.shows('code 2')
  })
})
