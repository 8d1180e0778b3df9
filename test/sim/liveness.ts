/** Not only that nothing forbidden happens: what should follow follows. */
import type { WorkerId } from '../../src/core/ids.ts'
import { TIERS } from '../../src/core/models/model-strategy.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { RunState } from '../../src/core/state/state.ts'
import type { Row } from '../../src/core/state/row.ts'
import { fail } from './invariant-rules.ts'

export interface LivenessChecker {
  take(row: Row, before: RunState | null, after: RunState, ignored: boolean): void
}

export function openLivenessChecker(): LivenessChecker {
  /** Completions that were refused, and the agent has not been told yet. */
  const unrecorded = new Map<WorkerId, string>()

  return {
    take(row, before, after, ignored) {
      for (const effect of row.effects) {
        if (effect.type !== 'run-agent' || effect.role !== 'work') continue
        told(effect)
        chosen(effect, row, { before, after })
      }
      steered(row, after)
      refused(row, after)
      // What comes next is another task's, or another try of it by somebody else.
      if (row.event.type === 'task-finished') unrecorded.delete(row.event.worker)
      if (before !== null && !ignored) takenUp(row, before, after)
    },
  }

  function refused({ event, decisions }: Row, after: RunState): void {
    if (!('worker' in event) || after.workers[event.worker]?.phase.is === 'finished') return
    const refusal = decisions.findLast(({ by, what }) => by === 'proof' && what === 'refuse')
    if (refusal !== undefined) unrecorded.set(event.worker, refusal.why)
  }

  /** The prompt after a refusal gives its reason. */
  function told({ id, worker, context }: EffectOf<'run-agent'>): void {
    const why = unrecorded.get(worker)
    if (why === undefined) return
    const isTold = context.corrections.some(
      (one) => one.startsWith('Ralph rejected your completion.') || one.startsWith(why),
    )
    if (!isTold) fail(17, `${id} is not told that its completion was refused: ${why}`)
    unrecorded.delete(worker)
  }

  /** A model that is chosen says why; what is fixed stays, and escalation does not fall within a job. */
  function chosen(
    { id, worker, agent, how }: EffectOf<'run-agent'>,
    { decisions }: Row,
    { before, after }: { before: RunState | null; after: RunState },
  ): void {
    const {
      agent: rules,
      model: { strategy },
    } = after.run.rules
    const said = decisions.filter((one) => one.by === 'model' && one.worker === worker)
    const { tier = null } = after.workers[worker] ?? {}
    if (strategy === 'fixed' && how.model !== rules.model)
      fail(23, `${id} has ${how.model}, and ${rules.model} is fixed`)
    if (strategy === 'fixed') return
    if (said.length !== 1) fail(23, `${id} has a model that nobody gave a reason for`)
    if (tier === null || how.model !== (rules.models?.[agent]?.[tier] ?? null))
      fail(23, `${id} has ${how.model}, and ${tier} was chosen`)
    const was = before?.workers[worker]
    if (strategy !== 'escalate' || was === undefined || was.nextModel !== null) return
    const least = was.tries.stuck || was.tries.failed > 1 ? 2 : was.tries.failed
    if (TIERS.indexOf(tier) < least) fail(23, `${id} has ${tier} after ${was.tries.failed} failed visits`)
  }

  /** What is said to be applied stands in the work prompt of that row, and nothing that was said is lost on the way there. */
  function steered({ effects, decisions }: Row, after: RunState): void {
    const applied = decisions.filter(({ by, what }) => by === 'steer' && what === 'apply')
    const prompts = effects.filter((effect) => effect.type === 'run-agent' && effect.role === 'work')
    const carried = prompts.flatMap((effect) => (effect.type === 'run-agent' ? effect.context.steering : []))
    if (applied.length !== carried.length)
      fail(17, `${applied.length} texts are said to be applied, and ${carried.length} stand in a work prompt`)
    for (const text of carried)
      if (!applied.some(({ why }) => why.endsWith(text))) fail(17, `nobody says that it is applied: ${text}`)
    if (prompts.some(({ worker }) => after.workers[worker]?.steering.some(({ told }) => told !== true)))
      fail(17, 'a work prompt was sent without what a person had said before')
  }

  /** Whoever was paused goes on with the run; whoever waited does not wait for the same again. */
  function takenUp({ event }: Row, before: RunState, after: RunState): void {
    // Of one worker alone only that one is woken; after a crash each stands where it stood.
    const resumed =
      (event.type === 'run-resumed' && before.run.is !== 'going') ||
      (event.type === 'request-received' && event.request.do === 'resume' && event.request.to === undefined)
    for (const { id, phase } of Object.values(after.workers)) {
      const was = before.workers[id]?.phase
      if (resumed && after.run.is === 'going' && phase.is === 'paused' && was?.is === 'paused')
        fail(17, `the run was resumed and worker ${id} stays paused: ${phase.why}`)
      if (event.type === 'wait-ended' && was?.is === 'waiting' && was.effect === event.effect && phase === was)
        fail(17, `the wait of worker ${id} is over and nothing follows`)
    }
  }
}
