/** Before the first iteration: what judges the work is noted, and each gate runs once, so that nobody is blamed for old failures. */
import type { EventOf } from '../event.ts'
import type { WorkerId } from '../ids.ts'
import type { Evidence, Gate } from '../proof/evidence.ts'
import { passed } from '../proof/verdict.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from './course.ts'
import { completionGates } from './gates.ts'
import { planComplete } from './exit.ts'
import { next } from './next.ts'
import { prove } from './prove.ts'

/** Begins the preparation, or goes straight to the first iteration where there is nothing to judge with. */
export function prepare(course: Course, id: WorkerId): void {
  const gates = completionGates(course)
  const { seen } = workerOf(course, id)
  if (gates.length === 0 || seen === null || course.house.run.is !== 'going') return begin(course, id)
  const { protect } = course.house.run.rules.proof
  const effect = ask(course, {
    type: 'guard',
    worker: id,
    do: 'take',
    tree: seen.tree,
    base: null,
    gates,
    protect,
  })
  enter(course, id, { is: 'guarding', effect })
}

export function guardTaken(course: Course, event: EventOf<'guard-taken'>): void {
  const { worker: id } = event
  patchWorker(course, id, { guard: event.base })
  for (const warning of event.warnings) decide(course, 'proof', 'note', warning)
  const gates = completionGates(course)
  if (course.house.run.rules.proof.baseline === 'off') return begin(course, id)
  runNext(course, id, gates)
}

function runNext(course: Course, id: WorkerId, gates: Gate[]): void {
  const [gate, ...left] = gates
  if (gate === undefined || course.house.run.is !== 'going') return begin(course, id)
  const { seen } = workerOf(course, id)
  const effect = ask(course, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration: 0,
    tree: seen?.tree ?? null,
    purpose: 'baseline',
    old: null,
    guarded: '',
  })
  enter(course, id, { is: 'baselining', effect, left: left.map((one) => one.name) })
}

/** A plan that is complete before the first iteration only has to be proven. */
function begin(course: Course, id: WorkerId): void {
  const { boxes, iteration } = workerOf(course, id)
  if (
    iteration > 0 ||
    !planComplete(boxes) ||
    course.house.run.is !== 'going' ||
    completionGates(course).length === 0
  ) {
    return next(course, id)
  }
  prove(course, id, { is: 'plan_complete', why: 'every box of the plan is ticked already' })
}

export function afterBaseline(course: Course, id: WorkerId, evidence: Evidence): void {
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'baselining') return
  const { left } = worker.phase
  const seen = worker.seen === null ? null : { ...worker.seen, tree: evidence.tree }
  patchWorker(course, id, {
    seen,
    baseline: {
      ...worker.baseline,
      [evidence.gate]: { passed: passed(evidence), failing: evidence.failing },
    },
  })
  const state = passed(evidence) ? 'passes' : evidence.timedOut ? 'does not end in time' : 'fails'
  decide(course, 'proof', 'baseline', `gate ${evidence.gate} ${state} before the first iteration`)
  runNext(
    course,
    id,
    completionGates(course).filter((gate) => left.includes(gate.name)),
  )
}
