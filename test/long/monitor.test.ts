/** `ralph loop --detach` and `--monitor`: an engine of its own, and a screen that may come and go. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { identifyProcess } from '../../src/system/process/process-identity.ts'
import { DONE, testProject, NOT_YET, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "sh -c true"\n'
const TICK = { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' } as const
const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`

/** Works until a file `go` appears, then is done. */
const WAITS: TestProjectOptions = {
  toml: GATE,
  plan: '- [ ] the only box\n',
  turns: [
    [
      { do: 'say', text: 'I wait for 日本語 and more.' },
      { do: 'shell', command: 'until test -e go; do sleep 0.05; done; rm go' },
      TICK,
      { do: 'status', text: 'all is done', fields: DONE },
    ],
  ],
}

/** A test project whose engine, wherever it runs, is stopped when the test is over. */
async function aTestProject(options: TestProjectOptions = WAITS): Promise<TestProject> {
  const made = await testProject(options)
  onTestFinished(async () => void (await made.ralph(['stop', '--now'])))
  return made
}

interface Status {
  run: string
  is: string
  pid: number | null
  outcome: { is: string; verdict: string } | null
}

async function status(made: TestProject): Promise<Status> {
  return JSON.parse((await made.ralph(['status', '--json'])).stdout) as Status
}

describe('--detach', () => {
  test('returns when the run has started and says how to watch and stop it; the run continues to its end', async () => {
    const made = await aTestProject()
    const { code, stdout, stderr } = await made.ralph(['loop', '--detach'])
    expect([code, stderr]).toEqual([0, ''])
    const [, run, pid] =
      /^Run (\w+) continues in the background \(process (\d+)\)\.\n {2}watch: ralph watch \1 · status: ralph status · stop: ralph stop\n/.exec(
        stdout,
      ) ?? []
    expect(await status(made)).toMatchObject({ run, pid: Number(pid), is: 'going' })
    await made.write('go', '')
    const watched = await made.ralph(['watch'])
    expect(watched.stdout).toMatch(/^GATES PASSED/m)
  })

  test('hands every flag on to the engine', async () => {
    const made = await aTestProject({
      ...WAITS,
      turns: [
        [
          { do: 'write', path: 'x', content: 'x' },
          { do: 'status', text: 'more', fields: NOT_YET },
        ],
      ],
    })
    const { code, stdout } = await made.ralph([
      'loop',
      '--detach',
      '--json',
      '--max-iterations',
      '1',
      '--no-continue',
      '--model=some-model',
    ])
    expect(code).toBe(0)
    const { run } = JSON.parse(stdout) as { run: string }
    const watched = await made.ralph(['watch', run, '--json'])
    const [first = ''] = watched.stdout.split('\n')
    const { event } = JSON.parse(first) as { event: { rules: { loop: object; agent: object } } }
    expect(event.rules).toMatchObject({
      loop: { iterationsMax: 1 },
      agent: { resume: false, model: 'some-model' },
    })
    expect((await status(made)).outcome?.is).toBe('iteration_limit')
  })

  test('tells what keeps the engine from beginning, with its exit code', async () => {
    const made = await aTestProject({ ...WAITS, agents: [] })
    const { code, stdout, stderr } = await made.ralph(['loop', '--detach'])
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr).toMatch(/^ralph: Claude Code is not installed/)
  })

  test('a second engine is refused and the first continues', async () => {
    const made = await aTestProject()
    await made.ralph(['loop', '--detach'])
    const second = await made.ralph(['loop', '--detach'])
    expect(second.code).toBe(1)
    expect(second.stderr).toContain('has been running in')
    expect((await status(made)).is).toBe('going')
  })
})

test('--monitor without a terminal starts the engine, prints lines and ends with the run', async () => {
  const made = await aTestProject()
  const monitor = made.start(['loop', '--monitor'])
  await monitor.waitFor('continues in the background')
  await made.write('go', '')
  const { code, stdout } = await monitor.ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^GATES PASSED/m)
})

test('--tmux without a terminal is refused before anything is started', async () => {
  const made = await testProject(WAITS)
  const { code, stderr } = await made.ralph(['loop', '--monitor', '--tmux'])
  expect([code, stderr]).toEqual([
    2,
    'ralph: --tmux needs a terminal\n       To run in the background without a screen: ralph loop --detach\n',
  ])
  expect(made.starts()).toEqual([])
})

const there = await hasTmux()

