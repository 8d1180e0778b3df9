import { describe, expect, test } from 'vitest'
import { emptyAgentReport, type AgentReport } from '../agent-output/agent-report.ts'
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
  type TestTask,
} from '../../../test/kit/core.ts'

const NO_GATES = (rules: Parameters<ReturnType<typeof withRules>>[0]): ReturnType<ReturnType<typeof withRules>> => ({
  ...rules,
  gates: [],
})

function worksOn(tasks: TestTask[], given: Parameters<typeof startedRun>[0] = {}): RunMoment {
  return until(startedRun({ rules: NO_GATES, ...given, tasks }), ({ is }) => is === 'working' || is === 'finished')
}

/** The agent ends its iteration with these words, and whatever follows is answered until an agent works again or the run is over. */
function says(from: RunMoment, summary: string, turn: Parameters<typeof afterTurn>[1] = {}): RunMoment {
  const then = afterTurn(from, { files: 1, ...turn, summary })
  return until(then, ({ is }) => is === 'working' || is === 'finished' || is === 'idle' || is === 'paused', turn)
}

function done(id: string): string {
  return `All good. <task-done>${id}</task-done>`
}

function outcomeOf({ state }: RunMoment): string {
  return `${state.run.outcome?.is ?? 'none'} ${state.run.outcome?.exit ?? ''}`.trim()
}

function states({ graph }: RunMoment): string[] {
  return (graph?.tasks ?? []).map(({ id, status }) => `${id} ${status}`)
}

describe('a run through tasks', () => {
  test('takes them one after the other, and is complete when all are done', () => {
    const first = worksOn([{ id: 'a' }, { id: 'b', after: ['a'] }])
    expect(workerAt(first).job).toMatchObject({ is: 'task', task: 'a', attempt: 1, retries: 3 })
    const second = says(first, done('a'))
    expect(workerAt(second).job).toMatchObject({ is: 'task', task: 'b' })
    const end = says(second, done('b'))
    expect(states(end)).toEqual(['a done', 'b done'])
    expect(outcomeOf(end)).toBe('tasks_complete 0')
  })

  test('without a task there is nothing to do', () => {
    expect(outcomeOf(startedRun({ tasks: [] }))).toBe('no_plan 3')
  })

  test('where all are done already it ends at once', () => {
    const end = startedRun({ tasks: [{ id: 'a', status: 'done' }] })
    expect(outcomeOf(end)).toBe('tasks_complete 0')
    // Who judged nothing has proven nothing.
    expect(end.state.run.outcome?.verdict).toBe('unproven')
  })

  test('where one is left that waits for a failed one, it says so', () => {
    const end = startedRun({
      tasks: [
        { id: 'a', status: 'failed' },
        { id: 'b', after: ['a'] },
      ],
    })
    expect(outcomeOf(end)).toBe('tasks_failed 4')
    expect(end.state.run.outcome?.reason).toContain('b waits for a (failed)')
  })

  test('a task that is not done before its time is waited for', () => {
    const waiting = startedRun({ rules: NO_GATES, tasks: [{ id: 'a', notBefore: 9_999_999_999_999 }] })
    expect(workerAt(waiting).phase).toMatchObject({ is: 'waiting', until: 9_999_999_999_999 })
  })

  test('whoever asked for one iteration is told when, instead', () => {
    const rules: typeof NO_GATES = (given) => ({
      ...NO_GATES(given),
      loop: { ...given.loop, iterationsMax: 1, once: true },
    })
    const end = startedRun({ rules, tasks: [{ id: 'a', notBefore: 9_999_999_999_999 }] })
    expect(outcomeOf(end)).toBe('tasks_blocked 4')
    expect(end.state.run.outcome?.reason).toContain('1 scheduled for later (2286-11-20T17:46Z)')
  })

  test('what no iteration is left for is not waited for', () => {
    const rules: typeof NO_GATES = (given) => ({
      ...NO_GATES(given),
      loop: { ...given.loop, iterationsMax: 1 },
    })
    const end = says(worksOn([{ id: 'a' }, { id: 'b', notBefore: 9_999_999_999_999 }], { rules }), done('a'))
    expect(states(end)).toEqual(['a done', 'b pending'])
    expect(outcomeOf(end)).toBe('iteration_limit 4')
  })
})

