/**
 * Several engines on one store, each with a connection of its own, claim, renew, settle, crash and come back too late, in an order drawn
 * from a seed. Every claim is compared with what is known to be held at that moment; now and then, and at the end, everything that the
 * store keeps is compared with what a count from nothing finds.
 */
import { join } from 'node:path'
import { assertNever } from '../../src/core/assert-never.ts'
import { newTask, type TaskScope, type TaskId } from '../../src/core/tasks/task.ts'
import { openStore, type Store } from '../../src/store/db/open-store.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { claimTask, renewClaims, findLostClaims, endTaskClaim, type TaskClaim } from '../../src/store/task/claims.ts'
import { resetTask } from '../../src/store/task/mark-task.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { releaseClaims } from '../kit/task-writes.ts'
import { fail } from './invariant-rules.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'
import { findMiscounts } from './recount-tasks.ts'

export interface ClaimStressOptions {
  claims: number
  seed: number
  /** How many tasks there are, round and round. */
  tasks?: number
}

/** What became of them. */
export interface ClaimStressResult {
  claims: number
  done: number
  failed: number
  /** Given back: by a worker, or by an engine that left. */
  released: number
  /** Their lease ran out. */
  lost: number
  held: number
  /** Engines that were gone from one moment to the next. */
  crashes: number
  /** Words about a claim that was over; none of them changed anything. */
  late: number
  /** Two engines asked at the very same moment. */
  races: number
  /** Counted from nothing, and found to be what is kept. */
  recounts: number
}

const ENGINES = 4
const TASKS = 1_000
const ROOTS = 20
const LEASE = 60
/** Claims of the past that somebody may still speak about. */
const LATE_MAX = 200
const RECOUNTS = 10

const NOTHING_PLAYED: Readonly<ClaimStressResult> = {
  claims: 0,
  done: 0,
  failed: 0,
  released: 0,
  lost: 0,
  held: 0,
  crashes: 0,
  late: 0,
  races: 0,
  recounts: 0,
}
const KEYS = Object.keys(NOTHING_PLAYED) as (keyof ClaimStressResult)[]

interface Engine {
  sql: Sql
  run: string
  /** What it believes to hold. */
  mine: PendingReview[]
}

interface PendingReview extends TaskClaim {
  run: string
  until: number
}

export function sumStressResults(parts: ClaimStressResult[]): ClaimStressResult {
  const sum = { ...NOTHING_PLAYED }
  for (const part of parts) for (const key of KEYS) sum[key] += part[key]
  return sum
}

/** Throws where a rule does not hold. */
export async function runClaimStress({ claims, seed, tasks = TASKS }: ClaimStressOptions): Promise<ClaimStressResult> {
  const folder = makeTempFolder('ralph-claims-')
  const stores: Store[] = []
  try {
    for (let i = 0; i < ENGINES; i++) stores.push(await aConnection(join(folder, 'ralph.db')))
    const game = new Game(
      seededRandom(seed),
      stores.map(({ sql }, i) => ({ sql, run: `run${i}`, mine: [] })),
    )
    await game.begin(tasks)
    for (let part = 1; part <= RECOUNTS; part++) {
      while (game.played.claims < (claims * part) / RECOUNTS) await game.turn()
      await game.recount()
    }
    return game.played
  } finally {
    for (const store of stores) await store.close()
    removeFolder(folder)
  }
}

async function aConnection(file: string): Promise<Store> {
  const store = await openStore(file, { create: true, notice: () => undefined })
  // What a disk does when the power goes is not asked here, and a million times it would take hours.
  await store.sql.run('pragma synchronous = off')
  return store
}

class Game {
  readonly played: ClaimStressResult = { ...NOTHING_PLAYED }
  private at = 1
  private runs = ENGINES
  private roots: TaskId[] = []
  private scopes: TaskScope[] = []
  /** By task: what the store must say is held. */
  private readonly held = new Map<TaskId, PendingReview>()
  private readonly attempts = new Map<TaskId, number>()
  private readonly over: PendingReview[] = []

