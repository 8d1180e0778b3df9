/** What the tests of this room share: a store in a temporary folder, and rows of a record that are quick to write down. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { emptyAgentReport } from '../../src/core/agent-output/agent-report.ts'
import type { Reply } from '../../src/core/agent-output/reply.ts'
import type { Effect } from '../../src/core/state/effect.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { RunState, Worker } from '../../src/core/state/state.ts'
import type { Row } from '../../src/core/state/row.ts'
import { makeTempFolder, removeFolder } from '../../src/system/files/files.ts'
import { ownProcessIdentity } from '../../src/system/process/process-identity.ts'
import { addNote } from '../../src/store/journal.ts'
import { openStore, type Store } from '../../src/store/db/open-store.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { twice } from './sql.ts'
import { appendRow } from '../../src/store/record.ts'
import { openSqlite } from '../../src/store/db/sqlite.ts'

export function makeTestFolder(): string {
  const folder = makeTempFolder('ralph-store-')
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A new store, or another opening of the same file; its transactions are done twice. Closed when the test is over. */
export async function makeTestStore(file = join(makeTestFolder(), 'ralph.db')): Promise<Store> {
  const store = await openStore(file, { create: true, notice: () => undefined })
  onTestFinished(() => store.close())
  return { ...store, sql: twice(store.sql) }
}

const QUIET = { notice: () => undefined }

/** Enough notes that the file has many pages. */
export async function fillWithNotes(store: Store): Promise<void> {
  await store.sql.transaction(async (tx) => {
    for (let i = 0; i < 300; i++) {
      const text = `note ${i} ${'lorem ipsum '.repeat(20)}`
      await addNote(tx, { run: null, iteration: i, task: null, at: i, author: 'human', text })
    }
  })
}

/** A copy, because a closed connection may keep hold of its own file until its statements are collected. */
export async function makeClosedStore(): Promise<string> {
  const original = join(makeTestFolder(), 'ralph.db')
  const store = await openStore(original, { create: true, ...QUIET })
  await fillWithNotes(store)
  await store.close()
  const file = join(makeTestFolder(), 'ralph.db')
  copyFileSync(original, file)
  return file
}

/** Leaves the mark of a writer that is gone, as a killed process does. */
export async function leaveWriterMark(file: string): Promise<void> {
  const sqlite = openSqlite(file, { immutable: false, ...QUIET })
  const gone = JSON.stringify({ ...ownProcessIdentity(), startTime: 'long ago' })
  await sqlite.script(`insert into meta values ('opening:dead', '${gone}')`)
  await sqlite.close()
}

/** Appends events as the rows of run `r1` (or another), one second apart, starting at 1000. */
export async function appendEvents(store: Store, events: (Event | [Event, Effect[]])[], run = 'r1'): Promise<Row[]> {
  const rows = events.map((entry, i): Row => {
    const [event, effects] = Array.isArray(entry) ? entry : [entry, []]
    return { run, seq: i + 1, at: 1000 * (i + 1), up: 10 * i, rules: 1, event, effects, decisions: [] }
  })
  await store.sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
  })
  return rows
}

/** The samples below hold what this room reads of an event, and no more: the rest is other rooms' business. */
export function runStarted(
  given: { project?: string; agents?: string[]; tasks?: true; verify?: true; import?: true } = {},
): Event {
  const { project = '/home/ann/shop', agents = ['claude'], tasks, verify, import: imports } = given
  const rules = { agent: { order: agents } }
  return {
    type: 'run-started',
    run: 'r1',
    rules,
    project,
    command: 'loop',
    pid: 100,
    version: '0.1.0',
    ...(tasks === true ? { tasks: {} } : {}),
    ...(imports === true ? { import: { folder: '/tmp/import' } } : {}),
    ...(verify === true ? { verify: { gate: null, since: null, quick: false } } : {}),
  } as Event
}

export function runAgent(
  id: string,
  { model = null, ...given }: { iteration: number; worker?: string; agent?: string; model?: string | null },
): Effect {
  return {
    type: 'run-agent',
    id,
    worker: 'w1',
    agent: 'claude',
    role: 'work',
    how: { model },
    ...given,
  } as Effect
}

export function admitted(effect: string, worker = 'w1'): Event {
  return { type: 'admitted', worker, effect, callsThisHour: 1, tokensThisHour: 0 }
}

export function agentEnded(
  effect: string,
  reply: Pick<Reply, 'usage' | 'model'> & Partial<Pick<Reply, 'told'>>,
): Event {
  return { type: 'agent-ended', worker: 'w1', effect, reply: { told: emptyAgentReport(), ...reply } } as Event
}

export function runEnded(): Event {
  const outcome = {
    is: 'plan_complete',
    reason: 'All boxes are ticked.',
    verdict: 'proven',
    exit: 0,
  } as const
  return { type: 'run-ended', worker: 'w1', effect: 'e99', outcome }
}

/** A state as far as this room looks into it. */
export function sampleState(workers: Record<string, unknown> = {}, run: object = {}): RunState {
  return {
    run: { rules: {}, open: {}, ...run } as RunState['run'],
    workers: workers as Record<string, Worker>,
  }
}

/** Rows of the record that are given out through it. */
export function countRowsRead(sql: Sql): { sql: Sql; rows(): number } {
  let rows = 0
  const isOfRecord = (text: string): boolean => text.includes('from record')
  return {
    rows: () => rows,
    sql: {
      ...sql,
      async all<T>(text: string, ...values: Parameters<Sql['all']>[1][]): Promise<T[]> {
        const found = await sql.all<T>(text, ...values)
        if (isOfRecord(text)) rows += found.length
        return found
      },
      async get<T>(text: string, ...values: Parameters<Sql['get']>[1][]): Promise<T | null> {
        if (isOfRecord(text)) rows += 1
        return sql.get<T>(text, ...values)
      },
    },
  }
}
