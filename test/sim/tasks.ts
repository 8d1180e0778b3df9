/**
 * Tasks in the simulator: a small graph for one run, another engine that claims and settles in it, a person who decides about tasks, and what
 * must be true of all of it. Drawn by a chance of its own, so that seeds without tasks stay the nights they were.
 */
import type { RunState } from '../../src/core/state/state.ts'
import type { Instant, RunId } from '../../src/core/ids.ts'
import { newTask, type NewTask, type TaskScope, type TaskId } from '../../src/core/tasks/task.ts'
import { claimTask, revokeClaim, endTaskClaim } from '../../src/store/task/claims.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { loadRunState } from '../../src/store/run-state.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { applyEventToTask } from '../../src/store/task/apply-event.ts'
import { fail } from './invariant-rules.ts'
import type { Checker } from './invariants.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'

export interface SimTasks {
  scope: TaskScope
  /** Somebody else does something about a task, now and then. */
  disturb(at: Instant): Promise<void>
  /** What must be true after every turn, and at the end. */
  check(rows: RowsFollowed): Promise<void>
  remove(): Promise<void>
}

/** The state that the rows lead to which were published so far. */
type RowsFollowed = Pick<Checker, 'seq' | 'state'>

const LEASE_MS = 90_000

export async function createSimTasks(
  sql: Sql,
  { seed, run, at, note }: { seed: number; run: RunId; at: Instant; note: (what: string) => void },
): Promise<SimTasks> {
  const random = seededRandom(seed + 7_000_000)
  const root = `s${seed}`
  const tasks = drawTasks(random, root, at)
  await sql.transaction((tx) => addTasks(tx, tasks, at))
  const scope: TaskScope = { is: 'task', task: root }
  const others: { task: TaskId; attempt: number }[] = []
  const leaves = tasks.map(({ id }) => id ?? '').filter((id) => !tasks.some(({ parent }) => parent === id))

  /** The row after which claims were compared; null: somebody else has done something since. */
  let checked: number | null = null

  /** What happens to its tasks after a run has ended says nothing about it. */
  async function whileItGoes(happen: (tx: Sql) => Promise<unknown>): Promise<void> {
    checked = null
    await sql.transaction(async (tx) => {
      const entry = await tx.get<{ ended_at: number | null }>('select ended_at from runs where id = ?', run)
      if (entry?.ended_at === null) await happen(tx)
    })
  }

  async function anotherEngine(tx: Sql, at: Instant): Promise<void> {
    const held = others.pop()
    if (held !== undefined) {
      note('another engine settles a task')
      const as = random.pick(['done', 'failed', 'released'] as const)
      const said = { ...held, as, why: 'elsewhere', retries: 0, verification: null, from: null, to: null, at }
      await endTaskClaim(tx, said)
      return
    }
    const claim = { scope, run: `other-${run}`, worker: '1', at, leaseMs: LEASE_MS }
    const won = await claimTask(tx, claim)
    if (won.is === 'nothing') return
    note('another engine claims a task')
    others.push({ task: won.task.id, attempt: won.task.attempt })
  }

  async function aPerson(tx: Sql, at: Instant): Promise<void> {
    const task = random.pick(leaves)
    const is = random.pick(['done', 'failed', 'reset'] as const)
    note(`a person says ${is} of a task`)
    await revokeClaim(tx, task, { at, why: 'a person' })
    if (is === 'reset') await applyEventToTask(tx, task, { is: 'reset' }, at)
    else await applyEventToTask(tx, task, { is, why: 'a person', retries: null, verification: null }, at)
  }

  return {
    scope,
    async disturb(at) {
      if (random.is(0.04)) await whileItGoes((tx) => anotherEngine(tx, at))
      if (random.is(0.02)) await whileItGoes((tx) => aPerson(tx, at))
    },
    async check(rows) {
      // A claim is made and finished by a row of the run or by somebody else.
      if (rows.seq() === checked) return
      checked = rows.seq()
      await check(sql, { run, root, rows })
    },
    async remove() {
      const ids = tasks.map(({ id }) => id ?? '')
      const marks = ids.map(() => '?').join(', ')
      for (const [table, column] of TABLES) await sql.run(`delete from ${table} where ${column} in (${marks})`, ...ids)
    },
  }
}

const TABLES = [
  ['ready', 'task'],
  ['claims', 'task'],
  ['task_log', 'task'],
  ['edges', 'blocked'],
  ['tasks', 'id'],
] as const

