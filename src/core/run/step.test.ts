/** The front door: late and second answers, what could not be done, what was lost, and what people ask of a run. */
import { describe, expect, test } from 'vitest'
import {
  answer,
  requestedEffectTypes,
  startedRun,
  decisionNames,
  START_TIME,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import type { Event, PersonRequest } from '../state/event.ts'
import { step } from './step.ts'

const WORKS: AgentTurn = { files: 1, checkboxes: { open: 3, done: 0 } }
const DONE: AgentTurn = { files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }

type Asked<T> = T extends PersonRequest ? Omit<T, 'id' | 'from'> : never

function request(given: Asked<PersonRequest>, id: number | null = 1): Event {
  return { type: 'request-received', request: { id, from: 'ann', ...given } as PersonRequest }
}

const STOP = request({ do: 'stop', now: false })
const PAUSE = request({ do: 'pause' })
const RESUME = request({ do: 'resume' })

function words({ decisions }: RunMoment, what: string): string[] {
  return decisions.flatMap((one) => (one.what === what ? [one.why] : []))
}

function fails(moment: RunMoment, hint: string | null = null, worker = '1'): Event {
  return { type: 'effect-failed', worker, effect: openEffectOf(moment, worker).id, problem: 'no disk', hint }
}

function lost(moment: RunMoment, worker = '1'): Event {
  return { type: 'effect-lost', worker, effect: openEffectOf(moment, worker).id }
}

describe('a run that begins', () => {
  test('looks at the tree of each of its workers', () => {
    const moment = startedRun({ workers: 3 })
    expect(moment.effects).toMatchObject(
      ['1', '2', '3'].map((worker, i) => ({
        id: `e${i + 1}`,
        type: 'snapshot',
        worker,
        for: 'start',
        iteration: 1,
        since: null,
      })),
    )
    expect(moment.state.run).toMatchObject({
      id: 'k7f3qa',
      is: 'going',
      startedAt: START_TIME,
      startedAwakeMs: 0,
      next: 4,
      cooldowns: {},
      unusable: {},
      outcome: null,
      why: null,
      stopOutcome: 'stopped',
    })
    expect(workerAt(moment)).toMatchObject({
      iteration: 0,
      counted: 0,
      failures: 0,
      rejections: 0,
      conversation: null,
      seen: null,
      checkboxes: null,
      previous: null,
      corrections: [],
      previousErrors: [],
      lastLength: null,
      busy: 0,
      failedSnapshots: 0,
      consecutiveDeletions: 0,
      base: null,
      room: null,
      measured: true,
      hasOrphans: false,
      baseline: {},
      steering: [],
      told: null,
      review: null,
    })
  })

  test('takes over what an earlier run left', () => {
    const conversation = { agent: 'claude', id: 'old', usedAt: START_TIME - 1, usage: null }
    const moment = startedRun({ started: { conversation, limited: { codex: START_TIME + 1 } } })
    expect(workerAt(moment).conversation).toEqual(conversation)
    expect(moment.state.run.cooldowns).toEqual({
      codex: { is: 'usage-limit', until: START_TIME + 1, tries: 1 },
    })
  })

  test('begins with its beginning', () => {
    expect(() => step(null, PAUSE, { at: 0, up: 0 })).toThrow('request-received came before run-started')
  })
})

describe('answers', () => {
  test('that come twice are ignored, and nothing is asked', () => {
    const moment = working()
    const ended = answer(moment, WORKS)
    const again = send(ended, ended.rows.at(-1)?.event ?? STOP)
    expect([decisionNames(again), again.effects, again.state]).toEqual([['loop/ignore'], [], ended.state])
    expect(words(again, 'ignore')).toEqual(['agent-ended answers an effect that is no longer open'])
  })

  test('that come after the end are ignored', () => {
    const ended = afterTurn(send(working(), STOP), WORKS)
    const late = send(ended, PAUSE)
    expect([words(late, 'ignore'), late.effects, late.state]).toEqual([
      ['request-received came after the end of the run'],
      [],
      ended.state,
    ])
  })

  test('close what they answer; what is only told does not', () => {
    const moment = working()
    const call = openEffectOf(moment)
    const told: Event[] = [
      {
        type: 'agent-started',
        worker: '1',
        effect: call.id,
        pid: 1,
        startTime: '1',
        promptHash: 'p',
        log: 'l',
      },
      { type: 'conversation-known', worker: '1', effect: call.id, conversation: 'c', model: null },
      { type: 'agent-denied', worker: '1', effect: call.id, denial: { tool: 'Bash' } },
      { type: 'clock-jumped', by: 60_000 },
      { type: 'remark', about: 'x', text: 'y' },
    ]
    for (const event of told) {
      const after = send(moment, event)
      expect([event.type, after.state, after.effects, after.decisions]).toEqual([event.type, moment.state, [], []])
    }
    expect(Object.keys(answer(moment, WORKS).state.run.open)).not.toContain(call.id)
  })
})

describe('what could not be done', () => {
  test('a look is tried three times', () => {
    const once = send(startedRun(), fails(startedRun()))
    expect([decisionNames(once), requestedEffectTypes(once), workerAt(once).failedSnapshots]).toEqual([
      ['loop/failure'],
      ['snapshot'],
      1,
    ])
    const twice = send(once, fails(once))
    expect([requestedEffectTypes(twice), workerAt(twice).failedSnapshots]).toEqual([['snapshot'], 2])
    const thrice = send(twice, fails(twice, 'Free some space.'))
    expect(thrice.state.run.outcome).toMatchObject({ is: 'failed', reason: 'no disk. Free some space.' })
    expect(workerAt(answer(twice)).failedSnapshots).toBe(0)
  })

  test('asks for the very same look again', () => {
    const moment = answer(working(), WORKS)
    const { id: _, ...wanted } = openEffectOf(moment)
    expect(send(moment, fails(moment)).effects).toEqual([{ ...wanted, id: `e${moment.state.run.next}` }])
  })

  test('anything else ends the work with the reason', () => {
    const moment = send(working(), fails(working()))
    expect([decisionNames(moment), moment.state.run.outcome]).toMatchObject([
      ['loop/failure', 'iteration/lost', 'exit/end'],
      { is: 'failed', reason: 'no disk', exit: 1 },
    ])
  })

  test('in a run that is to stop it ends as the stop', () => {
    const stopped = send(startedRun(), STOP)
    const moment = send(stopped, fails(stopped))
    expect(moment.state.run.outcome).toMatchObject({ is: 'stopped' })
  })

  test('an abort that fails concerns nobody', () => {
    const stopped = send(working(), STOP)
    const abort = stopped.effects.find(({ type }) => type === 'abort')
    const moment = send(stopped, {
      type: 'effect-failed',
      worker: '1',
      effect: abort?.id ?? '',
      problem: 'x',
      hint: null,
    })
    expect([workerAt(moment).phase.is, moment.effects]).toEqual(['working', []])
  })
})

describe('what was lost', () => {
  test('is asked again, as it was', () => {
    const moment = working()
    const { id: _, ...wanted } = openEffectOf(moment)
    const again = send(moment, lost(moment))
    expect(again.effects).toEqual([{ ...wanted, id: `e${moment.state.run.next}` }])
    expect([decisionNames(again), workerAt(again).phase]).toEqual([
      ['loop/repeat'],
      { ...workerAt(moment).phase, effect: `e${moment.state.run.next}` },
    ])
  })

  test('is not asked again in a run that is to stop', () => {
    const stopped = send(working(), STOP)
    expect(send(stopped, lost(stopped)).state.run.outcome).toMatchObject({ is: 'stopped' })
  })

  test('of a wait that was left already, nothing follows', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), WORKS)
    const wait = openEffectOf(waiting).id
    const resumed = send(send(waiting, PAUSE), RESUME)
    for (const type of ['effect-lost', 'wait-ended'] as const) {
      const moment = send(resumed, { type, worker: '1', effect: wait })
      expect([type, moment.effects, workerAt(moment).phase]).toEqual([type, [], workerAt(resumed).phase])
    }
  })
})

