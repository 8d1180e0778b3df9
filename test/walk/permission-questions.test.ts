/** Agents that ask a person what they may do. What they have us run, and how questions end, is in `test/long/permission-questions.test.ts`. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { hasTmux, openTmux } from '../tmux.ts'
import { ASK, DONE, projectWithAcpAgent, run } from './acp-agent-kit.ts'

const RALPH = `${process.execPath} ${fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))}`
describe('where nobody can be asked nothing is started', () => {
  test('without a terminal, in the background, for programs, and with agents that cannot ask', async () => {
    const fixture = await projectWithAcpAgent([[run('curl x'), DONE]], ASK)
    const refused = { code: 2, signal: null }
    const nobody = 'agent.permission = "ask" needs a person at a terminal, and there is none'
    for (const flags of [[], ['--json'], ['--detach'], ['--monitor']]) {
      const { stdout, stderr, ...how } = await fixture.ralph(['loop', ...flags])
      expect({ flags, ...how }).toEqual({ flags, ...refused })
      expect(stdout + stderr).toContain(flags[0] === '--json' ? JSON.stringify(nobody).slice(1, -1) : nobody)
      expect(stdout + stderr).toContain('--permission list')
    }
    const claude = await fixture.ralph(['loop', '--agent', 'claude', '--dry-run'])
    expect(claude).toMatchObject(refused)
    expect(claude.stderr).toContain('Claude Code cannot ask for permission while it works')
    expect(claude.stderr).toContain("--agent 'acp:claude-agent-acp'")
    expect(fixture.heard()).toEqual([])
  })
})

describe.skipIf(!(await hasTmux()))('on a terminal (skipped where tmux is not installed)', () => {
  test('once, for the run, and no: each answer is the agent’s, and what is allowed for the run is not asked again', async () => {
    const write = { permit: { kind: 'edit', title: 'Edit', locations: [{ path: '/x/a.txt' }] } }
    const turn = [run('curl x'), run('make it'), run('sudo rm x'), write, run('git add -A')]
    const fixture = await projectWithAcpAgent(
      [
        [...turn, DONE],
        [run('make it'), DONE],
      ],
      `${ASK}[loop]\nmax_iterations = 2\n`,
    )
    const tmux = await openTmux(fixture)
    await tmux.type(`${RALPH} loop --yes; echo "code $?"`, 'Enter')
    await tmux.shows(/wants to run:\n +curl x(.|\n)*Allow this\?/)
    await tmux.type('Down', 'Enter')
    await tmux.shows(/Allow once(.|\n)* make it(.|\n)*Allow this\?/)
    await tmux.type('Down', 'Down', 'Enter')
    await tmux.shows(/this exact command for this run(.|\n)* sudo rm x(.|\n)*Allow this\?/)
    await tmux.type('Enter')
    await tmux.shows(/code \d/)
    // Edits are on the list of every project; the second iteration asks about what was allowed for the run.
    expect(fixture.heard()).toEqual(['yes', 'yes', 'no', 'yes', 'yes', 'yes'])
    const { stdout } = await fixture.ralph(['logs'])
    expect(stdout).toContain('a person allowed it once: execute curl x')
    expect(stdout).toContain('a person denied it: execute sudo rm x')
  })
})
