/**
 * The processes that write to the file: each leaves a mark before its first write and deletes it when it closes. The mark of a dead
 * process shows that it was interrupted; the mark of a living one forbids moving the file.
 */
import { RalphError } from '../../core/error.ts'
import { jsonOrNull } from '../../core/text/json.ts'
import { randomId } from '../../system/clock.ts'
import {
  type ProcessIdentity,
  isAlive,
  ownProcessIdentity,
  parseProcessIdentity,
} from '../../system/process/process-identity.ts'
import { deleteMeta, setMeta } from './meta.ts'
import type { Sql } from './sql.ts'
import type { Sqlite } from './sqlite.ts'

/** Key of a writer's mark in `meta`, from its first write until it closes. The value is its identity. */
const MARK = 'opening:'
const MARKS = `key >= '${MARK}' and key < 'opening;'`

export interface WriterMark {
  key: string
  who: ProcessIdentity
  alive: boolean
}

export interface WriterMarkedSql {
  sql: Sql
  /** Key of its mark; null: it has not written yet. */
  mark: () => string | null
  close: () => Promise<void>
}

/** Marks this process as a writer before its first write, so that the next one to open knows whether it ended cleanly. */
export function createWriterMarkedSql(sqlite: Sqlite): WriterMarkedSql {
  let key: string | null = null
  let marked: Promise<unknown> | null = null
  const beforeWrite = async (): Promise<void> => {
    // Generated on demand: readers need not load Node's random module.
    key ??= `${MARK}${randomId(12)}`
    marked ??= setMeta(sqlite, key, JSON.stringify(ownProcessIdentity()))
    try {
      await marked
    } catch (error) {
      marked = null
      throw error
    }
  }
  const sql: Sql = {
    all: async (text, ...values) => {
      if (isWrite(text)) await beforeWrite()
      return sqlite.all(text, ...values)
    },
    get: async (text, ...values) => {
      if (isWrite(text)) await beforeWrite()
      return sqlite.get(text, ...values)
    },
    run: async (text, ...values) => {
      await beforeWrite()
      return sqlite.run(text, ...values)
    },
    transaction: async (work) => {
      await beforeWrite()
      return sqlite.transaction(work)
    },
    close,
  }
  return { sql, mark: () => key, close }

  async function close(): Promise<void> {
    if (marked !== null && key !== null) {
      await removeWriterMarks(sqlite, [key])
      // Copies `-wal` into the database, so that one file is the whole store. If that fails, `-wal` keeps the rows.
      await tryQuietly(() => sqlite.script('pragma wal_checkpoint(truncate)'))
    }
    await sqlite.close()
  }
}

/** Writes with `returning` go through `all` and `get`. */
function isWrite(text: string): boolean {
  return /^\s*(?:insert|update|delete)\b/i.test(text)
}

export async function listWriterMarks(sqlite: Sqlite): Promise<WriterMark[]> {
  const rows = await sqlite.peek('key, value', `meta where ${MARKS}`)
  return rows.map(([key, value]) => {
    // An unreadable mark counts as that of a dead process, so that the file is checked.
    const who = parseProcessIdentity(jsonOrNull(String(value)))
    return { key: String(key), who, alive: isAlive(who) }
  })
}

/** A mark that cannot be removed costs the next opening one check, no more. */
export async function removeWriterMarks(sqlite: Sqlite, keys: string[]): Promise<void> {
  await tryQuietly(async () => {
    for (const key of keys) await deleteMeta(sqlite, key)
  })
}

/** Runs clean-up that a full, read-only or damaged disk may refuse. Others report the problem of the disk. */
export async function tryQuietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
  }
}
