/**
 * Random graphs and everything that can be done to them, against a model that keeps nothing and finds all anew. Whatever the store
 * keeps (counters, roll-ups, the table of what is ready, for every scope) must be what the model finds, and it must refuse exactly what
 * the model refuses. Every transaction is done twice.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RalphError } from '../../core/error.ts'
import { assertNever } from '../../core/assert-never.ts'
import { newTask, scopeKey, type TaskScope, type TaskCounts, type TaskId } from '../../core/tasks/task.ts'
import {
  ancestorsIn,
  belowIn,
  childrenIn,
  edgesIn,
  emptyModel,
  factsIn,
  featuresIn,
  hasCycle,
  inScope,
  modelEdge,
  readyIn,
  relinkParents,
  statusIn,
  waitsIn,
  type Model,
  type ModelTask,
} from '../../../test/kit/task.ts'
import { claimTask, endTaskClaim, reclaimExpiredTasks } from './claims.ts'
import type { Sql } from '../db/sql.ts'
import { twice } from '../../../test/kit/sql.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTasks } from './add-tasks.ts'
import { countTasks } from './task-counts.ts'
import { addEdge, removeEdge } from './edges.ts'
import { addFeature } from './features.ts'
import { ALL_TASKS_QUERY, listTasks } from './list-tasks.ts'
import { markTask, resetTask } from './mark-task.ts'
import { removeTask } from './remove-task.ts'
import { updateTask } from './update-task.ts'

/** A task by its place among those there are, round and round; one place is nowhere. */
const NOWHERE = 37
const place = fc.nat({ max: 60 })
function at(all: TaskId[], where: number): TaskId {
  return where === NOWHERE ? 't-none' : (all[where % all.length] ?? 't-none')
}
const maybe = fc.option(place, { freq: 2 })
const feature = fc.constantFrom(null, null, 'f-one', 'f-two')
const line = fc.record({
  parent: maybe,
  blockers: fc.array(place, { maxLength: 2 }),
  feature,
  priority: fc.nat({ max: 2 }),
  sleep: fc.option(fc.nat({ max: 30 }), { freq: 5 }),
})
const deed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edge' as const), blocker: place, blocked: place }) },
  fc.record({ do: fc.constant('no-edge' as const), nth: fc.nat({ max: 5 }) }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      within: fc.option(place, { freq: 2 }),
      of: feature,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      nth: fc.nat({ max: 3 }),
      as: fc.constantFrom('done' as const, 'done' as const, 'failed' as const, 'released' as const),
      late: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('time' as const), passes: fc.nat({ max: 40 }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mark' as const),
      task: place,
      as: fc.constantFrom('done' as const, 'failed' as const),
    }),
  },
  fc.record({ do: fc.constant('reset' as const), task: place, all: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), task: place, unblock: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), task: place, parent: maybe }) },
  fc.record({ do: fc.constant('feature' as const), task: place, feature }),
  fc.record({ do: fc.constant('order' as const), task: place, priority: fc.nat({ max: 2 }) }),
  fc.record({ do: fc.constant('sleep' as const), task: place, for: fc.option(fc.nat({ max: 30 })) }),
)
type StageKind = typeof deed extends fc.Arbitrary<infer D> ? D : never

const LEASE = 20

class World {
  at = 100
  made = 0
  model = emptyModel()
  held: { task: TaskId; attempt: number; until: number }[] = []
  over: { task: TaskId; attempt: number }[] = []
  readonly sql: Sql

  constructor(sql: Sql) {
    this.sql = sql
  }

  /** What the model refuses it leaves untouched; the store must refuse the same, and be untouched. */
  async does(asked: StageKind): Promise<void> {
    const before = structuredClone(this.model)
    const ids = [...this.model.tasks.keys()]
    const id = (where: number): TaskId => at(ids, where)
    const allowed = this.modelDoes(asked, id, ids)
    if (!allowed || hasCycle(this.model) || this.tooDeep()) {
      this.model = before
      await expect(this.storeDoes(asked, id, before)).rejects.toBeInstanceOf(RalphError)
      return
    }
    await this.storeDoes(asked, id, before)
  }

  tooDeep(): boolean {
    return [...this.model.tasks.keys()].some((one) => ancestorsIn(this.model, one).length > 63)
  }

