/** What a night does when a vendor refuses: outages, agents that waiting cannot cure, and limits that last for days. */
import { describe, expect, test } from 'vitest'
import { testProject } from '../test-project.ts'
import { FILES, GATE, HALF, REST } from '../two-step-work.ts'
import { collapseSpaces, lastResultOf } from '../run-in-process.ts'

describe('an outage', () => {
  test.each(['overload', 'network', 'tls'] as const)(
    '%s throughout: the next agent does the work, and the breaker hears nothing of it',
    async (kind) => {
      const fixture = await testProject({
        toml: `${GATE}[breaker]\nsame_error = 1\n`,
        files: FILES,
        turns: [[...HALF], [...REST]],
        turnsByAgent: { claude: [[{ do: 'limit', kind }]] },
      })
      const ran = await fixture.ralph(['loop', '--agent', 'claude,codex'])
      expect(ran.stdout).toContain('codex takes over: claude cannot be reached')
      expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('GATES PASSED')])
    },
  )

  test('too long for one agent leaves the run unfinished, and the same command resumes it', async () => {
    const fixture = await testProject({
      toml: `${GATE}[retry]\nfirst = "20ms"\noutage = "300ms"\n[breaker]\nsame_error = 1\n`,
      files: FILES,
      turns: [[...HALF], [{ do: 'limit', kind: 'overload' }]],
    })
    const left = await fixture.ralph(['loop'])
    expect(left.code).toBe(4)
    expect(left.stdout).toMatch(
      /claude cannot be reached \(.*529 Overloaded.*\): waiting since \d\d:\d\d, next try \d\d:\d\d, gives up at \d\d:\d\d/,
    )
    expect(left.stdout).toMatch(
      /NOT DONE: the agent cannot be reached\nresult +no agent could be reached for 300ms: claude cannot be reached \(.*529 Overloaded/,
    )
    expect(left.stdout).toContain('Next: ralph loop  resume the unfinished run')
    const status = await fixture.ralph(['status'])
    expect(status.stdout).toContain('interrupted · no agent could be reached')
    expect((await fixture.ralph(['report'])).stdout).toContain('ralph loop')

    await fixture.play([[...REST]])
    const on = await fixture.ralph(['loop', '--json'])
    expect(on.code).toBe(0)
    expect(lastResultOf(on.stdout)).toMatchObject({
      outcome: 'project_complete',
      verdict: 'gates-passed',
      exit: 0,
    })
    expect((JSON.parse((await fixture.ralph(['runs', '--json'])).stdout) as unknown[]).length).toBe(1)
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('that was left can be abandoned for a new run', async () => {
    const fixture = await testProject({
      toml: `${GATE}[retry]\noutage = 0\n`,
      files: { ...FILES, 'one.txt': 'one\n' },
      turns: [[{ do: 'limit', kind: 'network' }], [...REST]],
    })
    expect(lastResultOf((await fixture.ralph(['loop', '--json'])).stdout)).toMatchObject({
      outcome: 'outage',
      exit: 4,
    })
    const fresh = await fixture.ralph(['loop', '--fresh'])
    expect({ code: fresh.code, said: fresh.stderr.includes('Abandoned the unfinished run') }).toEqual({
      code: 0,
      said: true,
    })
  })
})

describe('what waiting cannot cure', () => {
  test.each([
    ['model', /There's an issue with the selected model.* Choose another model: --model NAME\./],
    ['auth', /Failed to authenticate.* Log in: claude auth login/],
    ['balance', /Credit balance is too low\. Top up the account or raise its spending limit\./],
  ] as const)('%s ends at once with the sentence and the cure', async (kind, said) => {
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[{ do: 'limit', kind }]] })
    const ran = await fixture.ralph(['loop'])
    expect(ran.code).toBe(6)
    expect(ran.stdout).toMatch(said)
    expect(fixture.starts()).toHaveLength(1)
  })

  test('the next agent takes over for good', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[{ do: 'limit', kind: 'balance' }], [...HALF], [...REST]],
    })
    const ran = await fixture.ralph(['loop', '--json', '--agent', 'claude,codex', '--max-iterations', '2'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect(fixture.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'codex'])
  })

  test('a first agent that is not installed is passed over, and the start block says so', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      agents: ['codex'],
      turns: [[...HALF], [...REST]],
    })
    const ran = await fixture.ralph(['loop', '--agent', 'claude,codex'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('Claude Code is not installed (claude is not on the PATH), so codex starts instead.')
    const none = await fixture.ralph(['loop', '--agent', 'claude,gemini'])
    expect({ code: none.code, both: /claude.*gemini/is.test(none.stderr) }).toEqual({ code: 6, both: true })
  })
})

test('a limit that lasts for days is shown with its date, on the screen and by status', async () => {
  const fixture = await testProject({
    toml: GATE,
    files: FILES,
    turns: [[{ do: 'limit', kind: 'usage-limit', resetsInMs: 3 * 86_400_000 }]],
  })
  const walk = fixture.start(['loop'])
  const dated = /waits until \w{3} \d{1,2} \w{3}, \d\d:\d\d, in 3 days: claude hit its usage limit/
  await walk.waitFor(dated)
  expect(collapseSpaces((await fixture.ralph(['status'])).stdout)).toMatch(dated)
  await walk.kill('SIGKILL')
})
