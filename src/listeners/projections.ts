/**
 * Keeps the bash tool's state files in `.ralph/` current while a run is served, so that monitors and scripts made for it go on
 * working. Once an iteration, when the run waits and at the end, only files whose text changed, and never in the way of the run: what
 * cannot be written is told once and otherwise left. While an agent works, `progress.json` and `live.log` alone go on.
 */
import { join } from 'node:path'
import { foldPast, NO_PAST, withUntold, type BashPast, type Untold } from '../compat/bash/run-files-past.ts'
import { logLines, metricsLine } from '../compat/bash/run-files-log.ts'
import {
  GITIGNORE,
  LIVE_LOG,
  LOGS_FOLDER,
  OLD_SIGNS,
  progressText,
  RUN_FILES,
  runFiles,
  type Times,
} from '../compat/bash/run-files.ts'
import { type Turning, turnOf } from '../compat/bash/run-files-status.ts'
import { messageOf } from '../domain/error.ts'
import type { Awake, RunId } from '../domain/ids.ts'
import { hourStart } from '../domain/call/quota.ts'
import type { Row } from '../domain/run/row.ts'
import { houseFrom } from '../domain/run/upgrade.ts'
import { foldView, type View } from '../domain/tell/view.ts'
import { rowsSince } from '../store/record.ts'
import { loadState } from '../store/state.ts'
import { resetsOf } from '../store/resets.ts'
import { runEntry } from '../store/runs.ts'
import { loadScreens } from '../store/screens.ts'
import type { Sql } from '../store/db/sql.ts'
import { keepPast, keptPast, oldTurns, runBefore, tellingRows } from '../store/turns.ts'
import { lastCallAt, usageSince } from '../store/usage.ts'
import type { Clock, Timer } from '../system/clock.ts'
import { ensureFolder, exists } from '../system/files/files.ts'
import { localSeconds, utcSeconds } from '../system/local-time.ts'
import { removeDeadLinks } from '../workspace/log-links.ts'
import { notALink, runFilePath, writeGitignore, writeRunFile } from '../workspace/run-files.ts'
import type { Watcher } from './bus.ts'
import { liveLog } from './projections/live-log.ts'
import { logLinks } from './projections/log-links.ts'
import { appendRotating } from './projections/rotate.ts'

export interface ProjectionOptions {
  root: string
  run: RunId
  /** Where the store lies; logs stand beside it. */
  folder: string
  sql: Sql
  clock: Clock
  /** Show what tools are called with in `live.log`. */
  toolArgs: boolean
  notice: (text: string) => void
}

export interface Projections extends Required<Watcher> {
  /** Writes what is still to be written. After it nothing is touched any more. */
  close(): Promise<void>
}

const EVERY_MS = 1_000
/** While an agent works, its elapsed time and its last words go on: monitors of the bash tool read them live. */
const PROGRESS_MS = 10_000
/** Runs whose turns of breaker and conversation fill up the histories. */
const RUNS_TOLD = 10

const TIMES: Times = { utc: utcSeconds, local: localSeconds }

/** What the user said holds. Else: where the bash tool or a monitor of it shows, and where no file of ours says that this project is new. */
export function wantsProjections(root: string, said: boolean | null): boolean {
  if (said !== null) return said
  return !exists(join(root, '.ralph.toml')) || OLD_SIGNS.some((name) => exists(join(root, name)))
}

/** Without git the store lies in the project, and whoever makes it a repository later must not commit it. */
export function hideState(root: string): void {
  writeGitignore(root, GITIGNORE)
}

