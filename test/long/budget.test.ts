/** Budgets hold while the agent works, and what a killed iteration told is booked: the real binary and the vendors' own words. */
import { describe, expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject } from '../test-project.ts'

/** What a message of a model that reads a whole project uses: 20,000 tokens in, ten cents on the list of Claude's prices. */
const MESSAGE = { input: 20_000, output: 2_000 }
const LOOK = { do: 'tool', name: 'Read', input: { file_path: 'a' }, output: 'one' } as const
const HANG = { do: 'hang' } as const
/** One message is written and told; what comes after it never ends by itself. */
const ENDLESS = { messageUsage: MESSAGE, steps: [LOOK, HANG] }

interface Result {
  outcome: string
  iterations: number
  usage: { usd: number; tokens: number; unknown: number; estimated: number }
}

function result(stdout: string): Result {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Result
}

/** What the usage table says of the last run. */
async function booked(fixture: TestProject): Promise<{ usd: number | null; tokens: number; estimated: number }> {
  const { stdout } = await fixture.ralph(['runs', '--json'])
  const [last] = JSON.parse(stdout) as { usage: { usd: number; tokens: number; estimated: number } }[]
  const { usd = null, tokens = 0, estimated = 0 } = last?.usage ?? {}
  return { usd, tokens, estimated }
}

/** Of one message whose output has only begun. */
const ONE_MESSAGE = { usd: 0.100025, tokens: 20_001, estimated: 1 }

describe('in flight', () => {
  test.each([
    ['money', ['--budget-usd', '0.01'], 'cost_limit'],
    ['tokens', ['--budget-tokens', '10000'], 'token_limit'],
  ])('claude is ended by its first message that is over a budget of %s', async (_, flags, outcome) => {
    const fixture = await testProject({ turns: [ENDLESS] })
    const ran = await fixture.ralph(['loop', '--json', ...flags])
    expect(result(ran.stdout)).toMatchObject({
      outcome,
      iterations: 1,
      usage: { ...ONE_MESSAGE, unknown: 0 },
    })
    expect(ran.stdout).toContain('the budget is spent, so Ralph stops the agent while it is working')
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
    expect((await fixture.ralph(['report'])).stdout).toContain('~$0.10')
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('opencode is ended by the money it tells step by step, which is no estimate', async () => {
    const fixture = await testProject({
      turns: [{ messageUsage: { ...MESSAGE, usd: 0.5 }, steps: [LOOK, HANG] }],
    })
    const ran = await fixture.ralph(['loop', '--json', '--agent', 'opencode', '--budget-usd', '0.3'])
    expect(result(ran.stdout)).toMatchObject({
      outcome: 'cost_limit',
      usage: { usd: 0.5, tokens: 22_000, unknown: 0, estimated: 0 },
    })
  })

  test('an agent that says nothing until its end is priced then, and the start block warns', async () => {
    const usage = { input: 1_000_000, output: 100_000 }
    const fixture = await testProject({
      turns: [{ usage, steps: [{ do: 'status', text: 'Hm.', fields: NOT_YET }] }],
    })
    const ran = await fixture.ralph(['loop', '--agent', 'codex', '--model', 'gpt-5.3-codex', '--budget-usd', '2'])
    expect(ran.stdout).toContain(
      'OpenAI Codex reports its tokens only at the end of an iteration, and their cost is an estimate from list prices (~): an iteration may exceed the budget',
    )
    expect(ran.stdout).toContain('~$3.15 · 1.1M tokens')
    expect(await booked(fixture)).toEqual({ usd: 3.15, tokens: 1_100_000, estimated: 1 })
  })
})

describe('what a killed iteration told is booked', () => {
  test('when it fell silent', async () => {
    const fixture = await testProject({
      toml: '[agent]\nidle = "4s"\n[retry]\nfirst = "10ms"\n',
      turns: [ENDLESS],
    })
    await fixture.ralph(['loop', '--once'])
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
  })

  test('when it crashed', async () => {
    const turn = { messageUsage: MESSAGE, steps: [LOOK, { do: 'crash', signal: 'SIGKILL' } as const] }
    const fixture = await testProject({ toml: '[retry]\nfirst = "10ms"\n', turns: [turn] })
    await fixture.ralph(['loop', '--once'])
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
  })

  test('when a person stopped it', async () => {
    const fixture = await testProject({ turns: [ENDLESS] })
    const walk = fixture.start(['loop', '--live'])
    await walk.waitFor('⚡ Read')
    await walk.kill('SIGTERM')
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
  })

  test('when its vendor gave up with an error that says zero', async () => {
    const turn = { messageUsage: MESSAGE, steps: [LOOK, { do: 'limit', kind: 'auth' } as const] }
    const fixture = await testProject({ turns: [turn] })
    await fixture.ralph(['loop', '--once'])
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
  })

  test('when Ralph itself was killed: up to the reservation the rest is reckoned', async () => {
    const fixture = await testProject({ turns: [ENDLESS, [{ do: 'status', text: 'Hm.', fields: NOT_YET }]] })
    const walk = fixture.start(['loop', '--live', '--budget-usd', '1.05'])
    await walk.waitFor('⚡ Read')
    await walk.kill('SIGKILL')
    const ran = await fixture.ralph(['loop', '--json'])
    expect(result(ran.stdout)).toMatchObject({ outcome: 'cost_limit', iterations: 1, usage: ONE_MESSAGE })
    expect(ran.stdout).toContain('$0.05 of $1.05 is left and the next iteration may cost $1.00')
    expect(await booked(fixture)).toEqual(ONE_MESSAGE)
  })
})
