/**
 * Several engines on one store, each with a connection of its own, claim, renew, settle, die and come back too late, in an order drawn
 * from a seed. No task is ever held twice, none is lost, and no late word changes anything. `CLAIMS=1000000` runs a million of them.
 */
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { newTask } from '../../src/domain/task/task.ts'
import {
  claimTask,
  keepClaims,
  lostClaims,
  releaseClaims,
  settleTask,
  type TaskClaim,
} from '../../src/store/task/claims.ts'
import { openStore, type Store } from '../../src/store/db/open.ts'
import { addTasks } from '../../src/store/task/add.ts'
import { countTasks } from '../../src/store/task/counts.ts'
import { resetTask } from '../../src/store/task/mark.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'

const CLAIMS = Number(process.env['CLAIMS'] ?? 20_000)
const ENGINES = 4
const TASKS = 400
const LEASE = 50

test(
  `${CLAIMS} claims by ${ENGINES} engines: none double, none lost`,
  async () => {
    const chance = chanceFrom(7)
    const engines = await engineStores()
    const first = engines[0]!.sql
    await addTasks(first, graph(), 0)
    const held = new Map<string, { claim: TaskClaim; engine: number; until: number }>()
    const late: { claim: TaskClaim; engine: number }[] = []
    const attempts = new Map<string, number>()
    let [at, won, settledDone] = [1, 0, 0]
    while (won < CLAIMS) {
      at += chance(3)
      const engine = chance(ENGINES)
      const { sql } = engines[engine]!
      switch (chance(12)) {
        case 0: {
          // Late words: of a claim that was lost, released or settled long ago.
          const one = late[chance(late.length)]
          if (one === undefined) break
          expect((await settle(engine, one.claim, 'failed')).held).toBe(false)
          expect(await lostClaims(sql, run(one.engine), [one.claim])).toMatchObject([one.claim])
          break
        }
        case 1:
          await keepClaims(sql, { run: run(engine), leaseUntil: at + LEASE })
          for (const one of held.values()) if (one.engine === engine) one.until = at + LEASE
          break
        case 2:
          if (chance(20) > 0) break
          await sql.transaction((tx) => releaseClaims(tx, { run: run(engine), at, why: null }))
          for (const [task, one] of held) if (one.engine === engine) forget(task)
          break
        case 3:
        case 4:
        case 5:
        case 6:
        case 7: {
          const mine = [...held.values()].filter((one) => one.engine === engine)
          const one = mine[chance(mine.length)]
          if (one === undefined) break
          const as = (['done', 'done', 'failed', 'released'] as const)[chance(4)]!
          expect((await settle(engine, one.claim, as)).held).toBe(true)
          settledDone += Number(as === 'done')
          forget(one.claim.task)
          break
        }
        default:
          await claim(engine)
      }
    }
    const counts = await first.all<{ state: string; count: number }>(
      'select state, count(*) as count from claims group by state order by state',
    )
    const byState = Object.fromEntries(counts.map(({ state, count }) => [state, count]))
    const stillHeld = await first.all<{ task: string }>(`select task from claims where state = 'held'`)
    expect(Object.values(byState).reduce((sum, count) => sum + count, 0)).toBe(won)
    expect(byState['done']).toBe(settledDone)
    expect(stillHeld.map(({ task }) => task).toSorted()).toEqual([...held.keys()].toSorted())
    expect((await countTasks(first, { is: 'all' })).all).toBe(TASKS - ROOTS)

    function forget(task: string): void {
      const one = held.get(task)
      held.delete(task)
      if (one === undefined) return
      late.push(one)
      if (late.length > 200) late.shift()
    }

    async function claim(engine: number): Promise<void> {
      const { sql } = engines[engine]!
      // Whoever looks for work takes back what has run out; until then its worker may still speak.
      for (const [task, one] of held) if (one.until <= at) forget(task)
      const answer = await sql.transaction((tx) =>
        claimTask(tx, {
          scope: { is: 'all' },
          run: run(engine),
          worker: '1',
          at,
          leaseMs: LEASE,
        }),
      )
      if (answer.is === 'nothing') {
        // All is done, failed or held: begin anew, as a person would; nobody's claim is touched by it.
        expect(answer.nothing.counts.ready).toBe(0)
        if (held.size > 0) return
        for (let i = 0; i < ROOTS; i++) await resetTask(sql, `x${i}`, { all: true, by: 'human', at })
        return
      }
      const { id, attempt } = answer.task
      expect(held.has(id)).toBe(false)
      expect(attempt).toBe((attempts.get(id) ?? 0) + 1)
      attempts.set(id, attempt)
      held.set(id, { claim: { task: id, attempt }, engine, until: at + LEASE })
      won += 1
    }

    function settle(engine: number, one: TaskClaim, as: 'done' | 'failed' | 'released') {
      const said = { ...one, as, why: null, retries: 0, verification: null, from: null, to: null, at }
      return engines[engine]!.sql.transaction((tx) => settleTask(tx, said))
    }
  },
  60 * 60_000,
)

const ROOTS = 20

/** Twenty parents; their children wait for one another a little. */
function graph() {
  return Array.from({ length: TASKS }, (_, i) =>
    newTask(`Task ${i}`, {
      id: `x${i}`,
      parent: i < ROOTS ? null : `x${i % ROOTS}`,
      blockers: i > 3 * ROOTS && i % 3 === 0 ? [`x${i - ROOTS}`] : [],
      feature: i % 2 === 0 ? 'even' : 'odd',
    }),
  )
}

function run(engine: number): string {
  return `run${engine}`
}

async function engineStores(): Promise<Store[]> {
  const folder = makeTempFolder('ralph-claims-')
  const file = join(folder, 'ralph.db')
  const stores: Store[] = []
  for (let i = 0; i < ENGINES; i++)
    stores.push(await openStore(file, { create: true, notice: () => undefined }))
  // What the disk does is not what is asked here, and a million times it would take hours.
  for (const { sql } of stores) await sql.run('pragma synchronous = off')
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    removeFolder(folder)
  })
  return stores
}

/** The same numbers for the same seed. */
function chanceFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return below === 0 ? 0 : Math.floor((state / 2 ** 32) * below)
  }
}
