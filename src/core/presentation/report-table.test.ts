/** What each row of a record adds to the report, row by row. */
import { describe, expect, test } from 'vitest'
import { playRun, START_TIME, someEvidence, working } from '../../../test/kit/core.ts'
import type { Decision } from '../state/decision.ts'
import type { EffectOf } from '../state/effect.ts'
import type { EventOf, PersonRequest } from '../state/event.ts'
import type { ProofStepResult } from '../proof/proof-types.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { Row } from '../state/row.ts'
import { adviceForReport, foldReport, type Report, type ReportState } from './report.ts'

/** The rows of a run until its first agent works: worker 1, iteration 1. */
const UNTIL_WORK = working().rows
/** An agent's reply as a night has it. */
const REPLY = replyIn(playRun([{}]))
const CALL = callIn(UNTIL_WORK)

function replyIn(rows: Row[]): Reply {
  const ended = rows.map(({ event }) => event).find((event) => event.type === 'agent-ended')
  if (ended === undefined) throw new Error('no agent ended')
  return ended.reply
}

function callIn(rows: Row[]): EffectOf<'run-agent'> {
  const call = rows.flatMap(({ effects }) => effects).find((effect) => effect.type === 'run-agent')
  if (call === undefined) throw new Error('no agent was called')
  return call
}

type Added = Partial<Pick<Row, 'event' | 'effects' | 'decisions'>>

/** The report of a run whose first agent works, after these rows. */
function after(...added: Added[]): Report {
  const rows = added.map((one, i): Row => ({
    run: 'k7f3qa',
    seq: UNTIL_WORK.length + i + 1,
    at: START_TIME,
    up: 0,
    rules: 1,
    event: { type: 'clock-jumped', by: 0 },
    effects: [],
    decisions: [],
    ...one,
  }))
  const fold = [...UNTIL_WORK, ...rows].reduce<ReportState | null>(foldReport, null)
  if (fold === null) throw new Error('no run-started')
  return fold.report
}

const ended = (reply: Partial<Reply>, effect = CALL.id): Added => ({
  event: { type: 'agent-ended', worker: '1', effect, reply: { ...REPLY, ...reply } },
})

/** A look that was asked for before it is answered. */
function look(why: EffectOf<'snapshot'>['for'], seen: Partial<EventOf<'snapshot-taken'>>, id = `look ${why}`): Added[] {
  const asked = {
    type: 'snapshot',
    id,
    worker: '1',
    for: why,
    iteration: 1,
    since: 't',
    sinceHead: null,
  } as const
  const snapshot = { tree: 't', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }
  const change = { paths: [], files: 0, added: 0, removed: 0, commits: [] }
  const checkboxes = { open: 3, done: 0 }
  return [
    { effects: [asked] },
    {
      event: {
        type: 'snapshot-taken',
        worker: '1',
        effect: id,
        snapshot,
        change,
        checkboxes,
        nextCheckbox: 'next',
        ...seen,
      },
    },
  ]
}

/** Any machine with any word: a newer version has more of them. */
const decision = (by: string, what: string, why = `${by} ${what}`): Added => ({
  decisions: [{ by, what, why, worker: '1' } as Decision],
})

const weighed: Added = {
  decisions: [{ by: 'iteration', what: 'ended', worker: '1', n: 1, outcome: 'progress', why: 'x' }],
}

const request = (asked: { do: 'pause' } | { do: 'resume' }): Added => ({
  event: { type: 'request-received', request: { id: 1, from: 'ann', ...asked } satisfies PersonRequest },
})

const LEFT: Outcome = { is: 'outage', reason: 'nobody answers', verdict: 'unproven', exit: 1 }
const leaves = (type: 'run-suspended' | 'run-ended'): Added => ({
  event: { type, worker: '1', effect: 'end', outcome: LEFT },
})
const continues = (why: EventOf<'run-resumed'>['after']): Added => ({
  event: { type: 'run-resumed', pid: 1, after: why, version: '0.1.0' },
})

test('a run that has just begun has done nothing', () => {
  const { iterations, paused, left, outcome, inGit, remarks, agents, commits, done } = after()
  expect({ iterations, paused, left, outcome, inGit, remarks, agents, commits, done }).toEqual({
    iterations: { made: 1, succeeded: 0, limited: 0, moved: 0, nothing: 0, refused: 0 },
    paused: false,
    left: false,
    outcome: null,
    inGit: true,
    remarks: [],
    agents: [],
    commits: [],
    done: [],
  })
})