/** Takes the record as far as it goes: a run that is taken up again is shown as if nothing had happened. */
export async function openProjections(options: ProjectionOptions): Promise<Projections> {
  const { root, run, sql, clock } = options
  const shown = new Map<string, string | null>()
  const attempt = attempting(options.notice)
  const live = liveLog(runFilePath(root, LIVE_LOG), options)
  const links = logLinks(options)
  let past: BashPast = NO_PAST
  let untold: Untold = { old: { breaker: [], conversation: [] }, resets: { breaker: [], conversation: [] } }
  let view: View | null = null
  let seq = 0
  /** The last iteration that the past was kept of. */
  let keptOf: number | null = null
  let turn: Turning | null = null
  let timer: (Timer & { at: Awake }) | null = null
  let hearing: Timer | null = null
  let progress: Timer | null = null
  let lastAt: Awake = -EVERY_MS
  let writing: Promise<void> = Promise.resolve()
  let closed = false

  attempt(() => {
    writeGitignore(root, GITIGNORE)
    ensureFolder(notALink(runFilePath(root, LOGS_FOLDER)))
    removeDeadLinks(root, options.folder)
  })
  await attempt(catchUp)

  async function catchUp(): Promise<void> {
    const resets = {
      breaker: await resetsOf(sql, root, 'breaker'),
      conversation: await resetsOf(sql, root, 'conversation'),
    }
    untold = { old: await oldTurns(sql, root), resets }
    const kept = await keptPast(sql, run)
    past = kept === null ? await pastBefore() : (kept.past as BashPast)
    // What an iteration under way is still owed begins with the row that asked for it.
    const began = Math.min(kept?.seq ?? 0, (await lastCallAt(sql, run)) - 1)
    for await (const row of rowsSince(sql, run, began)) {
      if (row.seq > (kept?.seq ?? 0)) past = foldPast(past, row)
      links.take(row)
    }
    const entry = await runEntry(sql, run)
    if (entry !== null) view = (await loadScreens(sql, entry)).view
    seq = view?.seq ?? 0
  }

  /** The histories of breaker and conversation go on from run to run. */
  async function pastBefore(): Promise<BashPast> {
    const before = await runBefore(sql, root, run)
    const kept = before === null ? null : await keptPast(sql, before)
    if (before === null || kept === null)
      return (await tellingRows(sql, root, { runs: RUNS_TOLD, before: run })).reduce(foldPast, NO_PAST)
    let told = kept.past as BashPast
    for await (const row of rowsSince(sql, before, kept.seq)) told = foldPast(told, row)
    return told
  }

  function fold(row: Row): void {
    view = foldView(view, row)
    past = foldPast(past, row)
    seq = row.seq
    links.take(row)
  }

  function take(row: Row): void {
    fold(row)
    attempt(() => writeLogs(root, row, past.iteration))
    for (const effect of row.effects) {
      if (effect.type === 'run-agent')
        attempt(() => live.begin(`Loop #${effect.iteration} - ${localSeconds(row.at)}`))
    }
  }

  /** One write in a second. What comes between two iterations is mostly over before it is worth a write of its own. */
  function turned(): void {
    if (closed || view === null) return
    const now = turnOf(view)
    if (now.is === turn?.is && now.iteration === turn.iteration) return
    const waits = turn !== null && now.is === 'between'
    turn = now
    wake((waits ? clock.up() : lastAt) + EVERY_MS)
  }

  /** Words, and the log they come from, are shown by the second. */
  function heard(): void {
    if (closed || hearing !== null) return
    hearing = clock.after(EVERY_MS, () => {
      hearing = null
      listen()
    })
  }

  function listen(): void {
    attempt(() => live.flush())
    attempt(() => links.look())
  }

  function wake(at: Awake): void {
    if (timer !== null && timer.at <= at) return
    timer?.cancel()
    timer = { at, ...clock.after(Math.max(0, at - clock.up()), flush) }
  }

  function flush(): void {
    timer = null
    lastAt = clock.up()
    writing = writing.then(() => write({ broken: false }))
    goOn()
  }

  function goOn(): void {
    progress?.cancel()
    progress = turn?.is === 'working' ? clock.after(PROGRESS_MS, writeProgress) : null
  }

  function writeProgress(): void {
    const now = view
    if (now === null || closed) return
    attempt(() => {
      const lastWords = live.lastWords()
      put(
        'progress.json',
        progressText({ view: now, at: clock.at(), lastWords, broken: false, times: TIMES }),
      )
    })
    goOn()
  }

  async function write({ broken }: { broken: boolean }): Promise<void> {
    listen()
    await attempt(async () => {
      const state = await loadState(sql, run)
      if (state === null || view === null) return
      const at = clock.at()
      const used = await usageSince(sql, hourStart(at))
      const house = houseFrom(state, run)
      const files = runFiles(withUntold(past, untold), {
        view,
        house,
        used,
        at,
        lastWords: live.lastWords(),
        broken,
        times: TIMES,
      })
      for (const name of RUN_FILES) attempt(() => put(name, files[name]))
      if (keptOf !== past.iteration || closed) await keepPast(sql, run, { seq, past })
      keptOf = past.iteration
    })
  }

  function put(name: string, text: string | null): void {
    const before = shown.get(name)
    if (before !== undefined && (before === text || (name === 'status.json' && sameNews(before, text))))
      return
    writeRunFile(root, name, text)
    shown.set(name, text)
  }

  return {
    rows(rows) {
      attempt(() => rows.forEach(take))
      turned()
    },
    words(_worker, event) {
      live.take(event)
      heard()
    },
    async close() {
      closed = true
      for (const one of [timer, hearing, progress]) one?.cancel()
      await writing
      await write({ broken: view !== null && view.outcome === null })
    },
  }
}

const LOG_ROTATION = { maxBytes: 10 * 1024 * 1024, archives: 4 }
const METRICS_ROTATION = { maxBytes: 10 * 1024 * 1024, archives: 1 }

function writeLogs(root: string, row: Row, iteration: number): void {
  const folder = notALink(runFilePath(root, LOGS_FOLDER))
  const lines = logLines(row, iteration, TIMES)
  if (lines.length > 0) appendRotating(notALink(`${folder}/ralph.log`), lines.join('\n'), LOG_ROTATION)
  const metrics = metricsLine(row, iteration, TIMES)
  if (metrics !== null) appendRotating(notALink(`${folder}/metrics.jsonl`), metrics, METRICS_ROTATION)
}

/** A status whose only news is the time of writing is no news. */
function sameNews(before: string | null, text: string | null): boolean {
  const news = (one: string | null): string | null => one?.replace(/^ {2}"timestamp": .*\n/m, '') ?? null
  return news(before) === news(text)
}

/** Runs something that may fail without harm, and tells the first failure. */
function attempting(
  notice: (text: string) => void,
): <T extends void | Promise<void>>(work: () => T) => T | void {
  let told = false
  const tell = (error: unknown): void => {
    if (!told) notice(`The files for other tools' monitors in .ralph are not up to date: ${messageOf(error)}`)
    told = true
  }
  return (work) => {
    try {
      const done = work()
      return done instanceof Promise ? (done.catch(tell) as typeof done) : done
    } catch (error) {
      return tell(error)
    }
  }
}
