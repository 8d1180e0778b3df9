/** The question before money is spent, which nobody answers: the one test that takes its minute. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DONE, testProject, type TestProject } from '../test-project.ts'
import { hasTmux, openTmux, type Tmux } from '../tmux.ts'

const RALPH = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`
const TURN = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
const MINUTES = 4 * 60_000

async function asked(plan: string): Promise<{ fixture: TestProject; tmux: Tmux }> {
  const fixture = await testProject({ plan, turns: [[...TURN]] })
  const tmux = await openTmux(fixture, { columns: 110, rows: 50 })
  await tmux.type(`${RALPH} loop --once; echo "ended with $?"`, 'Enter')
  await tmux.shows('Start anyway?')
  return { fixture, tmux }
}

async function exitOf({ tmux }: { tmux: Tmux }): Promise<string> {
  await expect.poll(() => tmux.screen(), { timeout: MINUTES }).toMatch(/ended with \d/)
  return /ended with (\d+)/.exec(await tmux.screen())?.[1] ?? ''
}

describe.skipIf(!(await hasTmux()))('nobody answers (skipped where tmux is not installed)', () => {
  test(
    'an untouched template does not begin, anything else does',
    async () => {
      const [template, budget] = await Promise.all([
        asked('# Plan\n\n- [ ] Replace this line by the first thing to do\n'),
        asked('- [ ] the cart\n'),
      ])
      const exits = await Promise.all([template, budget].map(exitOf))
      expect(exits[0]).toBe('2')
      expect(template.fixture.starts()).toHaveLength(0)
      expect(await template.tmux.screen()).toContain('No answer, so nothing was started.')
      expect(budget.fixture.starts()).toHaveLength(1)
    },
    MINUTES,
  )
})
