import { describe, expect, test } from 'vitest'
import { emptyAgentReport } from '../../core/agent-output/agent-report.ts'
import type { Effect } from '../../core/state/effect.ts'
import type { Event } from '../../core/state/event.ts'
import { countBudgetTokens } from '../../core/admission/budget.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import { evidenceOfRun, findEvidence } from '../evidence.ts'
import { recentNotes } from '../journal.ts'
import { addRequest, loadRequestReceipt } from '../requests.ts'
import { loadLatestRun } from '../runs.ts'
import {
  admitted,
  agentEnded,
  makeTestStore,
  appendEvents,
  runAgent,
  runEnded,
  runStarted,
} from '../../../test/kit/store.ts'
import { usageOfRun, usageSince } from '../usage.ts'

const USAGE = { input: 100, output: 20, cacheRead: 9000, cacheWrite: 500, reasoning: 3, usd: 0.25 }

const EVIDENCE: Evidence = {
  gate: 'test',
  command: 'npm test',
  tree: 't1',
  guarded: 'g1',
  exit: 1,
  signal: null,
  timedOut: false,
  missing: false,
  durationMs: 1234,
  at: 5000,
  log: 'logs/gate.txt',
  summary: '1 failed',
  unstable: true,
  purpose: 'completion',
  failing: ['adds'],
  tests: 4,
}

const gateEnded = (evidence: Partial<Evidence>, worker = 'w1'): Event => ({
  type: 'gate-ended',
  worker,
  effect: 'e9',
  evidence: { ...EVIDENCE, ...evidence },
})

describe('a run is listed', () => {
  test('as unfinished from its first row', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [runStarted({ agents: ['codex', 'claude'] })])
    expect(await loadLatestRun(store.sql)).toEqual({
      id: 'r1',
      kind: 'loop',
      workspace: '/home/ann/shop',
      project: '/home/ann/shop',
      command: 'loop',
      startedAt: 1000,
      agent: 'codex',
      version: '0.1.0',
      pid: 100,
      iterations: 0,
      end: null,
    })
  })

  test('with the process that took it up again, the iterations begun and how it ended', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      { type: 'run-resumed', pid: 222, after: 'crash', version: '0.2.0' },
      [admitted('e3'), [runAgent('e4', { iteration: 2 })]],
      runEnded(),
    ])
    expect(await loadLatestRun(store.sql)).toMatchObject({
      pid: 222,
      version: '0.2.0',
      iterations: 2,
      end: {
        at: 5000,
        outcome: 'plan_complete',
        reason: 'All boxes are ticked.',
        verdict: 'proven',
        exit: 0,
      },
    })
  })

  test('and its end closes the requests that nobody will read any more', async () => {
    const store = await makeTestStore()
    const mine = await addRequest(store.sql, 'r1', { from: 'cli', do: 'pause' }, 1)
    const others = await addRequest(store.sql, 'r2', { from: 'cli', do: 'pause' }, 1)
    await appendEvents(store, [runStarted(), runEnded()])
    expect([await loadRequestReceipt(store.sql, mine), await loadRequestReceipt(store.sql, others)]).toEqual([
      { state: 'expired', note: null, iteration: null },
      { state: 'waiting', note: null, iteration: null },
    ])
  })
})

