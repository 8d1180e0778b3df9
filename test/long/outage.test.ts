/** What a night does when a vendor refuses: outages, agents that waiting cannot cure, and limits that last for days. */
import { describe, expect, test } from 'vitest'
import { garden } from '../garden.ts'
import { FILES, GATE, HALF, REST } from '../two-halves.ts'
import { flat, result } from '../hear.ts'

describe('an outage', () => {
  test.each(['overload', 'network', 'tls'] as const)(
    '%s throughout: the next agent does the work, and the breaker hears nothing of it',
    async (kind) => {
      const place = await garden({
        toml: `${GATE}[breaker]\nsame_error = 1\n`,
        files: FILES,
        turns: [[...HALF], [...REST]],
        apart: { claude: [[{ do: 'limit', kind }]] },
      })
      const ran = await place.ralph(['loop', '--agent', 'claude,codex'])
      expect(ran.stdout).toContain('codex takes over while claude is not reachable')
      expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('GATES PASSED')])
    },
  )

  test('too long for one agent leaves the run unfinished, and the same command goes on with it', async () => {
    const place = await garden({
      toml: `${GATE}[retry]\nfirst = "20ms"\noutage = "300ms"\n[breaker]\nsame_error = 1\n`,
      files: FILES,
      turns: [[...HALF], [{ do: 'limit', kind: 'overload' }]],
    })
    const left = await place.ralph(['loop'])
    expect(left.code).toBe(4)
    expect(left.stdout).toMatch(
      /claude is not reachable \(.*529 Overloaded.*\): waiting since \d\d:\d\d, next try \d\d:\d\d, gives up at \d\d:\d\d/,
    )
    expect(left.stdout).toMatch(/NOT DONE {2}no agent could be reached for 300ms: claude is not reachable/)
    expect(left.stdout).toContain('Next: ralph loop  it is unfinished: go on with it')
    const status = await place.ralph(['status'])
    expect(status.stdout).toContain('left unfinished · no agent could be reached')
    expect((await place.ralph(['report'])).stdout).toContain('ralph loop')

    await place.play([[...REST]])
    const on = await place.ralph(['loop', '--json'])
    expect(on.code).toBe(0)
    expect(result(on.stdout)).toMatchObject({ outcome: 'project_complete', verdict: 'gates-passed', exit: 0 })
    expect((JSON.parse((await place.ralph(['runs', '--json'])).stdout) as unknown[]).length).toBe(1)
    expect((await place.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('that was left can be given up for a new run', async () => {
    const place = await garden({
      toml: `${GATE}[retry]\noutage = 0\n`,
      files: { ...FILES, 'one.txt': 'one\n' },
      turns: [[{ do: 'limit', kind: 'network' }], [...REST]],
    })
    expect(result((await place.ralph(['loop', '--json'])).stdout)).toMatchObject({
      outcome: 'outage',
      exit: 4,
    })
    const fresh = await place.ralph(['loop', '--fresh'])
    expect({ code: fresh.code, said: fresh.stderr.includes('was given up') }).toEqual({ code: 0, said: true })
  })
})

describe('what waiting cannot cure', () => {
  test.each([
    ['model', /There's an issue with the selected model.* Choose another model: --model NAME\./],
    ['auth', /Failed to authenticate.* Log in: claude auth login/],
    ['balance', /Credit balance is too low\. Top up the account or raise its spending limit\./],
  ] as const)('%s ends at once with the sentence and the cure', async (kind, said) => {
    const place = await garden({ toml: GATE, files: FILES, turns: [[{ do: 'limit', kind }]] })
    const ran = await place.ralph(['loop'])
    expect(ran.code).toBe(6)
    expect(ran.stdout).toMatch(said)
    expect(place.starts()).toHaveLength(1)
  })

  test('the next agent takes over for good', async () => {
    const place = await garden({
      toml: GATE,
      files: FILES,
      turns: [[{ do: 'limit', kind: 'balance' }], [...HALF], [...REST]],
    })
    const ran = await place.ralph(['loop', '--json', '--agent', 'claude,codex', '--max-iterations', '2'])
    expect(result(ran.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect(place.starts().map((start) => start.dialect)).toEqual(['claude', 'codex', 'codex'])
  })

  test('a first agent that is not installed is passed over, and the start block says so', async () => {
    const place = await garden({ toml: GATE, files: FILES, agents: ['codex'], turns: [[...HALF], [...REST]] })
    const ran = await place.ralph(['loop', '--agent', 'claude,codex'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('Claude Code is not installed (claude is not on the PATH), so codex begins')
    const none = await place.ralph(['loop', '--agent', 'claude,gemini'])
    expect({ code: none.code, both: /claude.*gemini/is.test(none.stderr) }).toEqual({ code: 6, both: true })
  })
})

test('a limit that lasts for days is shown with its date, on the screen and by status', async () => {
  const place = await garden({
    toml: GATE,
    files: FILES,
    turns: [[{ do: 'limit', kind: 'usage-limit', resetsInMs: 3 * 86_400_000 }]],
  })
  const walk = place.start(['loop'])
  const dated = /waits until \w{3} \d{1,2} \w{3}, \d\d:\d\d, in 3 days: claude is at its usage limit/
  await walk.waitFor(dated)
  expect(flat((await place.ralph(['status'])).stdout)).toMatch(dated)
  await walk.kill('SIGKILL')
})
