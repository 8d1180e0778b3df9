/** Papers drafted one after the other: whole, refused, asked about, and what else the agent changed reverted. */
import { describe, expect, test } from 'vitest'
import { emptyAgentReport } from '../../agent-output/agent-report.ts'
import type { Event } from '../../state/event.ts'
import { iterationMarkOf } from '../../presentation/iteration-mark.ts'
import { foldReport, type ReportState } from '../../presentation/report.ts'
import { foldView, type RunView } from '../../presentation/run-view.ts'
import {
  START_TIME,
  startedRun,
  decisionNames,
  send,
  until,
  workerAt,
  answer,
  type RunMoment,
  type AgentTurn,
} from '../../../../test/kit/core.ts'
import type { DraftRequest } from '../../features/draft.ts'

const WANTED: DraftRequest = {
  feature: 'f-money',
  name: 'money',
  folder: '.ralph/features/money',
  documents: ['spec', 'plan'],
  asks: false,
}

const SAME = { tree: 't', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
/** The agent left the project alone. */
const STILL: AgentTurn = {
  look: { snapshot: SAME },
  checkboxes: { open: 0, done: 0 },
  document: { there: false, bytes: 0, problems: [] },
}

function drafting(wanted: Partial<DraftRequest> = {}): RunMoment {
  const moment = startedRun({ started: { draft: { ...WANTED, ...wanted } } })
  return until(moment, ({ is }) => is === 'working', STILL)
}

/** One turn to its end: the next one has begun, a person is asked, or the run is over. */
function turned(from: RunMoment, turn: AgentTurn): RunMoment {
  const before = from.rows.length
  let then = answer(from, { ...STILL, ...turn })
  // What is looked at before the next document is asked for is not there yet.
  for (let taken = false; !['working', 'asking', 'finished'].includes(workerAt(then).phase.is);) {
    const isTaking = workerAt(then).phase.is === 'checking-document'
    then = answer(then, taken ? STILL : { ...STILL, ...turn })
    taken ||= isTaking
  }
  const rows = then.rows.slice(before)
  return {
    ...then,
    effects: rows.flatMap(({ effects }) => effects),
    decisions: rows.flatMap(({ decisions }) => decisions),
  }
}

const WHOLE: AgentTurn = { document: { there: true, bytes: 400, problems: [] } }
const BROKEN: AgentTurn = { document: { there: true, bytes: 3, problems: ['it is no JSON'] } }
const NONE: AgentTurn = { document: { there: false, bytes: 0, problems: [] } }

function asks(text: string): AgentTurn {
  return { ...NONE, reply: { lastMessage: text } }
}

/** What the agent at work was asked for and told. */
function told(moment: RunMoment): {
  document: unknown
  turn: unknown
  corrections: string[]
  steering: string[]
} {
  const all = moment.rows.flatMap(({ effects }) => effects)
  const call = all.findLast((effect) => effect.type === 'run-agent')
  if (call === undefined) throw new Error('nobody was asked')
  const { corrections, steering } = call.context
  return { document: call.draft?.document, turn: call.draft?.turn, corrections, steering }
}

function outcome(moment: RunMoment): string {
  const { phase } = workerAt(moment)
  return phase.is === 'finished' ? `${phase.outcome.is} ${phase.outcome.exit}` : phase.is
}

function steer(text: string): Event {
  return { type: 'request-received', request: { id: 7, from: 'ann', do: 'steer', text } }
}

describe('documents', () => {
  test('each is asked for when the one before is whole, and then the run is over', () => {
    const second = turned(drafting(), WHOLE)
    expect(told(second)).toEqual({ document: 'plan', turn: 1, corrections: [], steering: [] })
    const over = turned(second, WHOLE)
    expect([outcome(over), decisionNames(over)]).toEqual(['drafted 0', ['turn/progress', 'draft/document', 'exit/end']])
  })

  test('one that is not whole is told twice what is wrong, and the third time it is the end', () => {
    const once = turned(drafting(), BROKEN)
    expect(told(once)).toEqual({
      document: 'spec',
      turn: 2,
      corrections: ['.ralph/features/money/spec.md is incomplete: it is no JSON. Fix the file.'],
      steering: [],
    })
    const over = turned(turned(once, BROKEN), BROKEN)
    expect(outcome(over)).toBe('not_drafted 4')
    expect(turned(turned(once, BROKEN), WHOLE).state.run.is).toBe('going')
  })

  test('one that is there is not asked for, and one that is not whole is told at once', () => {
    const started = startedRun({ started: { draft: WANTED } })
    const there = until(
      until(started, ({ is }) => is === 'checking-document', STILL),
      ({ is }) => is === 'finished',
      WHOLE,
    )
    expect([outcome(there), workerAt(there).iteration]).toEqual(['drafted 0', 0])
    const broken = until(
      until(started, ({ is }) => is === 'checking-document', STILL),
      ({ is }) => is === 'working',
      BROKEN,
    )
    expect(told(broken).corrections).toHaveLength(1)
    expect(workerAt(broken).rejections).toBe(0)
  })

  test('the next document begins with no refusal', () => {
    const second = turned(turned(turned(drafting(), BROKEN), BROKEN), WHOLE)
    expect(outcome(turned(turned(second, BROKEN), BROKEN))).toBe('working')
  })

  test('nothing is judged, committed or counted in a plan', () => {
    const rows = turned(turned(drafting(), WHOLE), WHOLE).rows
    const asked = new Set(rows.flatMap(({ effects }) => effects.map(({ type }) => type)))
    expect([...asked]).toEqual(['snapshot', 'check-document', 'admit-call', 'run-agent', 'end-run'])
  })
})

describe('nobody is there', () => {
  test('an agent that only asks is told so twice', () => {
    const once = turned(drafting(), asks('Which currency?'))
    expect(told(once).corrections[0]).toMatch(/^There is no file .*spec\.md yet\. Nobody is there to answer/)
    expect(outcome(turned(turned(once, NONE), NONE))).toBe('not_drafted 4')
  })

  test('that it is finished is no document', () => {
    const reply = { lastMessage: 'Done.', told: { ...emptyAgentReport(), phase: 'spec' as const } }
    const once = turned(drafting({ asks: true }), { ...NONE, reply })
    expect([outcome(once), told(once).corrections]).toEqual([
      'working',
      ['You say that it is finished, but there is no file .ralph/features/money/spec.md. Write the document there.'],
    ])
  })
})

describe('a person answers', () => {
  const asked = turned(drafting({ asks: true }), asks('Which currency?'))

  test('a turn without a document asks, and nothing runs', () => {
    expect(workerAt(asked).phase).toEqual({ is: 'asking', question: 'Which currency?' })
    expect([decisionNames(asked), asked.state.run.open]).toEqual([['turn/progress', 'draft/ask'], {}])
  })

  test('what they say is the next prompt’s', () => {
    const next = until(send(asked, steer('Euro')), ({ is }) => is === 'working', STILL)
    const call = next.rows.flatMap(({ effects }) => effects).findLast(({ type }) => type === 'run-agent')
    expect(call).toMatchObject({ steered: [7], context: { steering: ['Euro'] }, draft: { turn: 2 } })
    expect(workerAt(next).job).toMatchObject({ question: null })
  })

  test('a long answer is heard whole', () => {
    const next = until(send(asked, steer('x'.repeat(3_000))), ({ is }) => is === 'working', STILL)
    const call = next.rows.flatMap(({ effects }) => effects).findLast(({ type }) => type === 'run-agent')
    expect(call).toMatchObject({ context: { steering: ['x'.repeat(3_000)] } })
  })

  test('a pause keeps the question, and a stop is obeyed at once', () => {
    const pause: Event = { type: 'request-received', request: { id: null, from: 'ann', do: 'pause' } }
    const resume: Event = { type: 'request-received', request: { id: null, from: 'ann', do: 'resume' } }
    const paused = send(asked, pause)
    expect([paused.state.run.is, workerAt(paused).phase.is]).toEqual(['paused', 'paused'])
    expect(workerAt(send(paused, resume)).phase).toEqual({ is: 'asking', question: 'Which currency?' })
    const stop: Event = {
      type: 'request-received',
      request: { id: null, from: 'ann', do: 'stop', now: false },
    }
    expect(outcome(send(asked, stop))).toBe('stopped 4')
  })

  test('a run that is resumed asks again; where nobody answers any more it goes on', () => {
    const continued = (asks: boolean): Event => ({
      type: 'run-resumed',
      pid: 1,
      after: 'crash',
      version: '0.1.0',
      asks,
    })
    const again = until(send(asked, continued(true)), ({ is }) => is === 'asking', STILL)
    expect(workerAt(again).phase).toEqual(workerAt(asked).phase)
    expect(again.rows.reduce<RunView | null>(foldView, null)?.workers['1']?.activity).toMatchObject({
      question: 'Which currency?',
    })
    const alone = until(send(asked, continued(false)), ({ is }) => is === 'working', STILL)
    const call = alone.rows.flatMap(({ effects }) => effects).findLast(({ type }) => type === 'run-agent')
    expect(call).toMatchObject({ draft: { asks: false }, context: { corrections: [/^Nobody is there/] } })
  })
})

test('what a person said before a limit is told again, with all that was said', () => {
  const asked = turned(drafting({ asks: true }), {
    ...asks('Which?'),
    reply: { lastMessage: 'Which?', conversation: 'c1' },
  })
  const heard = until(send(asked, steer('Euro')), ({ is }) => is === 'working', STILL)
  const call = (moment: RunMoment): unknown =>
    moment.rows.flatMap(({ effects }) => effects).findLast(({ type }) => type === 'run-agent')
  expect(call(heard)).toMatchObject({ resume: 'c1', context: { steering: ['Euro'] } })
  const limit = { kind: 'usage-limit', message: 'limit', resetsAt: START_TIME + 60_000 } as const
  const again = until(answer(heard, { ...STILL, fails: limit }), ({ is }) => is === 'working', STILL)
  expect(call(again)).toMatchObject({ resume: null, draft: { document: 'spec' } })
})

describe('a turn that was cut off', () => {
  const cut: AgentTurn = { reply: { end: 'interrupted', lastMessage: 'Which cur' } }

  test('its document is looked at as that of nobody: what it says, nobody has heard', () => {
    const again = turned(drafting(), { ...cut, ...BROKEN })
    expect(again.effects.find(({ type }) => type === 'check-document')).toMatchObject({ said: '', cut: true })
    expect(told(again)).toMatchObject({
      document: 'spec',
      corrections: [expect.stringMatching(/it is no JSON/)],
    })
  })

  test.each([
    { fails: { kind: 'usage-limit', message: 'limit', resetsAt: START_TIME + 60_000 } as const },
    { fails: { kind: 'crash', message: 'it broke' } as const },
    { reply: { end: 'timed-out' }, files: 1 } as const,
  ])('a document that it left is looked at before the next one, and told: %j', (end) => {
    const again = turned(drafting(), { ...end, ...BROKEN })
    expect(told(again)).toMatchObject({
      document: 'spec',
      corrections: [expect.stringMatching(/it is no JSON/)],
    })
    expect(workerAt(again).rejections).toBe(0)
  })

  test('asks nobody and blames nobody', () => {
    const again = turned(drafting({ asks: true }), { ...cut, ...NONE })
    expect([outcome(again), told(again)]).toEqual([
      'working',
      { document: 'spec', turn: 1, corrections: [], steering: [] },
    ])
    expect(workerAt(turned(drafting(), { ...cut, ...BROKEN })).rejections).toBe(0)
  })
})

describe('a document that the one at hand is made from', () => {
  const second = turned(drafting({ asks: true }), {
    ...WHOLE,
    reply: { lastMessage: '', conversation: 'c1' },
  })

  test('is gone: the draft begins with it again, in a new conversation', () => {
    const back = turned(second, { document: { there: false, bytes: 0, problems: [], gone: 'spec' } })
    expect(decisionNames(back)).toEqual(['turn/progress', 'draft/anew'])
    expect([outcome(back), told(back).document, workerAt(back).conversation]).toEqual(['working', 'spec', null])
    expect(outcome(turned(turned(back, WHOLE), WHOLE))).toBe('drafted 0')
  })

  test('was not made by this run: it ends and says so', () => {
    const only = turned(drafting({ documents: ['plan'] }), { document: { gone: 'spec' } })
    expect(outcome(only)).toBe('not_drafted 4')
  })

  test('is looked at before a question is asked again', () => {
    const asked = turned(second, asks('Which?'))
    const continued: Event = { type: 'run-resumed', pid: 2, after: 'crash', version: '1', asks: true }
    const back = turned(send(asked, continued), { document: { there: false, gone: 'spec' } })
    expect([outcome(back), told(back).document]).toEqual(['working', 'spec'])
  })
})

describe('files of the project', () => {
  const DRIFT: AgentTurn = { look: { snapshot: { ...SAME, tree: 'other' } } }

  test('what the agent changed beside its document is reverted, and it is told so; the turn does not count', () => {
    const once = turned(drafting(), { ...NONE, ...DRIFT })
    expect(once.effects.filter(({ type }) => type === 'revert')).toMatchObject([
      { task: null, before: { tree: 't', head: 'h' }, since: null },
    ])
    expect(decisionNames(once)).toEqual(['turn/progress', 'draft/revert', 'draft/idle'])
    expect(told(once).corrections[0]).toMatch(/^You changed files of the project, and Ralph reverted them/)
    expect(workerAt(once).job).toMatchObject({ idle: 0 })
  })

  test('what it tells as knowledge is written by Ralph and no change of it, unless something else changed', () => {
    const page = { title: 'Tests', tags: ['tests'], body: 'They are run by npm test.' }
    const learns: AgentTurn = {
      ...NONE,
      reply: { lastMessage: 'x', told: { ...emptyAgentReport(), knowledge: [page] } },
    }
    const kept = turned(drafting(), learns)
    const asked = kept.effects.map(({ type }) => type)
    expect([asked.includes('save-knowledge'), asked.includes('revert')]).toEqual([true, false])
    // The page is there when the next turn begins.
    expect(kept.effects.findLast(({ type }) => type === 'snapshot')).toMatchObject({ for: 'before' })
    const lost = turned(drafting(), { ...learns, ...DRIFT })
    expect(lost.effects.some(({ type }) => type === 'save-knowledge')).toBe(false)
    expect(told(lost).corrections.join()).toContain('Ralph did not save')
  })

  test('its document counts all the same', () => {
    expect(told(turned(drafting(), { ...WHOLE, ...DRIFT })).document).toBe('plan')
  })

  test('what a turn left that failed is reverted before the next one, if nobody else was at it meanwhile', () => {
    const failure = { kind: 'crash', message: 'it crashed' } as const
    const failed = answer(drafting(), { ...STILL, ...DRIFT, fails: failure })
    const waits = until(failed, ({ is }) => is === 'waiting', { ...STILL, ...DRIFT })
    const clears = until(waits, ({ is }) => is === 'reverting-draft', STILL)
    expect(clears.effects).toMatchObject([
      { type: 'revert', before: { tree: 't' }, since: { tree: 'other' }, writes: [`${WANTED.folder}/`] },
    ])
    const other = { ...STILL, look: { snapshot: { ...SAME, tree: 'a person’s' } } }
    const stays = { is: 'stays', why: 'somebody else changed something' } as const
    const again = until(clears, ({ is }) => is === 'working', { ...other, putBack: stays })
    expect(told(again).corrections).toEqual([])
    // What they changed is what the next turn begins with.
    const next = turned(again, { ...NONE, ...other })
    expect(decisionNames(next)).toEqual(['turn/progress', 'draft/idle'])
  })

  test('what a turn left that is stopped is reverted before the end', () => {
    const stop: Event = { type: 'request-received', request: { id: 8, from: 'ann', do: 'stop', now: true } }
    const over = until(send(drafting(), stop), ({ is }) => is === 'finished', { ...STILL, ...DRIFT })
    expect(over.rows.flatMap(({ effects }) => effects).some(({ type }) => type === 'revert')).toBe(true)
    expect(outcome(over)).toMatch(/^stopped/)
  })

  test('of a turn in which the engine died nothing is reverted: it may be a person’s, and the next agent is not told', () => {
    const died = send(drafting(), { type: 'run-resumed', pid: 2, after: 'crash', version: '1' })
    const again = turned(died, { ...NONE, ...DRIFT, reply: { end: 'interrupted' } })
    expect([decisionNames(again).slice(0, 2), told(again).corrections]).toEqual([
      ['turn/interrupted', 'draft/stays'],
      [],
    ])
  })

  test('an agent that goes on so meets the breaker', () => {
    let moment = drafting()
    for (let n = 0; n < 10 && outcome(moment) === 'working'; n++) moment = turned(moment, { ...NONE, ...DRIFT })
    expect(outcome(moment)).toBe('breaker 4')
  })

  test('what cannot be reverted stays, and is said', () => {
    const once = turned(drafting(), { ...NONE, ...DRIFT, putBack: { is: 'stays', why: 'there is no git' } })
    expect(decisionNames(once).slice(0, 3)).toEqual(['turn/progress', 'draft/stays', 'draft/idle'])
  })
})

describe('screens', () => {
  const asked = turned(drafting({ asks: true }), asks('Which currency?\n1. Euro'))

  test('show what is asked', () => {
    const view = asked.rows.reduce<RunView | null>(foldView, null)
    expect(view?.workers['1']?.activity).toEqual({
      is: 'asking',
      question: 'Which currency?\n1. Euro',
      since: START_TIME,
    })
  })

  test('a turn that finishes a document moved something, and the report names it', () => {
    const { rows } = turned(turned(drafting(), BROKEN), WHOLE)
    const view = rows.reduce<RunView | null>(foldView, null)
    expect(view?.iterations.map((one) => iterationMarkOf(one).is)).toEqual(['refused', 'moved', 'going'])
    const report = rows.reduce<ReportState | null>(foldReport, null)?.report
    expect(report?.documents).toEqual(['.ralph/features/money/spec.md'])
    expect(report?.iterations).toMatchObject({ moved: 1, refused: 1, nothing: 0 })
  })
})