test.each<[string, Added[], Partial<Report>]>([
  ['is paused', [decision('loop', 'pause')], { paused: true }],
  ['goes on when a person says so', [decision('loop', 'pause'), request({ do: 'resume' })], { paused: false }],
  ['stays paused when one says pause again', [decision('loop', 'pause'), request({ do: 'pause' })], { paused: true }],
  ['is no more paused by another machine', [decision('exit', 'pause')], { paused: false }],
  ['is left', [leaves('run-suspended')], { outcome: LEFT, left: true }],
  ['ends', [leaves('run-ended')], { outcome: LEFT, left: false }],
  [
    'is taken up after an outage',
    [leaves('run-suspended'), continues('outage')],
    { outcome: null, left: false, paused: false, remarks: ['the run was interrupted by an outage and resumed'] },
  ],
  [
    'is taken up after a pause',
    [decision('loop', 'pause'), continues('pause')],
    { outcome: null, left: false, paused: false, remarks: ['the run was paused and resumed'] },
  ],
  ['is taken up after a crash', [continues('crash')], { remarks: ['the run was interrupted and resumed'] }],
])('a run %s', (_, rows, report) => {
  expect(after(...rows)).toMatchObject(report)
})

describe('remarks', () => {
  test.each<[string, Added, string[]]>([
    ['an open breaker', decision('breaker', 'open'), ['breaker open']],
    ['no closed one', decision('breaker', 'closed'), []],
    ['nothing else that is open', decision('loop', 'open'), []],
    ['a rest at a limit', decision('limit', 'cooldown'), ['limit cooldown']],
    ['no other word of a limit', decision('limit', 'over'), []],
    ['no other rest', decision('loop', 'cooldown'), []],
    ['failure', decision('loop', 'failure'), ['loop failure']],
    ['an outage', decision('retry', 'outage'), ['retry outage']],
    ['another agent', decision('agent', 'switch'), ['agent switch']],
    ['a room that is not fit', decision('proof', 'clean-room-unusable'), ['proof clean-room-unusable']],
    ['a note', decision('guard', 'note'), ['guard note']],
    ['where the proof begins', decision('proof', 'base'), ['proof base']],
    ['nothing quiet', decision('retry', 'wait'), []],
    [
      'what could not be done',
      { event: { type: 'effect-failed', worker: '1', effect: 'e', problem: 'no space left', hint: null } },
      ['no space left'],
    ],
  ])('have %s', (_, row, remarks) => {
    expect(after(row).remarks).toEqual(remarks)
  })

  test('are told once each, the last eight of them', () => {
    const rows = Array.from({ length: 10 }, (_, i) => decision('guard', 'note', `note ${i}`))
    expect(after(...rows, decision('guard', 'note', 'note 9')).remarks).toEqual(
      [2, 3, 4, 5, 6, 7, 8, 9].map((i) => `note ${i}`),
    )
  })
})

test('a row from which nothing followed changes nothing', () => {
  const late = { ...ended({}), ...decision('loop', 'ignore') }
  expect(after(late).iterations).toEqual(after().iterations)
})

describe('an iteration', () => {
  const limit: Reply['limit'] = 'usage-limit'
  const none = { made: 1, succeeded: 0, limited: 0, moved: 0, nothing: 0, refused: 0 }
  test.each<[string, Added[], Partial<Report['iterations']>]>([
    ['that ends well and moves nothing', [ended({}), weighed], { succeeded: 1, nothing: 1 }],
    ['that fails', [ended({ end: 'failed' }), weighed], { nothing: 1 }],
    ['that runs into a limit', [ended({ end: 'failed', limit }), weighed], { limited: 1, nothing: 1 }],
    ['that ends well at a limit', [ended({ limit }), weighed], { succeeded: 1, nothing: 1 }],
    [
      'that only ticks a box',
      [...look('before', {}), ended({}), ...look('after', { checkboxes: { open: 2, done: 1 } }), weighed],
      { succeeded: 1, moved: 1 },
    ],
    [
      'that opens a box again',
      [
        ...look('before', { checkboxes: { open: 2, done: 1 } }),
        ended({}),
        ...look('after', { checkboxes: { open: 3, done: 0 } }),
        weighed,
      ],
      { succeeded: 1, nothing: 1 },
    ],
    ['whose claim is refused', [ended({}), weighed, decision('proof', 'refuse')], { succeeded: 1, refused: 1 }],
    ['that is refused while it goes', [decision('proof', 'refuse')], {}],
  ])('%s', (_, rows, counts) => {
    expect(after(...rows).iterations).toEqual({ ...none, ...counts })
  })

  test('a second opinion costs as one, and is none', () => {
    const asks: Added = { effects: [{ ...CALL, id: 'review', agent: 'codex', role: 'review' }] }
    const report = after(ended({}), weighed, asks, ended({ usage: { input: 5, usd: 0.25 } }, 'review'))
    expect(report.iterations).toEqual({ ...none, succeeded: 1, nothing: 1 })
    expect(report.agents).toEqual([
      { agent: 'claude', iterations: 1, usd: 0.5, tokens: 1_000, estimated: 0, unknown: 0 },
      { agent: 'codex', iterations: 0, usd: 0.25, tokens: 5, estimated: 0, unknown: 0 },
    ])
  })

  test('what a reader changed is neither the work nor somebody else in between', () => {
    const change = { paths: [], files: 2, added: 3, removed: 0, commits: [] }
    const between = (why: 'before' | 'check'): number => after(ended({}), ...look(why, { change })).changed.between
    expect([between('check'), between('before')]).toEqual([0, 2])
  })

  test('an answer to nobody is of an agent that nobody knows, and an effect is answered once', () => {
    const report = after(ended({ usage: { usd: 1, estimated: true } }), ended({ usage: { usd: 2 } }))
    expect(report.agents).toEqual([
      { agent: 'claude', iterations: 1, usd: 1, tokens: 0, estimated: 1, unknown: 0 },
      { agent: 'unknown', iterations: 1, usd: 2, tokens: 0, estimated: 0, unknown: 0 },
    ])
  })
})

