import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { identifyProcess } from '../../system/process/process-identity.ts'
import { addNote, recentNotes } from '../journal.ts'
import { openLastRowNote } from './last-row-note.ts'
import type { Store } from './open-store.ts'
import { loadRunState, saveRunState } from '../run-state.ts'
import { openSqlite } from './sqlite.ts'
import {
  makeClosedStore,
  sampleState,
  makeTestFolder,
  makeTestStore,
  leaveWriterMark,
  appendEvents,
  runStarted,
} from '../../../test/kit/store.ts'
import { useStore } from './use-store.ts'

/** What is in the file itself before its first checkpoint: everything else is in the `-wal`. */
async function aHeader(): Promise<Buffer> {
  const file = join(makeTestFolder(), 'young.db')
  const sqlite = openSqlite(file, { immutable: false, ...quiet })
  onTestFinished(() => sqlite.close())
  await sqlite.script('pragma journal_mode = wal; create table t (x); pragma user_version = 1')
  return readFileSync(file)
}

const notes = ({ sql }: Store): Promise<unknown[]> => recentNotes(sql, { run: null, limit: 1 })
const quiet = { notice: () => undefined }

function noise(file: string, { from, to }: { from: number; to: number }): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, from * 4096, to * 4096)
  writeFileSync(file, bytes)
}

/** The pages of a table, as the file itself knows them. */
async function pagesOf(file: string, table: string): Promise<{ from: number; to: number }> {
  const sqlite = openSqlite(file, { immutable: false, ...quiet })
  const rows = await sqlite.peek('rootpage', `sqlite_schema where name = '${table}'`)
  await sqlite.close()
  const page = Number(rows[0]?.[0])
  return { from: page - 1, to: page }
}

function keptIn(file: string): string {
  const name = readdirSync(dirname(file)).find((one) => /^ralph\.db\.damaged-[\dTZ-]+$/.test(one))
  return join(dirname(file), name ?? 'nothing kept')
}

describe('a damaged file is set aside whole', () => {
  const damages: Record<string, (file: string) => void | Promise<void>> = {
    'a text file': (file) => writeFileSync(file, 'this is not a database\n'.repeat(100)),
    'half of the file is missing': (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
    'pages overwritten with noise, after a kill': async (file) => {
      await leaveWriterMark(file)
      noise(file, { from: 3, to: 12 })
    },
    'a page that no opening reads': async (file) => noise(file, await pagesOf(file, 'journal')),
  }

  test.each(Object.entries(damages))('and a new one begun by a command that begins things: %s', async (_, damage) => {
    const file = await makeClosedStore()
    await damage(file)
    const bytes = readFileSync(file)
    const told: string[] = []
    const read = await useStore(file, { create: true, notice: (text) => told.push(text) }, notes)
    const kept = keptIn(file)
    expect([read, told]).toEqual([[], [expect.stringContaining(`Ralph saved it as ${kept} and created a new store`)]])
    expect(readFileSync(kept).equals(bytes)).toBe(true)
  })

  test.each(Object.entries(damages))('and told by a command that reads: %s', async (_, damage) => {
    const file = await makeClosedStore()
    await damage(file)
    const failed = await useStore(file, { create: false, ...quiet }, notes).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining(`was quarantined as ${keptIn(file)}`) as string,
      hint: expect.stringContaining('Start again: ralph loop') as string,
    })
    await expect(useStore(file, { create: false, ...quiet }, notes)).rejects.toMatchObject({
      code: 'no-run',
      message: `nothing has run here since Ralph quarantined the damaged store as ${keptIn(file)}`,
    })
  })

  test('unless a living process still writes to it', async () => {
    const file = await makeClosedStore()
    const living = await makeTestStore(file)
    await addNote(living.sql, { run: null, iteration: 1, task: null, at: 1, author: 'human', text: 'here' })
    await living.sql.all('pragma wal_checkpoint(truncate)')
    await leaveWriterMark(file)
    // Nothing that an opening reads.
    noise(file, await pagesOf(file, 'journal_words_data'))
    await expect(useStore(file, { create: true, ...quiet }, notes)).rejects.toMatchObject({
      code: 'held',
      message: `${file} is damaged, and process ${process.pid} is still writing to it`,
      hint: `End it with: kill ${process.pid}. Then run the same command again.`,
    })
    expect(living.isSameFile()).toBe(true)
  })

  test.each([
    ['damaged', 'this is not a database\n'.repeat(100)],
    ['emptied', ''],
  ])('nor while an engine works with it whom only the note beside names: %s', async (_, text) => {
    const file = await makeClosedStore()
    const engine = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void engine.kill('SIGKILL'))
    const by = identifyProcess(engine.pid ?? 0)
    writeFileSync(`${file}-newest`, JSON.stringify({ run: 'r1', seq: 1, by }))
    writeFileSync(file, text)
    await expect(useStore(file, { create: true, ...quiet }, notes)).rejects.toMatchObject({
      code: 'held',
      hint: `End it with: kill ${engine.pid}. Then run the same command again.`,
    })
  })

  test('once the work cannot be begun again, it ends there', async () => {
    const file = await makeClosedStore()
    noise(file, await pagesOf(file, 'journal'))
    const work = useStore(file, { create: true, ...quiet, again: () => false }, notes)
    await expect(work).rejects.toMatchObject({ code: 'store-damaged' })
    expect([existsSync(file), existsSync(keptIn(file))]).toEqual([false, true])
  })

  test('but not for an error that a second look does not find', async () => {
    const file = await makeClosedStore()
    const bytes = readFileSync(file)
    const work = useStore(file, { create: true, ...quiet }, async ({ sql }) => {
      noise(file, await pagesOf(file, 'journal'))
      try {
        return await sql.all('select * from journal')
      } finally {
        writeFileSync(file, bytes)
      }
    })
    await expect(work).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining('but a second check found no damage') as string,
    })
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })
})

