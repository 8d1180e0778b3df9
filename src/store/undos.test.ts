import { expect, test } from 'vitest'
import { deleteRun } from './runs.ts'
import { makeTestStore, appendEvents, runEnded, runStarted } from '../../test/kit/store.ts'
import { beginUndo, updateUndo, findUndo, listUndos } from './undos.ts'

const HERE = '/home/ann/shop'

test('a run is undone from the moment it begins until it was taken back', async () => {
  const { sql, ...store } = await makeTestStore()
  await appendEvents({ sql, ...store }, [runStarted(), runEnded()], 'r1')
  expect(await findUndo(sql, 'r1')).toBeNull()
  const id = await beginUndo(sql, { task: null, run: 'r1', at: 7, body: { goal: 'g' } })
  expect(await findUndo(sql, 'r1')).toEqual({
    id,
    run: 'r1',
    task: null,
    at: 7,
    state: 'begun',
    body: { goal: 'g' },
  })
  await updateUndo(sql, id, { state: 'done', body: { after: 'a' } })
  expect(await listUndos(sql, HERE)).toEqual([
    { id, run: 'r1', task: null, at: 7, state: 'done', body: { after: 'a' } },
  ])
  await updateUndo(sql, id, { state: 'returned' })
  expect(await findUndo(sql, 'r1')).toBeNull()
  expect(await listUndos(sql, '/elsewhere')).toEqual([])
})

test('what is known of an undo goes with its run', async () => {
  const { sql, ...store } = await makeTestStore()
  await appendEvents({ sql, ...store }, [runStarted(), runEnded()], 'r1')
  await beginUndo(sql, { task: null, run: 'r1', at: 7, body: null })
  await deleteRun(sql, 'r1')
  expect(await sql.all('select * from undos')).toEqual([])
})
