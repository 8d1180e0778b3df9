import { expect, test } from 'vitest'
import { deleteRun } from './runs.ts'
import { aStore, record, runEnded, runStarted } from '../../test/kit/store.ts'
import { beginUndo, moveUndo, undoOf, undosIn } from './undos.ts'

const HERE = '/home/ann/shop'

test('a run is undone from the moment it begins until it was taken back', async () => {
  const { sql, ...store } = await aStore()
  await record({ sql, ...store }, [runStarted(), runEnded()], 'r1')
  expect(await undoOf(sql, 'r1')).toBeNull()
  const id = await beginUndo(sql, { task: null, run: 'r1', at: 7, body: { goal: 'g' } })
  expect(await undoOf(sql, 'r1')).toEqual({
    id,
    run: 'r1',
    task: null,
    at: 7,
    state: 'begun',
    body: { goal: 'g' },
  })
  await moveUndo(sql, id, { state: 'done', body: { after: 'a' } })
  expect(await undosIn(sql, HERE)).toEqual([
    { id, run: 'r1', task: null, at: 7, state: 'done', body: { after: 'a' } },
  ])
  await moveUndo(sql, id, { state: 'returned' })
  expect(await undoOf(sql, 'r1')).toBeNull()
  expect(await undosIn(sql, '/elsewhere')).toEqual([])
})

test('what is known of an undo goes with its run', async () => {
  const { sql, ...store } = await aStore()
  await record({ sql, ...store }, [runStarted(), runEnded()], 'r1')
  await beginUndo(sql, { task: null, run: 'r1', at: 7, body: null })
  await deleteRun(sql, 'r1')
  expect(await sql.all('select * from undos')).toEqual([])
})
