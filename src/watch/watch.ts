/**
 * Watching a run, from this process or another, while it goes on or years later: one stream of rows in their order, and the
 * agent's words from the iteration's log. A screen asks whenever it has time; facts always arrive, words may be passed over.
 * Nothing is written, so any number of screens may watch, and come and go.
 */
import { join } from 'node:path'
import type { Driver } from '../agents/driver.ts'
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { allDrivers, driverFor } from '../agents/registry.ts'
import { parseCheckboxes } from '../core/plan/fix-plan.ts'
import { RalphError } from '../core/error.ts'
import { isAnswer } from '../core/state/event.ts'
import type { AwakeMs, EffectId, RunId, WorkerId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'
import type { TaskScope } from '../core/tasks/task.ts'
import type { TaskBoard } from '../core/presentation/task-board.ts'
import { lockOwnerOf } from '../store/lock.ts'
import { followMovedProject } from '../store/db/moved-project.ts'
import { openStore, type Store } from '../store/db/open-store.ts'
import { loadRowsAfter } from '../store/record.ts'
import { loadTaskBoard } from '../store/task/task-board.ts'
import { findRun, loadLatestRun, type RunEntry } from '../store/runs.ts'
import type { Sql } from '../store/db/sql.ts'
import { systemClock, type Clock } from '../system/clock.ts'
import type { Masker } from '../system/mask/mask.ts'
import { readFilePart } from '../system/files/read-part.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, treeIdentityOf } from '../workspace/repo/find-repo.ts'
import { followAgentOutput, type AgentOutput, type OutputTail } from './agent-output.ts'
import { iterationFolder, runFolder } from '../workspace/log-folders.ts'

export interface WatchOptions {
  /** The project; any of its working trees will do. */
  root: string
  /** An id or the beginning of one; null: the last run of this working tree. */
  run: string | null
  /** Rows up to this one are known already. */
  after?: number
  /** Agents of the user's own, whose logs only the settings explain. */
  agents: Record<string, CustomAgent>
  /** For the words that a log holds in pieces. */
  mask: Masker
  clock?: Clock
}

export interface Watch {
  run: RunId
  /** The working tree the run belongs to. */
  workspace: string
  look(): Promise<WatchUpdate>
  /** Hear this iteration from its beginning and no other; null: follow the newest. */
  hear(which: OutputSource | null): void
  close(): Promise<void>
}

/** Which iteration the words belong to. */
export interface OutputSource {
  worker: WorkerId
  iteration: number
  agent: string
  /** As the record names it; null: where logs of that iteration stand. */
  log: string | null
}

export interface WatchUpdate {
  /** Since the last look, oldest first. */
  rows: Row[]
  /** There may be more rows at once: look again before words are of interest. */
  more: boolean
  words: (OutputSource & AgentOutput)[]
  /** The process that serves the run; null: none does. */
  runBy: number | null
  /** The checkboxes of the plan as they are now, also when the run has ended; null: there is no plan. */
  plan: PlanCheckbox[] | null
  /** The tasks of a run through tasks, as they are now; null: it is a plain loop. */
  tasks: TaskBoard | null
}

export interface PlanCheckbox {
  text: string
  done: boolean
}

const PAGE = 500
/** Looking at a process costs a `runPs` on some machines. */
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
  const entry = run === null ? await loadLatestRun(sql, root) : await findRun(sql, run)
  if (entry !== null) return entry
  throw new RalphError('no-run', 'nothing has run in this project yet', { hint: 'Start with: ralph loop' })
}

interface Watching {
  store: Store
  entry: RunEntry
  folder: string
  agents: Record<string, CustomAgent>
  mask: Masker
  clock: Clock
  after: number
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

  function note({ event, effects }: Row): void {
    for (const effect of effects) {
      if (effect.type === 'run-agent') asked.set(effect.id, { iteration: effect.iteration, agent: effect.agent })
    }
    if (event.type === 'run-started') scope = event.tasks ?? null
    if (event.type === 'run-started' && event.rules.loop.plan !== null) {
      plan = {
        path: join(entry.workspace, event.rules.loop.plan),
        optional: event.rules.loop.optionalSections,
      }
    }
    if (event.type === 'agent-started') {
      const { iteration = 0, agent = '' } = asked.get(event.effect) ?? {}
      newest = { worker: event.worker, iteration, agent, log: event.log }
      speaking = event.effect
    }
    if (isAnswer(event)) {
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
      // The last words of the iteration before may still lie there.
      if (open !== null) said.push({ ...open.which, ...open.tail.next({ over: true }) })
      open = {
        which: wanted,
        path,
        tail: followAgentOutput(path, { driver: driverOf(wanted.agent, agents), mask }),
      }
    }
    const over = speaking === null || newest === null || path !== logOf(newest)
    said.push({ ...open.which, ...open.tail.next({ over }) })
    return said
  }

  /** The project may have been moved since: what the record says counts from the run's own folder on. */
  function logOf({ worker, iteration, log }: OutputSource): string {
    const place = { folder, run }
    const own = log?.split(/[\\/]/) ?? []
    const at = own.lastIndexOf(run)
    return at === -1
      ? join(iterationFolder(place, worker, iteration), 'agent.log')
      : join(runFolder(place), ...own.slice(at + 1))
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
      }
    },
    hear(which) {
      chosenOne = which
      open = null
    },
    close: () => store.close(),
  }
}

/** An agent that the settings do not know any more is read as plain text. */
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

/** Others may change tasks at any time; whoever looks on sees it within so long. */
const TASKS_EVERY_MS = 2_000
/** Of a graph that takes long to read, so many times as long passes before it is read again: looking on is no work of its own. */
const TASKS_REST = 20

/** Reads them again when something happened, or after a while. */
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
    // The same tasks are the same object, so that a screen need not draw them again.
    last = { text, board: last?.text === text ? last.board : board, up, took: clock.up() - up }
    return last.board
  }
}

/** A plan that cannot be read is not shown; whether that is a trouble the engine says. */
function planText(path: string): string | null {
  try {
    return readFilePart(path, { from: 0, max: PLAN_MAX })?.bytes.toString('utf8') ?? null
  } catch {
    return null
  }
}

function lost(store: Store): RalphError {
  return new RalphError('store-lost', `${store.file} was moved or deleted, so there is nothing more to see`, {
    hint: 'Put the file back, or start a new run: ralph loop',
  })
}
