/** After an agent ended: settle, measure, commit, weigh; then prove or go on. */
import type { EffectOf } from '../run/effect.ts'
import type { EventOf } from '../run/event.ts'
import type { IterationOutcome } from '../run/decision.ts'
import { footingAtCommit } from './footing.ts'
import type { Completion, Phase, Worker } from '../run/house.ts'
import type { TreeHash, WorkerId } from '../ids.ts'
import { withChange } from '../reply/analyze.ts'
import { draftWrites } from '../draft/draft-asked.ts'
import { isAstray, lookAnew } from '../draft/clear.ts'
import { weighCut, weighDraft } from '../draft/weigh-draft.ts'
import { isStuck } from '../reply/stuck.ts'
import type { Reply } from '../reply/reply.ts'
import { readTaskWord } from '../reply/task-word.ts'
import { settleCall } from '../call/call.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { hasMoved } from './change.ts'
import { cameToNothing, gotFurther, hintTold, visited } from './choose-model.ts'
import {
  conversationAfter,
  corrections,
  denialsOf,
  tagProblems,
  unheard,
  wordWithoutTask,
  type Concluded,
} from './concluded.ts'
import { describeDenial, describeDenials, firstWord } from './denial.ts'
import { endIteration } from './end-iteration.ts'
import { weigh, type Weighed } from './exit.ts'
import { answered, troubleIn } from '../call/trouble.ts'
import { failed, unattempted } from './failed.ts'
import { finish } from '../run/finish.ts'
import { moveBreaker } from './move-breaker.ts'
import { next } from './next.ts'
import { isLeftOver } from '../worker/job.ts'
import { isStopping, orderOf } from '../worker/order.ts'
import { lookedAfter, ownCommit } from '../worker/own-work.ts'
import { waitFor } from '../worker/wait.ts'
import { gave } from '../worker/gave.ts'
import { isComplete } from '../run/outcome.ts'
import type { TaskId } from '../task/task.ts'
import { clip } from '../text/text.ts'
import { isAttempt } from '../call/remedy.ts'
import { LAST_LOOK_MS, seenNow } from './seen.ts'
import { weighTask } from './weigh-task.ts'

/** The money is settled at once; whatever it did to the tree is looked at before anything is decided. */
export function afterAgent(course: Course, id: WorkerId, reply: Reply): void {
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'working') return
  const { agent } = worker.phase
  settleCall(course, id, reply)
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'after',
    iteration: worker.iteration,
    since: worker.seen?.tree ?? null,
    sinceHead: worker.seen?.head ?? null,
    ...draftWrites(worker),
    ...(isStopping(course, id) ? { withinMs: LAST_LOOK_MS } : {}),
  })
  enter(course, id, { is: 'measuring', effect, agent, reply })
}

