import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listFolder } from '../../system/files/files.ts'
import { addNote, recentNotes } from '../journal.ts'
import { openStore, type Store } from './open-store.ts'
import { openSqlite } from './sqlite.ts'
import {
  makeClosedStore,
  makeTestFolder,
  makeTestStore,
  fillWithNotes,
  leaveWriterMark,
} from '../../../test/kit/store.ts'

const quiet = { notice: () => undefined }
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function marks(file: string): Promise<string[]> {
  const sqlite = openSqlite(file, { immutable: false, ...quiet })
  const rows = await sqlite.peek('key', `meta where key like 'opening:%'`)
  await sqlite.close()
  return rows.map(([key]) => String(key))
}

describe('a new store', () => {
  test('belongs to its owner alone, with its folder and its side files', async () => {
    const file = join(makeTestFolder(), 'deep', 'ralph.db')
    const store = await makeTestStore(file)
    await fillWithNotes(store)
    expect([dirname(file), file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(['700', '600', '600', '600'])
  })

  test('keeps what is written through power loss: WAL and full synchronisation', async () => {
    const { sql } = await makeTestStore()
    expect([
      await sql.get('pragma journal_mode'),
      await sql.get('pragma synchronous'),
      await sql.get('pragma foreign_keys'),
    ]).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }, { foreign_keys: 1 }])
  })

  test('may be begun by several at once', async () => {
    const file = join(makeTestFolder(), 'ralph.db')
    const stores = await Promise.all([makeTestStore(file), makeTestStore(file), makeTestStore(file)])
    for (const store of stores) await fillWithNotes(store)
    expect(await stores[0]?.sql.get('select count(*) as notes from journal')).toEqual({ notes: 900 })
  })

  test('is not begun by a command that only reads', async () => {
    const folder = makeTestFolder()
    const opening = openStore(join(folder, 'ralph.db'), { create: false, ...quiet })
    await expect(opening).rejects.toMatchObject({ code: 'no-run', exit: 3 })
    expect(listFolder(folder)).toEqual([])
  })

  test('that was cut off before its first write counts as none', async () => {
    const file = join(makeTestFolder(), 'ralph.db')
    writeFileSync(file, '')
    await expect(openStore(file, { create: false, ...quiet })).rejects.toMatchObject({ code: 'no-run' })
  })
})

test('reading changes no byte of the file', async () => {
  const file = await makeClosedStore()
  const before = readFileSync(file)
  const store = await openStore(file, { create: false, ...quiet })
  expect(await recentNotes(store.sql, { run: null, limit: 1 })).toMatchObject([{ iteration: 299 }])
  await store.close()
  expect(readFileSync(file).equals(before)).toBe(true)
})

/** One migration each. */
const SHAPES = readdirSync(new URL('../../../assets/migrations', import.meta.url)).length

test('a store of a newer Ralph is refused and left as it is, byte for byte', async () => {
  const file = await makeClosedStore()
  const sqlite = openSqlite(file, { immutable: false, ...quiet })
  await sqlite.script('pragma user_version = 4711')
  await sqlite.close()
  const before = readFileSync(file)
  await expect(openStore(file, { create: true, ...quiet })).rejects.toMatchObject({
    code: 'store-newer',
    message: `${file} was written by a newer Ralph: its schema is version 4711, and this Ralph reads up to ${SHAPES}`,
  })
  expect([readFileSync(file).equals(before), readdirSync(dirname(file))]).toEqual([true, ['ralph.db']])
})

describe('a writer leaves its mark', () => {
  test('from its first write until it closes, and a reader leaves none', async () => {
    const file = await makeClosedStore()
    const store = await openStore(file, { create: true, ...quiet })
    const afterOpening = await marks(file)
    await fillWithNotes(store)
    const afterWriting = await marks(file)
    await store.close()
    expect([afterOpening, afterWriting.length, await marks(file)]).toEqual([[], 1, []])
  })

  test('and one that stayed behind makes the next opening check the file, once', async () => {
    const file = await makeClosedStore()
    await leaveWriterMark(file)
    const before = await marks(file)
    await (await openStore(file, { create: false, ...quiet })).close()
    expect([before, await marks(file)]).toEqual([['opening:dead'], []])
  })
})

test('a store knows when its file is no longer the one at the path', async () => {
  const store = await makeTestStore()
  const seen = [store.isSameFile()]
  renameSync(store.file, `${store.file}.elsewhere`)
  seen.push(store.isSameFile())
  writeFileSync(store.file, 'another file')
  seen.push(store.isSameFile())
  renameSync(`${store.file}.elsewhere`, store.file)
  seen.push(store.isSameFile())
  expect(seen).toEqual([true, false, false, true])
})

test('what one opening wrote, another reads while both are open', async () => {
  const one = await makeTestStore()
  const two = await makeTestStore(one.file)
  const write = (store: Store, i: number): Promise<number> =>
    addNote(store.sql, { run: null, iteration: i, task: null, at: i, author: 'human', text: 'note' })
  await Promise.all(Array.from({ length: 40 }, (_, i) => write(i % 2 === 0 ? one : two, i)))
  expect(await two.sql.get('select count(*) as notes, count(distinct iteration) as kinds from journal')).toEqual({
    notes: 40,
    kinds: 40,
  })
})

test('what stands at the path and is no file is named, not replaced', async () => {
  const file = join(makeTestFolder(), 'ralph.db')
  mkdirSync(file)
  await expect(openStore(file, { create: true, ...quiet })).rejects.toMatchObject({
    code: 'disk',
    message: `${file} could not be opened`,
  })
})
