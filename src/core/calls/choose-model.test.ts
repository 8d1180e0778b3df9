import { describe, expect, test } from 'vitest'
import type { ModelStrategy } from '../models/model-strategy.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { EffectOf } from '../state/effect.ts'
import type { Row } from '../state/row.ts'
import type { Rules } from '../state/rules.ts'
import {
  playRun,
  startedRun,
  afterTurn,
  until,
  workerAt,
  type RunMoment,
  type TestTask,
  type AgentTurn,
} from '../../../test/kit/core.ts'

const MODELS = { light: 'haiku', medium: 'sonnet', strong: 'opus' }

function follows(strategy: ModelStrategy, change: (rules: Rules) => Rules = (rules) => rules) {
  return (rules: Rules): Rules =>
    change({
      ...rules,
      agent: { ...rules.agent, model: 'fable', models: { claude: MODELS } },
      model: { strategy },
      loop: { ...rules.loop, iterationsMax: 5 },
      breaker: { ...rules.breaker, noProgress: 0, sameError: 0 },
    })
}

const WORK: AgentTurn = { checkboxes: { open: 3, done: 0 } }
const FAILS: AgentTurn = { ...WORK, files: 0, fails: { kind: 'crash', message: 'exit 1' } }
const IDLE: AgentTurn = { ...WORK, files: 0 }
const LIMITED: AgentTurn = {
  ...WORK,
  files: 0,
  tools: 0,
  usage: null,
  fails: { kind: 'rate-limit', message: 'slow down' },
}

function hints(nextModel: string): AgentTurn {
  return { ...WORK, reply: told(nextModel) }
}

function told(nextModel: string, done: string[] = []): Pick<Reply, 'told'> {
  const nothing = { failed: [], promise: null, notes: [], knowledge: [], phase: null, tasksCreated: false }
  return { told: { ...nothing, done, nextModel, asks: [], progress: null, findings: [], problems: [] } }
}

function calls(rows: Row[]): EffectOf<'run-agent'>[] {
  return rows.flatMap(({ effects }) => effects).filter((effect) => effect.type === 'run-agent')
}

function modelsIn(rows: Row[]): (string | null)[] {
  return calls(rows).map(({ how }) => how.model)
}

function reasonsIn(rows: Row[]): string[] {
  const decisions = rows.flatMap((row) => row.decisions)
  return decisions.filter(({ by }) => by === 'model').map(({ what, why }) => `${what}: ${why}`)
}

describe('the iterations of a loop get', () => {
  test.each<[ModelStrategy, string, AgentTurn[], (string | null)[]]>([
    ['fixed', 'whatever happens', [WORK, FAILS, WORK], ['fable', 'fable', 'fable', 'fable', 'fable']],
    ['cost-optimized', 'that gets further', [WORK], ['sonnet', 'sonnet', 'sonnet', 'haiku', 'haiku']],
    ['cost-optimized', 'with a failure', [WORK, FAILS, WORK], ['sonnet', 'sonnet', 'opus', 'sonnet', 'sonnet']],
    ['escalate', 'that fails', [FAILS], ['haiku', 'sonnet', 'opus', 'opus', 'opus']],
    ['escalate', 'that gets better', [FAILS, FAILS, WORK], ['haiku', 'sonnet', 'opus', 'opus', 'opus']],
    [
      'escalate',
      'whose agent is blocked',
      [{ ...WORK, signals: { block: blocked() } }, WORK],
      ['haiku', 'opus', 'opus', 'opus', 'opus'],
    ],
    ['escalate', 'that changes nothing', [IDLE], ['haiku', 'sonnet', 'opus', 'opus', 'opus']],
    [
      'escalate',
      'that is not done as long as boxes are open',
      [{ ...WORK, done: true }, WORK],
      ['haiku', 'sonnet', 'sonnet', 'sonnet', 'sonnet'],
    ],
    ['plan-then-execute', 'that works', [WORK], ['opus', 'sonnet', 'sonnet', 'sonnet', 'sonnet']],
    [
      'plan-then-execute',
      'that meets a limit first',
      [LIMITED, WORK],
      ['opus', 'opus', 'sonnet', 'sonnet', 'sonnet', 'sonnet'],
    ],
  ])('%s: a loop %s', (strategy, _, turns, models) => {
    expect(modelsIn(playRun(turns, follows(strategy)))).toEqual(models)
  })

  test('each choice with its reason', () => {
    expect(reasonsIn(playRun([FAILS, WORK], follows('escalate'))).slice(0, 3)).toEqual([
      'choose: escalate: light (haiku), because no attempt has failed yet',
      'change: escalate: medium (sonnet), because one attempt failed',
      'choose: escalate: medium (sonnet), because one attempt failed',
    ])
  })

  test('the default of a vendor whose models nobody named', () => {
    const unnamed = follows('escalate', (rules) => ({ ...rules, agent: { ...rules.agent, models: {} } }))
    const rows = playRun([WORK], unnamed)
    expect([modelsIn(rows)[0], reasonsIn(rows)[0]]).toEqual([
      null,
      "choose: escalate: light (the vendor's default model), because no attempt has failed yet",
    ])
  })
})

