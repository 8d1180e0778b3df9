import { describe, expect, test } from 'vitest'
import { evidenceOfRun } from './evidence.ts'
import { loadStatsFacts } from './stats-facts.ts'
import type { Store } from './db/open-store.ts'
import { loadRowsAfter } from './record.ts'
import { loadRunState, saveRunState } from './run-state.ts'
import {
  deleteRun,
  findRunByPrefix,
  listInterruptedOneStageRuns,
  loadLatestRun,
  listRuns,
  loadUnfinishedRun,
} from './runs.ts'
import {
  admitted,
  sampleState,
  makeTestStore,
  appendEvents,
  runAgent,
  runEnded,
  runStarted,
} from '../../test/kit/store.ts'
import { usageOfRun } from './usage.ts'

async function withRuns(...ids: string[]): Promise<Store> {
  const store = await makeTestStore()
  for (const id of ids) await appendEvents(store, [runStarted()], id)
  return store
}

const idsOf = (runs: { id: string }[]): string[] => runs.map((run) => run.id)

test('runs are listed newest first; of the same moment, by id', async () => {
  const store = await withRuns('ra', 'rc', 'rb')
  await store.sql.run(`update runs set started_at = 5000 where id = 'ra'`)
  expect(idsOf(await listRuns(store.sql, 10))).toEqual(['ra', 'rc', 'rb'])
  expect(idsOf(await listRuns(store.sql, 2))).toEqual(['ra', 'rc'])
})

test('the latest and the unfinished run are asked for by working tree', async () => {
  const store = await makeTestStore()
  await appendEvents(store, [runStarted({ project: '/a' })], 'r1')
  await appendEvents(store, [runStarted({ project: '/b' })], 'r2')
  await appendEvents(store, [runStarted({ project: '/b' }), runEnded()], 'r3')
  expect([
    (await loadLatestRun(store.sql))?.id,
    (await loadLatestRun(store.sql, '/a'))?.id,
    (await loadLatestRun(store.sql, '/b'))?.id,
    (await loadLatestRun(store.sql, '/c'))?.id,
    (await loadUnfinishedRun(store.sql, '/b'))?.id,
    (await loadUnfinishedRun(store.sql, '/c'))?.id,
  ]).toEqual(['r3', 'r1', 'r3', undefined, 'r2', undefined])
})

test.each(['verify', 'import'] as const)('a run of one stage (%s) is nobody’s last run', async (kind) => {
  const store = await makeTestStore()
  const project = '/a'
  await appendEvents(store, [runStarted({ project })], 'r1')
  await appendEvents(store, [runStarted({ project, [kind]: true })], 'v2')
  expect([
    idsOf(await listRuns(store.sql, 9)),
    idsOf(await listRuns(store.sql, 9, { kinds: 'one-stage' })),
    idsOf(await listRuns(store.sql, 9, { kinds: 'all' })),
    (await loadLatestRun(store.sql, project))?.id,
    (await loadUnfinishedRun(store.sql, project))?.id,
    await listInterruptedOneStageRuns(store.sql, project),
    (await loadStatsFacts(store.sql, 'run')).runs.map(({ run }) => run),
  ]).toEqual([['r1'], ['v2'], ['v2', 'r1'], 'r1', 'r1', ['v2'], ['r1']])
})

describe('a run is found', () => {
  test('before one of a single stage, which is found if no other is meant', async () => {
    const store = await withRuns('7kf2')
    await appendEvents(store, [runStarted({ verify: true })], '7kx3')
    expect((await findRunByPrefix(store.sql, '7k')).id).toBe('7kf2')
    expect(await findRunByPrefix(store.sql, '7kx')).toMatchObject({ id: '7kx3', kind: 'verify' })
  })

  test('by its id, even if that begins another', async () => {
    const store = await withRuns('7kf', '7kf2')
    expect((await findRunByPrefix(store.sql, '7kf')).id).toBe('7kf')
  })

  test('by the first letters of its id', async () => {
    const store = await withRuns('7kf2', '9abc')
    expect((await findRunByPrefix(store.sql, '9')).id).toBe('9abc')
  })

  test('not if the letters fit several, which are named', async () => {
    const store = await withRuns('7kf2', '7kx3')
    await expect(findRunByPrefix(store.sql, '7k')).rejects.toMatchObject({
      code: 'not-found',
      message: '"7k" matches several runs: 7kx3, 7kf2',
    })
  })

  test('not if nobody knows it, with the likely one named', async () => {
    const store = await withRuns('7kf2m9')
    await expect(findRunByPrefix(store.sql, '7kg2m')).rejects.toMatchObject({
      code: 'not-found',
      hint: 'Did you mean 7kf2m9? List the runs: ralph runs',
    })
    for (const stranger of ['zzzzzz', '', '%', '_', `' or 1=1 --`]) {
      await expect(findRunByPrefix(store.sql, stranger)).rejects.toMatchObject({
        hint: 'List the runs: ralph runs',
      })
    }
  })
})

test('a deleted run leaves nothing behind and touches no other', async () => {
  const store = await makeTestStore()
  for (const run of ['r1', 'r2']) {
    await appendEvents(store, [runStarted(), [admitted('e1'), [runAgent('e2', { iteration: 1 })]]], run)
    await saveRunState(store.sql, run, { version: 1, seq: 2, state: sampleState() }, null)
  }
  await store.sql.transaction((tx) => deleteRun(tx, 'r1'))
  const left = async (run: string): Promise<unknown[]> => [
    (await loadRowsAfter(store.sql, run, 0, 10)).length,
    await loadRunState(store.sql, run),
    (await usageOfRun(store.sql, run)).calls,
    await evidenceOfRun(store.sql, run),
  ]
  expect([await left('r1'), await left('r2'), idsOf(await listRuns(store.sql, 9))]).toEqual([
    [0, null, 0, []],
    [2, { version: 1, seq: 2, state: sampleState() }, 1, []],
    ['r2'],
  ])
})