describe('a run that is resumed', () => {
  const continued = (after: 'crash' | 'pause' | 'outage'): Event => ({
    type: 'run-resumed',
    pid: 2,
    after,
    version: '1',
  })

  test.each([
    ['crash', 'the run was interrupted and resumes'],
    ['pause', 'the paused run resumes'],
    ['outage', 'the run was interrupted by an outage and resumes'],
  ] as const)('after a %s', (after, why) => {
    expect(words(send(working(), continued(after)), 'continue')).toEqual([why])
  })

  test('wakes who had paused, and nobody else', () => {
    let moment = until(startedRun({ workers: 2 }), ({ is }) => is === 'working', {}, '1')
    moment = until(moment, ({ is }) => is === 'working', {}, '2')
    moment = send(moment, PAUSE)
    moment = afterTurn(moment, WORKS, '1')
    const again = send(moment, continued('pause'))
    expect([
      again.state.run.is,
      again.state.run.why,
      requestedEffectTypes(again),
      workerAt(again, '2').phase.is,
    ]).toEqual(['going', null, ['snapshot'], 'working'])
  })

  test('goes on stopping', () => {
    const moment = send(send(working(), STOP), continued('crash'))
    expect([moment.state.run.is, moment.effects]).toEqual(['stopping', []])
  })

  test('forgets outages after a pause, not after a crash', () => {
    const away: AgentTurn = { files: 0, fails: { kind: 'network', message: 'no route' } }
    const waiting = afterTurn(working(), away)
    expect(Object.keys(send(waiting, continued('crash')).state.run.cooldowns)).toEqual(['claude'])
    const paused = send(waiting, PAUSE)
    expect(Object.keys(send(paused, continued('pause')).state.run.cooldowns)).toEqual([])
    expect(Object.keys(send(paused, RESUME).state.run.cooldowns)).toEqual([])
  })
})

