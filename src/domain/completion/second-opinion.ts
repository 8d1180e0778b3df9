/**
 * A second agent's word on a completion that holds so far: it can veto, never overrule a red gate. It reads only, and is asked last.
 *
 * The completion is held until it has spoken. Its call goes the way of every call (`call/call.ts`): an agent at its limit is waited for, or
 * another one is asked. Whatever happens to the tree meanwhile, the completion is judged anew then (`iteration/go-on.ts`).
 */
import type { EventOf } from '../run/event.ts'
import type { Completion, OpinionHeard } from '../run/house.ts'
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import { readOpinion } from '../proof/opinion.ts'
import type { Reply } from '../reply/reply.ts'
import { callNumber, go, limitsOf, settleCall, wayTo } from '../call/call.ts'
import { isAttempt } from '../call/remedy.ts'
import { answered, setAside, troubleIn } from '../call/trouble.ts'
import { isGoing, isStopping } from '../worker/order.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import type { Ending } from '../run/finish.ts'
import { gave } from '../worker/gave.ts'
import { next } from '../iteration/next.ts'
import { LAST_LOOK_MS, seenNow } from '../iteration/seen.ts'
import { lookedAfter } from '../worker/own-work.ts'
import { taskAsked } from '../worker/task-asked.ts'
import { completionGates } from './gates.ts'
import { putReaderBack, type OpinionRead } from './reader-back.ts'
import { notHeard, readers } from './readers.ts'
import { refuse } from './refuse.ts'

/** Ends the run as it is to end, or asks the second agent first. */
export function lastWord(course: Course, id: WorkerId, completion: Completion, unless: Ending): void {
  if (readers(course, id).length === 0) return accept(course, id, unless)
  const judged = completionGates(course, id).length > 0
  const tree = judged ? (workerOf(course, id).seen?.tree ?? '') : null
  patchWorker(course, id, { held: { completion, unless, tree, failures: 0 } })
  // It is looked at once more, and then the reader is asked (`iteration/go-on.ts`).
  next(course, id)
}

export function accept(course: Course, id: WorkerId, ending: Ending): void {
  decide(course, id, 'proof', ending.acceptance === undefined ? 'accept' : 'ask', ending.why)
  gave(course, id, 'PASS', { ending })
}

export function askOpinion(course: Course, id: WorkerId): void {
  // Nobody is paid any more in a run that is to rest: the completion waits.
  if (!isGoing(course, id)) return next(course, id)
  go(course, id, 'opinion', wayTo(course, readers(course, id)))
}

/** Admitted: the call is counted, the second agent starts. */
export function beginOpinion(course: Course, id: WorkerId, agent: string): void {
  const { run } = course.house
  const iteration = callNumber(course, id, 'opinion')
  decide(course, id, 'proof', 'opinion', `${agent} is asked for a second opinion`)
  const { effort, output } = run.rules.agent
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'opinion',
    context: { iteration, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    ...taskAsked(workerOf(course, id)),
    prompt: run.rules.loop.prompt,
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
    ...limitsOf(course, id),
  })
  patchWorker(course, id, { measured: false })
  enter(course, id, { is: 'reviewing', effect, agent, aborting: null })
}

export function afterOpinion(course: Course, id: WorkerId, reply: Reply): void {
  const { phase, seen, iteration } = workerOf(course, id)
  if (phase.is !== 'reviewing') return
  settleCall(course, id, reply)
  // Whoever stops hears nothing any more; what it wrote is put back all the same.
  const stops = isStopping(course, id)
  const heard: OpinionHeard = stops ? { is: 'again' } : hear(course, id, phase.agent, reply)
  if (workerOf(course, id).phase.is === 'finished') return
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'check',
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
    ...(stops ? { withinMs: LAST_LOOK_MS } : {}),
  })
  enter(course, id, { is: 'checking', effect, agent: phase.agent, heard })
}

/** What the call came to: its word, or none. */
function hear(course: Course, id: WorkerId, agent: string, reply: Reply): OpinionHeard {
  if (reply.end === 'over-budget') return { is: 'again' }
  if (reply.end === 'interrupted') {
    decide(course, id, 'retry', 'repeat', 'the second opinion was cut off and is asked for again')
    return { is: 'again' }
  }
  const trouble = troubleIn(reply, { worked: false })
  if (trouble !== null && !isAttempt(trouble.remedy)) {
    setAside(course, id, { agent, order: readers(course, id) }, trouble)
    return { is: 'again' }
  }
  answered(course, agent)
  if (reply.end !== 'success') return { is: 'failed', why: reply.failure?.message ?? SAID_NOTHING[reply.end] }
  const opinion = readOpinion(reply)
  return opinion.is === 'none' ? { is: 'failed', why: NO_VERDICT } : { is: 'opinion', opinion }
}

const NO_VERDICT = 'it ended without a verdict'

const SAID_NOTHING: Record<Exclude<Reply['end'], 'success' | 'interrupted' | 'over-budget'>, string> = {
  failed: 'it failed',
  stopped: 'it was ended',
  silent: 'it fell silent and was ended',
  'timed-out': 'it took too long and was ended',
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
export function opinionChecked(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const { seen, phase, held } = workerOf(course, id)
  if (phase.is !== 'checking' || held === null) return
  const moved = seen !== null && seen.tree !== snapshot.tree
  const { boxes, nextBox } = event
  lookedAfter(course, id, snapshot)
  patchWorker(course, id, { seen: seenNow(seen, event), measured: true, boxes, nextBox })
  const { heard, agent } = phase
  if (moved) return putReaderBack(course, event, { agent, heard, held })
  if (isStopping(course, id)) return next(course, id)
  afterHearing(course, id, { agent, heard, held })
}

function afterHearing(course: Course, id: WorkerId, { agent, heard, held }: OpinionRead): void {
  switch (heard.is) {
    case 'again':
      return next(course, id)
    case 'failed':
      return notHeard(course, id, { agent, held, why: heard.why })
    case 'opinion':
      patchWorker(course, id, { held: null })
      return weighOpinion(course, id, { opinion: heard.opinion, unless: held.unless })
    default:
      return never(heard)
  }
}

function weighOpinion(
  course: Course,
  id: WorkerId,
  { opinion, unless }: { opinion: Extract<OpinionHeard, { is: 'opinion' }>['opinion']; unless: Ending },
): void {
  if (opinion.is === 'pass')
    return accept(course, id, { ...unless, why: `${unless.why}; a second agent agrees` })
  refuse(course, id, {
    why: `the second opinion says no: ${opinion.why}`,
    tell: `A reviewer says: ${opinion.why}`,
    verdict: 'failed',
    says: opinion.why,
  })
}