export function afterSurvey(
  course: Course,
  event: EventOf<'surveyed'>,
  phase: Extract<Phase, { is: 'measuring' }>,
): void {
  const { worker: id, snapshot } = event
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
  if (commits && change.files > 0 && isKept(course, id) && snapshot.busy === null) {
    const effect = ask(course, {
      type: 'commit',
      worker: id,
      iteration: worker.iteration,
      message: commitMessage(worker, phase.reply),
      ...ownFiles(worker, snapshot.tree),
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
  remember(course, id, { agent: phase.agent, reply: phase.reply, change, ticked, deleted })
}

/**
 * Whoever stops a loop finds its files as the agent left them. Those of a task are committed all the same, or they would be in the commit
 * of whichever task comes next; but not where they are put back, as all that a draft changes is.
 */
function isKept(course: Course, id: WorkerId): boolean {
  const { job } = workerOf(course, id)
  if (job.is === 'draft') return false
  return job.is === 'task' ? job.drop === null || !isLeftOver(job.drop) : !isStopping(course, id)
}

/** What lay in the tree before a task is no work of it, and in no commit of it as long as it leaves it alone. */
function ownFiles({ job }: Worker, to: TreeHash): Pick<EffectOf<'commit'>, 'own'> {
  return job.is === 'task' && job.own !== null ? { own: { from: job.own.before.tree, to } } : {}
}

/** The commits of a task are found again by its trailer. */
function commitMessage({ iteration, job }: Worker, reply: Reply): string {
  const summary = reply.signals.summary.trim()
  if (job.is === 'task') return `${clip(job.title, 72)}\n\n${clip(summary, 500)}\n\nRalph-Task: ${job.task}\n`
  return summary === ''
    ? `ralph: iteration ${iteration}`
    : `ralph: iteration ${iteration}: ${summary.slice(0, 72)}`
}

export function afterCommit(course: Course, event: EventOf<'committed'>): void {
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
  const { agent, reply, change, ticked, deleted } = worker.phase
  remember(course, event.worker, { agent, reply, change, ticked, deleted })
}

/** What it learnt is written down whatever becomes of the iteration: a task that failed is where most is learnt. */
function remember(course: Course, id: WorkerId, done: Concluded): void {
  const { told } = done.reply
  if (told.knowledge.length === 0) return conclude(course, id, done)
  // What is put back is put back as a whole: what was written meanwhile would go with it.
  if (isAstray(course, id)) return conclude(course, id, withProblems(done, [NOT_KEPT]))
  const { iteration, job } = workerOf(course, id)
  const effect = ask(course, {
    type: 'keep-knowledge',
    worker: id,
    iteration,
    said: told.knowledge,
    ...(job.is === 'task' ? { task: job.task } : {}),
  })
  // The effect has the words; kept twice they would crowd the state.
  const reply = { ...done.reply, told: { ...told, knowledge: [] } }
  enter(course, id, { is: 'remembering', effect, ...done, reply })
}

/** What could not be kept is told to the agent with everything else that was wrong about what it told. */
export function afterKept(course: Course, event: EventOf<'knowledge-kept'>): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is !== 'remembering') return
  const { agent, reply, change, ticked, deleted } = phase
  const problems = event.refused.map((why) => `This was not kept as knowledge: ${why}.`)
  lookAnew(course, event.worker)
  conclude(course, event.worker, withProblems({ agent, reply, change, ticked, deleted }, problems))
}

const NOT_KEPT =
  'What you told as knowledge was not kept, because files changed that are none of yours: tell it again.'

function withProblems(done: Concluded, problems: string[]): Concluded {
  const { told } = done.reply
  return { ...done, reply: { ...done.reply, told: { ...told, problems: [...told.problems, ...problems] } } }
}

/** Nothing of the work depends on it. */
export function notKept(course: Course, id: WorkerId): void {
  const { phase } = workerOf(course, id)
  if (phase.is !== 'remembering') return
  const { agent, reply, change, ticked, deleted } = phase
  conclude(course, id, { agent, reply, change, ticked, deleted })
}

/** Once may be an accident; an agent that deletes its own instructions twice in a row needs a person. */
const DELETIONS = 2

/** What the iteration amounts to: a limit, a failure, or work to be weighed. */
function conclude(course: Course, id: WorkerId, done: Concluded): void {
  const { reply } = done
  const order = orderOf(course, id)
  if (order.is === 'stop' || order.is === 'drop') {
    endIteration(course, id, 'stopped', order.why)
    return next(course, id)
  }
  if (reply.end === 'over-budget') {
    endIteration(course, id, 'over-budget', 'the budget is spent')
    return next(course, id)
  }
  // A paper is looked at as whole only if its turn ended; of work it is enough that there is some.
  const isDraft = workerOf(course, id).job.is === 'draft'
  const worked = reply.end === 'success' || (reply.end === 'timed-out' && done.change.files > 0 && !isDraft)
  const trouble = troubleIn(reply, { worked })
  if (trouble !== null && !isAttempt(trouble.remedy)) return unattempted(course, id, done, trouble)
  const worker = workerOf(course, id)
  patchWorker(course, id, { counted: worker.counted + 1 })
  if (worker.deletions >= DELETIONS) {
    const why = `the agent deleted ${done.deleted.join(', ')} in ${worker.deletions} iterations in a row`
    endIteration(course, id, 'halted', why)
    return finish(course, id, { is: 'files_deleted', why })
  }
  if (reply.end === 'interrupted') return cutOff(course, id, done)
  visited(course, id, done)
  if (!worked) return failed(course, id, done)
  if (worker.job.is === 'task') return weighTask(course, id, { ...done, job: worker.job })
  if (worker.job.is === 'draft') return weighDraft(course, id, { ...done, job: worker.job })
  weighWork(course, id, done)
}

/**
 * It comes again, unless it was acknowledged to the agent what became of its task: then that is weighed as if it had ended. Only calls
 * say that: of a reply that was cut off, its words are not kept as told.
 */
function cutOff(course: Course, id: WorkerId, done: Concluded): void {
  const { iteration, job } = workerOf(course, id)
  patchWorker(course, id, { conversation: null })
  if (job.is === 'task' && readTaskWord(done.reply, job.task).is !== 'none') {
    const why = `iteration ${iteration} was cut off after it had told what became of ${job.task}`
    decide(course, id, 'task', 'told', why)
    visited(course, id, done)
    return weighTask(course, id, { ...done, reply: { ...done.reply, conversation: null }, job })
  }
  endIteration(course, id, 'interrupted', `iteration ${iteration} was cut off; what it changed stays`)
  if (job.is === 'draft') return weighCut(course, id)
  next(course, id)
}

/** The agent worked: its words, its boxes and its measured change decide what comes next. */
function weighWork(course: Course, id: WorkerId, done: Concluded): void {
  const { reply, change } = done
  const signals = withChange(reply.signals, change.files > 0)
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const { joined, real } = denialsOf(reply, rules.agent.tools)
  for (const denial of joined)
    decide(
      course,
      id,
      'exit',
      'warn',
      `${describeDenial(denial)} was denied as a joined line, although ${firstWord(denial.command ?? '')} is on the tool list; the run goes on`,
    )
  const progress = hasMoved(change, done.ticked)
  const facts = {
    signals,
    denials: real,
    allow: reply.allow,
    boxes: worker.boxes,
    gates: rules.gates.length > 0,
    moved: progress,
  }
  const weighed = weigh(worker.tally, facts, rules.exit)
  endIteration(course, id, ...outcomeOf(done, weighed, progress))
  const stuck = isStuck(reply.signals.errors, [worker.lastErrors])
  const declined = isDecline(worker.lastLength, reply.textLength, rules.breaker.outputDecline)
  patchWorker(course, id, {
    failures: 0,
    steering: unheard(worker),
    tally: weighed.tally,
    refusals: weighed.claimed ? worker.refusals : 0,
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: [
      ...corrections(done, weighed.refused, worker, { joined, denied: real, tools: rules.agent.tools }),
      ...hintTold(course, done),
      ...tagProblems(reply),
      ...wordWithoutTask(reply),
    ],
    lastErrors: reply.signals.errors,
    lastLength: reply.textLength,
    conversation: conversationAfter(course, id, done),
  })
  answered(course, done.agent)
  const accepted = weighed.exit !== null
  const blocked = reply.signals.block?.status === 'BLOCKED'
  moveBreaker(course, id, {
    progress: progress || accepted,
    question: reply.signals.questions > 0,
    error: stuck,
    said: real.length > 0 ? describeDenials(real) : (reply.signals.errors[0] ?? ''),
    // Where the first denial ends the run, a person has decided before the next.
    denied: real.length > 0 && rules.exit.denial === 'threshold',
    allow: reply.allow,
    declined,
  })
  if (weighed.exit !== null) return claim(course, id, weighed.exit)
  const isJobStuck = stuck || blocked || workerOf(course, id).breaker.is === 'open'
  // Nothing changed and nothing claimed is nothing as well: a breaker would end the run before another model has tried.
  const isBarren = weighed.refused !== null || !(progress || weighed.claimed)
  if (isJobStuck || isBarren) cameToNothing(course, id, { stuck: isJobStuck })
  else if (progress) gotFurther(course, id)
  if (weighed.refused !== null) decide(course, id, 'proof', 'refuse', weighed.refused)
  pauseOrNext(course, id)
}

function outcomeOf(
  done: Concluded,
  { exit, refused }: Weighed,
  progress: boolean,
): [IterationOutcome, string] {
  if (exit !== null) return [isComplete(exit.is) ? 'claimed' : 'halted', exit.why]
  if (refused !== null) return ['rejected', refused]
  return [progress ? 'progress' : 'no-progress', reasonToGoOn(done, progress)]
}

/** The agent says that it is done, or what it did ends the work otherwise. */
function claim(course: Course, id: WorkerId, completion: Completion): void {
  if (isComplete(completion.is)) return gave(course, id, 'PASS', { completion })
  gave(course, id, 'FAIL', { ending: completion })
}

function pauseOrNext(course: Course, id: WorkerId): void {
  const { pauseMs } = course.house.run.rules.loop
  if (pauseMs > 0 && workerOf(course, id).breaker.is !== 'open')
    return waitFor(course, id, pauseMs, 'the pause between two iterations')
  next(course, id)
}

function reasonToGoOn(done: Concluded, progress: boolean): string {
  const { block } = done.reply.signals
  if (!progress) return 'nothing changed and completion was not claimed'
  if (block?.status === 'BLOCKED')
    return `the agent says it is blocked: ${block.recommendation ?? 'no reason given'}`
  return done.ticked ? 'boxes were ticked and work remains' : 'work was done and completion was not claimed'
}

function isDecline(before: number | null, length: number, percent: number): boolean {
  return before !== null && before > 0 && percent > 0 && length < (before * (100 - percent)) / 100
}
