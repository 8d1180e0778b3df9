/**
 * Watches a run, from this process or another, while it runs or years later: one stream of rows in order, and the agent's output from
 * the iteration's log. A screen polls; it always gets every row, but output may be skipped. Watching writes nothing, so any number of
 * screens may watch, and come and go.
 */
import { join } from 'node:path'
import type { Driver } from '../agents/driver.ts'
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { allDrivers, driverFor } from '../agents/registry.ts'
import { parseCheckboxes } from '../core/plan/fix-plan.ts'
import { RalphError } from '../core/error.ts'
import { isEffectAnswer } from '../core/state/event.ts'
import type { AwakeMs, EffectId, RunId, WorkerId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'
import type { TaskScope } from '../core/tasks/task.ts'
import type { TaskBoard } from '../core/presentation/task-board.ts'
import { lockOwnerOf } from '../store/lock.ts'
import { followMovedProject } from '../store/db/moved-project.ts'
import { openStore, type Store } from '../store/db/open-store.ts'
import { listOpenQuestions } from '../store/questions.ts'
import { loadRowsAfter } from '../store/record.ts'
import { loadTaskBoard } from '../store/task/task-board.ts'
import { findRunByPrefix, loadLatestRun, type RunEntry } from '../store/runs.ts'
import type { Sql } from '../store/db/sql.ts'
import { systemClock, type Clock } from '../system/clock.ts'
import type { Masker } from '../system/mask/mask.ts'
import { readFilePart } from '../system/files/read-part.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, treeIdentityOf } from '../workspace/repo/find-repo.ts'
import { followAgentOutput, type AgentOutput, type OutputTail } from './agent-output.ts'
import { iterationLogFolder, runLogFolder } from '../workspace/log-folders.ts'

export interface WatchOptions {
  /** The project, by any of its working trees. */
  root: string
  /** An id or a prefix of one; null: the last run of this working tree. */
  run: string | null
  /** Skip rows up to this one. */
  after?: number
  /** Custom agents: only the settings say how to read their logs. */
  agents: Record<string, CustomAgent>
  /** Masks secrets that a log holds in several pieces. */
  mask: Masker
  clock?: Clock
}

export interface Watch {
  run: RunId
  /** The working tree the run belongs to. */
  workspace: string
  look(): Promise<WatchUpdate>
  /** Follow the output of this iteration from its beginning; null: of the newest one. */
  hear(which: OutputSource | null): void
  /** The newest part of this iteration's output, at once. */
  read(which: OutputSource): AgentOutput
  close(): Promise<void>
}

/** Which iteration the output belongs to. */
export interface OutputSource {
  worker: WorkerId
  iteration: number
  agent: string
  /** The path in the record; null: the default path for that iteration. */
  log: string | null
}

export interface WatchUpdate {
  /** New rows, oldest first. */
  rows: Row[]
  /** More rows may be waiting: poll again before showing output. */
  more: boolean
  words: (OutputSource & AgentOutput)[]
  /** The process that runs it; null: none does. */
  runBy: number | null
  /** The current checkboxes of the plan, also after the run has ended; null: there is no plan. */
  plan: PlanCheckbox[] | null
  /** The current tasks of a run through tasks; null: a plain loop. */
  tasks: TaskBoard | null
  /** Agents' questions without an answer, of this run and of earlier ones, newest first. */
  questions: OpenQuestion[]
}

export interface OpenQuestion {
  id: string
  text: string
}

export interface PlanCheckbox {
  text: string
  done: boolean
}

const PAGE = 500
/** Checking a process starts `ps` on some systems. */
const SERVED_EVERY_MS = 2_000
const PLAN_MAX = 256 * 1024

export async function openWatch(options: WatchOptions): Promise<Watch> {
  const { root, agents, mask, clock = systemClock() } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const store = await openStore(join(folder, 'ralph.db'), { create: false, notice: () => {} })
  try {
    await followMovedProject(store.sql, root, treeIdentityOf(repo, folder))
    const entry = await chosen(store.sql, options)
    return watching({ store, entry, folder, agents, mask, clock, after: options.after ?? 0 })
  } catch (error) {
    await store.close()
    throw error
  }
}

async function chosen(sql: Sql, { root, run }: WatchOptions): Promise<RunEntry> {
  const entry = run === null ? await loadLatestRun(sql, root) : await findRunByPrefix(sql, run)
  if (entry !== null) return entry
  throw new RalphError('no-run', 'this project has no runs yet', { hint: 'Start one: ralph loop' })
}

interface Watching extends Required<Omit<WatchOptions, 'root' | 'run'>> {
  store: Store
  entry: RunEntry
  folder: string
}

function watching({ store, entry, folder, agents, mask, clock, after }: Watching): Watch {
  const run = entry.id
  let seq = after
  let newest: OutputSource | null = null
  let speaking: EffectId | null = null
  let chosenOne: OutputSource | null = null
  let open: { which: OutputSource; path: string; tail: OutputTail } | null = null
  let plan: { path: string; optional: string[] } | null = null
  let ended = false
  let served: { by: number | null; up: AwakeMs } | null = null
  const asked = new Map<EffectId, { iteration: number; agent: string }>()
  let scope: TaskScope | null = null
  const checkboxes = planReader()
  const board = boardReader(store.sql, { run, clock })
  const questions = questionReader(store.sql, clock)

  function note({ event, effects }: Row): void {
    for (const effect of effects) {
      if (effect.type === 'run-agent') asked.set(effect.id, { iteration: effect.iteration, agent: effect.agent })
    }
    if (event.type === 'run-started') scope = event.tasks ?? null
    if (event.type === 'run-started' && event.rules.loop.plan !== null) {
      plan = { path: join(entry.workspace, event.rules.loop.plan), optional: event.rules.loop.optionalSections }
    }
    if (event.type === 'agent-started') {
      const { iteration = 0, agent = '' } = asked.get(event.effect) ?? {}
      newest = { worker: event.worker, iteration, agent, log: event.log }
      speaking = event.effect
    }
    if (isEffectAnswer(event)) {
      asked.delete(event.effect)
      if (speaking === event.effect) speaking = null
    }
    if (event.type === 'run-ended') ended = true
  }

  function words(): (OutputSource & AgentOutput)[] {
    const wanted = chosenOne ?? newest
    if (wanted === null) return []
    const path = logOf(wanted)
    const said: (OutputSource & AgentOutput)[] = []
    if (open?.path !== path) {
      // The log of the previous iteration may still have unread output.
      if (open !== null) said.push({ ...open.which, ...open.tail.next({ over: true }) })
      open = { which: wanted, path, tail: followAgentOutput(path, { driver: driverOf(wanted.agent, agents), mask }) }
    }
    const over = speaking === null || newest === null || path !== logOf(newest)
    said.push({ ...open.which, ...open.tail.next({ over }) })
    return said
  }

  /** The project may have been moved since: only the part of the recorded path below the run's folder counts. */
  function logOf({ worker, iteration, log }: OutputSource): string {
    const place = { folder, run }
    const own = log?.split(/[\\/]/) ?? []
    const at = own.lastIndexOf(run)
    return at === -1
      ? join(iterationLogFolder(place, worker, iteration), 'agent.log')
      : join(runLogFolder(place), ...own.slice(at + 1))
  }

  async function runBy(): Promise<number | null> {
    if (ended) return null
    if (served === null || clock.up() - served.up >= SERVED_EVERY_MS) {
      if (!store.isSameFile()) throw lost(store)
      served = { by: (await lockOwnerOf(store.sql, entry.workspace))?.pid ?? null, up: clock.up() }
    }
    return served.by
  }

  return {
    run,
    workspace: entry.workspace,
    async look() {
      const rows = await loadRowsAfter(store.sql, run, seq, PAGE)
      for (const row of rows) note(row)
      seq = rows.at(-1)?.seq ?? seq
      const more = rows.length === PAGE
      const by = await runBy()
      return {
        rows,
        more,
        words: more ? [] : words(),
        runBy: by,
        plan: plan === null ? null : checkboxes(plan.path, plan.optional),
        tasks: scope === null ? null : await board(scope, { news: rows.length > 0 && !more }),
        questions: await questions({ news: rows.length > 0 && !more }),
      }
    },
    hear(which) {
      chosenOne = which
      open = null
    },
    read: (which) =>
      followAgentOutput(logOf(which), { driver: driverOf(which.agent, agents), mask }).next({ over: true }),
    close: () => store.close(),
  }
}

/** The output of an agent that is no longer in the settings is read as plain text. */
function driverOf(name: string, agents: Record<string, CustomAgent>): Pick<Driver, 'read' | 'shapes'> {
  try {
    return driverFor(name, agents)
  } catch {
    return allDrivers().find((driver) => !driver.finalEvent) ?? { read: () => [] }
  }
}

/** Parses a plan again only when its text changed. */
function planReader(): (path: string, optional: string[]) => PlanCheckbox[] | null {
  let last: { text: string; checkboxes: PlanCheckbox[] } | null = null
  return (path, optional) => {
    const text = planText(path)
    if (text === null) return null
    if (last?.text !== text) {
      const counted = parseCheckboxes(text, optional).items.filter((item) => !item.optional)
      last = { text, checkboxes: counted.map((item) => ({ text: item.text, done: item.done })) }
    }
    return last.checkboxes
  }
}

/** Other processes may change tasks at any time; a screen shows it within this time. */
const TASKS_EVERY_MS = 2_000
/** A graph is read again only after this many times the duration of the last read, so that watching costs little. */
const TASKS_REST = 20

/** Reads the tasks again after new rows, or after a while. */
function boardReader(
  sql: Sql,
  { run, clock }: { run: RunId; clock: Clock },
): (scope: TaskScope, now: { news: boolean }) => Promise<TaskBoard> {
  let last: { text: string; board: TaskBoard; up: AwakeMs; took: number } | null = null
  let due = false
  return async (scope, { news }) => {
    const up = clock.up()
    due ||= news
    if (last !== null) {
      const hasPaused = up - last.up - TASKS_REST * last.took
      if (hasPaused < 0 || (!due && up - last.up < TASKS_EVERY_MS)) return last.board
    }
    due = false
    const board = await loadTaskBoard(sql, scope, run)
    const text = JSON.stringify(board)
    // Unchanged tasks keep the same object, so that a screen need not draw them again.
    last = { text, board: last?.text === text ? last.board : board, up, took: clock.up() - up }
    return last.board
  }
}

/** As many as a screen names and counts. */
const QUESTIONS_MAX = 20
/** Somebody may answer in another terminal. */
const QUESTIONS_EVERY_MS = 2_000

function questionReader(sql: Sql, clock: Clock): (now: { news: boolean }) => Promise<OpenQuestion[]> {
  let last: { text: string; open: OpenQuestion[]; up: AwakeMs } | null = null
  return async ({ news }) => {
    if (last !== null && !news && clock.up() - last.up < QUESTIONS_EVERY_MS) return last.open
    const open = (await listOpenQuestions(sql, { limit: QUESTIONS_MAX })).map(({ id, text }) => ({ id, text }))
    const text = JSON.stringify(open)
    // Unchanged questions keep the same object, so that a screen need not draw them again.
    last = { text, open: last?.text === text ? last.open : open, up: clock.up() }
    return last.open
  }
}

/** An unreadable plan is not shown; reporting it is up to the engine. */
function planText(path: string): string | null {
  try {
    return readFilePart(path, { from: 0, max: PLAN_MAX })?.bytes.toString('utf8') ?? null
  } catch {
    return null
  }
}

function lost(store: Store): RalphError {
  return new RalphError('store-lost', `${store.file} was moved or deleted, so there is nothing more to show`, {
    hint: 'Restore the file, or start a new run: ralph loop',
  })
}