describe('a run of several that is resumed', () => {
  const to = { worker: '1' }

  /** The first worker was told to pause and has; the second works. */
  function firstPaused(): RunMoment {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    return afterTurn(send(moment, request({ do: 'pause', to })), WORKS)
  }

  test('after a crash each stands where it stood', () => {
    const again = send(firstPaused(), { type: 'run-resumed', pid: 2, after: 'crash', version: '1' })
    expect([workerAt(again).phase.is, workerAt(again).told?.is, again.effects]).toEqual(['paused', 'pause', []])
  })

  test('after it rested, all of it goes on', () => {
    const hasPaused = afterTurn(send(firstPaused(), PAUSE), WORKS, '2')
    expect(hasPaused.state.run.is).toBe('paused')
    const again = send(hasPaused, { type: 'run-resumed', pid: 2, after: 'pause', version: '1' })
    expect([workerAt(again).told, requestedEffectTypes(again)]).toEqual([null, ['snapshot', 'snapshot']])
  })

  test('one that is to stop is not told otherwise', () => {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    moment = send(send(moment, request({ do: 'stop', now: false, to })), PAUSE)
    moment = afterTurn(moment, WORKS, '2')
    const again = send(moment, { type: 'run-resumed', pid: 2, after: 'pause', version: '1' })
    expect(workerAt(again).told?.is).toBe('stop')
    expect(workerAt(send(moment, RESUME)).told?.is).toBe('stop')
  })

  test('a worker that is resumed takes its run along, and leaves the others where they stand', () => {
    const hasPaused = afterTurn(send(firstPaused(), PAUSE), WORKS, '2')
    const away = {
      ...hasPaused.state.run,
      cooldowns: { codex: { is: 'outage', sinceUp: 0, since: 0, nextUp: 0, tries: 1, why: 'x' } },
    } as unknown as typeof hasPaused.state.run
    const resumed = send({ ...hasPaused, state: { ...hasPaused.state, run: away } }, request({ do: 'resume', to }))
    expect(resumed.state.run).toMatchObject({ is: 'going', why: null, cooldowns: {} })
    expect([requestedEffectTypes(resumed), workerAt(resumed, '2').phase.is]).toEqual([['snapshot'], 'paused'])
  })

  test('a resume in a run that goes on leaves its rests alone', () => {
    const paused = firstPaused()
    const run = { ...paused.state.run, why: 'w' }
    const resumed = send({ ...paused, state: { ...paused.state, run } }, request({ do: 'resume', to }))
    expect(resumed.state.run.why).toBe('w')
  })

  test('a pause of one cuts its wait short', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), WORKS)
    const moment = send(waiting, request({ do: 'pause', to }))
    expect(workerAt(moment).phase).toEqual({ is: 'paused', why: 'worker 1 was paused by ann' })
  })

  test('who has ended is not given up again', () => {
    let moment = startedRun({ workers: 2 })
    moment = until(moment, ({ is }) => is === 'finished', DONE)
    const given = send(moment, request({ do: 'abandon' }))
    expect(given.decisions.filter(({ by }) => by === 'exit')).toHaveLength(1)
    expect(workerAt(given).phase).toMatchObject({ outcome: { is: 'plan_complete' } })
  })
})

