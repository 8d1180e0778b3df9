import { describe, expect, test } from 'vitest'
import {
  answer,
  playRun,
  decisionNames,
  START_TIME,
  openEffectOf,
  afterTurn,
  send,
  until,
  working,
  workerAt,
  type RunMoment,
  type AgentTurn,
} from '../../../../test/kit/core.ts'
import type { Snapshot } from '../../tree/change.ts'
import type { EffectOf } from '../../state/effect.ts'
import type { Event } from '../../state/event.ts'
import type { Outcome } from '../../state/outcome.ts'
import type { Row } from '../../state/row.ts'
import type { Rules } from '../../state/rules.ts'
import { foldView, type RunView } from '../../presentation/run-view.ts'

const HOUR = 3_600_000
const LIMIT = { kind: 'usage-limit' as const, message: 'You have hit your limit' }
const CRASH = { kind: 'crash' as const, message: 'exit 1' }

/** One iteration that claims completion and holds; then whoever judges it. */
function claimed(reviews: AgentTurn['reviews'], change: (rules: Rules) => Rules = (rules) => rules): Row[] {
  const turn: AgentTurn = { done: true, green: true, checkboxes: { open: 0, done: 3 } }
  return playRun([{ ...turn, ...(reviews === undefined ? {} : { reviews }) }], (rules) =>
    change({ ...rules, proof: { ...rules.proof, reviewer: 'codex' } }),
  )
}

function calls(rows: Row[]): EffectOf<'run-agent'>[] {
  return rows
    .flatMap(({ effects }) => effects)
    .filter((effect): effect is EffectOf<'run-agent'> => effect.type === 'run-agent')
}

const asked = (rows: Row[]): string[] => calls(rows).map(({ agent, role }) => `${agent} ${role}`)

function outcome(rows: Row[]): string {
  const last = rows.at(-1)?.event
  return last?.type === 'run-ended' ? `${last.outcome.is} ${last.outcome.verdict}` : 'going'
}

test('a second agent that agrees ends the run', () => {
  const rows = claimed(['<verify-pass/>'])
  expect(asked(rows)).toEqual(['claude work', 'codex review'])
  expect(outcome(rows)).toBe('project_complete proven')
})

