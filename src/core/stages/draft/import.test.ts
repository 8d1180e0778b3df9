import { describe, expect, test } from 'vitest'
import { step } from '../../run/step.ts'
import type { ReplyFailure } from '../../agent-output/reply.ts'
import type { Rules } from '../../state/rules.ts'
import {
  answer,
  decisionNames,
  openEffectOf,
  requestedEffectTypes,
  send,
  START_TIME,
  startedRun,
  until,
  withRules,
  workerAt,
  type AgentTurn,
  type RunMoment,
} from '../../../../test/kit/core.ts'

const FOLDER = '/tmp/import'
const CRASH: AgentTurn = { fails: { kind: 'crash', message: 'it fell over' } }

function importing(rules: (usual: Rules) => Rules = (usual) => usual): RunMoment {
  return startedRun({ rules, started: { import: { folder: FOLDER } } })
}

function ended(from: RunMoment, turn: AgentTurn = {}): RunMoment {
  return until(from, ({ is }) => is === 'finished', turn)
}

/** Everything that was asked of the engine, in order. */
function asked({ rows }: RunMoment): string[] {
  return rows.flatMap((row) => requestedEffectTypes(row))
}

function fails(kind: ReplyFailure['kind'], given: Partial<ReplyFailure> = {}): AgentTurn {
  return { fails: { kind, message: 'no', ...given } }
}

const TWO = withRules({ agent: { order: ['claude', 'codex'] } })

describe('an import', () => {
  test('is one call outside the project, and a check of what it left; nobody looks at the tree', () => {
    const begun = importing()
    expect(openEffectOf(begun)).toMatchObject({
      type: 'run-agent',
      iteration: 1,
      import: { folder: FOLDER },
    })
    const checking = answer(begun)
    expect(openEffectOf(checking)).toMatchObject({ type: 'check-import', folder: `${FOLDER}/1` })
    const done = answer(checking)
    expect(asked(done)).toEqual(['run-agent', 'check-import'])
    expect(done.state.run.outcome).toMatchObject({ is: 'drafted', exit: 0 })
    expect(workerAt(done)).toMatchObject({ author: 'claude', iteration: 1, measured: true, counted: 1 })
  })

  test('records the end of its turn once', () => {
    const rows = ended(importing()).rows
    const turns = rows.flatMap((row) => decisionNames(row)).filter((name) => name.startsWith('turn/'))
    expect(turns).toEqual(['turn/progress'])
  })

  test('fails if a file is missing, and nobody is asked again', () => {
    const done = ended(importing(), { imported: 'it left no requirements.md' })
    expect(asked(done)).toEqual(['run-agent', 'check-import'])
    expect(done.state.run.outcome).toMatchObject({
      is: 'agent_unusable',
      reason: 'claude could not turn the document into a project: it left no requirements.md',
      exit: 6,
    })
  })

  test('is stopped while its agent works, and while its files are checked', () => {
    const stop = {
      type: 'request-received',
      request: { id: null, from: 'Ctrl+C', do: 'stop', now: false },
    } as const
    for (const moment of [importing(), answer(importing())])
      expect(ended(send(moment, stop)).state.run.outcome).toMatchObject({ is: 'stopped' })
  })
})

describe('an agent that fails', () => {
  test('is asked again twice after a crash, each time in a folder of its own', () => {
    const again = until(importing(), (_, effect) => effect?.type === 'wait', CRASH)
    expect(openEffectOf(again)).toMatchObject({ forMs: 5_000, why: 'claude failed: it fell over' })
    expect(openEffectOf(answer(again))).toMatchObject({ type: 'run-agent', iteration: 2 })
    const done = ended(again, CRASH)
    expect(asked(done).filter((type) => type === 'run-agent')).toHaveLength(3)
    expect(done.state.run.outcome).toMatchObject({
      is: 'agent_unusable',
      reason: 'claude could not turn the document into a project: it fell over',
    })
  })

  test.each(['timeout', 'bad-request', 'context-overflow'] as const)('by %s is not asked again', (kind) => {
    const done = ended(importing(), fails(kind))
    expect([asked(done), done.state.run.outcome?.is]).toEqual([['run-agent'], 'agent_unusable'])
  })

  test.each(['usage-limit', 'network', 'authentication'] as const)('by %s makes way for the next one', (kind) => {
    const next = answer(importing(TWO), fails(kind))
    expect(openEffectOf(next)).toMatchObject({ type: 'run-agent', agent: 'codex', iteration: 2 })
    expect(workerAt(ended(next)).author).toBe('codex')
  })

  test('and cannot be cured leaves nobody to ask', () => {
    const { outcome } = ended(importing(), fails('authentication')).state.run
    expect(outcome).toMatchObject({ is: 'agent_unusable', exit: 6 })
  })
})

describe('an import waits for seconds', () => {
  test('not until the reset of a usage limit: it says when that is', () => {
    const resetsAt = importing().now.at + 3_600_000
    const { outcome } = ended(importing(), fails('usage-limit', { resetsAt })).state.run
    expect(outcome).toMatchObject({
      is: 'api_limit_exit',
      reason: 'claude hit its usage limit',
      exit: 4,
      cause: { is: 'not-now', until: resetsAt },
    })
  })

  test('not until the next hour of the quota', () => {
    const [first] = importing().rows
    if (first === undefined) throw new Error('the run has no first row')
    const admitting = step(null, first.event, first)
    const [call] = admitting.effects
    expect(call).toMatchObject({ type: 'admit-call', iteration: 1 })
    const later = { until: START_TIME + 1_000, why: '7 of 7 calls' }
    const deferred = { type: 'call-deferred', worker: '1', effect: call?.id ?? '', ...later } as const
    expect(step(admitting.state, deferred, first).effects).toMatchObject([
      {
        type: 'end-run',
        outcome: { is: 'api_limit_exit', reason: later.why, cause: { is: 'not-now', until: later.until } },
      },
    ])
  })

  test('twice for an agent that cannot be reached', () => {
    const done = ended(importing(), fails('network'))
    expect(asked(done)).toEqual(['run-agent', 'wait', 'run-agent', 'wait', 'run-agent'])
    expect(done.state.run.outcome).toMatchObject({ is: 'api_limit_exit', cause: { is: 'not-now' } })
  })
})

test('an import whose budget is gone ends with that', () => {
  const spent = { usage: { usd: 3 }, reply: { end: 'over-budget' as const } }
  const { outcome } = ended(importing(withRules({ budget: { usd: 2 } })), spent).state.run
  expect(outcome).toMatchObject({
    is: 'cost_limit',
    reason: 'the budget is spent, so Ralph stopped claude while it was working',
    exit: 4,
  })
})