describe('usage', () => {
  test('counts a call when the agent is asked for, before it can start', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [runStarted(), [admitted('e1'), [runAgent('e2', { iteration: 1 })]]])
    expect(await usageOfRun(store.sql, 'r1')).toEqual({
      calls: 1,
      tokens: 0,
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: 0,
      usd: null,
      unstable: 1,
      estimated: 0,
      unrecorded: 0,
      unpriced: 0,
    })
  })

  test('counts what the agent told at its end, once, whatever comes later', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      agentEnded('e2', { usage: USAGE, model: 'sonnet' }),
      agentEnded('e2', { usage: { ...USAGE, input: 999_999 }, model: 'late' }),
    ])
    expect(await usageOfRun(store.sql, 'r1')).toEqual({
      ...USAGE,
      calls: 1,
      // As the budget counts them.
      tokens: countBudgetTokens(USAGE),
      unstable: 0,
      estimated: 0,
      unrecorded: 0,
      unpriced: 0,
    })
    expect(await store.sql.all('select agent, model, iteration from usage')).toEqual([
      { agent: 'claude', model: 'sonnet', iteration: 1 },
    ])
  })

  test('has the model that was asked for where the agent does not tell its own', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1, model: 'asked' })]],
      agentEnded('e2', { usage: USAGE, model: null }),
      [admitted('e3'), [runAgent('e4', { iteration: 2, model: 'asked' })]],
      agentEnded('e4', { usage: USAGE, model: 'told' }),
      [admitted('e5'), [runAgent('e6', { iteration: 3 })]],
    ])
    const models = await store.sql.all<{ model: string | null }>('select model from usage order by iteration')
    expect(models.map(({ model }) => model)).toEqual(['asked', 'told', null])
  })

  test('keeps that the money of a call is an estimate', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      agentEnded('e2', { usage: { input: 9, usd: 0.5, estimated: true }, model: null }),
      [admitted('e3'), [runAgent('e4', { iteration: 2 })]],
      agentEnded('e4', { usage: { input: 7, usd: 0.25 }, model: null }),
    ])
    expect(await usageOfRun(store.sql, 'r1')).toMatchObject({
      input: 16,
      usd: 0.75,
      estimated: 1,
      unrecorded: 0,
    })
  })

  test('keeps the call of an agent that told nothing, failed to start or was lost', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      agentEnded('e2', { usage: null, model: null }),
      [admitted('e3'), [runAgent('e4', { iteration: 2 })]],
      { type: 'effect-failed', worker: 'w1', effect: 'e4', problem: 'no such program', hint: null },
      [admitted('e5'), [runAgent('e6', { iteration: 3 })]],
      { type: 'effect-lost', worker: 'w1', effect: 'e6' },
    ])
    expect(await usageOfRun(store.sql, 'r1')).toMatchObject({
      calls: 3,
      tokens: 0,
      usd: null,
      unstable: 0,
      unrecorded: 3,
    })
  })

  test('since an instant is that of all runs, from that instant on', async () => {
    const store = await makeTestStore()
    const iteration: (Event | [Event, ReturnType<typeof runAgent>[]])[] = [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      agentEnded('e2', { usage: { input: 5, output: 2 }, model: null }),
      [admitted('e3'), [runAgent('e4', { iteration: 2 })]],
    ]
    await appendEvents(store, iteration, 'r1')
    await appendEvents(store, iteration, 'r2')
    expect(await usageSince(store.sql, 0)).toEqual({ calls: 4, tokens: 14 })
    expect(await usageSince(store.sql, 2000)).toEqual({ calls: 4, tokens: 14 })
    expect(await usageSince(store.sql, 2001)).toEqual({ calls: 2, tokens: 0 })
    expect(await usageSince(store.sql, 4001)).toEqual({ calls: 0, tokens: 0 })
  })
})

describe('the journal', () => {
  const told = (...notes: string[]) => ({ usage: null, model: null, told: { ...emptyAgentReport(), notes } })

  test('gets the notes of whoever worked, once, with the task it was about', async () => {
    const store = await makeTestStore()
    const work = { ...runAgent('e2', { iteration: 3, agent: 'codex' }), task: { id: 't-1' } } as Effect
    await appendEvents(store, [
      runStarted({ tasks: true }),
      [admitted('e1'), [work]],
      agentEnded('e2', told('one', 'two')),
      agentEnded('e2', told('late')),
      [admitted('e3'), [{ ...work, id: 'e4', role: 'review' } as Effect]],
      agentEnded('e4', told('of a reader')),
    ])
    const note = { run: 'r1', iteration: 3, task: 't-1', at: 3000, author: 'codex' }
    expect(await recentNotes(store.sql, { run: 'r1', limit: 9 })).toEqual([
      { id: 2, ...note, text: 'two' },
      { id: 1, ...note, text: 'one' },
    ])
  })

  test('knows no task of a loop, and nothing of what was cut off before it was told', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      agentEnded('e2', told('one')),
      [admitted('e3'), [runAgent('e4', { iteration: 2 })]],
      agentEnded('e4', { usage: null, model: null }),
    ])
    const notes = await recentNotes(store.sql, { run: null, limit: 9 })
    expect(notes.map(({ task, text }) => [task, text])).toEqual([[null, 'one']])
  })
})

describe('evidence', () => {
  test('belongs to the last iteration its worker began', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [
      runStarted(),
      gateEnded({ exit: null, signal: 'SIGKILL', timedOut: true, unstable: false }),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      [admitted('e3', 'w2'), [runAgent('e4', { iteration: 7, worker: 'w2' })]],
      gateEnded({}),
    ])
    expect(await evidenceOfRun(store.sql, 'r1')).toEqual([
      {
        run: 'r1',
        worker: 'w1',
        iteration: 0,
        evidence: { ...EVIDENCE, exit: null, signal: 'SIGKILL', timedOut: true, unstable: false },
      },
      { run: 'r1', worker: 'w1', iteration: 1, evidence: EVIDENCE },
    ])
  })

  test('is found again only for the same gate, command, tree and judges; the newest counts', async () => {
    const store = await makeTestStore()
    await appendEvents(store, [runStarted(), gateEnded({ exit: 1 }), gateEnded({ exit: 0 }), gateEnded({ tree: 't2' })])
    const of = { gate: 'test', command: 'npm test', tree: 't1', guarded: 'g1' }
    expect((await findEvidence(store.sql, of))?.evidence.exit).toBe(0)
    for (const other of [{ gate: 'lint' }, { command: 'true' }, { tree: 't3' }, { guarded: 'g2' }]) {
      expect(await findEvidence(store.sql, { ...of, ...other })).toBeNull()
    }
  })
})