describe('checkboxes', () => {
  const done = (n: number): { checkboxes: { open: number; done: number } } => ({
    checkboxes: { open: 9 - n, done: n },
  })
  test.each<[string, Added[], Partial<Report>]>([
    [
      'a person ticks are not the run\u2019s',
      [...look('before', done(1)), ...look('before', done(3), 'again')],
      { checkboxes: { before: { open: 3, done: 0 }, after: { open: 6, done: 3 }, byRun: 0 }, done: [] },
    ],
    [
      'it ticks are told by what was next, where their texts are not known',
      [
        ...look('before', { ...done(0), nextCheckbox: 'sing' }),
        ...look('after', { ...done(1), nextCheckbox: 'dance' }),
      ],
      { done: ['sing'], nextCheckbox: 'dance' },
    ],
    [
      'that are next all the same are not done',
      [...look('before', { ...done(0), nextCheckbox: 'sing' }), ...look('after', { ...done(1), nextCheckbox: 'sing' })],
      { done: [] },
    ],
    [
      'that are no longer next and not ticked are not done',
      [
        ...look('before', { ...done(0), nextCheckbox: 'sing' }),
        ...look('after', { ...done(0), nextCheckbox: 'dance' }),
      ],
      { done: [] },
    ],
    [
      'of a plan that cannot be read are as they were',
      [...look('before', done(2)), ...look('after', { checkboxes: null })],
      { checkboxes: { before: { open: 3, done: 0 }, after: null, byRun: 0 } },
    ],
    [
      'of which there were none before are nobody\u2019s',
      [...look('after', { checkboxes: null }, 'first'), ...look('after', done(2))],
      { checkboxes: { before: { open: 3, done: 0 }, after: { open: 7, done: 2 }, byRun: 0 } },
    ],
  ])('%s', (_, rows, report) => {
    expect(after(...rows)).toMatchObject(report)
  })

  test('of a long run are the last fifty', () => {
    const texts = Array.from({ length: 60 }, (_, i) => `box ${i}`)
    const ticked = look('after', { ticks: { done: texts, undone: [] } })
    expect(after(...ticked).done).toEqual(texts.slice(10))
    const one = texts.flatMap((nextCheckbox, i) => look('after', { ...done(i + 1), nextCheckbox }, `look ${i}`))
    expect(after(...one).done).toEqual(['the next box', ...texts].slice(10, 60))
  })
})

describe('where git was left', () => {
  const elsewhere = { tree: 't', head: 'h', branch: 'try', ref: null, unstored: [], busy: null }
  const nowhere = { ...elsewhere, head: null, branch: null }
  test.each<[string, Added[], Partial<Report>]>([
    [
      'by the agent is told',
      look('after', { snapshot: elsewhere }),
      { drift: 'the commits are on branch try, not on main: git switch main', inGit: true },
    ],
    ['by a person is their own choice', look('before', { snapshot: elsewhere }), { drift: null }],
    ['without git there is none', look('before', { snapshot: nowhere }), { inGit: false }],
  ])('%s', (_, rows, report) => {
    expect(after(...rows)).toMatchObject(report)
  })
})