/** One root; some tasks stand below another, some wait for one that was there before. */
function drawTasks(random: SeededRandom, root: TaskId, at: Instant): NewTask[] {
  const tasks = [newTask('All of it', { id: root })]
  const count = random.int(1, 7)
  for (let n = 1; n <= count; n += 1) {
    const earlier = tasks.slice(1).map(({ id }) => id ?? '')
    const leaf = earlier.filter((id) => tasks.every((one) => !one.blockers.includes(id)))
    const parent = leaf.length > 0 && random.is(0.2) ? random.pick(leaf) : root
    const blocker = earlier.filter((id) => id !== parent)
    tasks.push(
      newTask(`Task ${n}`, {
        id: `${root}-${n}`,
        parent,
        // A part of another task waits for nobody itself: else it may come to wait for its own whole.
        blockers: parent === root && blocker.length > 0 && random.is(0.4) ? [random.pick(blocker)] : [],
        priority: random.int(0, 2),
        maxRetries: random.is(0.5) ? random.int(0, 2) : null,
        notBefore: random.is(0.1) ? at + random.int(1, 7_200_000) : null,
      }),
    )
  }
  return tasks
}

/** A claim of any engine, with how often its task was tried again. */
interface ClaimFound {
  task: TaskId
  attempt: number
  run: RunId
  worker: string
  state: string
  retries: number | null
  max_retries: number | null
}

async function check(sql: Sql, { run, root, rows }: { run: RunId; root: TaskId; rows: RowsFollowed }): Promise<void> {
  const found = await claimsFound(sql, run)
  if (rows.seq() === found.seq) return compare(sql, found, { run, root, state: rows.state() })
  // The engine has committed what the rows do not show yet. In one go, so that it moves nothing under the eyes of whoever compares.
  await sql.transaction(async (tx) => {
    const state = ((await loadRunState(tx, run))?.state ?? null) as RunState | null
    await compare(tx, await claimsFound(tx, run), { run, root, state })
  })
}

/** The claims of all engines, and the row after which they are so; 0: before the first. */
async function claimsFound(sql: Sql, run: RunId): Promise<{ seq: number; claims: ClaimFound[] }> {
  const rows = await sql.all<(ClaimFound | { task: null }) & { seq: number }>(
    `select s.seq, c.* from (select coalesce(max(seq), 0) as seq from state where run = ?) s left join (
       select claims.task, claims.attempt, claims.run, claims.worker, claims.state, tasks.retries, tasks.max_retries
       from claims left join tasks on tasks.id = claims.task) c`,
    run,
  )
  return { seq: rows[0]?.seq ?? 0, claims: rows.filter((row) => row.task !== null) }
}

async function compare(
  sql: Sql,
  { claims }: { claims: ClaimFound[] },
  { run, root, state }: { run: RunId; root: TaskId; state: RunState | null },
): Promise<void> {
  const held = claims.filter(({ state }) => state === 'held')
  const tasks = held.map(({ task }) => task)
  const double = tasks.find((task, n) => tasks.indexOf(task) !== n)
  if (double !== undefined) fail(20, `${double} is held twice`)
  if (state === null) return
  const ended = state.run.is === 'ended'
  const own = held.filter((claim) => claim.run === run)
  if (ended && own.length > 0) fail(20, `the run has ended and still holds ${own.map(({ task }) => task).join(', ')}`)
  for (const { task, attempt, worker } of own) {
    const job = state.workers[worker]?.job
    if (job?.is !== 'task' || job.task !== task || job.attempt !== attempt)
      fail(20, `${task} is held by worker ${worker}, who does not know it`)
  }
  const over = claims.find(
    (claim) =>
      claim.run === run &&
      claim.state !== 'held' &&
      (claim.retries ?? 0) > (claim.max_retries ?? state.run.rules.task.maxRetries),
  )
  if (over !== undefined) fail(21, `${over.task} was tried again more often than it may be`)
  if (ended) await endsRight(sql, state, root)
}

/** Another engine and a person may move tasks until the very last row, so only what this run said of them is held against it. */
async function endsRight(sql: Sql, { run }: RunState, root: TaskId): Promise<void> {
  const counts = await sql.get<{ open: number }>(
    `select count(*) as open from tasks where children = 0 and status <> 'done' and (id = ? or id like ?)`,
    root,
    `${root}-%`,
  )
  if (run.outcome?.is === 'tasks_complete' && run.outcome.exit === 0 && counts?.open !== 0)
    fail(22, `the run is complete and ${counts?.open ?? 0} tasks are not done`)
}
