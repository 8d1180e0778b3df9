/** Effects that touch only the database: performed and answered in the transaction that requests them, so nothing can come between. */
import { checkQuota, hourStart } from '../../core/admission/quota.ts'
import type { Instant, Now, RunId } from '../../core/ids.ts'
import { assertNever } from '../../core/assert-never.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { Event } from '../../core/state/event.ts'
import type { TaskScope } from '../../core/tasks/task.ts'
import { claimTask, endTaskClaim } from '../../store/task/claims.ts'
import { listReadyTasks } from '../../store/task/ready-tasks.ts'
import type { Sql } from '../../store/db/sql.ts'
import { usageSince } from '../../store/usage.ts'
import { answerTo, type InlineEffect } from './handler.ts'

interface InlineContext {
  run: RunId
  now: Now
}

export function performInlineEffect(tx: Sql, effect: InlineEffect, asking: InlineContext): Promise<Event> {
  switch (effect.type) {
    case 'admit-call':
      return performAdmitCall(tx, effect, asking)
    case 'claim-task':
      return performClaimTask(tx, effect, asking)
    case 'finish-task':
      return performFinishTask(tx, effect, asking)
    case 'end-run':
      return Promise.resolve({ type: 'run-ended', ...answerTo(effect), outcome: effect.outcome })
    case 'suspend-run':
      return Promise.resolve({ type: 'run-suspended', ...answerTo(effect), outcome: effect.outcome })
    default:
      return assertNever(effect)
  }
}

async function performAdmitCall(tx: Sql, effect: EffectOf<'admit-call'>, { now }: InlineContext): Promise<Event> {
  const used = await usageSince(tx, hourStart(now.at))
  const admission = checkQuota(used, effect.quota, now.at)
  if (!admission.admitted)
    return { type: 'call-deferred', ...answerTo(effect), until: admission.until, why: admission.why }
  return { type: 'admitted', ...answerTo(effect), callsThisHour: used.calls + 1, tokensThisHour: used.tokens }
}

async function performClaimTask(tx: Sql, effect: EffectOf<'claim-task'>, { run, now }: InlineContext): Promise<Event> {
  const { scope, leaseMs, worker } = effect
  const claim = await claimTask(tx, { scope, run, worker, at: now.at, leaseMs })
  if (claim.is === 'nothing') return { type: 'nothing-ready', ...answerTo(effect), nothing: claim.nothing }
  return { type: 'task-claimed', ...answerTo(effect), task: claim.task }
}

async function performFinishTask(tx: Sql, effect: EffectOf<'finish-task'>, { now }: InlineContext): Promise<Event> {
  const { task, attempt, as, why, retries, verification, from, to, summary = null, scope } = effect
  const said = { task, attempt, as, why, retries, verification, from, to, summary, at: now.at }
  const { held, changes } = await endTaskClaim(tx, said)
  const next = scope === undefined ? {} : { next: await isAnyReady(tx, scope, now.at) }
  return { type: 'task-finished', ...answerTo(effect), held, changes: changes.slice(0, CHANGES_TOLD), ...next }
}

async function isAnyReady(tx: Sql, scope: TaskScope, at: Instant): Promise<boolean> {
  return (await listReadyTasks(tx, scope, { at, limit: 1 })).length > 0
}

/** A thousand tasks may wait for one: the event names only the first. */
const CHANGES_TOLD = 20
