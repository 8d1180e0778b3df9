/** Steering from another terminal: requests, receipts, and what they do to the run. */
import { expect, test } from 'vitest'
import { DONE, testProject, MAY_END, NOT_YET, UNTIL_IT_MAY_END } from '../test-project.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "test -f go"\n'
const WAITS = [UNTIL_IT_MAY_END, { do: 'status', text: 'Going on.', fields: NOT_YET }] as const
const DONE_NOW = [
  { do: 'write', path: 'go', content: '' },
  { do: 'status', text: 'Done.', fields: DONE },
] as const

function receipt(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>
}

test('a word to the agent goes into its next prompt, once, with a receipt', async () => {
  const heard = { do: 'expect-prompt', matches: 'From the person running this: use the other file' } as const
  const fixture = await testProject({ toml: GATE, turns: [[...WAITS], [heard, ...DONE_NOW]] })
  const walk = fixture.start(['loop', '--json'])
  await walk.waitFor('conversation-known')
  expect(receipt((await fixture.ralph(['steer', 'use the other file', '--json'])).stdout)).toMatchObject({
    state: 'accepted',
  })
  await fixture.write(MAY_END, '')
  expect((await walk.ended).code).toBe(0)
  expect(walk.output()).toContain('sent to the agent in iteration 2: use the other file')
})

test('pause finishes the iteration and waits; resume continues', async () => {
  const fixture = await testProject({ toml: GATE, turns: [[...WAITS], [...DONE_NOW]] })
  const walk = fixture.start(['loop', '--json'])
  await walk.waitFor('conversation-known')
  expect(receipt((await fixture.ralph(['pause', '--json'])).stdout)).toMatchObject({ state: 'applied' })
  await fixture.write(MAY_END, '')
  await walk.waitFor('"what":"pause"')
  expect(fixture.starts()).toHaveLength(1)
  expect((JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as { is: string }).is).toBe('paused')
  await fixture.ralph(['resume'])
  expect((await walk.ended).code).toBe(0)
})

test('limits change while it runs; what may not change is refused with the reason', async () => {
  const fixture = await testProject({ toml: GATE, turns: [[...WAITS]] })
  const walk = fixture.start(['loop', '--json', '--max-iterations', '50'])
  await walk.waitFor('conversation-known')
  expect(receipt((await fixture.ralph(['set', 'loop.max_iterations=1', '--json'])).stdout)).toMatchObject({
    state: 'applied',
  })
  const refused = await fixture.ralph(['set', 'loop.prompt=other.md', '--json'])
  expect({ code: refused.code, ...receipt(refused.stdout) }).toMatchObject({ code: 1, state: 'refused' })
  await fixture.write(MAY_END, '')
  expect((await walk.ended).code).toBe(4)
  expect(walk.output()).toContain('"iteration_limit"')
})

test('without a run there is nothing to steer', async () => {
  const fixture = await testProject({})
  for (const args of [['pause'], ['steer', 'x'], ['set', 'budget.usd=1'], ['resume']]) {
    expect((await fixture.ralph(args)).code).toBe(3)
  }
})
