/**
 * What every handler must keep, the real ones and the simulator's doubles alike: one answer, the truth after a crash at any
 * point, and an end when it is told to stop. A simulator whose doubles behave better than the real world proves nothing.
 */
import { describe, expect, test } from 'vitest'
import { isEffectAnswer, type Event } from '../../src/core/state/event.ts'
import type { Handler, Handlers, RecoveryAnswer, HandledEffect } from '../../src/engine/runtime/handler.ts'
import { startEffect } from '../../src/engine/runtime/event-loop.ts'
import { openRunningEffects, type RunningEffects } from '../../src/engine/runtime/running-effects.ts'

/** One handler in a world of its own. */
export interface Trial<E extends HandledEffect> {
  /** As a new engine process has it: it knows nothing, the world around it knows all. */
  newHandler(): Handler<E>
  /** One that is done soon, or one that goes on until somebody ends it. */
  effect(ends: 'soon' | 'never'): E
  answeredBy: Event['type']
  /** How it is answered when it was told to stop in the middle. */
  stoppedBy: Event['type']
  /** What `recoverAnswer` says when the engine died before it began, in the middle, and after the end but before the answer was noted. */
  inquiry: { before: RecoveryAnswer['is']; during: RecoveryAnswer['is']; after: RecoveryAnswer['is'] }
  /** Until what was begun is really under way. */
  underWay(effect: E, heard: Event[]): Promise<void>
  /** Something that this effect started still runs. */
  alive(effect: E, heard: Event[]): boolean
  /** Lets the world go on until the promise is settled. */
  until<T>(promise: Promise<T>): Promise<T>
}

/** `goesOn`: what it started lives on by itself when the engine dies. */
export function testHandlerContract<E extends HandledEffect>(
  name: string,
  { goesOn }: { goesOn: boolean },
  makeTrial: () => Promise<Trial<E>>,
): void {
  describe(`${name} keeps the contract of handlers`, () => {
    test('it answers once, by name, and what it reports comes before the answer', async () => {
      const trial = await makeTrial()
      const effect = trial.effect('soon')
      const heard = await performed(trial, trial.newHandler(), effect)
      expect(heard.filter(isEffectAnswer).map((event) => event.type)).toEqual([trial.answeredBy])
      expect(heard.at(-1)?.type).toBe(trial.answeredBy)
      expect(heard.map((event) => ('effect' in event ? [event.worker, event.effect] : null))).toEqual(
        heard.map(() => [effect.worker, effect.id]),
      )
    })

    test('an engine that died before it began it finds no trace of it', async () => {
      const trial = await makeTrial()
      const inquiry = await trial.until(trial.newHandler().recoverAnswer(trial.effect('soon')))
      expect(inquiry.is).toBe(trial.inquiry.before)
    })

    test('an engine that died in the middle of it ends what still runs, and there is one answer in the end', async () => {
      const trial = await makeTrial()
      const effect = trial.effect(goesOn ? 'never' : 'soon')
      const lost: Event[] = []
      const runningEffects = begin(trial.newHandler(), effect, (event) => void lost.push(event))
      // Here the dead engine is a part of this very process; what it would do itself it must not go on with.
      await (goesOn ? trial.underWay(effect, lost) : trial.until(runningEffects.abort(effect.id, NOW)))
      const next = trial.newHandler()
      const inquiry = await trial.until(next.recoverAnswer(effect))
      expect(inquiry.is).toBe(trial.inquiry.during)
      expect(trial.alive(effect, lost)).toBe(false)
      expect(await conclusion(trial, next, effect, inquiry)).toEqual([trial.answeredBy])
    })

    test('an engine that died before it noted the answer hears the truth', async () => {
      const trial = await makeTrial()
      const effect = trial.effect('soon')
      const [answer] = (await performed(trial, trial.newHandler(), effect)).filter(isEffectAnswer)
      const next = trial.newHandler()
      const inquiry = await trial.until(next.recoverAnswer(effect))
      expect(inquiry.is).toBe(trial.inquiry.after)
      if (inquiry.is === 'answered') expect(essence(inquiry.event)).toEqual(essence(answer))
      expect(await conclusion(trial, next, effect, inquiry)).toEqual([trial.answeredBy])
    })

    test('told to stop, it answers, and nothing of it is left', async () => {
      const trial = await makeTrial()
      const effect = trial.effect('never')
      const heard: Event[] = []
      const runningEffects = begin(trial.newHandler(), effect, (event) => void heard.push(event))
      await trial.underWay(effect, heard)
      await trial.until(Promise.all([runningEffects.abort(effect.id, GENTLY), runningEffects.abort(effect.id, NOW)]))
      expect(heard.filter(isEffectAnswer).map((event) => event.type)).toEqual([trial.stoppedBy])
      expect(trial.alive(effect, heard)).toBe(false)
    })

    test('a stop for something that is over or was never begun does nothing', async () => {
      const trial = await makeTrial()
      const effect = trial.effect('soon')
      const heard: Event[] = []
      const answered = new Promise<void>((resolve) => {
        const runningEffects = begin(trial.newHandler(), effect, (event) => {
          heard.push(event)
          if (isEffectAnswer(event)) resolve(runningEffects.abort(effect.id, NOW))
        })
        void runningEffects.abort('e99', NOW)
      })
      await trial.until(answered)
      expect(heard.filter(isEffectAnswer).map((event) => event.type)).toEqual([trial.answeredBy])
    })
  })
}

const GENTLY = { why: 'stop', now: false } as const
const NOW = { why: 'stop', now: true } as const

/** No trial here has trouble with the disk. */
function refuse(error: unknown): never {
  throw error
}

/** As the engine does it: a throw becomes an answer as well. */
function begin<E extends HandledEffect>(handler: Handler<E>, effect: E, put: (event: Event) => void): RunningEffects {
  const runningEffects = openRunningEffects()
  const handlers = { [effect.type]: handler } as unknown as Handlers
  startEffect({ inbox: { put, take: () => Promise.resolve([]), fail: refuse }, handlers, runningEffects }, effect)
  return runningEffects
}

async function performed<E extends HandledEffect>(trial: Trial<E>, handler: Handler<E>, effect: E): Promise<Event[]> {
  const heard: Event[] = []
  const answered = new Promise<void>((resolve) => {
    begin(handler, effect, (event) => {
      heard.push(event)
      if (isEffectAnswer(event)) resolve()
    })
  })
  await trial.until(answered)
  return heard
}

/** Recovery acts on what it was told; `unknown` is asked again by the core, under another number. */
async function conclusion<E extends HandledEffect>(
  trial: Trial<E>,
  handler: Handler<E>,
  effect: E,
  inquiry: RecoveryAnswer,
): Promise<Event['type'][]> {
  if (inquiry.is === 'answered') return [inquiry.event.type]
  const again = { ...trial.effect('soon'), id: inquiry.is === 'unknown' ? 'e2' : effect.id }
  return (await performed(trial, handler, again)).filter(isEffectAnswer).map((event) => event.type)
}

/** What counts in an answer: the log tells neither how long it took nor what went over stderr. */
function essence(event: Event | undefined): unknown {
  if (event?.type !== 'agent-ended') return event
  const { end, usage, signals, conversation, denials } = event.reply
  return { end, usage, signals, conversation, denials }
}