describe('what the agent asks for', () => {
  test('holds for one visit', () => {
    const rows = playRun([hints('opus'), WORK], follows('escalate'))
    expect(modelsIn(rows)).toEqual(['haiku', 'opus', 'haiku', 'haiku', 'haiku'])
    expect(reasonsIn(rows)[1]).toBe('change: escalate: strong (opus), because the agent asked for it instead of light')
  })

  test('outlasts a call that never came to work', () => {
    expect(modelsIn(playRun([hints('strong'), LIMITED, WORK], follows('escalate'))).slice(0, 4)).toEqual([
      'haiku',
      'opus',
      'opus',
      'haiku',
    ])
  })

  test('does not change a model that is fixed', () => {
    const rows = playRun([hints('opus'), WORK], follows('fixed'))
    expect([new Set(modelsIn(rows)), reasonsIn(rows)]).toEqual([
      new Set(['fable']),
      ['keep: the agent asked for strong, but the model is fixed (fable)'],
    ])
  })

  test('is what would be chosen anyway', () => {
    expect(reasonsIn(playRun([hints('light'), WORK], follows('escalate')))[1]).toBe(
      'choose: escalate: light (haiku), because no attempt has failed yet, and the agent asked for it',
    )
  })

  test('is neither wished for nor corrected where it would not count', () => {
    const unnamed = follows('escalate', (rules) => ({ ...rules, agent: { ...rules.agent, models: {} } }))
    for (const rules of [follows('fixed'), unnamed])
      expect(
        calls(playRun([hints('gpt-9'), WORK], rules)).map(({ hints: told, context }) => [told, context.corrections])[1],
      ).toEqual([undefined, []])
    expect(calls(playRun([WORK], follows('escalate')))[0]?.hints).toBe(true)
  })

  test('is told back where there is no such model', () => {
    const rows = playRun([hints('gpt-9'), WORK], follows('escalate'))
    expect(modelsIn(rows)[1]).toBe('haiku')
    expect(calls(rows)[1]?.context.corrections).toEqual([
      '"gpt-9" in <next-model> is not a model you can choose: use light, medium or strong.',
    ])
  })

  test('also after a visit that failed, and once', () => {
    const rows = playRun([{ ...FAILS, reply: told('gpt-9') }], follows('escalate'))
    expect(calls(rows)[2]?.context.corrections).toEqual([
      '"gpt-9" in <next-model> is not a model you can choose: use light, medium or strong.',
    ])
  })
})

describe('the visits of tasks', () => {
  test('a job that fails rises, and the next begins anew', () => {
    const first = worksOn('escalate', [{ id: 'a' }, { id: 'b', after: ['a'] }])
    const second = says(first, 'Hm.')
    const third = says(second, 'Hm.')
    const next = says(third, '<task-done>a</task-done>')
    expect(modelsIn(next.rows)).toEqual(['haiku', 'sonnet', 'opus', 'haiku'])
  })

  test('an agent that gives up is stuck', () => {
    const second = says(worksOn('escalate', [{ id: 'a' }]), '<task-failed>a</task-failed>')
    expect(modelsIn(second.rows)).toEqual(['haiku', 'opus'])
  })

  test('so is one that says BLOCKED and nothing else', () => {
    const turn = { signals: { block: blocked() } }
    const second = says(worksOn('escalate', [{ id: 'a' }]), 'Hm.', turn)
    expect(modelsIn(second.rows)).toEqual(['haiku', 'opus'])
  })

  test('a task that failed by its only visit is no part of a row without failures', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    let at = worksOn(
      'cost-optimized',
      ids.map((id) => ({ id, maxRetries: 0 })),
    )
    for (const id of ['a', 'b']) at = says(at, `<task-done>${id}</task-done>`)
    at = says(at, '<task-failed>c</task-failed>')
    at = says(at, '<task-done>d</task-done>')
    expect([new Set(modelsIn(at.rows)), workerAt(at).smoothJobs]).toEqual([new Set(['sonnet']), 1])
  })

  test('a completion that is refused is a failure too', () => {
    const first = worksOn('cost-optimized', [{ id: 'a' }], (rules) => rules)
    const second = says(first, '<task-done>a</task-done>', { green: false })
    expect(modelsIn(second.rows)).toEqual(['sonnet', 'opus'])
  })

  test('three done without a failure are followed by a light one, which a failure ends', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    let at = worksOn(
      'cost-optimized',
      ids.map((id, n) => ({ id, after: n === 0 ? [] : [ids[n - 1] ?? ''] })),
    )
    for (const id of ['a', 'b', 'c']) at = says(at, `<task-done>${id}</task-done>`)
    expect(workerAt(at).smoothJobs).toBe(3)
    at = says(at, 'Hm.')
    at = says(at, '<task-done>d</task-done>')
    expect([modelsIn(at.rows), workerAt(at).smoothJobs]).toEqual([
      ['sonnet', 'sonnet', 'sonnet', 'haiku', 'opus', 'sonnet'],
      0,
    ])
  })

  test('a hint at the end of a job is for the first visit of the next', () => {
    const first = worksOn('plan-then-execute', [{ id: 'a' }, { id: 'b', after: ['a'] }])
    const next = says(first, '<task-done>a</task-done>', { reply: told('light', ['a']) })
    expect(modelsIn(next.rows)).toEqual(['opus', 'haiku'])
  })
})

function blocked(): NonNullable<Reply['signals']['block']> {
  return { status: 'BLOCKED' } as NonNullable<Reply['signals']['block']>
}

function worksOn(strategy: ModelStrategy, tasks: TestTask[], change = withoutGates): RunMoment {
  const unlimited = (rules: Rules): Rules => change({ ...rules, loop: { ...rules.loop, iterationsMax: 0 } })
  return until(startedRun({ rules: follows(strategy, unlimited), tasks }), ({ is }) => is === 'working')
}

function withoutGates(rules: Rules): Rules {
  return { ...rules, gates: [] }
}

function says(from: RunMoment, summary: string, turn: AgentTurn = {}): RunMoment {
  const then = afterTurn(from, { files: 1, ...turn, summary })
  return until(then, ({ is }) => ['working', 'finished', 'paused'].includes(is), turn)
}
