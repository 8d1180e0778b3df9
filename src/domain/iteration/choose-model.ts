/** Which model the next visit of a worker gets, with its reason in the record, and what it is chosen by. */
import type { WorkerId } from '../ids.ts'
import { failedTry, hintProblem, readHint, sayTier, tierFor, type TierModels } from '../memory/strategy.ts'
import { decide, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import type { Concluded } from './concluded.ts'

/** Null: whichever the vendor takes by itself. */
export function chooseModel(course: Course, id: WorkerId, agent: string): string | null {
  const { rules } = course.house.run
  const { nextModel: hint, tier: before, tries, smooth } = workerOf(course, id)
  const { strategy } = rules.model
  if (strategy === 'fixed') {
    const { model } = rules.agent
    if (hint !== null)
      decide(
        course,
        'model',
        'keep',
        `the agent asked for ${hint}, but the model is fixed${named(model)}`,
        id,
      )
    if (before !== null) patchWorker(course, id, { tier: null })
    return model
  }
  const own = tierFor(strategy, { tries, smooth })
  const chosen = hint === null ? own : { tier: hint, why: `the agent asked for it instead of ${own.tier}` }
  const model = modelsOf(course, agent)[chosen.tier]
  const changes = before !== null && before !== chosen.tier
  const why = `${strategy}: ${sayTier(chosen.tier, model)}, because ${chosen.why}`
  decide(course, 'model', changes ? 'change' : 'choose', why, id)
  patchWorker(course, id, { tier: chosen.tier })
  return model
}

function named(model: string | null): string {
  return model === null ? '' : ` (${model})`
}

const UNNAMED: TierModels = { light: null, medium: null, strong: null }

function modelsOf({ house }: Course, agent: string): TierModels {
  return house.run.rules.agent.models?.[agent] ?? UNNAMED
}

/** An iteration was made, whatever came of it. What its agent asks for holds for the next one only. */
export function visited(course: Course, id: WorkerId, { agent, reply }: Concluded): void {
  const { tries } = workerOf(course, id)
  const said = reply.told?.nextModel ?? null
  patchWorker(course, id, {
    tries: { ...tries, visits: tries.visits + 1, failing: false },
    nextModel: said === null ? null : readHint(said, modelsOf(course, agent)),
  })
}

/** A correction, where it asked for what there is not. */
export function hintTold(course: Course, { agent, reply }: Concluded): string[] {
  const said = reply.told?.nextModel ?? null
  return said === null || readHint(said, modelsOf(course, agent)) !== null ? [] : [hintProblem(said)]
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
