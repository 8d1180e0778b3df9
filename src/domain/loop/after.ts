/** After an agent ended: settle, measure, commit, weigh; then prove or go on. */
import type { Change } from '../change.ts'
import type { EventOf } from '../event.ts'
import { footingAdvice } from '../footing.ts'
import type { Phase, Worker } from '../house.ts'
import type { WorkerId } from '../ids.ts'
import { withChange } from '../reply/analyze.ts'
import { isStuck } from '../reply/stuck.ts'
import type { Reply } from '../reply/reply.ts'
import { recordMove, type Moved } from './breaker.ts'
import { settle } from './budget.ts'
import { ask, decide, enter, patchRun, patchWorker, workerOf, type Course } from './course.ts'
import { describeDenial, isCompound } from './denial.ts'
import { weigh } from './exit.ts'
import { finish } from './finish.ts'
import { next, waitFor } from './next.ts'
import { prove } from './prove.ts'
import { backOff, isLimit, limitedUntil } from './usage-limit.ts'

/** The money is settled at once; whatever it did to the tree is looked at before anything is decided. */
export function afterAgent(course: Course, id: WorkerId, reply: Reply): void {
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'working') return
  const { run } = course.house
  const { agent } = worker.phase
  const bill = { usage: reply.usage, cutOff: reply.end === 'interrupted' }
  patchRun(course, { budget: settle(run.budget, run.rules.budget, id, bill) })
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'after',
    iteration: worker.iteration,
    since: worker.seen?.tree ?? null,
    sinceHead: worker.seen?.head ?? null,
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
  patchWorker(course, id, {
    seen: { tree: snapshot.tree, head: snapshot.head, fresh: true },
    boxes: event.boxes,
    nextBox: event.nextBox,
    deletions: deleted.length === 0 ? 0 : worker.deletions + 1,
  })
  if (deleted.length > 0)
    decide(
      course,
      'guard',
      'restore',
      `the agent deleted ${deleted.join(', ')}; put back from Ralph's own copy`,
    )
  const { rules, is } = course.house.run
  if (rules.loop.commit === 'iteration' && change.files > 0 && is !== 'stopping' && snapshot.busy === null) {
    const message = commitMessage(worker.iteration, phase.reply)
    const effect = ask(course, { type: 'commit', worker: id, iteration: worker.iteration, message })
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
  conclude(course, id, { agent: phase.agent, reply: phase.reply, change, ticked, deleted })
}

function commitMessage(iteration: number, reply: Reply): string {
  const summary = reply.signals.summary.trim()
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
    decide(course, 'loop', 'note', `${what}: ${event.problem}`)
  }
  if (event.sha !== null && worker.seen !== null)
    patchWorker(course, event.worker, { seen: { ...worker.seen, head: event.sha } })
  const { agent, reply, change, ticked, deleted } = worker.phase
  conclude(course, event.worker, { agent, reply, change, ticked, deleted })
}

interface Concluded {
  agent: string
  reply: Reply
  change: Change
  ticked: boolean
  /** Control files it deleted. */
  deleted: string[]
}

/** Once may be an accident; an agent that deletes its own instructions twice in a row needs a person. */
const DELETIONS = 2

/** What the iteration amounts to: a limit, a failure, or work to be weighed. */
function conclude(course: Course, id: WorkerId, done: Concluded): void {
  const { reply } = done
  if (course.house.run.is === 'stopping') return next(course, id)
  if (reply.end === 'over-budget') return next(course, id)
  if (reply.failure !== null && isLimit(reply.failure.kind) && reply.end !== 'success')
    return limited(course, id, done)
  const worker = workerOf(course, id)
  patchWorker(course, id, { counted: worker.counted + 1 })
  if (worker.deletions >= DELETIONS) {
    const why = `the agent deleted ${done.deleted.join(', ')} in ${worker.deletions} iterations in a row`
    return finish(course, id, { is: 'files_deleted', why })
  }
  if (reply.end === 'interrupted') {
    decide(course, 'retry', 'repeat', `iteration ${worker.iteration} was cut off; what it changed stays`)
    patchWorker(course, id, { conversation: null })
    return next(course, id)
  }
  const worked = reply.end === 'success' || (reply.end === 'timed-out' && done.change.files > 0)
  if (worked) return weighWork(course, id, done)
  failed(course, id, done)
}

