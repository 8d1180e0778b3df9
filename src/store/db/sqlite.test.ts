import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqlite, type Sqlite } from './sqlite.ts'
import { makeTestFolder } from '../../../test/kit/store.ts'

async function open(file: string, busyTimeoutMs = 5_000): Promise<Sqlite> {
  const sqlite = openSqlite(file, { immutable: false, busyTimeoutMs, notice: () => undefined })
  onTestFinished(() => sqlite.close())
  await sqlite.script('pragma journal_mode = wal; create table if not exists words (word text primary key)')
  return sqlite
}

const words = async (sqlite: Sqlite): Promise<string[]> =>
  (await sqlite.all<{ word: string }>('select word from words order by word')).map((row) => row.word)

describe('a transaction', () => {
  test('keeps all of its work or none', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    const broken = sqlite.transaction(async (tx) => {
      await tx.run('insert into words values (?)', 'lost')
      throw new Error('changed my mind')
    })
    await expect(broken).rejects.toThrow('changed my mind')
    const kept = await sqlite.transaction(async (tx) => tx.run('insert into words values (?)', 'kept'))
    expect([kept, await words(sqlite)]).toEqual([{ changes: 1 }, ['kept']])
  })

  test('is never entered by a statement from outside', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    const seen: string[][] = []
    const transaction = sqlite.transaction(async (tx) => {
      await tx.run('insert into words values (?)', 'a')
      for (let i = 0; i < 5; i++) await tx.all('select 1')
      await tx.run('insert into words values (?)', 'b')
      seen.push(['inside'])
    })
    const outside = words(sqlite).then((found) => seen.push(found))
    await Promise.all([transaction, outside])
    expect(seen).toEqual([['inside'], ['a', 'b']])
  })

  test('has parts that can be undone alone', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    await sqlite.transaction(async (tx) => {
      await tx.run('insert into words values (?)', 'whole')
      const part = tx.transaction(async (inner) => {
        await inner.run('insert into words values (?)', 'part')
        throw new Error('only this part')
      })
      await part.catch(() => null)
      await tx.transaction((inner) => inner.run('insert into words values (?)', 'other part'))
    })
    expect(await words(sqlite)).toEqual(['other part', 'whole'])
  })

  test('cannot be used after its end', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    const tx = await sqlite.transaction(async (inner) => ({ inner }))
    await expect(tx.inner.run('insert into words values (?)', 'late')).rejects.toMatchObject({ code: 'bug' })
    expect(await words(sqlite)).toEqual([])
  })

  test('of one connection waits for that of another', async () => {
    const file = join(makeTestFolder(), 'a.db')
    const [one, two] = [await open(file), await open(file)]
    let finish = (): void => undefined
    const held = new Promise<void>((resolve) => (finish = resolve))
    const first = one.transaction(async (tx) => {
      await tx.run('insert into words values (?)', 'first')
      await held
    })
    const second = two.run('insert into words values (?)', 'second')
    setImmediate(finish)
    await Promise.all([first, second])
    expect(await words(one)).toEqual(['first', 'second'])
  })
})

describe('trouble a person can fix is named', () => {
  test('another process that never ends its transaction: store-busy', async () => {
    const file = join(makeTestFolder(), 'a.db')
    const [one, two] = [await open(file), await open(file, 60)]
    await one.script('begin immediate')
    await expect(two.run('insert into words values (?)', 'x')).rejects.toMatchObject({
      code: 'store-busy',
      exit: 7,
    })
    await one.script('rollback')
  })

  test('no room left: disk, and the transaction is gone as a whole', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    await sqlite.script('pragma max_page_count = 4')
    const full = sqlite.transaction(async (tx) => {
      await tx.run('insert into words values (?)', 'small')
      await tx.run('insert into words values (?)', 'x'.repeat(100_000))
    })
    await expect(full).rejects.toMatchObject({ code: 'disk', exit: 7 })
    expect(await words(sqlite)).toEqual([])
  })

  test('a disk that cannot be written is read all the same, and writing there: disk', async () => {
    const file = join(makeTestFolder(), 'a.db')
    const writer = await open(file)
    await writer.run('insert into words values (?)', 'here')
    await writer.script('pragma wal_checkpoint(truncate)')
    const reader = openSqlite(file, { immutable: true, notice: () => undefined })
    onTestFinished(() => reader.close())
    expect(await words(reader)).toEqual(['here'])
    await expect(reader.run('insert into words values (?)', 'x')).rejects.toMatchObject({
      code: 'disk',
      message: `${file} is read-only`,
    })
  })

  test('a folder that is not there: disk', () => {
    const file = join(makeTestFolder(), 'missing', 'a.db')
    expect(() => openSqlite(file, { immutable: false, notice: () => undefined })).toThrow(
      expect.objectContaining({ code: 'disk', message: `${file} could not be opened` }),
    )
  })

  test('a broken constraint is our own error and stays one', async () => {
    const sqlite = await open(join(makeTestFolder(), 'a.db'))
    await sqlite.run('insert into words values (?)', 'x')
    await expect(sqlite.run('insert into words values (?)', 'x')).rejects.toThrow('UNIQUE constraint failed')
  })
})

test('a long wait for another process is told once', async () => {
  const file = join(makeTestFolder(), 'a.db')
  const one = await open(file)
  const told: string[] = []
  const two = openSqlite(file, {
    immutable: false,
    // Long enough that a busy machine comes to the notice before the end.
    busyTimeoutMs: 2_000,
    notice: (text) => told.push(text),
  })
  onTestFinished(() => two.close())
  await one.script('begin immediate')
  await expect(two.run('insert into words values (?)', 'x')).rejects.toMatchObject({ code: 'store-busy' })
  await one.script('rollback')
  expect(told).toEqual(['Another Ralph process is writing to the store; waiting for it.'])
})
