/**
 * Keeps the bash tool's state files in `.ralph/` current during a run, so that its monitors and scripts keep working. It writes changed
 * files once an iteration, when the run waits and at the end, and only `progress.json` and `live.log` while an agent works. It never
 * fails the run: the first failed write is reported, the others are ignored.
 */
import { join } from 'node:path'
import {
  foldBashHistory,
  lastIterationOf,
  addUnrecordedTransitions,
  type BashHistory,
} from '../compat/bash/fold-history.ts'
import { bashLogLines, metricsLine } from '../compat/bash/log-files.ts'
import { BASH_TOOL_MARKERS, progressFileText, stateFileTexts, type TimeFormatter } from '../compat/bash/state-files.ts'
import { statusKeyOf } from '../compat/bash/status-files.ts'
import { GITIGNORE_TEXT, LIVE_LOG, LOGS_FOLDER, STATE_FILES } from '../core/control-files.ts'
import { messageOf } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import { hourStart } from '../core/admission/quota.ts'
import type { Row } from '../core/state/row.ts'
import { upgradeState } from '../core/state/upgrade.ts'
import { foldView, type RunView } from '../core/presentation/run-view.ts'
import { loadRunState } from '../store/run-state.ts'
import type { Sql } from '../store/db/sql.ts'
import { saveBashHistory } from '../store/transitions.ts'
import { usageSince } from '../store/usage.ts'
import type { Clock } from '../system/clock.ts'
import { ensureFolder, exists } from '../system/files/files.ts'
import { formatLocalDateTime, formatUtcDateTime } from '../system/time-formats.ts'
import { removeDeadLinks } from '../workspace/log-links.ts'
import { assertNotLink, stateFilePath, ensureGitignore, writeStateFile } from '../workspace/state-files.ts'
import type { Listener } from './event-bus.ts'
import { createLiveLog } from './bash-files/live-log.ts'
import { createLogLinker } from './bash-files/log-linker.ts'
import { appendToRotatingLog } from './bash-files/rotating-log.ts'
import { NO_BASH_FILES_HISTORY, loadBashFilesHistory, type BashFilesHistory } from './bash-files/bash-files-history.ts'
import { openWriteSchedule } from './bash-files/write-schedule.ts'

export interface BashFileWriterOptions {
  root: string
  run: RunId
  /** The folder of the store and the logs. */
  folder: string
  sql: Sql
  clock: Clock
  /** Show the arguments of tool calls in `live.log`. */
  toolArgs: boolean
  notice: (text: string) => void
}

export interface BashFileWriter extends Required<Listener> {
  /** Writes the pending files. Nothing is written afterwards. */
  close(): Promise<void>
}

const TIMES: TimeFormatter = { utc: formatUtcDateTime, local: formatLocalDateTime }

/** The user's setting decides. Without one: yes if files of the bash tool exist, or if the project has no `.ralph.toml`. */
export function shouldWriteBashFiles(root: string, said: boolean | null): boolean {
  if (said !== null) return said
  return !exists(join(root, '.ralph.toml')) || BASH_TOOL_MARKERS.some((name) => exists(join(root, name)))
}

/** Without git the store is in the project folder, which may become a repository later: the store must not be committed. */
export function gitignoreStateFolder(root: string): void {
  ensureGitignore(root, GITIGNORE_TEXT)
}

