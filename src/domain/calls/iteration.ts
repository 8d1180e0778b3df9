/**
 * One call that changes the project, from its start until it is weighed: agent → look → commit → knowledge. The same for every stage; what
 * differs between them is in `IterationOf`.
 */
import { settleCall } from './call.ts'
import { isAttempt } from '../admission/retry-policy.ts'
import { troubleIn } from './failure.ts'
import type { TreeHash, WorkerId } from '../ids.ts'
import { visited } from './choose-model.ts'
import type { Concluded } from './concluded.ts'
import { endIteration } from './end-iteration.ts'
import { footingAtCommit } from '../tree/branch-state.ts'
import { LAST_LOOK_MS, seenNow } from '../tree/seen.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import type { StageHandlers } from '../pipeline/stage.ts'
import type { Reply } from '../reply/reply.ts'
import type { EffectOf } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { finish } from '../pipeline/finish.ts'
import type { Phase, Worker } from '../state/state.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../state/context.ts'
import { taskOf } from '../state/job.ts'
import { isStopping, orderOf } from '../admission/order.ts'
import { lookedAfter, ownCommit } from '../tree/own-work.ts'
import { surveyAfter } from '../tree/look.ts'
import { failed, unattempted, type FailedCall } from './failed.ts'

/** What a stage makes of its calls. */
export interface IterationOf {
  /** The files that a call may change; no field: all. */
  writes?(worker: Worker): { writes?: string[] }
  /** What is committed of a measured change; null: nothing. */
  commit(
    course: Course,
    id: WorkerId,
    done: { reply: Reply; tree: TreeHash },
  ): Pick<EffectOf<'commit'>, 'message' | 'own'> | null
  /** What it changed is reverted as a whole, so nothing may be written meanwhile. */
  isReverted?(course: Course, id: WorkerId): boolean
  /** Knowledge was written, so files changed that are not the agent's. */
  afterKnowledge?(course: Course, id: WorkerId): void
  /** Whether there is something to weigh. */
  isWorked(done: Concluded): boolean
  weigh(course: Course, id: WorkerId, done: Concluded): void
  /** Nobody heard the end of the call. */
  cutOff(course: Course, id: WorkerId, done: Concluded): void
  /** The agent met a limit or an outage, or cannot be used at all. */
  notAttempted?(course: Course, id: WorkerId): void
  /** True: the stage has decided what follows; otherwise the breaker hears of it and the call is tried again. */
  afterFailure?(course: Course, id: WorkerId, call: FailedCall): boolean
}

/** What is done about the events of a call, from its end until it is weighed. */
export function iterationEvents(of: IterationOf): StageHandlers & Required<Pick<StageHandlers, 'surveyed'>> {
  return {
    'agent-ended': (course, event) => afterAgent(course, event.worker, event.reply, of),
    surveyed: (course, event) => afterSurvey(course, event, of),
    committed: (course, event) => afterCommit(course, event, of),
    'knowledge-kept': (course, event) => afterKept(course, event, of),
  }
}

/** The money is settled at once; whatever it did to the tree is looked at before anything is decided. */
function afterAgent(course: Course, id: WorkerId, reply: Reply, of: IterationOf): void {
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'working') return
  const { agent } = worker.phase
  settleCall(course, id, reply)
  const effect = surveyAfter(course, id, 'after', of.writes?.(worker))
  enter(course, id, { is: 'measuring', effect, agent, reply })
}

function afterSurvey(course: Course, event: EventOf<'surveyed'>, of: IterationOf): void {
  const { worker: id, snapshot } = event
  const { phase } = workerOf(course, id)
  if (phase.is !== 'measuring') return
  const change = event.change ?? { paths: [], files: 0, added: 0, removed: 0, commits: [] }
  const worker = workerOf(course, id)
  const ticked = (event.boxes?.done ?? 0) > (worker.boxes?.done ?? 0)
  const deleted = event.deleted ?? []
  lookedAfter(course, id, snapshot)
  patchWorker(course, id, {
    seen: seenNow(worker.seen, event),
    measured: true,
    boxes: event.boxes,
    nextBox: event.nextBox,
    deletions: deleted.length === 0 ? 0 : worker.deletions + 1,
  })
  if (deleted.length > 0)
    decide(
      course,
      id,
      'guard',
      'restore',
      `the agent deleted ${deleted.join(', ')}; put back from Ralph's own copy`,
    )
  const commits = course.house.run.rules.loop.commit === 'iteration'
  if (commits && change.files > 0 && snapshot.busy !== null)
    decide(course, id, 'loop', 'warn', `the changes are not committed, because ${snapshot.busy}`)
  const mayCommit = commits && change.files > 0 && snapshot.busy === null
  const commit = mayCommit ? of.commit(course, id, { reply: phase.reply, tree: snapshot.tree }) : null
  if (commit !== null) {
    const effect = ask(course, {
      type: 'commit',
      worker: id,
      iteration: worker.iteration,
      ...commit,
      ...(isStopping(course, id) ? { withinMs: LAST_LOOK_MS } : {}),
    })
    return enter(course, id, {
      is: 'committing',
      effect,
      agent: phase.agent,
      reply: phase.reply,
      change,
      ticked,
      deleted,
    })
  }
  remember(course, id, { agent: phase.agent, reply: phase.reply, change, ticked, deleted }, of)
}