  private readonly random: SeededRandom
  private readonly engines: Engine[]
  private next: Engine

  constructor(random: SeededRandom, engines: Engine[]) {
    this.random = random
    this.engines = engines
    this.next = engines[0]!
  }

  async begin(tasks: number): Promise<void> {
    const { sql } = this.engines[0]!
    const graph = graphOf(tasks)
    await addTasks(sql, graph, 0)
    this.roots = Array.from({ length: ROOTS }, (_, i) => `x${i}`)
    const features = await sql.all<{ id: string }>('select id from features order by n')
    this.scopes = [
      { is: 'all' },
      ...features.map(({ id }) => ({ is: 'feature' as const, feature: id })),
      ...this.roots.map((task) => ({ is: 'task' as const, task })),
    ]
  }

  async turn(): Promise<void> {
    const { random } = this
    this.at += random.int(0, 2)
    // One after the other, and now and then a few turns in a row.
    if (random.is(0.5)) this.next = random.pick(this.engines)
    const engine = this.next
    const deed = random.weighted(DEEDS)
    switch (deed) {
      case 'claim':
        // Mostly the common scope, where they are in each other's way.
        return this.work(engine, random.is(0.95) ? this.scopes[0]! : random.pick(this.scopes))
      case 'settle':
        return this.settle(engine)
      case 'keep':
        return this.keep(engine)
      case 'late':
        return this.speakLate(engine)
      case 'leave':
        return this.leave(engine)
      case 'crash':
        return this.crash(engine)
      case 'race':
        return this.race()
      default:
        return assertNever(deed)
    }
  }

  /** Where all is done, failed or held, it begins anew, as a person would have it. */
  private async work(engine: Engine, scope: TaskScope): Promise<void> {
    const got = await this.claim(engine, scope)
    if (got || scope.is !== 'all' || this.held.size > 0) return
    for (const root of this.roots) await resetTask(engine.sql, root, { all: true, by: 'human', at: this.at })
  }

  private async claim(engine: Engine, scope: TaskScope): Promise<boolean> {
    this.expire()
    const { at } = this
    const answer = await engine.sql.transaction((tx) =>
      claimTask(tx, { scope, run: engine.run, worker: '1', at, leaseMs: LEASE }),
    )
    if (answer.is === 'claimed') this.won(engine, answer.task)
    else if (answer.nothing.counts.ready > 0) fail(20, `something was ready, and nobody got it (${scope.is})`)
    return answer.is === 'claimed'
  }

  private won(engine: Engine, { id: task, attempt }: { id: TaskId; attempt: number }): void {
    const other = this.held.get(task)
    if (other !== undefined) fail(20, `${task} went to ${engine.run} while ${other.run} held it`)
    const last = this.attempts.get(task) ?? 0
    if (attempt !== last + 1) fail(20, `attempt ${attempt} of ${task} came after ${last}`)
    this.attempts.set(task, attempt)
    const held: PendingReview = { task, attempt, run: engine.run, until: this.at + LEASE }
    this.held.set(task, held)
    engine.mine.push(held)
    this.played.claims += 1
  }

  private async settle(engine: Engine): Promise<void> {
    if (engine.mine.length === 0) return
    const one = this.random.pick(engine.mine)
    const as = this.random.weighted(ENDS)
    engine.mine.splice(engine.mine.indexOf(one), 1)
    await this.says(engine.sql, one, as)
  }

  /** Accepted while this very claim is held, whoever's lease has run out: until somebody looks for work, its worker may still speak. */
  private async says(sql: Sql, one: PendingReview, as: keyof typeof ENDS): Promise<void> {
    const isHeld = this.held.get(one.task) === one
    const { task, attempt } = one
    const said = { task, attempt, as, why: null, retries: 0, verification: null, from: null, to: null }
    const { held } = await sql.transaction((tx) => endTaskClaim(tx, { ...said, at: this.at }))
    if (held !== isHeld) fail(20, `attempt ${attempt} of ${task} was ${held ? '' : 'not '}taken at its word`)
    this.played[held ? as : 'late'] += 1
    if (held) this.forget(one)
  }

