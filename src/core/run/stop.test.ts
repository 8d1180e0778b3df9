import { describe, expect, test } from 'vitest'
import type { Effect } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import type { RunState, WorkerPhase, ProofPhase } from '../state/state.ts'
import type { Rules } from '../state/rules.ts'
import { playRun, START_TIME } from '../../../test/kit/core.ts'
import { step, type StepResult } from './step.ts'

const STOP: Event = { type: 'request-received', request: { id: null, from: 'ann', do: 'stop', now: false } }

/** A night that sees every phase in which something is under way. */
const NIGHT = playRun([{ files: 1 }, { files: 2, done: true, green: true, checkboxes: { open: 0, done: 3 } }], all)

function all(rules: Rules): Rules {
  return {
    ...rules,
    loop: { ...rules.loop, commit: 'iteration', pauseMs: 60_000 },
    proof: { ...rules.proof, baseline: 'start', reviewer: 'codex' },
  }
}

/** The state at each moment of the night in which the core waits for an answer, once per phase. */
function momentsOf(rows: typeof NIGHT): { phase: string; state: RunState }[] {
  const moments = new Map<string, RunState>()
  let state: RunState | null = null
  for (const row of rows) {
    state = step(state, row.event, row).state
    const phase = state.workers['1']?.phase
    if (phase !== undefined && !moments.has(nameOf(phase))) moments.set(nameOf(phase), state)
  }
  return [...moments].map(([phase, kept]) => ({ phase, state: kept }))
}

function nameOf(phase: WorkerPhase): string {
  return phase.is === 'proving' ? `proving: ${atOf(phase.proof.at)}` : phase.is
}

function atOf(at: ProofPhase): string {
  return at.is === 'proofSteps' ? at.progress.proofStep.is : at.is
}

function next(state: RunState, event: Event): StepResult {
  return step(state, event, { at: START_TIME, up: 9_000_000 })
}

function openOf(state: RunState): Effect[] {
  return Object.values(state.run.open)
}

/** `admitting` is over before anybody can look, `paused` and `finished` have nothing under way. */
const UNDER_WAY = momentsOf(NIGHT).filter(({ phase }) => !['admitting', 'waiting', 'finished'].includes(phase))

test('the night has all phases in which something is under way', () => {
  expect(UNDER_WAY.map(({ phase }) => phase)).toEqual([
    'taking-snapshot',
    'resolving-base',
    'running-baseline',
    'checking-clean-room',
    'working',
    'measuring',
    'committing',
    'proving: gates',
    'proving: sort',
    'proving: room',
    'proving: source-loaded',
    'proving: mutation',
    'proving: expects',
    'proving: final-tree',
    'reviewing',
    'checking',
  ])
})

describe.each(UNDER_WAY)('a stop while a worker is $phase', ({ state }) => {
  const [open] = openOf(state)
  const stopped = next(state, STOP)

  test('aborts what is under way', () => {
    expect(stopped.effects).toEqual([
      { id: `e${state.run.next}`, type: 'abort', worker: '1', target: open?.id, why: 'stop', now: false },
    ])
  })

  test.each(['effect-lost', 'effect-failed'] as const)('and ends the run when that is answered by %s', (type) => {
    const answer = { worker: '1', effect: open?.id ?? '' }
    const event: Event =
      type === 'effect-lost' ? { type, ...answer } : { type, ...answer, problem: 'no disk', hint: null }
    expect(next(stopped.state, event).effects).toMatchObject([{ type: 'end-run', outcome: { is: 'stopped' } }])
  })
})

test('a stop during a wait ends the run at once', () => {
  const waiting = momentsOf(NIGHT).find(({ phase }) => phase === 'waiting')?.state
  expect(waiting && next(waiting, STOP).effects).toMatchObject([{ type: 'end-run', outcome: { is: 'stopped' } }])
})

test('the last look of a run that stops is not waited for', () => {
  const working = momentsOf(NIGHT).find(({ phase }) => phase === 'working')?.state
  const ended = NIGHT.find((row) => row.event.type === 'agent-ended')?.event
  if (working === undefined || ended === undefined) throw new Error('nobody worked in this night')
  expect(next(working, ended).effects).toMatchObject([{ type: 'snapshot' }])
  expect(next(working, ended).effects[0]).not.toHaveProperty('withinMs')
  expect(next(next(working, STOP).state, ended).effects).toMatchObject([{ type: 'snapshot', withinMs: 1_000 }])
})

test('what was lost while nobody waited for it ends nothing', () => {
  const paused = momentsOf(NIGHT).find(({ phase }) => phase === 'waiting')?.state
  if (paused === undefined) throw new Error('nobody waited in this night')
  const [wait] = openOf(paused)
  const going = [{ do: 'pause' }, { do: 'resume' }].reduce<RunState>(
    (state, request) =>
      next(state, { type: 'request-received', request: { id: null, from: 'ann', ...request } } as Event).state,
    paused,
  )
  const lost: Event = { type: 'effect-lost', worker: '1', effect: wait?.id ?? '' }
  expect(next(next(going, STOP).state, lost).effects).toEqual([])
})
