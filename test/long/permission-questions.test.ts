/** How questions to a person end before they are answered, and what becomes of commands that an agent had us run. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findProcess } from '../../src/system/process/process-table.ts'
import type { TestProject } from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { ASK, create, DONE, projectWithAcpAgent, run } from '../walk/acp-agent-kit.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
const there = await hasTmux()

describe.skipIf(!there)('on a terminal (skipped where tmux is not installed)', () => {
  test('Ctrl+C at the question is a no, and the run stops', async () => {
    const fixture = await projectWithAcpAgent([[run('curl x'), { hang: true }]], ASK)
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} loop --yes; echo "code $?"`, 'Enter')
    await tmux.shows('Allow this?')
    await tmux.type('C-c')
    await tmux.shows('code 130')
  })

  test('Ctrl+Z and fg: the question stands there again, and hears its keys', async () => {
    const fixture = await projectWithAcpAgent([[run('curl x'), run('curl y'), DONE]], ASK)
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} loop --once --yes`, 'Enter')
    await tmux.shows('Allow this?')
    await tmux.type('C-z')
    await tmux.shows('Stopped')
    await tmux.type('clear; fg', 'Enter')
    await tmux.shows(/curl x\n│\n◆  Allow this\?\n│  ● No/)
    await tmux.type('Down', 'Enter')
    await tmux.shows(/curl y\n│\n◆  Allow this\?/)
    await tmux.type('C-z')
    await tmux.shows('Stopped')
    await tmux.type('clear; fg', 'Enter')
    await tmux.shows(/curl y\n│\n◆  Allow this\?/)
    await tmux.type('Enter')
    await tmux.shows('NOT DONE')
    expect(fixture.heard()).toEqual(['yes', 'no'])
  })

  test('a run that is stopped from elsewhere asks no longer', async () => {
    const fixture = await projectWithAcpAgent([[run('curl x'), { hang: true }]], ASK)
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} loop --yes; echo "code $?"`, 'Enter')
    await tmux.shows('Allow this?')
    expect(await fixture.ralph(['stop'])).toMatchObject({ code: 0 })
    await tmux.shows('code 4')
    await tmux.shows('The answer is no longer needed.')
    expect(fixture.heard()).toEqual(['cancelled'])
  })

  test('an agent that goes on talking does not push its question out of sight', async () => {
    const meanwhile = Array.from({ length: 60 }, (_, line) => `line ${line} of talk\n`).join('')
    const fixture = await projectWithAcpAgent([[{ say: 'Well,' }, { ...run('curl x'), meanwhile }, DONE]], ASK)
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} loop --once --yes --live; echo "code $?"`, 'Enter')
    await tmux.shows('Allow this?')
    expect(await fixture.ralph(['pause'])).toMatchObject({ code: 0 })
    await tmux.type('Down')
    expect(await tmux.shows('● Allow once')).toMatch(/^  curl x\n│\n◆  Allow this\?\n│  ○ No$/m)
    await tmux.type('Enter')
    await tmux.shows('line 59 of talk')
    expect(await fixture.ralph(['stop'])).toMatchObject({ code: 0 })
  })

  test('a terminal that is closed at the question is a no to this one and the next, and the run continues', async () => {
    const fixture = await projectWithAcpAgent([[run('curl x'), run('curl y'), DONE]], ASK)
    const tmux = await openTmux(fixture, { until: 'closed' })
    await tmux.type(`${RALPH} loop --once --yes`, 'Enter')
    await tmux.shows('Allow this?')
    await tmux.close()
    await expect.poll(() => fixture.heard()).toEqual(['no', 'no'])
    const logs = async () => (await fixture.ralph(['logs'])).stdout
    await expect.poll(logs).toMatch(/closed(.|\n)*denied: execute curl x(.|\n)*closed(.|\n)*denied: execute curl y/)
  })
})

describe.skipIf(!there)('what was allowed for the run', () => {
  test('is asked again by whoever takes the run up, who needs a terminal', async () => {
    const fixture = await projectWithAcpAgent(
      [
        [run('make it'), run('make it'), { hang: true }],
        [run('make it'), DONE],
      ],
      `${ASK}[loop]\nmax_iterations = 2\n`,
    )
    const tmux = await openTmux(fixture)
    await tmux.type(`sh -c 'echo $$ > engine; exec ${RALPH} loop --yes'`, 'Enter')
    await tmux.shows('Allow this?')
    await tmux.type('Down', 'Down', 'Enter')
    await expect.poll(() => fixture.heard()).toEqual(['yes', 'yes'])
    process.kill(Number(await fixture.read('engine')), 'SIGKILL')
    await tmux.shows('Killed')
    const piped = await fixture.ralph(['resume'])
    expect(piped).toMatchObject({ code: 2 })
    expect(piped.stderr).toContain('needs a person at a terminal')
    // What it was begun with stays, so the flag alone would be no way out.
    const listed = await fixture.ralph(['loop', '--yes', '--permission', 'list'])
    expect(listed).toMatchObject({ code: 2 })
    expect(listed.stderr).toContain('the same command with --fresh')
    await tmux.type(`clear; ${RALPH} resume; echo "code $?"`, 'Enter')
    await tmux.shows(/make it(.|\n)*Allow this\?/)
    await tmux.type('Enter')
    await tmux.shows(/code \d/)
    expect(fixture.heard()).toEqual(['yes', 'yes', 'no'])
  })
})

describe('commands that an agent has us run', () => {
  const TERMINAL = 'terminal = true\npermission = "bypass"\n'
  const pidIn = (fixture: TestProject) => Number(readFileSync(join(fixture.path, 'pid'), 'utf8'))
  const lives = (pid: number) => findProcess(pid)?.zombie === false

  test('end with the agent that did not wait for them, and are in its log', async () => {
    const fixture = await projectWithAcpAgent(
      [
        [
          create('echo hello; exit 3'),
          { call: 'terminal/wait_for_exit' },
          { call: 'terminal/output' },
          create('echo $$ > pid; exec sleep 600'),
          {
            call: 'terminal/create',
            params: { command: 'sh', args: ['-c', 'until [ -s pid ]; do :; done'] },
          },
          { call: 'terminal/wait_for_exit' },
          DONE,
        ],
      ],
      TERMINAL,
    )
    await fixture.ralph(['loop', '--once'])
    const exitStatus = { exitCode: 3, signal: null }
    expect(fixture.heard()).toEqual([
      { terminalId: '1' },
      exitStatus,
      { output: 'hello\n', truncated: false, exitStatus },
      { terminalId: '2' },
      { terminalId: '3' },
      { exitCode: 0, signal: null },
    ])
    expect(lives(pidIn(fixture))).toBe(false)
    expect((await fixture.ralph(['logs'])).stdout).toMatch(
      /1 \$ echo hello; exit 3(.|\n)*1 \| hello\n(.|\n)*1 = exit code 3/,
    )
  })

  /** A command runs for an agent whose engine was killed. */
  async function leftRunning(): Promise<TestProject> {
    const fixture = await projectWithAcpAgent(
      [[create('echo $$ > pid; exec sleep 600'), { hang: true }], [DONE]],
      TERMINAL,
    )
    const engine = fixture.start(['loop', '--once'])
    await expect.poll(() => existsSync(join(fixture.path, 'pid')) && pidIn(fixture) > 0).toBe(true)
    await engine.kill('SIGKILL')
    return fixture
  }

  test('end when a run is resumed whose engine was killed', async () => {
    const fixture = await leftRunning()
    expect(lives(pidIn(fixture))).toBe(true)
    await fixture.ralph(['loop', '--once'])
    expect(lives(pidIn(fixture))).toBe(false)
  })

  test('end by a stop when their engine was killed, and the run can be resumed', async () => {
    const fixture = await leftRunning()
    const stopped = await fixture.ralph(['stop'])
    expect(stopped).toMatchObject({ code: 0 })
    expect(stopped.stdout).toMatch(
      /^Run \w+ was interrupted\. Ralph stopped its remaining processes\. Continue it: ralph resume/,
    )
    expect(lives(pidIn(fixture))).toBe(false)
    const again = await fixture.ralph(['stop'])
    expect(again).toMatchObject({ code: 3 })
    expect(again.stderr).toContain('ralph resume')
    expect((await fixture.ralph(['resume'])).stdout).toContain('Resuming run')
  })

  test('are not run for whom nobody wished it', async () => {
    const fixture = await projectWithAcpAgent([[create('touch made'), DONE]], 'permission = "bypass"\n')
    await fixture.ralph(['loop', '--once'])
    expect(fixture.heard()).toEqual(['Ralph offers no terminals: terminal/create (agent.terminal)'])
    expect(fixture.has('made')).toBe(false)
  })
})
