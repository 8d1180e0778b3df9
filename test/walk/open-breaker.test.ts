/** An open circuit breaker is noticed before anything runs. */
import { expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject } from '../test-project.ts'

/** Counts its own runs. */
const GATE = '[[gate]]\nname = "test"\nrun = "echo ran >> .git/gate-runs; exit 1"\n'

async function heldProject(): Promise<{ made: TestProject; gateRuns: () => Promise<string> }> {
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
  expect((await made.ralph(['loop'])).code).toBe(4)
  return { made, gateRuns: () => made.read('.git/gate-runs').catch(() => '') }
}

test('runs neither gates nor an agent while the circuit breaker is open', async () => {
  const { made, gateRuns } = await heldProject()
  await made.write('.ralph/fix_plan.md', '- [ ] one\n- [ ] two\n')
  const [before, starts] = [await gateRuns(), made.starts().length]
  const held = await made.ralph(['loop'])
  expect([held.code, made.starts().length, await gateRuns()]).toEqual([4, starts, before])
})

test('a plan that a person checked off is still proven or rejected by the gates, without an agent', async () => {
  const { made, gateRuns } = await heldProject()
  await made.write('.ralph/fix_plan.md', '- [x] one\n')
  const [before, starts] = [await gateRuns(), made.starts().length]
  const held = await made.ralph(['loop'])
  expect([held.code, made.starts().length, (await gateRuns()) !== before]).toEqual([4, starts, true])
})