function afterCommit(course: Course, event: EventOf<'committed'>, of: IterationOf): void {
  const worker = workerOf(course, event.worker)
  if (worker.phase.is !== 'committing') return
  if (event.problem !== null) {
    const what =
      event.sha === null
        ? 'the commit failed and the changes stay in the tree'
        : 'the commit left something out'
    decide(course, event.worker, 'loop', 'note', `${what}: ${event.problem}`)
  }
  if (event.sha !== null) ownCommit(course, event.worker, event.sha)
  if (event.sha !== null && worker.seen !== null)
    patchWorker(course, event.worker, {
      seen: { ...worker.seen, head: event.sha, uncommitted: 0, uncommittedPaths: [] },
      footing: footingAtCommit(worker.footing, event.sha),
    })
  remember(course, event.worker, doneIn(worker.phase), of)
}

/** What it learnt is written down whatever becomes of the iteration: a task that failed is where most is learnt. */
function remember(course: Course, id: WorkerId, done: Concluded, of: IterationOf): void {
  const { told } = done.reply
  if (told.knowledge.length === 0) return conclude(course, id, done, of)
  // What is put back is put back as a whole: what was written meanwhile would go with it.
  if (of.isReverted?.(course, id) === true) return conclude(course, id, withProblems(done, [NOT_KEPT]), of)
  const worker = workerOf(course, id)
  const task = taskOf(worker)?.task
  const effect = ask(course, {
    type: 'keep-knowledge',
    worker: id,
    iteration: worker.iteration,
    said: told.knowledge,
    ...(task === undefined ? {} : { task }),
  })
  // The effect has the words; kept twice they would crowd the state.
  const reply = { ...done.reply, told: { ...told, knowledge: [] } }
  enter(course, id, { is: 'remembering', effect, ...done, reply })
}

/** What could not be kept is told to the agent with everything else that was wrong about what it told. */
function afterKept(course: Course, event: EventOf<'knowledge-kept'>, of: IterationOf): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is !== 'remembering') return
  const problems = event.refused.map((why) => `This was not kept as knowledge: ${why}.`)
  of.afterKnowledge?.(course, event.worker)
  conclude(course, event.worker, withProblems(doneIn(phase), problems), of)
}

const NOT_KEPT =
  'What you told as knowledge was not kept, because files changed that are none of yours: tell it again.'

function withProblems(done: Concluded, problems: string[]): Concluded {
  const { told } = done.reply
  return { ...done, reply: { ...done.reply, told: { ...told, problems: [...told.problems, ...problems] } } }
}

/** Nothing of the work depends on it. */
export function notKept(course: Course, id: WorkerId, of: IterationOf): void {
  const { phase } = workerOf(course, id)
  if (phase.is === 'remembering') conclude(course, id, doneIn(phase), of)
}

function doneIn({
  agent,
  reply,
  change,
  ticked,
  deleted,
}: Extract<Phase, { is: 'committing' | 'remembering' }>): Concluded {
  return { agent, reply, change, ticked, deleted }
}

/** Once may be an accident; an agent that deletes its own instructions twice in a row needs a person. */
const DELETIONS = 2

/** What the iteration amounts to: a limit, a failure, or work to be weighed. */
function conclude(course: Course, id: WorkerId, done: Concluded, of: IterationOf): void {
  const { reply } = done
  const order = orderOf(course, id)
  if (order.is === 'stop' || order.is === 'drop') {
    endIteration(course, id, 'stopped', order.why)
    return proceed(course, id)
  }
  if (reply.end === 'over-budget') {
    endIteration(course, id, 'over-budget', 'the budget is spent')
    return proceed(course, id)
  }
  const worked = of.isWorked(done)
  const trouble = troubleIn(reply, { worked })
  if (trouble !== null && !isAttempt(trouble.remedy)) {
    of.notAttempted?.(course, id)
    return unattempted(course, id, done, trouble)
  }
  const worker = workerOf(course, id)
  patchWorker(course, id, { counted: worker.counted + 1 })
  if (worker.deletions >= DELETIONS) {
    const why = `the agent deleted ${done.deleted.join(', ')} in ${worker.deletions} iterations in a row`
    endIteration(course, id, 'halted', why)
    return finish(course, id, { is: 'files_deleted', why })
  }
  if (reply.end === 'interrupted') return of.cutOff(course, id, done)
  visited(course, id, done)
  if (!worked) return failed(course, id, done, of)
  of.weigh(course, id, done)
}