/** A usage limit is nobody's fault and no attempt: the agent rests until its reset and the next one in the order takes over. */
function limited(course: Course, id: WorkerId, done: Concluded): void {
  const { failure } = done.reply
  if (failure === null) return
  const { run } = course.house
  const failures = workerOf(course, id).failures + 1
  const resets = failure.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt }
  const until = limitedUntil({ kind: failure.kind, failures, ...resets }, run.rules.retry, course.now.at)
  const announced = failure.resetsAt === until ? 'as announced' : 'no reset was announced'
  decide(
    course,
    'limit',
    'rest',
    `${done.agent} is at its limit (${failure.message}) and rests, ${announced}`,
  )
  patchRun(course, { limited: { ...run.limited, [done.agent]: until } })
  patchWorker(course, id, { failures })
  const other = run.rules.agent.order.find(
    (name) => name !== done.agent && (course.house.run.limited[name] ?? 0) <= course.now.at,
  )
  if (other !== undefined) decide(course, 'agent', 'switch', `${other} takes over while ${done.agent} rests`)
  next(course, id)
}

function failed(course: Course, id: WorkerId, done: Concluded): void {
  const { reply, agent } = done
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const kind = reply.failure?.kind ?? (reply.end === 'silent' ? 'timeout' : 'unknown')
  const why = `${agent}: ${reply.failure?.message ?? describeEnd(reply)}`
  if (kind === 'authentication' || kind === 'missing') {
    const others = rules.agent.order.filter((name) => name !== agent)
    if (others.length === 0) return finish(course, id, { is: 'agent_unusable', why })
    decide(course, 'agent', 'switch', `${why}; ${others.join(', ')} goes on`)
    patchRun(course, { rules: { ...rules, agent: { ...rules.agent, order: others } } })
    patchWorker(course, id, { conversation: null })
    return next(course, id)
  }
  const failures = worker.failures + 1
  const moved: Moved = {
    progress: done.change.files > 0,
    question: true,
    error: true,
    denied: false,
    declined: false,
  }
  // A resumed context may be what poisoned the call, so a failed one is never resumed.
  patchWorker(course, id, {
    failures,
    conversation: null,
    previous: `It failed: ${reply.failure?.message ?? describeEnd(reply)}`.slice(0, 200),
  })
  if (kind === 'bad-conversation' && worker.conversation !== null) {
    decide(course, 'retry', 'fresh', `${why}; a fresh conversation is begun`)
    return next(course, id)
  }
  // Silence is a lack of progress as well; an API error says nothing about the work.
  moveBreaker(course, id, { ...moved, question: reply.end !== 'silent' && reply.end !== 'timed-out' })
  if (workerOf(course, id).breaker.is === 'open') return next(course, id)
  const delay = backOff(failures, rules.retry)
  decide(course, 'retry', 'wait', `${why}; trying again in ${Math.round(delay / 1000)} s`)
  waitFor(course, id, delay, why)
}

function describeEnd(reply: Reply): string {
  if (reply.end === 'silent') return 'no output until the idle limit'
  if (reply.end === 'timed-out') return 'the time limit passed and nothing had changed'
  return 'it ended without saying why'
}