/** Starts from the record so far: a resumed run looks as if it had never been interrupted. */
export async function openBashFileWriter(options: BashFileWriterOptions): Promise<BashFileWriter> {
  const { root, run, sql, clock } = options
  const attempt = attempting(options.notice)
  const files = openFiles(root)
  const live = createLiveLog(stateFilePath(root, LIVE_LOG), options)
  const links = createLogLinker(options)
  attempt(() => prepare(options))
  let { past, view, unrecorded }: BashFilesHistory =
    (await attempt(() => loadBashFilesHistory(options, links))) ?? NO_BASH_FILES_HISTORY
  /** The last iteration whose history was saved. */
  let keptOf: number | null = null
  let writing: Promise<void> = Promise.resolve()
  let closed = false
  const times = openWriteSchedule(clock, {
    all: () => void (writing = writing.then(() => write({ broken: false }))),
    words: listen,
    progress: () => attempt(writeProgress),
  })

  function take(row: Row): void {
    const now = foldView(view, row)
    view = now
    past = foldBashHistory(past, row)
    links.take(row)
    attempt(() => writeLogs(root, row, { view: now, past }))
    for (const effect of row.effects.filter((one) => one.type === 'run-agent'))
      attempt(() => live.begin(`Loop #${effect.iteration} - ${formatLocalDateTime(row.at)}`))
  }

  /** Writes the live output, and links the log it comes from. */
  function listen(): void {
    attempt(() => live.flush())
    attempt(() => links.look())
  }

  const shownNow = (now: RunView) => ({ view: now, at: clock.at(), lastMessage: live.lastMessage(), times: TIMES })

  function writeProgress(): void {
    if (view !== null) files.put('progress.json', progressFileText({ ...shownNow(view), broken: false }))
  }

  async function write({ broken }: { broken: boolean }): Promise<void> {
    listen()
    await attempt(async () => {
      const state = await loadRunState(sql, run)
      if (state === null || view === null) return
      const used = await usageSince(sql, hourStart(clock.at()))
      const now = { ...shownNow(view), broken, state: upgradeState(state, run), used }
      const texts = stateFileTexts(addUnrecordedTransitions(past, unrecorded), now)
      for (const name of STATE_FILES) attempt(() => files.put(name, texts[name]))
      if (keptOf !== lastIterationOf(past) || closed) await saveBashHistory(sql, run, { seq: view.seq, past })
      keptOf = lastIterationOf(past)
    })
  }

  return {
    rows(rows) {
      attempt(() => rows.forEach(take))
      if (view !== null) times.onTransition(statusKeyOf(view))
    },
    words(_worker, event) {
      live.take(event)
      times.onOutput()
    },
    async close() {
      closed = true
      times.close()
      await writing
      await write({ broken: view !== null && view.outcome === null })
    },
  }
}

function prepare({ root, folder }: BashFileWriterOptions): void {
  ensureGitignore(root, GITIGNORE_TEXT)
  ensureFolder(assertNotLink(stateFilePath(root, LOGS_FOLDER)))
  removeDeadLinks(root, folder)
}

/** Writes a file only if its text has changed. */
function openFiles(root: string): { put(name: string, text: string | null): void } {
  const shown = new Map<string, string | null>()
  return {
    put(name, text) {
      const before = shown.get(name)
      if (before !== undefined && (before === text || (name === 'status.json' && equalExceptTimestamp(before, text))))
        return
      writeStateFile(root, name, text)
      shown.set(name, text)
    },
  }
}

const LOG_ROTATION = { maxBytes: 10 * 1024 * 1024, archives: 4 }
const METRICS_ROTATION = { maxBytes: 10 * 1024 * 1024, archives: 1 }

function writeLogs(root: string, row: Row, { view, past }: { view: RunView; past: BashHistory }): void {
  const folder = assertNotLink(stateFilePath(root, LOGS_FOLDER))
  const lines = bashLogLines(row, view, TIMES)
  if (lines.length > 0) appendToRotatingLog(assertNotLink(`${folder}/ralph.log`), lines.join('\n'), LOG_ROTATION)
  const loop = 'worker' in row.event ? lastIterationOf(past, row.event.worker) : 0
  const metrics = metricsLine(row, loop, TIMES)
  if (metrics !== null) appendToRotatingLog(assertNotLink(`${folder}/metrics.jsonl`), metrics, METRICS_ROTATION)
}

/** Whether two status files differ only in their timestamp. */
function equalExceptTimestamp(before: string | null, text: string | null): boolean {
  const news = (one: string | null): string | null => one?.replace(/^ {2}"timestamp": .*\n/m, '') ?? null
  return news(before) === news(text)
}

interface Attempt {
  <T>(work: () => Promise<T>): Promise<T | undefined>
  (work: () => void): void
}

/** Runs work that may fail without harm, and reports the first failure. */
function attempting(notice: (text: string) => void): Attempt {
  let told = false
  const tell = (error: unknown): undefined => {
    if (!told) notice(`Could not update the files for bash Ralph's monitor: ${messageOf(error)}`)
    told = true
  }
  function attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  function attempt(work: () => void): void
  function attempt(work: () => unknown): unknown {
    try {
      const done = work()
      return done instanceof Promise ? done.catch(tell) : done
    } catch (error) {
      return tell(error)
    }
  }
  return attempt
}