/** One screen, used for a while: each test goes on where the one before left it. */
describe.skipIf(!there)('the dashboard (skipped where tmux is not installed)', () => {
  let made: TestProject
  let tmux: Tmux
  beforeAll(async () => {
    made = await testProject({ ...WAITS, until: 'removed' })
    tmux = await openTmux(made, { until: 'closed' })
    await tmux.type(`${RALPH} loop --monitor --yes; echo "code $?"; stty -a | grep -o '.icanon'`, 'Enter')
  })
  afterAll(async () => {
    await tmux.close()
    await made.ralph(['stop', '--now'])
    await made.remove()
  })

  test('shows the run, the plan and the messages', async () => {
    await tmux.shows('I wait for 日本語 and more.')
    const screen = await tmux.shows(/▸ Bash until test/)
    expect(screen).toContain('[▸] the only box')
    expect(screen).toMatch(/state +working \d:\d\d · iteration 1/)
  })

  test('resized, it draws anew; too small, it says so', async () => {
    await tmux.resize(50, 12)
    await tmux.shows('the dashboard needs 60×15')
    await tmux.resize(130, 30)
    await tmux.shows(/──run ─+│──iterations/)
  })

  test('a text for the agent reaches the run', async () => {
    await tmux.type('s')
    await tmux.shows('message for the next prompt:')
    await tmux.type('use the old parser', 'Enter')
    await tmux.shows('accepted: ')
    expect((await made.ralph(['status', '--json'])).stdout).toContain('in the next prompt: use the old parser')
  })

  test('q and d leave the run alone and give the terminal back', async () => {
    await tmux.type('q')
    await tmux.shows('Stop the run (s) · Keep it running (d) · Cancel (c)')
    await tmux.type('d')
    const after = await tmux.shows(' icanon')
    expect(after).toContain('continues in the background')
    expect(after).toContain('code 0')
    expect((await status(made)).is).toBe('going')
  })

  test('a terminal that goes away takes nothing with it', async () => {
    const other = await openTmux(made, { columns: 60, rows: 15 })
    await other.type(`${RALPH} watch`, 'Enter')
    await other.shows('I wait for 日本語 and more.')
    await other.close()
    expect((await status(made)).is).toBe('going')
  })

  test('a signal ends the screen, gives the terminal back and leaves the run alone', async () => {
    await tmux.type(`clear; ${RALPH} watch; stty -a | grep -o '.icanon'`, 'Enter')
    await tmux.shows('I wait for 日本語 and more.')
    const [pid] = watchers(made)
    process.kill(pid ?? 0, 'SIGTERM')
    await tmux.shows(' icanon')
    expect((await status(made)).is).toBe('going')
  })

  test('x stops the run, and nothing of it lives on; the screen stays to be read', async () => {
    const { pid } = await status(made)
    await tmux.type(`clear; ${RALPH} watch; echo "code $?"`, 'Enter')
    await tmux.shows('I wait for 日本語 and more.')
    await tmux.type('x')
    await tmux.shows('Stop the run and its agent?')
    await tmux.type('y')
    await tmux.shows(/NOT DONE · \d\d:\d\d/)
    await tmux.shows(/Run \w+ is stopped\./)
    expect([identifyProcess(pid ?? 0), (await status(made)).outcome?.is]).toEqual([null, 'stopped'])
    await tmux.type('q')
    expect(await tmux.shows('code 0')).toMatch(/^NOT DONE: stopped/m)
  })
})

test.skipIf(!there)(
  '--tmux opens the loop, the messages and the run side by side (skipped where tmux is not installed)',
  async () => {
    const made = await aTestProject()
    const tmux = await openTmux(made, { columns: 160, rows: 40 })
    await tmux.type(`${RALPH} loop --monitor --tmux --yes; echo "code $?"`, 'Enter')
    await tmux.shows(/─▸messages(.|\n)*─▸run/)
    await tmux.type('C-b', 'd')
    const [, socket = ''] = /tmux -L (ralph-\w+) attach/.exec(await tmux.shows(/attach · stop/)) ?? []
    onTestFinished(() => void execFileSync('tmux', ['-L', socket, 'kill-server']))
    await tmux.shows('code 0')
    const panes = execFileSync('tmux', ['-L', socket, 'list-panes', '-a', '-F', '#{pane_start_command}'], {
      encoding: 'utf8',
    })
    expect(
      panes
        .trimEnd()
        .split('\n')
        .map((line) => /ralph\.cjs"? (.*)$/.exec(line)?.[1]?.replace(/watch \w+/, 'watch RUN')),
    ).toEqual(['loop --yes --live', 'watch RUN --pane messages', 'watch RUN --pane run'])
  },
)

test.skipIf(!there)(
  'after the end of a run in --tmux, q leaves the session (skipped where tmux is not installed)',
  async () => {
    const made = await aTestProject()
    const tmux = await openTmux(made, { columns: 160, rows: 40 })
    await tmux.type(`${RALPH} loop --monitor --tmux --yes; echo "code $?"`, 'Enter')
    await tmux.shows(/─▸messages(.|\n)*─▸run/)
    await tmux.shows('C-b d: leave')
    await made.write('go', '')
    await tmux.shows(/state +GATES PASSED/)
    await tmux.shows('Pane is dead')
    await tmux.type('q')
    await tmux.shows('code 0')
    expect(await tmux.screen()).not.toContain('attach')
  },
)

/** The screens that watch this test project's run. */
function watchers(made: TestProject): number[] {
  return execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.endsWith(`${RALPH} watch`))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => cwdOf(pid) === made.path)
}

function cwdOf(pid: number): string | null {
  const said = execFileSync(
    'sh',
    ['-c', 'readlink "/proc/$0/cwd" 2>/dev/null || lsof -a -d cwd -p "$0" -Fn | sed -n "s/^n//p"', String(pid)],
    { encoding: 'utf8' },
  )
  return said.trim() === '' ? null : said.trim()
}
