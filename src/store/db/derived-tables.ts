/**
 * Updates the tables derived from the record: runs, usage, evidence, journal, questions. Called only in the transaction that appends a
 * row, so these tables can always be rebuilt from the record.
 */
import type { EffectOf } from '../../core/state/effect.ts'
import type { EventOf } from '../../core/state/event.ts'
import { runKindOf } from '../../core/state/run-kind.ts'
import type { WorkerId } from '../../core/ids.ts'
import { orphansIn, type Orphan } from '../../core/tree/orphan.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import { wasIgnored, type Row } from '../../core/state/row.ts'
import { addNote } from '../journal.ts'
import { saveQuestion, setAnswerDelivered } from '../questions.ts'
import { expireRequests } from '../requests.ts'
import { parseStoredJson } from './stored-json.ts'
import type { Sql } from './sql.ts'
import { markRunEndUnreported } from '../run-end-reported.ts'
import { insertCall, isIterationCounted, finishCall } from '../usage.ts'

export async function updateDerivedTables(tx: Sql, row: Row): Promise<void> {
  if (!wasIgnored(row)) {
    await indexEvent(tx, row)
    for (const orphan of orphansIn(row.event)) await saveOrphan(tx, row, orphan)
  }
  for (const effect of row.effects) {
    if (effect.type === 'end-run')
      for (const question of effect.unheard ?? []) await setAnswerDelivered(tx, question, { told: false })
    if (effect.type !== 'run-agent') continue
    await beginCall(tx, row, effect)
    for (const question of effect.answered ?? []) await setAnswerDelivered(tx, question, { told: true })
  }
}

async function indexEvent(tx: Sql, row: Row): Promise<void> {
  const { event, run } = row
  if (event.type === 'run-started') return beginRun(tx, row, event)
  if (event.type === 'run-ended') return endRun(tx, row, event)
  if (event.type === 'gate-ended') return saveEvidence(tx, row, event)
  // If it was an agent: the call stays counted, and its tokens stay unknown.
  if (event.type === 'effect-failed' || event.type === 'effect-lost')
    return finishCall(tx, { run, effect: event.effect }, null)
  if (event.type === 'run-resumed')
    await tx.run('update runs set pid = ?, version = ? where id = ?', event.pid, event.version, run)
  if (event.type === 'agent-ended') {
    await saveNotesAndQuestions(tx, row, event)
    await finishCall(tx, { run, effect: event.effect }, event.reply)
  }
  if (event.type === 'trial-ended' && event.trial.is === 'ran')
    for (const evidence of event.trial.results) await saveEvidence(tx, row, { ...event, evidence })
}

async function beginRun(tx: Sql, row: Row, event: EventOf<'run-started'>): Promise<void> {
  await tx.run(
    `insert into runs (id, workspace, project, command, started_at, agent, version, pid, kind)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.run,
    event.project,
    event.project,
    event.command,
    row.at,
    event.rules.agent.order[0] ?? null,
    event.version,
    event.pid,
    runKindOf(event),
  )
}

async function saveOrphan(tx: Sql, row: Row, { pid, startTime, command }: Orphan): Promise<void> {
  await tx.run(
    'insert into orphans (run, pid, start_time, command) values (?, ?, ?, ?)',
    row.run,
    pid,
    startTime,
    command,
  )
}

/** Each requested agent process is a call. */
async function beginCall(tx: Sql, row: Row, effect: EffectOf<'run-agent'>): Promise<void> {
  const { worker, iteration, agent, role, how } = effect
  // A plain loop works on what is next in its plan.
  const task = effect.task?.id ?? (await nextCheckboxOf(tx, row, worker))
  const { run, seq, at } = row
  // A call that was interrupted before it began is requested again for the same iteration.
  const isFirst = role === 'work' && !(await isIterationCounted(tx, { run, worker, iteration }))
  await insertCall(tx, {
    run,
    worker,
    iteration,
    effect: effect.id,
    agent,
    model: how.model,
    at,
    role: effect.import === undefined ? role : 'import',
    seq,
    task,
  })
  if (isFirst) await tx.run('update runs set iterations = iterations + 1 where id = ?', run)
}

/** Saves the notes and questions of a work call. Reviews leave none, and a settled call has reported everything. */
async function saveNotesAndQuestions(
  tx: Sql,
  { run, at }: Row,
  { effect, reply }: EventOf<'agent-ended'>,
): Promise<void> {
  const { notes, asks } = reply.told
  if (notes.length + asks.length === 0) return
  const call = await tx.get<{ agent: string; iteration: number; task: string | null }>(
    `select usage.agent as agent, usage.iteration as iteration, case when runs.kind = 'tasks' then usage.task end as task
     from usage join runs on runs.id = usage.run
     where usage.run = ? and usage.effect = ? and usage.role = 'work' and usage.settled = 0`,
    run,
    effect,
  )
  if (call === null) return
  const { agent, iteration, task } = call
  for (const text of notes) await addNote(tx, { run, iteration, task, at, author: agent, text })
  for (const { id, text } of asks) await saveQuestion(tx, { id, run, iteration, task, agent, at, text })
}

/** The next checkbox in the worker's last snapshot. */
async function nextCheckboxOf(tx: Sql, { run }: Row, worker: WorkerId): Promise<string | null> {
  const look = await tx.get<{ event: string }>(
    `select event from record where run = ? and type = 'snapshot-taken' and worker = ? order by seq desc limit 1`,
    run,
    worker,
  )
  return look === null ? null : (parseStoredJson(look.event, run) as EventOf<'snapshot-taken'>).nextCheckbox
}

/** A gate belongs to the last iteration its worker began; 0 is the baseline before the first. */
async function saveEvidence(tx: Sql, row: Row, event: { worker: WorkerId; evidence: Evidence }): Promise<void> {
  const evidence = event.evidence
  await tx.run(
    `insert into evidence (run, worker, iteration, gate, command, tree, guarded, exit_code, signal, timed_out, missing,
       duration_ms, at, log, summary, unstable, purpose, failing, tests)
     values (?, ?, (select coalesce(max(iteration), 0) from usage where run = ? and worker = ?),
       ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.run,
    event.worker,
    row.run,
    event.worker,
    evidence.gate,
    evidence.command,
    evidence.tree,
    evidence.guarded,
    evidence.exit,
    evidence.signal,
    Number(evidence.timedOut),
    Number(evidence.missing),
    evidence.durationMs,
    evidence.at,
    evidence.log,
    evidence.summary,
    Number(evidence.unstable),
    evidence.purpose,
    JSON.stringify(evidence.failing),
    evidence.tests,
  )
}

async function endRun(tx: Sql, row: Row, event: EventOf<'run-ended'>): Promise<void> {
  const { is, reason, verdict, exit } = event.outcome
  await tx.run(
    `update runs set ended_at = ?, outcome = ?, reason = ?, verdict = ?, exit_code = ? where id = ? and ended_at is null`,
    row.at,
    is,
    reason,
    verdict,
    exit,
    row.run,
  )
  await expireRequests(tx, row.run)
  await markRunEndUnreported(tx, row.run)
}