describe('what people ask', () => {
  test('a stop ends what runs, and says how', () => {
    const moment = send(working(), request({ do: 'stop', now: true }))
    expect(moment.effects).toMatchObject([
      { type: 'abort', worker: '1', target: openEffectOf(working()).id, why: 'stop', now: true },
    ])
    expect([moment.state.run.is, moment.state.run.why, words(moment, 'stop'), workerAt(moment).phase]).toMatchObject([
      'stopping',
      'stopped by ann',
      ['stopped by ann'],
      { is: 'working', aborting: 'stop' },
    ])
  })

  test('a stop ends all workers', () => {
    let moment = until(startedRun({ workers: 3 }), ({ is }) => is === 'working', {}, '2')
    moment = send(moment, STOP)
    expect(moment.effects.map(({ type, worker }) => [type, worker])).toEqual([
      ['abort', '1'],
      ['abort', '2'],
      ['abort', '3'],
    ])
  })

  test('a pause lets the iteration under way finish', () => {
    const moment = send(working(), PAUSE)
    expect([moment.state.run.is, moment.state.run.why, words(moment, 'pausing'), moment.effects]).toEqual([
      'pausing',
      'paused by ann',
      ['paused by ann; finishing the current iteration first'],
      [],
    ])
    expect(words(send(moment, PAUSE), 'ignore')).toEqual(['the run is already pausing'])
  })

  test('a pause cuts a wait short', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), WORKS)
    const moment = send(waiting, PAUSE)
    expect([moment.state.run.is, workerAt(moment).phase]).toEqual(['paused', { is: 'paused', why: 'paused by ann' }])
  })

  test('a resume is for who has paused', () => {
    expect(words(send(working(), RESUME), 'ignore')).toEqual(['the run is not paused'])
    const moment = send(send(working(), PAUSE), RESUME)
    expect([moment.state.run.is, moment.state.run.why, words(moment, 'continue')]).toEqual([
      'going',
      null,
      ['resumed by ann'],
    ])
    const left = afterTurn(working({ rules: withRules({ retry: { outageMs: 0 } }) }), {
      files: 0,
      fails: { kind: 'network', message: 'x' },
    })
    expect(words(send(left, RESUME), 'ignore')).toEqual(['the run is not paused'])
  })

  test('words to the agent wait for the next prompt, the oldest give way', () => {
    let moment = send(working(), request({ do: 'steer', text: 'x'.repeat(600) }))
    expect(words(moment, 'accept')).toEqual([`in the next prompt: ${'x'.repeat(500)}`])
    expect(workerAt(moment).steering).toEqual([{ request: 1, text: 'x'.repeat(500) }])
    for (let n = 2; n <= 9; n++) moment = send(moment, request({ do: 'steer', text: `t${n}` }, n))
    expect(workerAt(moment).steering.map(({ request: id }) => id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('an answer has more room, and the prompt that carries it says which question it is to', () => {
    const text = `You asked: ${'x'.repeat(1_200)}`
    const told = send(working(), request({ do: 'steer', text, answers: 'q1' }))
    expect(workerAt(told).steering).toEqual([{ request: 1, text, answers: 'q1' }])
    const next = afterTurn(told, { files: 1 })
    const asked = next.effects.find((effect) => effect.type === 'run-agent')
    expect(asked).toMatchObject({ steered: [1], answered: ['q1'], context: { steering: [text] } })
  })

  test('a setting is changed, or refused with the reason', () => {
    const set = send(working(), request({ do: 'set', key: 'loop.max_iterations', value: '7' }))
    expect([decisionNames(set), set.state.run.rules.loop.iterationsMax]).toEqual([['steer/set'], 7])
    const refused = send(working(), request({ do: 'set', key: 'nonsense', value: '7' }))
    expect([decisionNames(refused), refused.state]).toEqual([['steer/refuse'], working().state])
  })

  test('a run that is given up ends at once, as that', () => {
    const moment = send(startedRun({ workers: 2 }), request({ do: 'abandon' }))
    expect(moment.state.run.outcome).toMatchObject({
      is: 'abandoned',
      reason: 'abandoned for a new run (ann)',
    })
    const again = send(startedRun(), request({ do: 'abandon' }))
    expect(again.decisions.filter(({ by }) => by === 'exit')).toHaveLength(1)
  })
})

describe('what people ask of one worker', () => {
  const to = { worker: '1' }

  function two(): RunMoment {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    return moment
  }

  test('a stop ends that one, and the run goes on with the other', () => {
    const stopped = send(two(), request({ do: 'stop', now: true, to }))
    expect(stopped.effects).toMatchObject([{ type: 'abort', worker: '1', why: 'stop', now: true }])
    expect([stopped.state.run.is, words(stopped, 'stop')]).toEqual(['going', ['worker 1 was stopped by ann']])
    const ended = afterTurn(stopped, { ...WORKS, reply: { end: 'stopped' } })
    expect([workerAt(ended).phase.is, ended.state.run.is]).toEqual(['finished', 'going'])
    expect(workerAt(afterTurn(ended, WORKS, '2'), '2').phase.is).toBe('working')
  })

  test('a pause keeps that one back until it is resumed', () => {
    const paused = afterTurn(send(two(), request({ do: 'pause', to })), WORKS)
    expect([workerAt(paused).phase.is, paused.state.run.is]).toEqual(['paused', 'going'])
    expect(workerAt(afterTurn(paused, WORKS, '2'), '2').phase.is).toBe('working')
    expect(words(send(paused, request({ do: 'pause', to })), 'ignore')).toEqual(['worker 1 is already paused'])
    for (const resume of [request({ do: 'resume', to }), RESUME]) {
      const resumed = send(paused, resume)
      expect([resumed.effects, workerAt(resumed).told]).toMatchObject([[{ type: 'snapshot', worker: '1' }], null])
    }
  })

  test('a pause that has not come yet is taken back', () => {
    const pausing = send(two(), request({ do: 'pause', to }))
    expect(words(pausing, 'pausing')).toEqual(['worker 1 was paused by ann; finishing the current iteration first'])
    const resumed = send(pausing, request({ do: 'resume', to }))
    expect([words(resumed, 'continue'), workerAt(afterTurn(resumed, WORKS)).phase.is]).toEqual([
      ['worker 1 was resumed by ann'],
      'working',
    ])
  })

  test('words reach that one only', () => {
    const moment = send(two(), request({ do: 'steer', text: 'you', to }))
    expect([workerAt(moment, '1').steering.length, workerAt(moment, '2').steering.length]).toEqual([1, 0])
  })

  test.each<[Asked<PersonRequest>, string]>([
    [{ do: 'stop', now: false, to: { worker: '9' } }, 'there is no worker 9'],
    [{ do: 'stop', now: false, to: { task: 't1' } }, 'no worker is working on task t1'],
    [{ do: 'resume', to }, 'worker 1 is not paused'],
    [{ do: 'abandon', to }, 'abandon applies to the whole run, not one worker'],
    [{ do: 'set', key: 'loop.pause', value: '1s', to }, 'set applies to the whole run, not one worker'],
  ])('what concerns nobody is ignored: %#', (given, why) => {
    const moment = send(two(), request(given))
    expect([words(moment, 'ignore'), moment.state]).toEqual([[why], two().state])
  })

  test('of one that has ended or is to stop, nothing more is asked', () => {
    const stopping = send(two(), request({ do: 'stop', now: false, to }))
    expect(words(send(stopping, request({ do: 'pause', to })), 'ignore')).toEqual(['worker 1 is already stopping'])
    expect(words(send(stopping, request({ do: 'resume', to })), 'ignore')).toEqual(['worker 1 is not paused'])
    const ended = afterTurn(stopping, WORKS)
    expect(words(send(ended, request({ do: 'pause', to })), 'ignore')).toEqual(['worker 1 has already ended'])
  })
})

describe('who is left behind', () => {
  const orphans = { named: [{ pid: 7, startTime: '1', command: 'sh' }], more: 0 }

  test.each([
    ['an agent', working(), WORKS],
    ['a gate', until(working(), ({ is }) => is === 'proving', DONE), DONE],
    ['the room', until(working(), (_, effect) => effect?.type === 'run-trial', DONE), DONE],
  ] as const)('by %s is remembered', (_, moment, turn) => {
    const event = answer(moment, turn).rows.at(-1)?.event
    const first = answer(moment, turn).rows[moment.rows.length]?.event ?? event
    if (first === undefined) throw new Error('nothing was answered')
    expect(workerAt(send(moment, { ...first, orphans } as Event)).hasOrphans).toBe(true)
    expect(workerAt(send(moment, first)).hasOrphans).toBe(false)
  })
})

describe('workers', () => {
  test('a run is complete only if each of them is', () => {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    moment = until(moment, ({ is }) => is === 'finished', DONE, '1')
    expect([moment.state.run.is, moment.state.run.outcome]).toEqual(['going', null])
    const proven = until(moment, ({ is }) => is === 'finished', DONE, '2')
    expect(proven.state.run.outcome).toMatchObject({ is: 'project_complete', verdict: 'proven' })
    const broken = send(moment, fails(moment, null, '2'))
    expect(broken.state.run.outcome).toMatchObject({ is: 'failed' })
  })

  test('a pause is complete when the last one has paused or ended', () => {
    let moment = startedRun({ workers: 2 })
    for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
    moment = send(moment, PAUSE)
    moment = afterTurn(moment, WORKS, '1')
    expect(moment.state.run.is).toBe('pausing')
    expect(send(moment, fails(moment, null, '2')).state.run.is).toBe('paused')
  })
})
