import { describe, expect, test } from 'vitest'
import type { Effect } from '../state/effect.ts'
import type { Rules } from '../state/rules.ts'
import type { TaskStatus } from '../tasks/task.ts'
import {
  answer,
  startedRun,
  decisionNames,
  afterTurn,
  withRules,
  send,
  until,
  workerAt,
  type RunMoment,
} from '../../../test/kit/core.ts'

const ONCE = { id: 'a', maxRetries: 0 }

function worksOn(change: (rules: Rules) => Rules = (rules) => rules): RunMoment {
  const rules = (usual: Rules): Rules => change({ ...usual, gates: [] })
  return until(startedRun({ rules, tasks: [ONCE, { id: 'b' }] }), ({ is }) => is === 'working')
}

/** The agent gives up, and nothing more is answered. */
function fails(from: RunMoment): RunMoment {
  return afterTurn(from, { files: 1, summary: 'Cannot. <task-failed>a</task-failed>' })
}

function asked({ rows }: RunMoment, type: Effect['type']): Effect | undefined {
  return rows.flatMap(({ effects }) => effects).findLast((effect) => effect.type === type)
}

describe('the work on a task that failed', () => {
  test('is reverted before the store is told, and the task ends where it began', () => {
    const first = worksOn()
    const began = workerAt(first).seen
    const back = fails(first)
    expect(workerAt(back).phase).toMatchObject({ is: 'reverting', finishTask: { as: 'failed' } })
    expect(back.graph?.tasks[0]?.status).toBe('in_progress')
    expect(asked(back, 'revert')).toMatchObject({
      task: 'a',
      attempt: 1,
      before: { tree: began?.tree },
      since: null,
    })
    const then = answer(back, {})
    expect(then.graph?.tasks[0]?.status).toBe('failed')
    expect(asked(then, 'finish-task')).toMatchObject({ as: 'failed', from: began?.head, to: began?.head })
    expect(workerAt(then).job).toMatchObject({ task: 'b' })
    expect(workerAt(then).seen).toMatchObject({ tree: began?.tree, head: began?.head })
  })

  test('is told with the ref that keeps it', () => {
    const then = answer(fails(worksOn()), {})
    expect(then.decisions.find(({ what }) => what === 'revert')?.why).toContain('refs/ralph/k7f3qa/failed/a-1')
  })

  test('stays where that is wished', () => {
    const kept = fails(worksOn(withRules({ task: { failed: 'keep' } })))
    expect(asked(kept, 'revert')).toBeUndefined()
    expect(kept.graph?.tasks[0]?.status).toBe('failed')
  })

  test('stays if it cannot be told from others, and that is said; the task has failed all the same', () => {
    const stays = answer(fails(worksOn()), { putBack: { is: 'stays', why: 'git is busy' } })
    expect(decisionNames(stays)).toContain('task/stays')
    expect(stays.decisions.find(({ what }) => what === 'stays')?.why).toContain('git is busy')
    expect(stays.graph?.tasks[0]?.status).toBe('failed')
  })

  test.each(['effect-lost', 'effect-failed'] as const)(
    'after %s nobody knows how far it came, so nothing of it is called an edit',
    (type) => {
      const back = fails(worksOn())
      const effect = asked(back, 'revert')?.id ?? ''
      const said = {
        worker: '1',
        effect,
        ...(type === 'effect-failed' ? { problem: 'no disk', hint: null } : {}),
      }
      const then = send(back, { type, ...said } as Parameters<typeof send>[1])
      expect(decisionNames(then)).toContain('task/stays')
      expect(then.graph?.tasks[0]?.status).toBe('failed')
      expect(workerAt(then).measured).toBe(false)
    },
  )

  test('is not waited for by a run that stops, and what was decided about the task stands', () => {
    const back = fails(worksOn())
    const stopping = send(back, {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'stop', now: false },
    })
    expect(stopping.effects).toMatchObject([{ type: 'abort', target: asked(back, 'revert')?.id }])
    const end = send(stopping, {
      type: 'effect-lost',
      worker: '1',
      effect: asked(back, 'revert')?.id ?? '',
    })
    expect(end.graph?.tasks[0]?.status).toBe('failed')
    expect(end.state.run.outcome?.is).toBe('stopped')
  })

  test('is reverted when the task is skipped', () => {
    const skipping = send(worksOn(), {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'skip', to: { task: 'a' } },
    })
    const back = until(answer(skipping, {}), ({ is }) => is === 'reverting')
    expect(asked(back, 'revert')).toMatchObject({ task: 'a' })
  })

  test('of somebody else in between makes it inseparable', () => {
    const first = until(
      startedRun({ rules: (usual) => ({ ...usual, gates: [] }), tasks: [{ id: 'a', maxRetries: 1 }] }),
      ({ is }) => is === 'working',
    )
    const cooldowns = afterTurn(first, { files: 1, fails: { kind: 'crash', message: 'it broke' } })
    // It waits, and the next look finds another tree.
    const snapshot = { tree: 'mine', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
    const again = until(cooldowns, ({ is }) => is === 'working', { look: { snapshot } })
    expect(workerAt(again).job).toMatchObject({ own: { mixed: true } })
    const end = fails(again)
    expect(asked(end, 'revert')).toBeUndefined()
    expect(decisionNames(end)).toContain('task/stays')
  })
})

test.each([
  ['failed', true],
  ['pending', true],
  ['in_progress', true],
  [null, true],
  ['done', false],
] as const)('a lost claim whose task is %s: put back is %s', (status: TaskStatus | null, isPutBack) => {
  const lost = send(worksOn(), { type: 'claim-lost', worker: '1', task: 'a', attempt: 1, status })
  const then = until(afterTurn(lost, { files: 1, summary: 'x' }), ({ is }) => is !== 'measuring')
  expect(asked(then, 'revert') !== undefined).toBe(isPutBack)
})
