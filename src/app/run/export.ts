/**
 * One file for a bug report: the record of a run, its stored state and facts about the machine, with names, paths and secrets
 * removed. The output of agents and gates is included only on request: it is the user's work.
 */
import { basename, join } from 'node:path'
import { secretsIn } from '../../core/trust/environment.ts'
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { createRedactor, redactValue, type Redactor } from '../../core/trust/redact.ts'
import type { Row } from '../../core/state/row.ts'
import { SECRET_MAX_LENGTH } from '../../core/trust/variable-rules.ts'
import { loadRunState } from '../../store/run-state.ts'
import { exists, listFolder, sizeOf, writeAtomic } from '../../system/files/files.ts'
import { fullEnvironment } from '../../system/environment.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import { currentUser } from '../../system/current-user.ts'
import { type LogLocation, logFolders, runLogFolder } from '../../workspace/log-folders.ts'
import { withStoreAndFolders } from '../open-store.ts'
import { streamAllRows } from '../../store/record.ts'
import { findRunOrLatest } from './find-run.ts'

export interface ExportOptions {
  run: string | null
  /** Where to write it; null: it is only returned. */
  fileFor(run: RunId): string | null
  logs: boolean
  version: string
}

export interface ExportResult {
  run: RunId
  file: string | null
  rows: number
  /** How many logs it contains. */
  logs: number
  text: string
}

/** The version of the file format; increased when readers of it would break. */
const FORMAT = 1
/** A bug report needs only the end of a log. */
const LOG_MAX = 128 * 1024
/** Read before that end and removed after masking: no secret is longer, so none is cut in two at the start of the text. */
const SEAM = SECRET_MAX_LENGTH
const ALL_LOGS_MAX = 16 * 1024 * 1024

export function exportRun(root: string, wanted: ExportOptions): Promise<ExportResult> {
  return withStoreAndFolders(root, async ({ sql }, { folder }) => {
    const entry = await findRunOrLatest(sql, root, wanted.run)
    const file = wanted.fileFor(entry.id)
    if (file !== null && exists(file)) {
      throw new RalphError('usage', `${file} already exists`, { hint: 'Choose another name: --output FILE' })
    }
    const redact = redactorHere(root)
    const lines: string[] = []
    const add = (body: object): void => void lines.push(JSON.stringify(redactValue(body, redact)))
    const { platform, arch, versions } = process
    add({ type: 'ralph-export', format: FORMAT, ralph: wanted.version, node: versions.node, platform, arch, entry })
    let rows = 0
    for await (const row of streamAllRows(sql, entry.id)) {
      add({ type: 'row', ...(row satisfies Row) })
      rows += 1
    }
    const state = await loadRunState(sql, entry.id)
    if (state !== null) add({ type: 'state', ...state })
    const logs = wanted.logs ? logsOf({ folder, run: entry.id }, redact) : []
    for (const log of logs) add({ type: 'log', ...log })
    const text = `${lines.join('\n')}\n`
    if (file !== null) writeAtomic(file, text)
    return { run: entry.id, file, rows, logs: logs.length, text }
  })
}

function redactorHere(root: string): Redactor {
  const env = fullEnvironment()
  const who = currentUser()
  const inner = createRedactor({ ...who, secrets: secretsIn(env) })
  // The folder above the project often names a person or a customer; the project's own name is needed to read the report.
  const location = `<project>/${basename(root)}`
  return (text) => inner(text.replaceAll(root, location))
}

interface ExportedLog {
  path: string
  /** The size of the whole log; `text` may be only its end. */
  bytes: number
  text: string
}

/** Masks first, then cuts: a secret cut in two would not be recognized. */
function logsOf(location: LogLocation, redact: Redactor): ExportedLog[] {
  const found: ExportedLog[] = []
  let left = ALL_LOGS_MAX
  for (const inside of logFolders(location)) {
    const folder = join(runLogFolder(location), inside)
    for (const name of listFolder(folder).filter((one) => /\.(?:log|err|md)$/.test(one))) {
      const path = join(folder, name)
      const bytes = sizeOf(path) ?? 0
      const from = Math.max(0, bytes - LOG_MAX - 2 * SEAM)
      const part = readFilePart(path, { from, max: LOG_MAX + 2 * SEAM })
      if (part === null || left <= 0) continue
      const clean = redact(part.bytes.toString('utf8'))
      const text = (from === 0 ? clean : clean.slice(SEAM)).slice(-LOG_MAX)
      left -= text.length
      found.push({ path: `${inside}/${name}`, bytes, text })
    }
  }
  return found
}