  private async keep({ sql, run }: Engine): Promise<void> {
    const own = [...this.held.values()].filter((one) => one.run === run)
    const kept = await renewClaims(sql, { run, leaseUntil: this.at + LEASE })
    if (kept !== own.length) fail(20, `${run} kept ${kept} of its ${own.length} claims`)
    for (const one of own) one.until = this.at + LEASE
  }

  private async speakLate({ sql }: Engine): Promise<void> {
    if (this.over.length === 0) return
    const one = this.random.pick(this.over)
    await this.says(sql, one, this.random.pick(['done', 'failed', 'released'] as const))
    const lost = await findLostClaims(sql, one.run, [one])
    if (lost.length !== 1) fail(20, `${one.run} was not told that it has lost ${one.task}`)
  }

  /** A run that ends gives back what it has. */
  private async leave(engine: Engine): Promise<void> {
    const { at } = this
    await engine.sql.transaction((tx) => releaseClaims(tx, { run: engine.run, at, why: null }))
    for (const one of [...this.held.values()].filter(({ run }) => run === engine.run)) {
      this.played.released += 1
      this.forget(one)
    }
    engine.mine = []
  }

  /** Gone from one moment to the next; who comes after knows nothing, and nobody renews what it held. Its words may still come. */
  private crash(engine: Engine): void {
    this.played.crashes += 1
    this.over.push(...engine.mine)
    engine.mine = []
    engine.run = `run${this.runs++}`
  }

  /** Two begin at the very same moment: one waits for the other's transaction. */
  private async race(): Promise<void> {
    this.played.races += 1
    const all = this.scopes[0]!
    await Promise.all(this.engines.slice(0, 2).map((engine) => this.claim(engine, all)))
  }

  /** Whoever looks for work takes back what has run out. */
  private expire(): void {
    for (const one of this.held.values()) {
      if (one.until > this.at) continue
      this.played.lost += 1
      this.forget(one)
    }
  }

  private forget(one: PendingReview): void {
    this.held.delete(one.task)
    this.over.push(one)
    if (this.over.length > LATE_MAX) this.over.splice(0, this.over.length - LATE_MAX)
  }

  /** None lost: every claim there ever was has its end, or is held by who is known to hold it. */
  async recount(): Promise<void> {
    const { sql } = this.engines[0]!
    const { played } = this
    played.held = this.held.size
    const rows = await sql.all<{ state: string; count: number }>(
      'select state, count(*) as count from claims group by state',
    )
    const kept = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    for (const state of ['done', 'failed', 'released', 'lost', 'held'] as const) {
      if ((kept[state] ?? 0) !== played[state])
        fail(20, `${kept[state] ?? 0} claims are ${state}, and ${played[state]} should be`)
    }
    const ended = played.done + played.failed + played.released + played.lost
    if (ended + played.held !== played.claims) fail(20, `of ${played.claims} claims ${ended} have an end`)
    const stillHeld = await sql.all<TaskClaim>(`select task, attempt from claims where state = 'held'`)
    for (const { task, attempt } of stillHeld)
      if (this.held.get(task)?.attempt !== attempt) fail(20, `nobody knows who holds ${task}`)
    for (const what of await findMiscounts(sql)) fail(20, what)
    played.recounts += 1
  }
}

const DEEDS = { claim: 50, settle: 45, keep: 6, late: 4, leave: 0.5, crash: 0.5, race: 0.01 }
const ENDS = { done: 2, failed: 1, released: 3 }

/** Parents whose children wait for one another a little, and one root for another. */
function graphOf(tasks: number) {
  return Array.from({ length: tasks }, (_, i) =>
    newTask(`Task ${i}`, {
      id: `x${i}`,
      parent: i < ROOTS ? null : `x${i % ROOTS}`,
      blockers: i > 3 * ROOTS && i % 3 === 0 ? [`x${i - ROOTS}`] : i === 1 ? ['x0'] : [],
      feature: i % 4 < 2 ? ['even', 'odd'][i % 2]! : null,
      priority: i % 4,
    }),
  )
}