describe('what it told by tags', () => {
  const told = (change: Partial<AgentReport>) => ({ reply: { told: { ...emptyAgentReport(), ...change } } })

  test('decides, whatever stands in its last words', () => {
    const first = () => worksOn([{ id: 'a' }, { id: 'b' }])
    expect(states(says(first(), 'Long ago.', told({ done: ['a'] })))).toEqual(['a done', 'b in_progress'])
    const again = says(first(), `Not \`${done('a')}\`.`, told({}))
    expect([states(again), workerAt(again).line?.visits]).toEqual([
      ['a in_progress', 'b pending'],
      { prepare: 1, work: 2 },
    ])
  })

  test('and what was wrong with it is told, as one thing to put right', () => {
    const again = says(worksOn([{ id: 'a' }]), 'x', told({ problems: ['One.', 'Two.'] }))
    expect(workerAt(again).corrections).toEqual([
      'You did not report the result of your task. When it is done, end with <task-done>a</task-done>.',
      'One. Two.',
    ])
  })
})

describe('a task that is not finished', () => {
  test.each([
    ['it says nothing', 'I worked a little.', 'the agent reported no result'],
    ['it says that it failed', 'Cannot. <task-failed>a</task-failed>', 'the agent gave up'],
    ['it names another', 'Done: <task-done>b</task-done>', 'the reply names b, but the task is a'],
  ])('%s: it is worked on again, so often and no more', (_, words, why) => {
    const first = worksOn([{ id: 'a', maxRetries: 1 }])
    const again = says(first, words)
    expect(workerAt(again)).toMatchObject({ job: { task: 'a' }, line: { visits: { work: 2 } } })
    const end = says(again, words)
    expect(states(end)).toEqual(['a failed'])
    expect(outcomeOf(end)).toBe('tasks_failed 4')
    expect(end.graph?.tasks[0]?.why).toContain(why)
  })

  const GIVES_UP = 'Cannot. <task-failed>a</task-failed>'

  test.each([
    ['is asked once more', 1, 2],
    ['is not asked again with task.give_ups = 0', 0, 1],
    ['is asked as often as task.give_ups says', 2, 3],
  ])('an agent that says that the task cannot be done %s', (_, giveUps, asked) => {
    const rules = (usual: Parameters<typeof NO_GATES>[0]): ReturnType<typeof NO_GATES> =>
      NO_GATES(withRules({ task: { giveUps } })(usual))
    let at = worksOn([{ id: 'a', maxRetries: 5 }, { id: 'b' }], { rules })
    for (let call = 1; call < asked; call += 1) {
      at = says(at, GIVES_UP)
      expect(states(at)).toEqual(['a in_progress', 'b pending'])
    }
    at = says(at, GIVES_UP)
    expect(states(at)).toEqual(['a failed', 'b in_progress'])
    expect(at.graph?.tasks[0]?.why).toContain('the agent gave up: Cannot')
  })

  test('other failures between two give-ups do not count as one', () => {
    const second = says(says(worksOn([{ id: 'a', maxRetries: 5 }]), GIVES_UP), 'I worked a little.')
    expect(states(second)).toEqual(['a in_progress'])
    expect(states(says(second, GIVES_UP))).toEqual(['a failed'])
  })

  test('the rest goes on after it failed', () => {
    const first = worksOn([{ id: 'a', maxRetries: 0 }, { id: 'b' }, { id: 'c', after: ['a'] }])
    const second = says(first, 'no')
    expect(workerAt(second).job).toMatchObject({ task: 'b' })
    const end = says(second, done('b'))
    expect(states(end)).toEqual(['a failed', 'b done', 'c pending'])
    expect(outcomeOf(end)).toBe('tasks_failed 4')
  })

  test('so many in a row failed and none was done: the run pauses, and goes on when it is told to', () => {
    const tasks = ['a', 'b', 'c'].map((id) => ({ id, maxRetries: 0 }))
    const rules = (usual: Parameters<typeof NO_GATES>[0]): ReturnType<typeof NO_GATES> =>
      NO_GATES(withRules({ task: { failuresMax: 2 } })(usual))
    const paused = says(says(worksOn(tasks, { rules }), 'no'), 'no')
    expect(paused.state.run).toMatchObject({ is: 'paused', why: '2 tasks in a row failed' })
    expect(states(paused)).toEqual(['a failed', 'b failed', 'c pending'])
    const on = send(paused, { type: 'request-received', request: { id: 1, from: 'ann', do: 'resume' } })
    expect(workerAt(on).job).toMatchObject({ task: 'c' })
  })

  test('where the last of so many failed there is nothing to pause for', () => {
    const tasks = ['a', 'b'].map((id) => ({ id, maxRetries: 0 }))
    const rules = (usual: Parameters<typeof NO_GATES>[0]): ReturnType<typeof NO_GATES> =>
      NO_GATES(withRules({ task: { failuresMax: 2 } })(usual))
    const end = says(says(worksOn([...tasks, { id: 'c', after: ['b'] }], { rules }), 'no'), 'no')
    expect(outcomeOf(end)).toBe('tasks_failed 4')
  })

  test('an agent that fails costs a visit, after a rest', () => {
    const first = worksOn([{ id: 'a', maxRetries: 1 }])
    const cooldowns = afterTurn(first, { fails: { kind: 'crash', message: 'it broke' } })
    expect(workerAt(cooldowns)).toMatchObject({ phase: { is: 'waiting' }, line: { visits: { work: 2 } } })
  })

  test.each([
    ['a usage limit', { files: 0, fails: { kind: 'usage-limit', message: 'come back later' } }],
    ['an outage', { files: 0, fails: { kind: 'network', message: 'nobody answers' } }],
  ] as const)('%s costs no visit', (_, turn) => {
    const limited = afterTurn(worksOn([{ id: 'a', maxRetries: 0 }]), turn)
    expect(workerAt(limited)).toMatchObject({ job: { task: 'a' }, line: { visits: { work: 1 } } })
  })
})

