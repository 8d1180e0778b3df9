/** Steering from another terminal: requests, receipts, and what they do to the run. */
import { expect, test } from 'vitest'
import { DONE, garden, MAY_END, NOT_YET, UNTIL_IT_MAY_END } from '../garden.ts'

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
  const heard = { do: 'expect-prompt', matches: 'From the person who runs this: use the other file' } as const
  const place = await garden({ toml: GATE, turns: [[...WAITS], [heard, ...DONE_NOW]] })
  const walk = place.start(['loop', '--json'])
  await walk.waitFor('conversation-known')
  expect(receipt((await place.ralph(['steer', 'use the other file', '--json'])).stdout)).toMatchObject({
    state: 'accepted',
  })
  await place.write(MAY_END, '')
  expect((await walk.ended).code).toBe(0)
  expect(walk.output()).toContain('told the agent in iteration 2: use the other file')
})

test('pause finishes the iteration and waits; resume goes on', async () => {
  const place = await garden({ toml: GATE, turns: [[...WAITS], [...DONE_NOW]] })
  const walk = place.start(['loop', '--json'])
  await walk.waitFor('conversation-known')
  expect(receipt((await place.ralph(['pause', '--json'])).stdout)).toMatchObject({ state: 'applied' })
  await place.write(MAY_END, '')
  await walk.waitFor('"what":"pause"')
  expect(place.starts()).toHaveLength(1)
  expect((JSON.parse((await place.ralph(['status', '--json'])).stdout) as { is: string }).is).toBe('paused')
  await place.ralph(['resume'])
  expect((await walk.ended).code).toBe(0)
})

test('limits change while it runs; what may not change is refused with the reason', async () => {
  const place = await garden({ toml: GATE, turns: [[...WAITS]] })
  const walk = place.start(['loop', '--json', '--max-iterations', '50'])
  await walk.waitFor('conversation-known')
  expect(receipt((await place.ralph(['set', 'loop.max_iterations=1', '--json'])).stdout)).toMatchObject({
    state: 'applied',
  })
  const refused = await place.ralph(['set', 'loop.prompt=other.md', '--json'])
  expect({ code: refused.code, ...receipt(refused.stdout) }).toMatchObject({ code: 1, state: 'refused' })
  await place.write(MAY_END, '')
  expect((await walk.ended).code).toBe(4)
  expect(walk.output()).toContain('"iteration_limit"')
})

test('without a run there is nothing to steer', async () => {
  const place = await garden({})
  for (const args of [['pause'], ['steer', 'x'], ['set', 'budget.usd=1'], ['resume']]) {
    expect((await place.ralph(args)).code).toBe(3)
  }
})
