import { describe, expect, test } from 'vitest'
import type { Effect, EffectOf } from '../../state/effect.ts'
import type { Outcome } from '../../state/outcome.ts'
import type { Row } from '../../state/row.ts'
import type { ExitRules, Rules } from '../../state/rules.ts'
import { playRun, type AgentTurn } from '../../../../test/kit/core.ts'

function asked<T extends Effect['type']>(rows: Row[], type: T): EffectOf<T>[] {
  return rows.flatMap((row) => row.effects).filter((effect): effect is EffectOf<T> => effect.type === type)
}

function outcomeOf(rows: Row[]): Outcome | undefined {
  return asked(rows, 'end-run')[0]?.outcome
}

test.each<[what: string, turn: AgentTurn, is: string]>([
  ['changed files', { files: 2 }, 'iteration_limit'],
  ['made commits', { files: 0, commits: ['tests'] }, 'iteration_limit'],
  ['did nothing else', { files: 0 }, 'test_saturation'],
])('iterations of testing that %s', (_, turn, is) => {
  const limited = (rules: Rules): Rules => ({ ...rules, loop: { ...rules.loop, iterationsMax: 5 } })
  const checkboxes = { open: 3, done: 0 }
  expect(outcomeOf(playRun([{ checkboxes, ...turn, testOnly: true }], limited))?.is).toBe(is)
})

describe('denied tools', () => {
  const JOINED = { tool: 'Bash', command: 'npm test 2>&1 | tail -5' }
  const HARSH = { tool: 'Bash', command: 'rm -rf x' }
  const IDLE: AgentTurn = { files: 0, checkboxes: { open: 3, done: 0 } }

  function listed(denial: ExitRules['denial']): (rules: Rules) => Rules {
    return (rules) => ({
      ...rules,
      agent: { ...rules.agent, tools: ['Bash(npm *)'] },
      exit: { ...rules.exit, denial },
      breaker: { ...rules.breaker, noProgress: 0, denials: 2 },
      loop: { ...rules.loop, iterationsMax: 4 },
    })
  }

  test.each<ExitRules['denial']>(['halt', 'threshold', 'continue'])(
    'a joined line whose first word is on the list warns and the run goes on (%s)',
    (denial) => {
      const rows = playRun([{ ...IDLE, denials: [JOINED] }], listed(denial))
      expect(outcomeOf(rows)?.is).toBe('iteration_limit')
      const warnings = rows.flatMap((row) => row.decisions).filter(({ what }) => what === 'warn')
      expect(warnings).toEqual(
        Array(4).fill({
          by: 'exit',
          what: 'warn',
          why: 'Bash(npm test 2>&1 | tail -5) was denied: npm is allowed, but not joined with other commands; continuing',
          worker: '1',
        }),
      )
      const told =
        'Bash(npm test 2>&1 | tail -5) was denied because it joins several commands; run them one at a time, without pipes.'
      expect(asked(rows, 'run-agent').at(-1)?.context.corrections).toEqual([told])
    },
  )

  test('beside one that counts, only that one is told as denied', () => {
    const rows = playRun([{ ...IDLE, denials: [JOINED, HARSH] }], listed('halt'))
    expect([asked(rows, 'run-agent').length, outcomeOf(rows)]).toMatchObject([
      1,
      { is: 'permission_denied', reason: 'the agent was denied Bash(rm -rf x)' },
    ])
  })

  test('those that count open the breaker where the agent is told first', () => {
    const rows = playRun([{ ...IDLE, denials: [HARSH] }], listed('threshold'))
    expect([asked(rows, 'run-agent').length, outcomeOf(rows)?.is]).toEqual([2, 'breaker'])
  })
})