describe('a second agent at its usage limit', () => {
  test('is waited for until its reset, and honest work is not refused', () => {
    const resetsAt = START_TIME + 3 * HOUR
    const rows = claimed([{ ...LIMIT, resetsAt }, '<verify-pass/>'])
    expect(asked(rows)).toEqual(['claude work', 'codex review', 'codex review'])
    expect(rows.flatMap(({ effects }) => effects).find(({ type }) => type === 'wait')).toMatchObject({
      until: resetsAt,
    })
    expect(rows.flatMap(({ decisions }) => decisions).filter(({ what }) => what === 'refuse')).toEqual([])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('gives way to the next in the order, never to whoever did the work', () => {
    const rows = claimed([LIMIT, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'gemini'] },
    }))
    expect(asked(rows)).toEqual(['claude work', 'codex review', 'gemini review'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('rests with everybody who uses the same account', () => {
    const rows = claimed([{ ...LIMIT, resetsAt: START_TIME + HOUR }, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: {
        ...rules.agent,
        order: ['claude', 'review'],
        credentials: { codex: 'openai', review: 'openai' },
      },
    }))
    expect(asked(rows)).toEqual(['claude work', 'codex review', 'codex review'])
  })
})

describe('the limits of the run', () => {
  test('an opinion is admitted, and waits for the next hour like any call', () => {
    const rows = claimed(['<verify-pass/>'])
    const admissions = rows.flatMap(({ effects }) => effects).filter(({ type }) => type === 'admit-call')
    expect(admissions).toMatchObject([{ iteration: 1 }, { iteration: 1, role: 'review' }])
  })

  test('an opinion that the budget does not reach is not begun', () => {
    // The iteration cost 0.50, so the next call may cost as much, and 0.30 is left.
    const rows = claimed(['<verify-pass/>'], (rules) => ({
      ...rules,
      budget: { ...rules.budget, usd: 0.8, reserveUsd: 0.5 },
    }))
    expect(asked(rows)).toEqual(['claude work'])
    expect(outcome(rows)).toBe('cost_limit unproven')
  })

  test('it gets what is left of the money, and no more', () => {
    const rows = claimed(['<verify-pass/>'], (rules) => ({ ...rules, budget: { ...rules.budget, usd: 2 } }))
    expect(calls(rows)[1]?.remainingUsd).toBeCloseTo(1.5)
  })
})

describe('a second agent that fails', () => {
  test.each([CRASH, 'silent', 'timed-out'] as const)('%j: is asked twice more', (how) => {
    const rows = claimed([how, how, '<verify-pass/>'])
    expect(asked(rows)).toEqual(['claude work', 'codex review', 'codex review', 'codex review'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test.each([
    [CRASH, 'exit 1'],
    ['silent', 'it produced no output and was stopped'],
    ['timed-out', 'it took too long and was stopped'],
    ['It looks fine to me.', 'it ended without a verdict'],
  ] as const)('%j, three times in a row: it is not heard, and nothing is held against the work', (how, says) => {
    const rows = claimed([how, how, how], (rules) => ({
      ...rules,
      proof: { ...rules.proof, rejections: 1 },
    }))
    expect(asked(rows)).toEqual(['claude work', 'codex review', 'codex review', 'codex review'])
    expect(rows.flatMap(({ decisions }) => decisions).filter(({ what }) => what === 'refuse')).toEqual([])
    const last = rows.at(-1)?.event
    expect(last?.type === 'run-ended' && last.outcome).toMatchObject({
      is: 'agent_unusable',
      verdict: 'unproven',
      reason: `codex gave no review in 3 tries: ${says}`,
      cause: { is: 'unheard', agent: 'codex', says },
    })
  })

  test('three times in a row: whoever else may read is asked instead', () => {
    const rows = claimed([CRASH, CRASH, CRASH, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'gemini'] },
    }))
    expect(asked(rows).slice(-2)).toEqual(['codex review', 'gemini review'])
    expect(rows.flatMap(({ decisions }) => decisions)).toContainEqual({
      by: 'agent',
      what: 'switch',
      why: 'codex gave no review in 3 tries: exit 1; asking gemini instead',
      worker: '1',
    })
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('because we were gone: it is asked again, and nobody counts that', () => {
    const rows = claimed(['interrupted', 'interrupted', 'interrupted', 'interrupted', '<verify-pass/>'])
    expect(outcome(rows)).toBe('project_complete proven')
  })

  test('in a way that waiting does not cure: the next in the order, else the end', () => {
    const missing = { kind: 'missing' as const, message: 'codex is not installed' }
    expect(outcome(claimed([missing]))).toBe('agent_unusable unproven')
    const rows = claimed([missing, '<verify-pass/>'], (rules) => ({
      ...rules,
      agent: { ...rules.agent, order: ['claude', 'gemini'] },
    }))
    expect(asked(rows).at(-1)).toBe('gemini review')
    expect(outcome(rows)).toBe('project_complete proven')
  })
})

test('a second opinion never overwrites the iteration that it judges', () => {
  const rows = claimed(['<verify-pass/>'])
  let view: RunView | null = null
  let before: RunView['iterations'] = []
  for (const row of rows) {
    if (calls([row]).some(({ role }) => role === 'review')) before = view?.iterations ?? []
    view = foldView(view, row)
  }
  const { why: _, ...iteration } = before[0] ?? { why: null }
  expect(view?.iterations).toHaveLength(1)
  expect(view?.iterations[0]).toMatchObject(iteration)
  expect(iteration).toMatchObject({ agent: 'claude', summary: 'worked', end: 'success' })
  // Its cost is the run's.
  expect(view?.spent.usd).toBeCloseTo(1)
})

/** A claim that holds so far, and the second agent has been asked. */
function reviewing(rules: (usual: Rules) => Rules = (usual) => usual): RunMoment {
  const turn: AgentTurn = { done: true, green: true, checkboxes: { open: 0, done: 3 } }
  const from = working({
    rules: (usual) =>
      rules({
        ...usual,
        agent: { ...usual.agent, effort: 'high' },
        proof: { ...usual.proof, reviewer: 'codex' },
      }),
  })
  return until(afterTurn(from, turn), ({ is }) => is === 'reviewing', turn)
}

/** The tree as it was when the reviewer began. */
const SAME: AgentTurn = { checkboxes: { open: 0, done: 3 } }
const MOVED: AgentTurn = { look: { snapshot: { ...someSnapshot(), tree: 'another' } } }

function someSnapshot(): Snapshot {
  return { tree: 'tree1', head: 'head1', branch: 'main', ref: null, unstored: [], busy: null }
}

const said = (from: RunMoment, words: string, look: AgentTurn = SAME): RunMoment =>
  answer(answer(from, { summary: words }), look)

describe('the call', () => {
  test('has nothing of the work but where it stands: it reads with fresh eyes', () => {
    const asks = openEffectOf(reviewing())
    expect(asks).toMatchObject({
      type: 'run-agent',
      worker: '1',
      agent: 'codex',
      role: 'review',
      iteration: 1,
      context: {
        iteration: 1,
        openCheckboxes: null,
        breaker: null,
        previous: null,
        corrections: [],
        steering: [],
      },
      prompt: '.ralph/PROMPT.md',
      how: { model: null, effort: 'high', tools: null, permission: null, maxTurns: null, output: 'json' },
      resume: null,
      resumeUsage: null,
      previousLength: null,
    })
  })

  test('is announced, and nobody has measured yet what it leaves', () => {
    const moment = reviewing()
    expect(moment.decisions).toContainEqual({
      by: 'proof',
      what: 'review',
      why: 'codex reviews the work',
      worker: '1',
    })
    expect(workerAt(moment).measured).toBe(false)
  })

  test('is paid for, and what it left is looked at from where the work was', () => {
    const moment = answer(reviewing(), { summary: '<verify-pass/>' })
    expect(moment.state.run.budget.usd).toBeCloseTo(1)
    expect(openEffectOf(moment)).toMatchObject({
      type: 'snapshot',
      for: 'check',
      iteration: 1,
      since: 'tree1',
      sinceHead: 'head1',
    })
  })
})

describe('the word', () => {
  const no = '<verify-fail>the leap year is wrong</verify-fail>'
  test.each<[string, string, AgentTurn, string, string]>([
    ['no', no, SAME, 'the reviewer objects: the leap year is wrong', 'A reviewer says: the leap year is wrong'],
  ])('%s: the claim goes back with the reason', (_, words, look, why, tell) => {
    const moment = said(reviewing(), words, look)
    expect(moment.decisions).toContainEqual({
      by: 'proof',
      what: 'refuse',
      why: `${why}`,
      worker: '1',
    })
    const worker = workerAt(moment)
    expect([worker.corrections, worker.review]).toEqual([[`Ralph rejected your completion. ${tell}`], null])
  })

  const once = (rules: Rules): Rules => ({ ...rules, proof: { ...rules.proof, rejections: 1 } })
  test.each<[string, string, AgentTurn, Partial<Outcome>]>([
    ['no', no, SAME, { verdict: 'failed', cause: { is: 'objected', says: 'the leap year is wrong' } }],
  ])('%s, and it was the last chance', (_, words, look, outcome) => {
    const last = said(reviewing(once), words, look).rows.at(-1)?.event
    expect(last?.type === 'run-ended' && last.outcome).toMatchObject({ is: 'cannot_prove', ...outcome })
  })

  test('yes: the run ends with what was proven, and says who agrees', () => {
    const last = said(reviewing(), '<verify-pass/>').rows.at(-1)?.event
    expect(last?.type === 'run-ended' && last.outcome.reason).toMatch(/in the clean room .*; the reviewer agrees$/)
  })

  test('what the look shows is known from then on', () => {
    const look = {
      snapshot: { ...someSnapshot(), head: 'head9' },
      nextCheckbox: 'sing',
      checkboxes: { open: 1, done: 3 },
    }
    const worker = workerAt(said(reviewing(), no, { look }))
    expect(worker).toMatchObject({ checkboxes: { open: 1, done: 3 }, nextCheckbox: 'sing' })
    expect(worker.seen).toMatchObject({ tree: 'tree1', head: 'head9' })
  })
})

describe('a reviewer that writes', () => {
  const writtenFiles = (): RunMoment => said(reviewing(), '<verify-pass/>', MOVED)
  const lost = (from: RunMoment): RunMoment =>
    send(from, { type: 'effect-lost', worker: '1', effect: openEffectOf(from).id })

  test('has what it changed reverted to how it was when it began, unless somebody was there since', () => {
    const asks = openEffectOf(writtenFiles())
    expect(asks).toMatchObject({
      type: 'revert',
      task: null,
      iteration: 1,
      reader: 'codex',
      before: { tree: 'tree1', head: 'head1' },
      since: { tree: 'another', head: 'head1' },
    })
  })

  test('is told of on every screen, with the way to have it back, and is asked again', () => {
    const kept = 'refs/ralph/k7f3qa/put-back/1-e9'
    const [files, paths] = [2, ['a.txt', 'b.txt']]
    const there = { snapshot: someSnapshot(), checkboxes: { open: 0, done: 3 }, nextCheckbox: null }
    const back = answer(writtenFiles(), {
      putBack: { is: 'back', ...there, kept, files, paths, commits: 1, left: [] },
    })
    expect(back.decisions[0]).toEqual({
      by: 'proof',
      what: 'revert',
      worker: '1',
      why: `codex may only read. Ralph reverted its changes: 2 files (a.txt, b.txt) and 1 commit. See the changes: git show ${kept}. Restore them: git show --binary ${kept} | git apply`,
    })
    expect(openEffectOf(back)).toMatchObject({
      type: 'wait',
      why: 'codex: it changed files although it may only read',
    })
    const again = until(back, ({ is }) => is === 'reviewing', SAME)
    expect(workerAt(again)).toMatchObject({ rejections: 0, corrections: [], review: { failures: 1 } })
    const end = until(again, ({ is }) => is === 'finished', { ...SAME, summary: '<verify-pass/>' })
    expect(end.state.run.outcome?.verdict).toBe('proven')
  })

  test('each time: it is not heard, and nothing is held against the work', () => {
    let moment = writtenFiles()
    for (const _ of [1, 2]) {
      const again = until(answer(moment, SAME), ({ is }) => is === 'reviewing', SAME)
      moment = said(again, '<verify-pass/>', MOVED)
    }
    expect(answer(moment, SAME).state.run.outcome).toMatchObject({
      is: 'agent_unusable',
      cause: { is: 'unheard', agent: 'codex', says: 'it changed files although it may only read' },
    })
  })

  test.each<[string, (from: RunMoment) => RunMoment]>([
    [
      'somebody else was there since',
      (from) => answer(from, { putBack: { is: 'stays', why: 'somebody else was there' } }),
    ],
    ['it was interrupted', lost],
  ])('%s: it stays, that is said, and the claim goes back', (_, how) => {
    const moment = how(writtenFiles())
    expect(decisionNames(moment)).toEqual(expect.arrayContaining(['proof/stays', 'proof/refuse']))
    expect(workerAt(moment)).toMatchObject({
      review: null,
      corrections: ['Ralph rejected your completion. Files changed during the review; check the tree.'],
    })
  })

  test('while nobody watched: it may be a person, so it stays and is judged anew', () => {
    const begun: Event = { type: 'run-resumed', after: 'crash', pid: 7, version: '1' }
    const gone = answer(answer(send(reviewing(), begun), { reply: { end: 'interrupted' } }), MOVED)
    expect(decisionNames(gone)).toEqual(['proof/stays'])
    expect(decisionNames(answer(gone, MOVED))).toContain('proof/again')
  })
})

describe('no word yet', () => {
  const cutOff: AgentTurn = { reply: { end: 'interrupted' } }

  test('one who was cut off is asked again at once', () => {
    const heard = answer(reviewing(), cutOff)
    expect(heard.decisions).toEqual([
      {
        by: 'retry',
        what: 'repeat',
        why: 'the review was interrupted; asking again',
        worker: '1',
      },
    ])
    const again = answer(answer(heard, SAME), SAME)
    expect(openEffectOf(again)).toMatchObject({ type: 'run-agent', agent: 'codex', role: 'review' })
  })

  test('one who failed is asked again after a while, with its own words as the reason', () => {
    const heard = answer(answer(reviewing(), { fails: CRASH }), SAME)
    expect(heard.decisions).toMatchObject([
      {
        by: 'retry',
        what: 'wait',
        why: expect.stringMatching(/^codex: exit 1; retrying in 5\.0 s$/) as string,
      },
    ])
    expect(openEffectOf(heard)).toMatchObject({
      type: 'wait',
      why: 'codex: exit 1',
    })
  })

  test('one who fell silent is named as such', () => {
    const heard = answer(answer(reviewing(), { reply: { end: 'silent' } }), SAME)
    expect(heard.decisions[0]?.why).toMatch(/^codex: it produced no output and was stopped; /)
  })

  test('and files changed all the same: they are reverted, and it is asked again at once', () => {
    const back = answer(answer(answer(reviewing(), cutOff), MOVED), SAME)
    expect(decisionNames(back)).toEqual(['proof/revert'])
    const again = until(back, ({ is }) => is === 'reviewing', SAME)
    expect(workerAt(again).review?.failures).toBe(0)
  })
})

describe('a person who wants the run to stop', () => {
  const stop: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'stop', now: false } }
  const pause: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }

  test('while the reviewer reads: only whether it kept to reading is looked at, and not for long', () => {
    const look = answer(send(reviewing(), stop), { summary: '<verify-pass/>' })
    expect(openEffectOf(look)).toMatchObject({ type: 'snapshot', for: 'check', withinMs: 1_000 })
    const end = answer(look, SAME)
    expect(end.rows.at(-1)?.event).toMatchObject({ type: 'run-ended', outcome: { is: 'stopped' } })
  })

  test('what the reviewer wrote is reverted first', () => {
    const look = answer(send(reviewing(), stop), { summary: '<verify-pass/>' })
    const back = answer(look, MOVED)
    expect(openEffectOf(back).type).toBe('revert')
    expect(answer(back, SAME).rows.at(-1)?.event).toMatchObject({
      type: 'run-ended',
      outcome: { is: 'stopped' },
    })
  })

  test('while its tree is looked at: its word no longer counts', () => {
    const moment = answer(send(answer(reviewing(), { summary: '<verify-pass/>' }), stop), SAME)
    expect(moment.rows.at(-1)?.event).toMatchObject({ type: 'run-ended', outcome: { is: 'stopped' } })
  })

  test('to pause: nobody is asked again until it goes on', () => {
    const moment = answer(send(answer(reviewing(), { reply: { end: 'interrupted' } }), pause), SAME)
    expect(workerAt(moment)).toMatchObject({
      phase: { is: 'paused' },
      review: { failures: 0 },
      measured: true,
    })
  })
})
