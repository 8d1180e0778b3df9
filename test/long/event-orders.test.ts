/** Every order of events that a real run shows must be one that the simulator can produce, or its nights prove too little. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/db/open-store.ts'
import { loadRowsAfter } from '../../src/store/record.ts'
import { listRuns } from '../../src/store/runs.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { storeFolder } from '../../src/workspace/repo/find-repo.ts'
import { DONE, testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { openEventOrders } from '../sim/event-orders.ts'
import { simulate } from '../sim/run.ts'
import { memoryStore } from '../sim/store.ts'

const GATE = '[[gate]]\nname = "tests"\nrun = "sh src/work.sh | grep -q one"\n'
const FILES = { 'src/work.sh': 'true\n', 'test/words': 'two\n' }
const PLAN = '- [ ] one\n- [ ] two\n'

const CHECKBOX: ScriptedTurn = [
  { do: 'write', path: 'src/work.sh', content: 'echo one\n' },
  { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' },
  { do: 'status', text: 'One box.', fields: NOT_YET },
]
const LAST_CHECKBOX: ScriptedTurn = [
  { do: 'append', path: 'src/work.sh', content: 'echo two\n' },
  { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' },
  { do: 'status', text: 'All is done.', fields: DONE },
]
const LIE: ScriptedTurn = [{ do: 'status', text: 'Everything is finished.', fields: DONE }]
const TRUTH: ScriptedTurn = [
  { do: 'write', path: 'src/work.sh', content: 'echo one # now it is there\n' },
  { do: 'status', text: 'Done.', fields: DONE },
]
/** The gate is green only because what it reads, which is not work, was written too. */
const REWRITTEN: ScriptedTurn = [
  { do: 'write', path: 'src/work.sh', content: 'cat test/words\n' },
  { do: 'write', path: 'test/words', content: 'one\n' },
  { do: 'status', text: 'Done.', fields: DONE },
]
/** Far enough ahead that it has not passed when a busy machine gets to weigh it: a reset in the past means the long wait. */
const LIMIT: ScriptedTurn = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 4_000 }]
const HANG: ScriptedTurn = [{ do: 'write', path: 'begun', content: 'yes' }, { do: 'hang' }]

test('the orders of real runs are orders of simulated ones', async () => {
  const orders = openEventOrders()
  await recordOf(orders, await loop({ plan: PLAN, turns: [CHECKBOX, LAST_CHECKBOX] }))
  await recordOf(orders, await loop({ turns: [LIE, TRUTH] }))
  await recordOf(orders, await loop({ turns: [LIMIT, TRUTH] }))
  await recordOf(orders, await loop({ turns: [REWRITTEN], code: 5 }))
  await recordOf(orders, await stopped())
  expect(orders.pairs.size).toBeGreaterThan(10)
  expect(await unknownToTheSimulator(orders.pairs)).toEqual([])
})

async function loop(given: { plan?: string; turns: ScriptedTurn[]; code?: number }): Promise<TestProject> {
  const { code = 0, ...how } = given
  const made = await testProject({ toml: GATE, files: FILES, proof: 'full', ...how })
  const ran = await made.ralph(['loop'])
  expect([ran.code, ran.stdout]).toEqual([code, expect.any(String)])
  return made
}

async function stopped(): Promise<TestProject> {
  const made = await testProject({ toml: GATE, files: FILES, proof: 'full', turns: [HANG] })
  const walk = made.start(['loop'])
  await until(() => made.has('begun'))
  await walk.kill('SIGTERM')
  return made
}

/** A file tells nobody that it is there. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setTimeout(resolve, 20))
}

async function recordOf(orders: ReturnType<typeof openEventOrders>, { path }: TestProject): Promise<void> {
  const folder = storeFolder(await openRepo(path), path)
  const store = await openStore(join(folder, 'ralph.db'), { create: false, notice: () => {} })
  const [run] = await listRuns(store.sql, 1)
  const rows = run === undefined ? [] : await loadRowsAfter(store.sql, run.id, 0, 1_000)
  await store.close()
  expect(rows.at(-1)?.event.type).toBe('run-ended')
  for (const row of rows) orders.take(row)
}

/** Tries seeds until every pair was seen; a pair that a thousand nights do not show is one the world cannot produce. */
async function unknownToTheSimulator(wanted: ReadonlySet<string>): Promise<string[]> {
  const orders = openEventOrders()
  const store = await memoryStore()
  let missing = [...wanted]
  for (let seed = 1; seed <= 1_000 && missing.length > 0; seed++) {
    await simulate(store, seed, { note: () => {}, row: orders.take })
    missing = missing.filter((pair) => !orders.pairs.has(pair))
  }
  return missing
}
