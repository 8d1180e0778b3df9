/** Which model the next visit of a worker gets, with its reason in the record, and what it is chosen by. */
import type { WorkerId } from '../ids.ts'
import {
  failedTry,
  hintCounts,
  hintProblem,
  NO_TRIES,
  readHint,
  sayModel,
  sayTier,
  tierFor,
  UNNAMED,
  type Strategy,
  type Tier,
  type TierChoice,
  type TierModels,
} from '../memory/strategy.ts'
import type { Rules } from '../state/rules.ts'
import { decide, patchWorker, workerOf, type Course } from '../state/context.ts'
import type { Concluded } from './concluded.ts'

/** Null: whichever the vendor takes by itself. */
export function chooseModel(course: Course, id: WorkerId, agent: string, wanted?: TierChoice): string | null {
  const { rules } = course.house.run
  const { nextModel: hint, tier: before, tries, smooth } = workerOf(course, id)
  const { strategy } = rules.model
  if (strategy === 'fixed') {
    const { model } = rules.agent
    if (hint !== null)
      decide(
        course,
        id,
        'model',
        'keep',
        `the agent asked for ${hint}, but the model is fixed${named(model)}`,
      )
    if (before !== null) patchWorker(course, id, { tier: null })
    return model
  }
  const own = wanted ?? tierFor(strategy, { tries, smooth })
  const chosen = hint === null ? own : { tier: hint, why: asked(hint, own) }
  const model = modelsOf(rules, agent)[chosen.tier]
  const changes = before !== null && before !== chosen.tier
  decide(course, id, 'model', changes ? 'change' : 'choose', sayChoice(strategy, chosen, model))
  patchWorker(course, id, { tier: chosen.tier })
  return model
}

function named(model: string | null): string {
  return model === null ? '' : ` (${model})`
}

function asked(hint: Tier, own: TierChoice): string {
  return hint === own.tier
    ? `${own.why}, and the agent asked for it`
    : `the agent asked for it instead of ${own.tier}`
}

function modelsOf({ agent }: Rules, name: string): TierModels {
  return agent.models?.[name] ?? UNNAMED
}

/** Whether this agent is told that it may ask for a model. */
export function mayHint(rules: Rules, agent: string): boolean {
  return hintCounts(rules.model.strategy, modelsOf(rules, agent))
}

/** The first visit of a job that nobody has begun, as far as it can be told before a run. */
export function firstModel(rules: Rules, agent: string): { model: string | null; why: string } {
  const { strategy } = rules.model
  if (strategy === 'fixed') {
    const { model } = rules.agent
    return { model, why: sayModel(model) }
  }
  const { tier, why } = tierFor(strategy, { tries: NO_TRIES, smooth: 0 })
  const model = modelsOf(rules, agent)[tier]
  return { model, why: sayChoice(strategy, { tier, why }, model) }
}

function sayChoice(strategy: Strategy, { tier, why }: TierChoice, model: string | null): string {
  return `${strategy}: ${sayTier(tier, model)}, because ${why}`
}

/** An iteration was made, whatever came of it. What its agent asks for holds for the next one only. */
export function visited(course: Course, id: WorkerId, { agent, reply }: Concluded): void {
  const { tries } = workerOf(course, id)
  const said = reply.told.nextModel
  patchWorker(course, id, {
    tries: { ...tries, visits: tries.visits + 1, failing: false },
    nextModel: said === null ? null : readHint(said, modelsOf(course.house.run.rules, agent)),
  })
}

/** A correction, where it asked for what there is not. Where no word of it would count, none is asked for. */
export function hintTold({ house }: Course, { agent, reply }: Pick<Concluded, 'agent' | 'reply'>): string[] {
  const { rules } = house.run
  const said = reply.told.nextModel
  if (said === null || !mayHint(rules, agent)) return []
  return readHint(said, modelsOf(rules, agent)) === null ? [hintProblem(said)] : []
}

/** The visit failed, or what it claimed was refused. */
export function cameToNothing(course: Course, id: WorkerId, how: { stuck: boolean }): void {
  const { tries } = workerOf(course, id)
  patchWorker(course, id, { tries: failedTry(tries, how), smooth: 0 })
}

/** Of a plain loop, which has one job for ever. */
export function gotFurther(course: Course, id: WorkerId): void {
  patchWorker(course, id, { smooth: workerOf(course, id).smooth + 1 })
}