describe('what was written and is gone is told', () => {
  /** Three rows of run r1 in a file that was closed, and a note that knows of five. */
  async function aShortFile(): Promise<string> {
    const file = join(makeTestFolder(), 'ralph.db')
    await useStore(file, { create: true, ...quiet }, async (store) => {
      await appendEvents(store, [runStarted(), { type: 'clock-jumped', by: 1 }, { type: 'clock-jumped', by: 2 }])
    })
    const note = openLastRowNote(file)
    note.rows([{ run: 'r1', seq: 5 }])
    note.close()
    return file
  }

  test('rows at the end', async () => {
    const file = await aShortFile()
    const lost = await useStore(file, { create: false, ...quiet }, async (store) => store.lost)
    expect(lost).toEqual({ run: 'r1', seq: 5, kept: 3, wal: false })
  })

  test('a whole run', async () => {
    const file = await aShortFile()
    writeFileSync(`${file}-newest`, '{"run":"r2","seq":7}')
    const lost = await useStore(file, { create: false, ...quiet }, async (store) => store.lost)
    expect(lost).toEqual({ run: 'r2', seq: 7, kept: 0, wal: false })
  })

  test('but a note that knows less, or nothing that can be read, is no loss', async () => {
    const file = await aShortFile()
    const seen: unknown[] = []
    for (const note of ['{"run":"r1","seq":2}', '{"run":"r1","se', '']) {
      writeFileSync(`${file}-newest`, note)
      await useStore(file, { create: false, ...quiet }, async ({ lost }) => void seen.push(lost))
    }
    expect(seen).toEqual([null, null, null])
  })

  const emptied: Record<string, { empty: (file: string) => void | Promise<void>; says: string }> = {
    'an empty file': { empty: (file) => truncateSync(file), says: 'is empty (0 bytes)' },
    'a header alone': {
      empty: (file) => aHeader().then((bytes) => writeFileSync(file, bytes)),
      says: 'is empty: its -wal file is gone',
    },
    'no file': { empty: (file) => rmSync(file), says: 'is gone' },
  }

  test.each(Object.entries(emptied))('%s where a run was written', async (_, { empty, says }) => {
    const file = await aShortFile()
    await empty(file)
    const message = `${file} ${says}. It held run r1 up to row 5`
    await expect(useStore(file, { create: false, ...quiet }, notes)).rejects.toMatchObject({
      code: 'store-lost',
      message,
    })
    const told: string[] = []
    const options = { create: true, notice: (text: string) => void told.push(text) }
    for (const _time of [1, 2]) await useStore(file, options, notes)
    expect(told).toEqual([expect.stringContaining(`${message}. Ralph created a new store`)])
  })

  test('an empty file beside the logs of a run, with a -wal that is kept', async () => {
    const file = join(makeTestFolder(), 'ralph.db')
    mkdirSync(join(dirname(file), 'logs', 'k7f3qa', '1'), { recursive: true })
    writeFileSync(file, '')
    writeFileSync(`${file}-wal`, 'all that is left')
    const told: string[] = []
    await useStore(file, { create: true, notice: (text) => void told.push(text) }, notes)
    expect(told).toEqual([expect.stringContaining('It held run k7f3qa. Ralph created a new store')])
    expect(readFileSync(`${keptIn(file)}-wal`, 'utf8')).toBe('all that is left')
  })

  test('and an empty file without any trace is a store that was cut off before its first write', async () => {
    const file = join(makeTestFolder(), 'ralph.db')
    mkdirSync(join(dirname(file), 'logs', 'verify'), { recursive: true })
    writeFileSync(file, '')
    await expect(useStore(file, { create: false, ...quiet }, notes)).rejects.toMatchObject({ code: 'no-run' })
  })
})

test('text in a sound page that is no JSON any more is damage too', async () => {
  const file = join(makeTestFolder(), 'ralph.db')
  const use = (): Promise<unknown> =>
    useStore(file, { create: true, notice: () => {} }, async ({ sql }) => {
      const run = 'k7f3qa'
      if ((await loadRunState(sql, run)) === null && !existsSync(`${file}.broken`)) {
        await saveRunState(sql, run, { version: 1, seq: 1, state: sampleState() }, null)
        await sql.run("update parts set body = '{' where run = ?", run)
        writeFileSync(`${file}.broken`, '')
        await loadRunState(sql, run)
      }
      return loadRunState(sql, run)
    })
  expect(await use()).toBe(null)
  expect(readdirSync(dirname(file)).some((name) => name.startsWith('ralph.db.damaged-'))).toBe(true)
})