describe('gates and a second opinion', () => {
  test('red gates send it back with what they said', () => {
    const first = worksOn([{ id: 'a', maxRetries: 1 }], { rules: withRules({ task: { verify: false } }) })
    const again = says(first, done('a'), { green: false })
    expect(workerAt(again).corrections.join()).toContain('Ralph rejected your completion')
    const end = says(again, done('a'), { green: false })
    expect(states(end)).toEqual(['a failed'])
    expect(end.rows.flatMap(({ effects }) => effects).find(({ type }) => type === 'finish-task')).toMatchObject({
      as: 'failed',
      retries: 1,
      verification: 'failed',
    })
  })

  test('a proven one is done, and what comes next is judged against it', () => {
    const first = worksOn([{ id: 'a' }, { id: 'b' }], { rules: (usual) => usual })
    const second = says(first, done('a'), { green: true })
    expect(states(second)).toEqual(['a done', 'b in_progress'])
    expect(workerAt(second)).toMatchObject({ job: { task: 'b' }, base: { from: 'proven' } })
    expect(outcomeOf(says(second, done('b'), { green: true }))).toBe('tasks_complete 0')
  })

  test('its own checks are gates of it alone', () => {
    const first = worksOn([{ id: 'a', checks: ['sh check.sh'] }])
    const gate = until(afterTurn(first, { files: 1, summary: done('a') }), (_, effect) => effect?.type === 'run-gate')
    expect(gate.effects.find(({ type }) => type === 'run-gate')).toMatchObject({
      gate: { name: 'check-1', run: 'sh check.sh' },
    })
  })

  test('a second agent reads it where that is wished, and never where it is not', () => {
    const rules = (verify: boolean) => (usual: Parameters<typeof NO_GATES>[0]) =>
      NO_GATES(withRules({ task: { verify } })(usual))
    const asked = afterTurn(worksOn([{ id: 'a' }], { rules: rules(true) }), { files: 1, summary: done('a') })
    expect(workerAt(answer(asked, {})).phase).toMatchObject({ is: 'reviewing' })
    const quiet = says(worksOn([{ id: 'a' }], { rules: rules(false) }), done('a'))
    expect(states(quiet)).toEqual(['a done'])
  })
})

test('a reader that cannot be heard costs a task nothing: it goes back, with what was done for it', () => {
  const rules = (usual: Parameters<typeof NO_GATES>[0]) => NO_GATES(withRules({ task: { verify: true } })(usual))
  const reading = afterTurn(worksOn([{ id: 'a', maxRetries: 0 }], { rules }), {
    files: 1,
    summary: done('a'),
  })
  const end = until(reading, ({ is }) => is === 'finished', { fails: { kind: 'crash', message: 'exit 1' } })
  expect(states(end)).toEqual(['a pending'])
  expect(outcomeOf(end)).toBe('agent_unusable 6')
  expect(decisionNames(end)).not.toContain('task/failed')
  expect(end.rows.flatMap(({ effects }) => effects).some(({ type }) => type === 'revert')).toBe(false)
})

