/** An open circuit breaker is noticed before anything runs. */
import { expect, test } from 'vitest'
import { testProject, NOT_YET } from '../test-project.ts'

/** Counts its own runs. */
const GATE = '[[gate]]\nname = "test"\nrun = "echo ran >> .git/gate-runs; exit 1"\n'

test.each([
  ['an open item in the plan', '- [ ] one\n- [ ] two\n'],
  ['every item checked off', '- [x] one\n'],
])('runs neither gates nor an agent while the circuit breaker is open: %s', async (_what, plan) => {
  const made = await testProject({
    toml: `[loop]\nmax_iterations = 9\n[breaker]\nno_progress = 1\n${GATE}`,
    plan: '- [ ] one\n',
    proof: 'full',
    turns: [
      [
        { do: 'say', text: 'Hm.' },
        { do: 'status', fields: NOT_YET },
      ],
    ],
  })
  const first = await made.ralph(['loop'])
  expect(first.code).toBe(4)
  await made.write('.ralph/fix_plan.md', plan)
  const gateRuns = (): Promise<string> => made.read('.git/gate-runs').catch(() => '')
  const [before, starts] = [await gateRuns(), made.starts().length]
  const held = await made.ralph(['loop'])
  expect([held.code, made.starts().length, await gateRuns()]).toEqual([4, starts, before])
})