  modelDoes(asked: StageKind, id: (at: number) => TaskId, ids: TaskId[]): boolean {
    const { model } = this
    const has = (one: TaskId): boolean => model.tasks.has(one)
    const of = (one: TaskId): ModelTask => model.tasks.get(one)!
    switch (asked.do) {
      case 'add':
        return this.modelAdds(asked.lines, ids)
      case 'edge': {
        const [blocker, blocked] = [id(asked.blocker), id(asked.blocked)]
        if (!has(blocker) || !has(blocked)) return false
        model.edges.add(modelEdge(blocker, blocked))
        return true
      }
      case 'no-edge': {
        const edge = edgesIn(model)[asked.nth]
        if (edge !== undefined) model.edges.delete(modelEdge(edge.blocker, edge.blocked))
        return true
      }
      case 'claim':
      case 'settle':
      case 'time':
        // Those are never refused; the model follows what the store says it did.
        return true
      case 'mark': {
        const task = id(asked.task)
        if (!has(task) || childrenIn(model, task).length > 0) return false
        this.lose(task)
        of(task).own = asked.as
        return true
      }
      case 'reset': {
        const task = id(asked.task)
        if (!has(task)) return false
        const leaves = belowIn(model, task).filter((one) => childrenIn(model, one.id).length === 0)
        const which =
          leaves.length === 0
            ? [of(task)]
            : leaves.filter(({ own }) => own === 'failed' || (asked.all && own !== 'pending'))
        for (const one of which) {
          this.lose(one.id)
          one.own = 'pending'
        }
        return true
      }
      case 'delete': {
        const task = id(asked.task)
        if (!has(task)) return false
        const gone = [of(task), ...belowIn(model, task)]
        if (gone.some(({ held }) => held)) return false
        const names = new Set(gone.map((one) => one.id))
        const outward = edgesIn(model).filter(({ blocker, blocked }) => names.has(blocker) && !names.has(blocked))
        if (outward.length > 0 && !asked.unblock) return false
        for (const { blocker, blocked } of edgesIn(model))
          if (names.has(blocker) || names.has(blocked)) model.edges.delete(modelEdge(blocker, blocked))
        relinkParents(model, [of(task).parent], () => names.forEach((name) => model.tasks.delete(name)))
        return true
      }
      case 'move': {
        const [task, parent] = [id(asked.task), asked.parent === null ? null : id(asked.parent)]
        if (!has(task) || (parent !== null && !has(parent))) return false
        if (parent !== null && of(task).parent !== parent && of(parent).held) return false
        relinkParents(model, [of(task).parent], () => (of(task).parent = parent))
        return true
      }
      case 'feature': {
        const task = id(asked.task)
        if (!has(task)) return false
        const was = of(task).feature
        for (const one of [of(task), ...belowIn(model, task)]) if (one.feature === was) one.feature = asked.feature
        return true
      }
      case 'order':
        if (!has(id(asked.task))) return false
        of(id(asked.task)).priority = asked.priority
        return true
      case 'sleep':
        if (!has(id(asked.task))) return false
        Object.assign(of(id(asked.task)), {
          notBefore: asked.for === null ? null : this.at + asked.for,
          scheduled: asked.for !== null && asked.for > 0,
        })
        return true
      default:
        return assertNever(asked)
    }
  }

  /** A line names what was there or an earlier one, and now and then any line, itself and later ones too. */
  namesFor(lines: unknown[], ids: TaskId[]): (where: number, nth: number) => TaskId {
    const own = lines.map((_, i) => `n${this.made + i}`)
    return (where, nth) => at(where % 9 === 8 ? own : [...ids, ...own.slice(0, nth)], where)
  }

  modelAdds(lines: (typeof line extends fc.Arbitrary<infer L> ? L : never)[], ids: TaskId[]): boolean {
    const { model } = this
    const name = this.namesFor(lines, ids)
    const last = [...model.tasks.values()].reduce((max, { n }) => Math.max(max, n), 0)
    const first = Math.max(last, this.lastArchived)
    const parents = lines.map(({ parent }, i) => (parent === null ? null : name(parent, i)))
    if (parents.some((parent) => parent !== null && model.tasks.get(parent)?.held === true)) return false
    lines.forEach((one, i) => {
      const id = `n${this.made + i}`
      model.tasks.set(id, {
        id,
        n: first + i + 1,
        parent: parents[i] ?? null,
        feature: one.feature,
        own: 'pending',
        priority: one.priority,
        notBefore: one.sleep === null ? null : this.at + one.sleep,
        scheduled: one.sleep !== null && one.sleep > 0,
        attempt: 0,
        held: false,
        history: false,
      })
      for (const blocker of one.blockers) model.edges.add(modelEdge(name(blocker, i), id))
    })
    const named = [...parents, ...lines.flatMap(({ blockers }, i) => blockers.map((one) => name(one, i)))]
    if (named.some((one) => one !== null && !model.tasks.has(one)) || hasCycle(model)) return false
    for (const [i, one] of lines.entries()) {
      const task = model.tasks.get(`n${this.made + i}`)!
      const line = ancestorsIn(model, task.id).map((above) => model.tasks.get(above)!)
      // Its own, or that of the nearest above it that says one; what was there before says it for itself, also that it has none.
      const nearest = line.find(
        (above) => !lines.some((_, k) => above.id === `n${this.made + k}`) || above.feature !== null,
      )
      if (one.feature === null) task.feature = nearest?.feature ?? null
    }
    return true
  }