/** The agent worked: its words, its boxes and its measured change decide what comes next. */
function weighWork(course: Course, id: WorkerId, done: Concluded): void {
  const { reply, change } = done
  const signals = withChange(reply.signals, change.files > 0)
  const { rules } = course.house.run
  const worker = workerOf(course, id)
  const real = reply.denials.filter((denial) => !isCompound(denial, rules.agent.tools))
  for (const denial of reply.denials) {
    if (!real.includes(denial))
      decide(
        course,
        'exit',
        'warn',
        `${describeDenial(denial)} was denied as a compound command; each part is allowed`,
      )
  }
  const weighed = weigh(
    worker.tally,
    { signals, denials: real, boxes: worker.boxes, gates: rules.gates.length > 0 },
    rules.exit,
  )
  const stuck = isStuck(reply.signals.errors, [worker.lastErrors])
  const declined = isDecline(worker.lastLength, reply.textLength, rules.breaker.outputDecline)
  const progress = change.files > 0 || change.commits.length > 0 || done.ticked
  patchWorker(course, id, {
    failures: 0,
    tally: weighed.tally,
    refusals: weighed.claimed ? worker.refusals : 0,
    previous: reply.signals.summary.slice(0, 200) || null,
    corrections: corrections(done, weighed.refused, worker, real),
    lastErrors: reply.signals.errors,
    lastLength: reply.textLength,
    conversation: conversationAfter(course, id, done),
  })
  const accepted = weighed.exit !== null
  moveBreaker(course, id, {
    progress: progress || accepted,
    question: reply.signals.questions > 0,
    error: stuck,
    denied: real.length > 0 && rules.exit.denial !== 'continue',
    declined,
  })
  if (weighed.exit !== null) return prove(course, id, weighed.exit)
  if (weighed.refused !== null) decide(course, 'proof', 'refuse', weighed.refused)
  else decide(course, 'loop', 'go-on', reasonToGoOn(done, progress))
  pauseOrNext(course, id)
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

function corrections(
  done: Concluded,
  refused: string | null,
  { nextBox, footing }: Pick<Worker, 'nextBox' | 'footing'>,
  denied: Reply['denials'],
): string[] {
  const { reply, deleted } = done
  const list: string[] = []
  const advice = footing === null ? null : footingAdvice(footing)
  if (advice !== null) list.push(advice)
  if (deleted.length > 0)
    list.push(
      `You deleted ${deleted.join(', ')}, which belong to this loop. They were put back; leave them alone.`,
    )
  if (refused !== null)
    list.push(`${refused}. Do the open ones first${nextBox === null ? '' : `, next: ${nextBox}`}.`)
  if (reply.signals.questions > 0) {
    list.push(
      'You asked a question. Nobody will answer: choose the most conservative option, note it in the plan, and go on.',
    )
  }
  for (const denial of denied) list.push(`${describeDenial(denial)} is not allowed; find another way.`)
  return list.slice(0, 4)
}

function conversationAfter(
  course: Course,
  id: WorkerId,
  done: Concluded,
): ReturnType<typeof workerOf>['conversation'] {
  const before = workerOf(course, id).conversation
  const { reply, agent } = done
  // What led an agent to delete its own instructions must not be gone on with.
  if (done.deleted.length > 0) return null
  if (reply.conversation === null) return before?.agent === agent ? before : null
  return { agent, id: reply.conversation, usedAt: course.now.at, usage: reply.conversationUsage }
}

function isDecline(before: number | null, length: number, percent: number): boolean {
  return before !== null && before > 0 && percent > 0 && length < (before * (100 - percent)) / 100
}

function moveBreaker(course: Course, id: WorkerId, moved: Moved): void {
  const before = workerOf(course, id).breaker
  const breaker = recordMove(before, moved, course.house.run.rules.breaker, course.now.at)
  patchWorker(course, id, { breaker })
  if (breaker.is === before.is) return
  decide(course, 'breaker', breaker.is, breaker.is === 'closed' ? 'things move again' : breaker.reason)
  // What led into a dead end must not be gone on with.
  if (breaker.is === 'open') patchWorker(course, id, { conversation: null })
}
