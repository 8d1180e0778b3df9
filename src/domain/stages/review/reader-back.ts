/**
 * A reader only reads: what it changed is put back and kept beside, and its word does not count. Where nobody can tell whose doing it is, it
 * stays, and that is said.
 */
import type { WorkerId } from '../../ids.ts'
import { proceed } from '../../pipeline/finish-stage.ts'
import { pointOf } from '../../tree/own-change.ts'
import { never } from '../../machine.ts'
import type { EventOf } from '../../state/event.ts'
import type { OpinionHeard } from '../../state/state.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { isStopping } from '../../admission/order.ts'
import { lookedAfter, wentBack } from '../../tree/own-work.ts'
import { haveItBack, leftWords, nameFiles, wentWords } from '../../tree/revert-words.ts'
import { notHeard } from './readers.ts'
import { refuse } from '../../completion/refuse.ts'

/** `heard`: what it said meanwhile. */
export interface OpinionRead {
  agent: string
  heard: OpinionHeard
}

export function putReaderBack(course: Course, event: EventOf<'surveyed'>, reading: OpinionRead): void {
  const { worker: id, snapshot, change } = event
  const { agent, heard } = reading
  const look = workerOf(course, id).review?.look
  if (look === undefined) {
    const named = nameFiles(
      (change?.paths ?? []).map(({ path }) => path),
      change?.files ?? 0,
    )
    return stays(course, id, reading, `nobody watched meanwhile, so it may be somebody else's doing${named}`)
  }
  const effect = ask(course, {
    type: 'put-back',
    worker: id,
    task: null,
    attempt: 0,
    iteration: workerOf(course, id).iteration,
    before: look,
    since: pointOf(snapshot),
    reader: agent,
  })
  enter(course, id, { is: 'restoring', effect, agent, heard })
}

export function wasRestored(course: Course, event: EventOf<'put-back'>): void {
  const { worker: id } = event
  const { phase } = workerOf(course, id)
  if (phase.is !== 'restoring') return
  const { agent, heard } = phase
  switch (event.is) {
    case 'stays':
      return stays(course, id, { agent, heard }, event.why)
    case 'back': {
      wentBack(course, event)
      lookedAfter(course, id, event.snapshot)
      decide(course, id, 'proof', 'put-back', sayRestored(agent, event))
      const reading = { agent, heard }
      return event.left.length === 0 ? readAgain(course, id, reading) : doesNotHold(course, id, reading)
    }
    default:
      return never(event)
  }
}

function sayRestored(agent: string, event: Extract<EventOf<'put-back'>, { is: 'back' }>): string {
  const [which, them] = event.files + event.commits === 1 ? ['was', 'it'] : ['were', 'them']
  return `${agent} may only read, and changed ${wentWords(event)}, which ${which} put back${leftWords(event)}. See ${them}: ${haveItBack(event)}`
}

/** It could not be done, or nobody knows how far it came. */
export function notRestored(course: Course, id: WorkerId, why: string): void {
  const { phase } = workerOf(course, id)
  if (phase.is !== 'restoring') return
  // Half of it may be done: what is there is nobody's edit.
  patchWorker(course, id, { measured: false })
  stays(course, id, { agent: phase.agent, heard: phase.heard }, why)
}

function stays(course: Course, id: WorkerId, reading: OpinionRead, why: string): void {
  const say = `files changed while ${reading.agent} read, and they stay as they are: ${why}. See them: git status`
  decide(course, id, 'proof', 'stays', say)
  doesNotHold(course, id, reading)
}

/** All is as it was judged: only the reader has failed. */
function readAgain(course: Course, id: WorkerId, { agent, heard }: OpinionRead): void {
  if (heard.is === 'again' || isStopping(course, id)) return proceed(course, id)
  notHeard(course, id, { agent, why: 'it changed files, and may only read' })
}

/** What is there is not what was judged. Of one that said nothing yet it is judged anew, as after any change of somebody else's. */
function doesNotHold(course: Course, id: WorkerId, { heard }: OpinionRead): void {
  if (heard.is === 'again' || isStopping(course, id)) return proceed(course, id)
  patchWorker(course, id, { review: null })
  refuse(course, id, {
    why: 'files changed while the second opinion was given, so it does not count',
    tell: 'Files changed while a reviewer read; check the tree.',
    verdict: 'unproven',
  })
}
