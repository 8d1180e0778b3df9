/** A run, or one iteration of it, in detail: prompt, reply, change, evidence, decisions. */
import { dirname, join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { EventOf } from '../../core/state/event.ts'
import type { Instant, RunId, TreeHash, WorkerId } from '../../core/ids.ts'
import type { Decision } from '../../core/state/decision.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import type { Report } from '../../core/presentation/report.ts'
import { iterationMarkOf, type IterationMark } from '../../core/presentation/iteration-mark.ts'
import { iterationName } from '../../core/presentation/iteration-text.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import type { RunEntry } from '../../store/runs.ts'
import { hashText, readIfExists } from '../../system/files/files.ts'
import { patchBetween, type Patch } from '../../workspace/repo/patch.ts'
import { checkIterationExists } from './logs.ts'
import { withStoreAndFolders, type ProjectFolders } from '../open-store.ts'
import { readReport } from './report.ts'
import type { Sql } from '../../store/db/sql.ts'
import { streamAllRows } from '../../store/record.ts'
import { loadRunView, listIterationWorkers } from '../../store/run-views.ts'
import { findRunOrLatest } from './find-run.ts'
import { logPathOf, timelineOf, type TimelineEntry } from './timeline.ts'

/** `ralph show RUN --json`. */
export interface RunDetails {
  entry: RunEntry
  report: Report
  /** The last 200. */
  iterations: IterationView[]
}

export function loadRunDetails(root: string, named: string | null): Promise<RunDetails> {
  return withStoreAndFolders(root, async ({ sql }, { repo }) => {
    const entry = await findRunOrLatest(sql, root, named)
    const view = await loadRunView(sql, entry)
    return { entry, report: await readReport(sql, entry, repo), iterations: view?.iterations ?? [] }
  })
}

/** `ralph show RUN ITERATION --json`. */
export interface IterationDetails {
  run: RunId
  worker: WorkerId
  iteration: number
  /** As `ralph show` accepts it: its number, and its worker if several have iterations. */
  name: string
  agent: string
  startedAt: Instant
  /** The prompt. Null: the file was pruned or deleted. `intact`: it is exactly the text that was sent. */
  prompt: { text: string; intact: boolean } | null
  /** How the iteration ended. */
  mark: IterationMark
  /** Null: it has not ended. */
  reply: Reply | null
  /** The snapshot after it; null: there was none. */
  change: EventOf<'snapshot-taken'>['change']
  trees: { from: TreeHash; to: TreeHash } | null
  /** Null: git has deleted the trees, or there is no git. */
  patch: Patch | null
  evidence: Evidence[]
  decisions: (Decision & { at: Instant; seq: number })[]
}

export interface IterationQuery {
  run: RunId
  /** Null: any worker. */
  worker: WorkerId | null
  iteration: number
  name: string
}

/** Nobody reads more; `git diff` between the trees has the rest. */
const PATCH_MAX = 4 * 1024 * 1024

/** `worker`: null: any worker with an iteration of this number. */
export function loadIterationDetails(
  root: string,
  named: string | null,
  { worker, n }: { worker: WorkerId | null; n: number },
): Promise<IterationDetails> {
  return withStoreAndFolders(root, async ({ sql }, folders) => {
    const entry = await findRunOrLatest(sql, root, named)
    checkIterationExists(entry, n)
    const wanted = { run: entry.id, iteration: n, ...(await findWorker(sql, entry.id, { worker, n })) }
    const shown = await collectIteration(folders, wanted, timelineOf(streamAllRows(sql, entry.id)))
    if (shown === null) {
      throw new RalphError('not-found', `run ${entry.id} has no iteration ${wanted.name}`, {
        hint: `List them: ralph show ${entry.id}`,
      })
    }
    const patch = shown.trees === null ? null : await patchBetween(folders.repo, shown.trees, PATCH_MAX)
    return { ...shown, patch }
  })
}

/** The worker of the iteration, and the iteration's name. */
async function findWorker(
  sql: Sql,
  run: RunId,
  { worker, n }: { worker: WorkerId | null; n: number },
): Promise<Pick<IterationQuery, 'worker' | 'name'>> {
  const workers = await listIterationWorkers(sql, run, n)
  const named = (id: WorkerId): { worker: WorkerId; name: string } => {
    const isAlone = workers.every((one) => one.worker === id)
    return { worker: id, name: iterationName({ worker: id, n }, isAlone) }
  }
  if (worker !== null) return named(worker)
  const names = workers.filter(({ hasIteration }) => hasIteration).map((one) => named(one.worker))
  if (names.length > 1) {
    throw new RalphError('usage', `iteration ${n} of run ${run} exists for ${names.length} workers`, {
      hint: `Choose one: ${names.map(({ name }) => `ralph show ${run} ${name}`).join(', ')}`,
    })
  }
  return names[0] ?? { worker, name: String(n) }
}

/** Stops reading the record after the iteration. */
export async function collectIteration(
  { folder }: ProjectFolders,
  { run, iteration, name, ...wanted }: IterationQuery,
  moments: AsyncIterable<TimelineEntry>,
): Promise<IterationDetails | null> {
  let shown = null as IterationDetails | null
  let { worker } = wanted
  let from: TreeHash | null = null
  let work = ''
  let mark = NOTHING.mark
  for await (const { row, view, iteration: of } of moments) {
    const { event } = row
    for (const effect of row.effects) {
      if (worker !== null && effect.worker !== worker) continue
      if (effect.type === 'run-agent' && effect.role === 'work' && effect.iteration === iteration) {
        worker = effect.worker
        work = effect.id
        shown = { ...NOTHING, run, worker, iteration, name, agent: effect.agent, startedAt: row.at }
      }
      if (effect.type === 'snapshot' && effect.for === 'after' && of === iteration) from = effect.since
    }
    const seen = view?.iterations.find((one) => one.worker === worker && one.n === iteration)
    if (seen !== undefined) mark = iterationMarkOf(seen)
    if ('worker' in event && event.worker !== worker) continue
    if (shown !== null && of > iteration) break
    if (shown === null || of !== iteration) continue
    if (event.type === 'agent-started' && event.effect === work)
      shown.prompt = promptOf(logPathOf({ folder, run, recorded: event.log }), event.promptHash)
    if (event.type === 'agent-ended' && event.effect === work) shown.reply = event.reply
    if (event.type === 'gate-ended') shown.evidence = [...shown.evidence, event.evidence]
    if (event.type === 'trial-ended' && event.trial.is === 'ran')
      shown.evidence = [...shown.evidence, ...event.trial.results]
    if (event.type === 'snapshot-taken' && shown.change === null && shown.reply !== null) {
      shown.change = event.change
      if (from !== null) shown.trees = { from, to: event.snapshot.tree }
    }
    shown.decisions = [
      ...shown.decisions,
      ...row.decisions
        .filter((one) => one.worker === undefined || one.worker === worker)
        .map((decision) => ({ ...decision, at: row.at, seq: row.seq })),
    ]
  }
  return shown === null ? null : { ...shown, mark }
}

const NOTHING: Omit<IterationDetails, 'run' | 'worker' | 'iteration' | 'name' | 'agent' | 'startedAt'> = {
  prompt: null,
  mark: { is: 'going', glyph: '▸', word: null },
  reply: null,
  change: null,
  trees: null,
  patch: null,
  evidence: [],
  decisions: [],
}

function promptOf(log: string, hash: string): IterationDetails['prompt'] {
  const text = readIfExists(join(dirname(log), 'prompt.md'))
  return text === null ? null : { text, intact: hashText(text) === hash }
}
