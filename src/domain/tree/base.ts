/** What completions are judged against: found when a run begins, and moved by what a person does while no agent works. */
import type { SeenTree } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import type { WorkerId } from '../ids.ts'
import { BASE_LOST, WHOLE_TREE } from '../proof/acceptance.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../state/context.ts'
import { completionGates } from '../completion/gates.ts'

/** Is there anything to judge, and is it to be judged by trial? */
export function isJudged(course: Course, id: WorkerId): boolean {
  return completionGates(course, id).length > 0 && course.house.run.rules.proof.level === 'full'
}

/** `since`: what was seen before this look, where a base was found already and only the room is not ready. */
export function findBase(course: Course, id: WorkerId, since: SeenTree | null): void {
  takeBase(course, id, { for: 'start', since: mayMoveBase(course, id) ? since : null })
}

/**
 * The files that changed since Ralph last looked are a person's, and the base has them as the person made them. Not where an agent may
 * have been at work: one that was never measured, or a process of its making that nobody could end.
 */
export function moveBase(course: Course, id: WorkerId, since: SeenTree): void {
  takeBase(course, id, { for: 'before', since })
}

export function mayMoveBase(course: Course, id: WorkerId): boolean {
  const { base, measured, orphaned } = workerOf(course, id)
  return base !== null && measured && !orphaned
}

function takeBase(
  course: Course,
  id: WorkerId,
  { for: why, since }: { for: 'start' | 'before'; since: SeenTree | null },
): void {
  const { base, seen } = workerOf(course, id)
  if (seen === null) throw new Error('a base is taken only after a look')
  const effect = ask(course, {
    type: 'take-base',
    worker: id,
    base,
    since: since === null ? null : { tree: since.tree, plan: since.plan },
    now: { tree: seen.tree, plan: seen.plan },
    gates: completionGates(course, id),
  })
  enter(course, id, { is: 'basing', effect, for: why })
}

/** Keeps what was found and says what a person should know of it. */
export function keepBase(course: Course, event: EventOf<'base-taken'>): void {
  const { worker: id, base, news } = event
  patchWorker(course, id, { base, roomKey: event.room })
  // That the tree as a whole was not accepted is between the person and Ralph: no agent could put it back.
  const rejected = news.rejected.filter((path) => path !== WHOLE_TREE)
  if (rejected.length > 0) {
    const { corrections } = workerOf(course, id)
    const tell = `A person did not accept your changes of ${rejected.slice(0, 8).join(', ')}. Put these back as they were and make the work pass with them.`
    patchWorker(course, id, { corrections: [...corrections, tell] })
  }
  const { phase } = workerOf(course, id)
  if (base.from === 'lost' && phase.is === 'basing' && phase.for === 'start') tellLost(course, id)
  for (const warning of news.warnings) decide(course, id, 'proof', 'note', warning)
  if (news.movedCount > 0) {
    const as = news.movedCount === 1 ? 'it as it is' : 'them as they are'
    decide(
      course,
      id,
      'proof',
      'base',
      `${named(news.moved, news.movedCount)} changed while no agent worked: a person's, and the work is judged by ${as} now`,
    )
  }
  if (news.inheritedCount > 0) {
    decide(
      course,
      id,
      'proof',
      'base',
      `${named(news.inherited, news.inheritedCount)} changed in earlier runs and ${news.inheritedCount === 1 ? 'is' : 'are'} not proven yet: judged with the work of this run`,
    )
  }
}

function tellLost(course: Course, id: WorkerId): void {
  decide(
    course,
    id,
    'proof',
    'note',
    `${BASE_LOST}: a claim is judged against the tree as it lies there, and holds only if you accept that (ralph accept, when you are asked; or at once: ralph verify, or ralph verify --since REF)`,
  )
}

function named(names: string[], count: number): string {
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
