import { describe, expect, test } from 'vitest'
import type { Effect } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import type { House, Phase, ProofAt } from '../state/state.ts'
import type { Rules } from '../state/rules.ts'
import { aNight, EVENING } from '../../../test/kit/core.ts'
import { step, type Step } from './step.ts'

const STOP: Event = { type: 'request-received', request: { id: null, from: 'ann', do: 'stop', now: false } }

/** A night that sees every phase in which something is under way. */
const NIGHT = aNight([{ files: 1 }, { files: 2, done: true, green: true, boxes: { open: 0, done: 3 } }], all)

function all(rules: Rules): Rules {
  return {
    ...rules,
    loop: { ...rules.loop, commit: 'iteration', pauseMs: 60_000 },
    proof: { ...rules.proof, baseline: 'start', opinion: 'codex' },
  }
}

/** The house at each moment of the night in which the core waits for an answer, once per phase. */
function momentsOf(rows: typeof NIGHT): { phase: string; house: House }[] {
  const moments = new Map<string, House>()
  let house: House | null = null
  for (const row of rows) {
    house = step(house, row.event, row).house
    const phase = house.workers['1']?.phase
    if (phase !== undefined && !moments.has(nameOf(phase))) moments.set(nameOf(phase), house)
  }
  return [...moments].map(([phase, kept]) => ({ phase, house: kept }))
}

function nameOf(phase: Phase): string {
  return phase.is === 'proving' ? `proving: ${atOf(phase.proof.at)}` : phase.is
}

function atOf(at: ProofAt): string {
  return at.is === 'ladder' ? at.ladder.rung.is : at.is
}

function next(house: House, event: Event): Step {
  return step(house, event, { at: EVENING, up: 9_000_000 })
}

function openOf(house: House): Effect[] {
  return Object.values(house.run.open)
}

/** `admitting` is over before anybody can look, `paused` and `finished` have nothing under way. */
const UNDER_WAY = momentsOf(NIGHT).filter(
  ({ phase }) => !['admitting', 'waiting', 'finished'].includes(phase),
)

test('the night has all phases in which something is under way', () => {
  expect(UNDER_WAY.map(({ phase }) => phase)).toEqual([
    'surveying',
    'basing',
    'baselining',
    'fitting',
    'working',
    'measuring',
    'committing',
    'proving: gates',
    'proving: sort',
    'proving: room',
    'proving: looks',
    'proving: mistake',
    'proving: expects',
    'proving: last-look',
    'reviewing',
    'checking',
  ])
})

describe.each(UNDER_WAY)('a stop while a worker is $phase', ({ house }) => {
  const [open] = openOf(house)
  const stopped = next(house, STOP)

  test('aborts what is under way', () => {
    expect(stopped.effects).toEqual([
      { id: `e${house.run.next}`, type: 'abort', worker: '1', target: open?.id, why: 'stop', now: false },
    ])
  })

  test.each(['effect-lost', 'effect-failed'] as const)(
    'and ends the run when that is answered by %s',
    (type) => {
      const answer = { worker: '1', effect: open?.id ?? '' }
      const event: Event =
        type === 'effect-lost' ? { type, ...answer } : { type, ...answer, problem: 'no disk', hint: null }
      expect(next(stopped.house, event).effects).toMatchObject([
        { type: 'end-run', outcome: { is: 'stopped' } },
      ])
    },
  )
})

test('a stop during a wait ends the run at once', () => {
  const waiting = momentsOf(NIGHT).find(({ phase }) => phase === 'waiting')?.house
  expect(waiting && next(waiting, STOP).effects).toMatchObject([
    { type: 'end-run', outcome: { is: 'stopped' } },
  ])
})

test('the last look of a run that stops is not waited for', () => {
  const working = momentsOf(NIGHT).find(({ phase }) => phase === 'working')?.house
  const ended = NIGHT.find((row) => row.event.type === 'agent-ended')?.event
  if (working === undefined || ended === undefined) throw new Error('nobody worked in this night')
  expect(next(working, ended).effects).toMatchObject([{ type: 'survey' }])
  expect(next(working, ended).effects[0]).not.toHaveProperty('withinMs')
  expect(next(next(working, STOP).house, ended).effects).toMatchObject([{ type: 'survey', withinMs: 1_000 }])
})

test('what was lost while nobody waited for it ends nothing', () => {
  const paused = momentsOf(NIGHT).find(({ phase }) => phase === 'waiting')?.house
  if (paused === undefined) throw new Error('nobody waited in this night')
  const [wait] = openOf(paused)
  const going = [{ do: 'pause' }, { do: 'resume' }].reduce<House>(
    (house, request) =>
      next(house, { type: 'request-received', request: { id: null, from: 'ann', ...request } } as Event)
        .house,
    paused,
  )
  const lost: Event = { type: 'effect-lost', worker: '1', effect: wait?.id ?? '' }
  expect(next(next(going, STOP).house, lost).effects).toEqual([])
})
