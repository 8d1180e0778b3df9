/** What a loop does about agents that rest, are silent or do harm, and about a run that was given up. */
import { describe, expect, test } from 'vitest'
import { testProject } from '../test-project.ts'
import { FILES, GATE, HALF, processesOf, REST } from '../two-step-work.ts'
import { lastResultOf } from '../run-in-process.ts'

describe('a loop', () => {
  test('waits out a usage limit without counting the iteration', async () => {
    const limit = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 300 }] as const
    const fixture = await testProject({
      toml: `${GATE}[retry]\nfirst = "10ms"\n`,
      files: FILES,
      turns: [[...limit], [...HALF], [...REST]],
    })
    const ran = await fixture.ralph(['loop', '--json', '--max-iterations', '2'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'project_complete', verdict: 'gates-passed' })
  })

  test('passes over an agent that is on the same account', async () => {
    const limit = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3_600_000 }] as const
    const fixture = await testProject({
      toml: `${GATE}[agents.second]\ncommand = ["claude", "-p"]\n`,
      files: FILES,
      turns: [[...limit], [...HALF], [...REST]],
    })
    const ran = await fixture.ralph(['loop', '--json', '--agent', 'claude,second,codex'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect(fixture.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'codex'])
  })

  test('ends an agent that is silent, and one that talks too long', async () => {
    const hang = [{ do: 'hang' }] as const
    const fixture = await testProject({
      toml: '[agent]\nidle = "300ms"\n[retry]\nfirst = "10ms"\n',
      turns: [[...hang]],
    })
    const ran = await fixture.ralph(['loop', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'breaker' })
    expect(await processesOf(fixture)).toEqual([])
  })
})

describe('nothing is lost', () => {
  test('--fresh gives the old run up', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[{ do: 'hang' }], [...HALF], [...REST]],
    })
    const walk = fixture.start(['loop', '--json'])
    await walk.waitFor('conversation-known')
    await walk.kill('SIGKILL')
    const fresh = await fixture.ralph(['loop', '--fresh'])
    expect(fresh.stderr).toContain('Abandoned the unfinished run')
    expect(fresh.code).toBe(0)
  })

  test.each([
    ['deletes .ralph', 'rm -rf .ralph'],
    ['cleans everything that git does not track', 'git clean -xfdq'],
    ['adds and commits everything', 'git add -A -f && git commit -qm everything'],
  ])('an agent that %s', async (_, command) => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [
        [...HALF.slice(0, 1), { do: 'shell', command }, ...HALF.slice(1)],
        [...REST.slice(0, 1), ...HALF.slice(0, 1), ...REST.slice(1)],
      ],
    })
    const ran = await fixture.ralph(['loop', '--json'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
    expect(await fixture.git('ls-files')).not.toMatch(/ralph\.db|\.ralph\/state/)
  })

  test('an agent that deletes the loop’s own files twice is stopped with the reason', async () => {
    const fixture = await testProject({
      turns: [[...HALF.slice(0, 1), { do: 'delete', path: '.ralph/PROMPT.md' }, ...HALF.slice(1)]],
    })
    const ran = await fixture.ralph(['loop', '--json'])
    expect({ code: ran.code, ...lastResultOf(ran.stdout) }).toMatchObject({
      code: 4,
      outcome: 'files_deleted',
      iterations: 2,
    })
    expect(fixture.has('.ralph/PROMPT.md')).toBe(true)
  })
})