  /** The number of the last task that was archived: numbers go on after it. */
  lastArchived = 0

  lose(task: TaskId): void {
    const found = this.model.tasks.get(task)
    if (found !== undefined) found.held = false
    this.over.push(...this.held.filter((one) => one.task === task))
    this.held = this.held.filter((one) => one.task !== task)
  }

  async storeDoes(asked: StageKind, id: (at: number) => TaskId, before: Model): Promise<void> {
    const { sql, at } = this
    switch (asked.do) {
      case 'add': {
        const name = this.namesFor(asked.lines, [...before.tasks.keys()])
        const tasks = asked.lines.map((one, i) =>
          newTask(`Task ${this.made + i}`, {
            id: `n${this.made + i}`,
            parent: one.parent === null ? null : name(one.parent, i),
            blockers: one.blockers.map((blocker) => name(blocker, i)),
            feature: one.feature,
            priority: one.priority,
            notBefore: one.sleep === null ? null : at + one.sleep,
          }),
        )
        await addTasks(sql, tasks, at)
        this.made += tasks.length
        return
      }
      case 'edge':
        await addEdge(sql, { blocker: id(asked.blocker), blocked: id(asked.blocked) }, at)
        return
      case 'no-edge': {
        const edge = edgesIn(before)[asked.nth]
        if (edge !== undefined) await removeEdge(sql, edge, at)
        return
      }
      case 'claim':
        return this.claims(asked.within === null ? null : id(asked.within), asked.of)
      case 'settle':
        return this.settles(asked)
      case 'time': {
        this.at += asked.passes
        const lost = await sql.transaction((tx) => reclaimExpiredTasks(tx, this.at))
        expect(lost.map(({ task }) => task).toSorted()).toEqual(
          this.held
            .filter(({ until }) => until <= this.at)
            .map(({ task }) => task)
            .toSorted(),
        )
        this.backToPending(lost)
        return
      }
      case 'mark':
        await markTask(sql, id(asked.task), { as: asked.as, why: null, by: 'human', at })
        return
      case 'reset':
        await resetTask(sql, id(asked.task), { all: asked.all, by: 'human', at })
        return
      case 'delete': {
        const { archived } = await removeTask(sql, id(asked.task), { unblock: asked.unblock, at })
        for (const one of archived) this.lastArchived = Math.max(this.lastArchived, before.tasks.get(one)?.n ?? 0)
        return
      }
      case 'move':
        await updateTask(sql, id(asked.task), { parent: asked.parent === null ? null : id(asked.parent) }, at)
        return
      case 'feature':
        await updateTask(sql, id(asked.task), { feature: asked.feature }, at)
        return
      case 'order':
        await updateTask(sql, id(asked.task), { priority: asked.priority }, at)
        return
      case 'sleep':
        await updateTask(sql, id(asked.task), { notBefore: asked.for === null ? null : at + asked.for }, at)
        return
      default:
        return assertNever(asked)
    }
  }

  backToPending(lost: { task: TaskId }[]): void {
    for (const { task } of lost) {
      this.lose(task)
      this.model.tasks.get(task)!.own = 'pending'
    }
  }

  async claims(within: TaskId | null, of: string | null): Promise<void> {
    const { sql, at, model } = this
    this.backToPending(this.held.filter(({ until }) => until <= at))
    for (const task of model.tasks.values()) if (task.notBefore !== null && task.notBefore <= at) task.scheduled = false
    const scope: TaskScope =
      within !== null ? { is: 'task', task: within } : of !== null ? { is: 'feature', feature: of } : { is: 'all' }
    const expected = (readyIn(model)['all'] ?? []).find((one) => inScope(model, model.tasks.get(one)!, scope))
    const answer = await sql.transaction((tx) => claimTask(tx, { scope, run: 'r1', worker: '1', at, leaseMs: LEASE }))
    expect(answer.is === 'claimed' ? answer.task.id : undefined).toBe(expected)
    if (answer.is === 'nothing') {
      const open = [...model.tasks.values()].filter(
        (task) => inScope(model, task, scope) && childrenIn(model, task.id).length === 0,
      )
      expect(answer.nothing.counts).toMatchObject({ all: open.length, ready: 0 })
      return
    }
    const task = model.tasks.get(answer.task.id)!
    Object.assign(task, { own: 'in_progress', held: true, history: true, attempt: task.attempt + 1 })
    expect(answer.task.attempt).toBe(task.attempt)
    this.held.push({ task: task.id, attempt: task.attempt, until: at + LEASE })
  }

