import { describe, expect, test } from 'vitest'
import type { VerifyRequest } from '../../proof/verify-request.ts'
import type { Rules } from '../../state/rules.ts'
import {
  answer,
  requestedEffectTypes,
  startedRun,
  openEffectOf,
  send,
  someRules,
  until,
  workerAt,
  type RunMoment,
  type AgentTurn,
} from '../../../../test/kit/core.ts'

const READY: AgentTurn = { green: true, base: { verify: { ready: true, commit: null } } }

function verifying(asked: Partial<VerifyRequest> = {}, rules: (usual: Rules) => Rules = (usual) => usual): RunMoment {
  return startedRun({ rules, started: { verify: { gate: null, since: null, quick: false, ...asked } } })
}

function ended(from: RunMoment, turn: AgentTurn = READY): RunMoment {
  return until(from, ({ is }) => is === 'finished', turn)
}

/** Everything that was asked of the engine, in order. */
function asked({ rows }: RunMoment): string[] {
  return rows.flatMap((row) => requestedEffectTypes(row))
}

const GATES = someRules().gates.length

describe('a verification', () => {
  test('runs the gates, finds the base and takes the proof steps; no agent is called', () => {
    const done = ended(verifying({ since: 'HEAD~1' }))
    const all = asked(done)
    expect(all.slice(0, GATES + 3)).toEqual([
      'snapshot',
      ...Array.from({ length: GATES }, () => 'run-gate'),
      'resolve-base',
      'classify-changes',
    ])
    expect(all).not.toContain('run-agent')
    expect(done.state.run.outcome).toMatchObject({ is: 'verified', verdict: 'proven', exit: 0 })
    const takesBase = done.rows.flatMap((row) => row.effects).find((effect) => effect.type === 'resolve-base')
    expect(takesBase).toMatchObject({ base: null, verify: { since: 'HEAD~1' } })
    expect(workerAt(done).base).toMatchObject({ from: 'proven' })
  })

  test('records what each step of the proof showed', () => {
    const steps = ended(verifying()).rows.flatMap(({ decisions }) =>
      decisions.flatMap((one) => ('step' in one && one.step !== undefined ? [one.step.proofStep] : [])),
    )
    expect(steps).toContain('room')
  })

  test('reports every gate, also after one that failed', () => {
    const two = (usual: Rules): Rules => ({
      ...usual,
      gates: ['test', 'lint'].flatMap((name) => usual.gates.slice(0, 1).map((gate) => ({ ...gate, name }))),
      proof: { ...usual.proof, reruns: 0 },
    })
    const done = ended(verifying({}, two), { green: false })
    expect(asked(done).filter((type) => type === 'run-gate')).toHaveLength(2)
    expect(done.state.run.outcome).toMatchObject({ is: 'verified', verdict: 'failed', exit: 4 })
  })

  test.each<[string, Partial<VerifyRequest>]>([
    ['--quick', { quick: true }],
    ['--gate', { gate: 'test' }],
  ])('with %s ends when the gates have passed', (_, wanted) => {
    const done = ended(verifying(wanted))
    expect(asked(done)).not.toContain('resolve-base')
    expect(done.state.run.outcome).toMatchObject({ verdict: 'gates-passed', exit: 0 })
  })

  test('without a gate is unproven', () => {
    const done = ended(verifying({}, (usual) => ({ ...usual, gates: [] })))
    expect(done.state.run.outcome).toMatchObject({ verdict: 'unproven', exit: 5 })
  })

  test('tries the clean room at the base where no run has prepared it', () => {
    const turn: AgentTurn = { green: true, base: { verify: { ready: false, commit: 'last' } } }
    const based = until(verifying(), (_, effect) => effect?.type === 'resolve-base', turn)
    const tried = answer(based, turn)
    expect(openEffectOf(tried)).toMatchObject({ type: 'run-trial', purpose: 'clean-room-check' })
    expect(tried.decisions.map(({ why }) => why)).toEqual([
      'no proven state yet: comparing with the last commit (choose another: --since REF)',
    ])
    expect(openEffectOf(answer(tried, turn))).toMatchObject({ type: 'classify-changes' })
  })

  test('stops wherever it is', () => {
    for (let at = verifying(); workerAt(at).phase.is !== 'finished'; at = answer(at, READY)) {
      const open = openEffectOf(at)
      const told = send(at, {
        type: 'request-received',
        request: { id: null, from: 'SIGINT', do: 'stop', now: false },
      })
      const over = send(told, { type: 'effect-lost', worker: '1', effect: open.id })
      expect([open.type, over.state.run.outcome?.is]).toEqual([open.type, 'stopped'])
    }
  })
})