describe('a claim', () => {
  test('that is lost ends its agent, and what it says changes nothing', () => {
    const first = worksOn([{ id: 'a' }])
    const lost = send(first, {
      type: 'claim-lost',
      worker: '1',
      task: 'a',
      attempt: 1,
      status: 'in_progress',
    })
    expect(lost.effects.map(({ type }) => type)).toEqual(['abort'])
    const task = first.graph?.tasks[0]
    if (task !== undefined) task.attempt = 2
    const end = until(
      afterTurn(lost, { summary: done('a') }),
      ({ is }) => is === 'idle' || is === 'finished' || is === 'waiting',
    )
    expect(task).toMatchObject({ status: 'in_progress', attempt: 2 })
    expect(workerAt(end).job).toEqual({ is: 'none' })
  })

  test("of an older attempt is nobody's loss", () => {
    const first = worksOn([{ id: 'a' }])
    expect(
      send(first, { type: 'claim-lost', worker: '1', task: 'a', attempt: 0, status: 'in_progress' }).effects,
    ).toEqual([])
  })

  test('goes back when the run is stopped, and costs no retry', () => {
    const first = worksOn([{ id: 'a' }])
    const stopping = send(first, {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'stop', now: false },
    })
    const end = until(answer(stopping, {}), ({ is }) => is === 'finished')
    expect(states(end)).toEqual(['a pending'])
    expect(outcomeOf(end)).toBe('stopped 4')
  })

  test('goes back when the run is paused at once', () => {
    const first = worksOn([{ id: 'a' }])
    const pausing = send(first, {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'pause', now: true },
    })
    expect(pausing.effects.map(({ type }) => type)).toEqual(['abort'])
    const paused = until(answer(pausing, {}), ({ is }) => is === 'paused')
    expect(states(paused)).toEqual(['a pending'])
    expect(paused.state.run.is).toBe('paused')
  })

  test('that is skipped fails now, and the next one is taken', () => {
    const first = worksOn([{ id: 'a' }, { id: 'b' }])
    const skipping = send(first, {
      type: 'request-received',
      request: { id: 1, from: 'ann', do: 'skip', to: { task: 'a' } },
    })
    const then = until(answer(skipping, {}), ({ is }) => is === 'working')
    expect(states(then)).toEqual(['a failed', 'b in_progress'])
    expect(then.graph?.tasks[0]?.why).toBe('skipped by ann')
  })

  test('is ended by a limit of the run without blame', () => {
    const rules = (usual: Parameters<typeof NO_GATES>[0]): ReturnType<typeof NO_GATES> =>
      NO_GATES(withRules({ loop: { iterationsMax: 1 } })(usual))
    const end = says(worksOn([{ id: 'a' }], { rules }), 'not yet')
    expect(states(end)).toEqual(['a pending'])
    expect(outcomeOf(end)).toBe('iteration_limit 4')
  })
})

describe('two workers', () => {
  test('have two tasks; who finds nothing waits for the other, and is woken by what it finished', () => {
    const first = until(
      startedRun({ workers: 2, rules: NO_GATES, tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }] }),
      ({ is }) => is === 'working',
    )
    expect(workerAt(first, '2').phase).toEqual({ is: 'idle' })
    const then = afterTurn(first, { files: 1, summary: done('a') })
    expect(states(then)).toEqual(['a done', 'b in_progress'])
    const jobs = ['1', '2'].map((id) => workerAt(then, id).job.is)
    expect(jobs.sort()).toEqual(['none', 'task'])
    expect(decisionNames(then)).toContain('task/claim')
  })

  test('end together', () => {
    const first = until(startedRun({ workers: 2, rules: NO_GATES, tasks: [{ id: 'a' }] }), ({ is }) => is === 'working')
    expect(outcomeOf(says(first, done('a')))).toBe('tasks_complete 0')
  })

  test('who was idle when the run came to rest asks again when it goes on', () => {
    const rules = (usual: Parameters<typeof NO_GATES>[0]): ReturnType<typeof NO_GATES> =>
      NO_GATES(withRules({ loop: { iterationsMax: 1 } })(usual))
    const first = until(startedRun({ workers: 3, rules, tasks: [{ id: 'a' }] }), ({ is }) => is === 'working')
    const asked = { id: 1, from: 'ann' }
    const apart = send(first, {
      type: 'request-received',
      request: { ...asked, to: { worker: '2' }, do: 'pause' },
    })
    const cooldowns = afterTurn(apart, { files: 1, summary: 'not yet' })
    expect(cooldowns.state.run.is).toBe('paused')
    const on = send(cooldowns, { type: 'request-received', request: { ...asked, do: 'resume' } })
    const claims = on.rows.slice(cooldowns.rows.length).flatMap(({ effects }) => effects)
    expect(claims.filter(({ type }) => type === 'claim-task').map(({ worker }) => worker)).toEqual(['2', '3'])
  })
})