  async settles(asked: Extract<StageKind, { do: 'settle' }>): Promise<void> {
    const { sql, at, model } = this
    const claim = (asked.late ? this.over : this.held)[asked.nth]
    if (claim === undefined) return
    const said = { as: asked.as, why: 'so', retries: 0, verification: null, from: null, to: null, at }
    const settled = await sql.transaction((tx) =>
      endTaskClaim(tx, { ...said, task: claim.task, attempt: claim.attempt }),
    )
    expect(settled.held).toBe(!asked.late)
    if (asked.late) return
    this.lose(claim.task)
    model.tasks.get(claim.task)!.own = asked.as === 'released' ? 'pending' : asked.as
  }

  async isAsReckoned(): Promise<void> {
    const { sql, model } = this
    const kept = await listTasks(sql, { ...ALL_TASKS_QUERY, sort: 'order', at: this.at })
    const expected = [...model.tasks.values()].toSorted((a, b) => a.n - b.n).map((task) => factsIn(model, task))
    expect(
      kept.map((task) => ({
        id: task.id,
        n: task.n,
        parent: task.parent,
        feature: task.feature,
        status: task.status,
        priority: task.priority,
        children: task.children,
        childrenDone: task.childrenDone,
        childrenFailed: task.childrenFailed,
        childrenGoing: task.childrenGoing,
        waits: task.waits,
        above: task.above,
        scheduled: task.scheduled,
        attempt: task.attempt,
        claimed: task.claimedBy !== null,
      })),
    ).toEqual(expected)
    const rows = await sql.all<{ scope: string; task: TaskId }>(
      'select scope, task from ready order by scope, priority, n',
    )
    const ready: Record<string, TaskId[]> = {}
    for (const { scope, task } of rows) (ready[scope] ??= []).push(task)
    expect(ready).toEqual(readyIn(model))
    expect((await sql.all('select blocker, blocked from edges')).length).toBe(model.edges.size)
    await this.featuresAreRight()
    for (const task of kept) if (task.children > 0) this.whyIsTrue(task)
  }

  async featuresAreRight(): Promise<void> {
    const rows = await this.sql.all<Record<string, number | string>>(
      'select id, tasks, done, failed, going from features',
    )
    const sums = featuresIn(this.model)
    for (const { id, tasks, done, failed, going } of rows)
      expect([tasks, done, failed, going]).toEqual(sums[String(id)] ?? [0, 0, 0, 0])
    const scopes: TaskScope[] = [
      { is: 'all' },
      ...[...this.model.tasks.keys()].map((task): TaskScope => ({ is: 'task', task })),
    ]
    for (const scope of scopes) expect(await countTasks(this.sql, scope)).toEqual(this.countsIn(scope))
  }

  countsIn(scope: TaskScope): TaskCounts {
    const { model } = this
    const leaves = [...model.tasks.values()].filter(
      (task) => childrenIn(model, task.id).length === 0 && inScope(model, task, scope),
    )
    const are = (status: string): number => leaves.filter(({ own }) => own === status).length
    const ready = (readyIn(model)[scopeKey(scope)] ?? []).length
    const blocked = leaves.filter(
      ({ id, own }) => own === 'pending' && [id, ...ancestorsIn(model, id)].some((one) => waitsIn(model, one) > 0),
    ).length
    return {
      all: leaves.length,
      done: are('done'),
      failed: are('failed'),
      going: are('in_progress'),
      ready,
      blocked,
      scheduled: are('pending') - ready - blocked,
    }
  }

  whyIsTrue({ id, status, why }: { id: TaskId; status: string; why: string | null }): void {
    const failed = childrenIn(this.model, id).filter((child) => statusIn(this.model, child.id) === 'failed')
    if (status !== 'failed') expect(why).toBeNull()
    else expect(failed.some((child) => why?.includes(`(${child.id}) failed`))).toBe(true)
  }
}

test('whatever is done, the graph is what anybody would reckon on paper', async () => {
  const { sql } = await makeTestStore()
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 6, maxLength: 14, size: 'max' }),
      fc.array(deed, { minLength: 10, maxLength: 40, size: 'max' }),
      async (lines, deeds) => {
        const undone = sql.transaction(async (tx) => {
          for (const name of ['one', 'two'])
            await addFeature(tx, { id: `f-${name}`, name, stage: 'ready', spec: null, plan: null }, 1)
          const world = new World(twice(tx))
          const first = lines.map((one) => ({ do: 'add' as const, lines: [one] }))
          for (const asked of [...first, ...deeds]) {
            await world.does(asked)
            await world.isAsReckoned()
          }
          throw new Error('undo')
        })
        await expect(undone).rejects.toThrow(/^undo$/)
      },
    ),
    { numRuns: Number(process.env['GRAPHS'] ?? 40) },
  )
})