describe('commits', () => {
  const committed = (sha: string | null): Added => ({
    event: { type: 'committed', worker: '1', effect: 'c', sha, files: 1, problem: null },
  })
  const commits = [{ sha: 'abc', subject: 'sing' }]
  const change = { paths: [], files: 1, added: 1, removed: 0, commits }
  test.each<[string, Added[], string[]]>([
    ['of Ralph itself', [committed('abc')], ['abc iteration 1, committed by Ralph']],
    ['that could not be made', [committed(null)], []],
    ['of the agent', look('after', { change }), ['abc sing']],
    ['of a person', look('before', { change }), []],
    ['that were seen before', [...look('after', { change }), committed('abc')], ['abc sing']],
  ])('%s', (_, rows, told) => {
    const report = after(...rows)
    expect(report.commits.map(({ sha, subject }) => `${sha} ${subject}`)).toEqual(told)
    expect(report.commitCount).toBe(told.length)
  })
})

describe('proof', () => {
  const gate = (green: boolean, purpose: 'completion' | 'baseline'): Added => ({
    event: {
      type: 'gate-ended',
      worker: '1',
      effect: 'g',
      evidence: someEvidence('test', { green, purpose }),
    },
  })
  test.each<[string, Added[], [string, string, string[]][]]>([
    ['green', [gate(true, 'completion')], [['test', 'pass', []]]],
    ['red', [gate(false, 'completion')], [['test', 'failed (exit 1)', ['not ok 1']]]],
    ['of the baseline', [gate(false, 'baseline')], []],
    ['the last counts', [gate(false, 'completion'), gate(true, 'completion')], [['test', 'pass', []]]],
  ])('a gate: %s', (_, rows, told) => {
    expect(after(...rows).gates.map(({ gate: name, said, failing }) => [name, said, failing])).toEqual(told)
  })

  test('a new check starts the proof steps again', () => {
    const proofStep = (said: string): Added => ({
      decisions: [{ by: 'proof', what: 'proof-step', why: said, worker: '1', step: stepOf(said) }],
    })
    const stepOf = (said: string): ProofStepResult => ({ proofStep: 'room', mark: 'good', said, durationMs: 1 })
    const steps = (...rows: Added[]): string[] => after(...rows).proofSteps.map(({ said }) => said)
    expect(steps(proofStep('one'), proofStep('two'))).toEqual(['one', 'two'])
    expect(steps(proofStep('one'), decision('proof', 'check'), proofStep('two'))).toEqual(['two'])
    expect(steps(proofStep('one'), decision('guard', 'check'), proofStep('two'))).toEqual(['one', 'two'])
  })

  test('the last ten refusals are told, and all are counted', () => {
    const report = after(...Array.from({ length: 12 }, (_, i) => decision('proof', 'refuse', `no ${i}`)))
    expect(report.refusedCount).toBe(12)
    expect(report.refused.map(({ why }) => why)).toEqual(Array.from({ length: 10 }, (_, i) => `no ${i + 2}`))
  })
})

describe('what to do next', () => {
  const steps = (report: Report): string[] => {
    const { command, others } = adviceForReport(report)
    return [command, ...others.map((one) => one.command)].filter((one) => one !== null)
  }
  const undone = { at: START_TIME, command: 'ralph undo --back' }
  test.each<[string, Report, string]>([
    ['under way', { ...after(), served: true }, 'ralph watch'],
    ['cut off', after(), 'ralph resume'],
    ['paused', after(decision('loop', 'pause')), 'ralph resume'],
    ['taken back', { ...after(leaves('run-ended')), undone }, 'ralph loop'],
    ['taken back, and left', { ...after(leaves('run-suspended')), undone }, 'ralph loop --fresh'],
    ['taken back, and never ended', { ...after(), undone }, 'ralph loop --fresh'],
  ])('%s', (_, report, step) => {
    expect(steps(report)[0]).toBe(step)
  })
  test('what was taken back can be had back', () => {
    expect(steps({ ...after(leaves('run-ended')), undone })).toContain('ralph undo --back')
  })

  const stopped: Outcome = { is: 'stopped', reason: 'a person', verdict: 'unproven', exit: 0 }
  const counts = after().iterations
  const none = { ...after(), outcome: stopped, iterations: counts }
  test.each<[string, Report, boolean]>([
    ['nothing was done', none, false],
    ['something moved', { ...none, iterations: { ...counts, moved: 1 } }, true],
    ['a claim was refused', { ...none, iterations: { ...counts, refused: 1 } }, true],
    ['files changed', { ...none, changed: { ...none.changed, files: 1 } }, true],
    ['files changed, without git', { ...none, inGit: false, changed: { ...none.changed, files: 1 } }, false],
  ])('undo is offered where there is something to take back: %s', (_, report, offered) => {
    expect(steps(report).includes('ralph undo')).toBe(offered)
  })
})
