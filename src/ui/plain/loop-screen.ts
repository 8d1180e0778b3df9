/**
 * A loop as a person sees it: a block before, one refreshed line during (a line a minute in a pipe), one line after each
 * iteration, and the result. Facts come from rows, words from the agent's stream; both are cleaned of control sequences.
 * In a pipe every line begins with a word that says what it is: `start`, `run`, `iteration`, `gate`, `rung`, `decision`, `wait`, `live`,
 * `agent`, `tool`, `detail`, `report`, `result`.
 */
import { focus } from '../../domain/tell/focus.ts'
import type { AgentEvent } from '../../domain/call/agent.ts'
import type { EventOf } from '../../domain/run/event.ts'
import { tokensOf } from '../../domain/call/budget.ts'
import { usageCounter, type UsageCounter } from '../../domain/reply/usage.ts'
import type { Row } from '../../domain/run/row.ts'
import { oneLine, stripControl } from '../../domain/text/text.ts'
import { foldView, type View } from '../../domain/tell/view.ts'
import { isComplete } from '../../domain/run/outcome.ts'
import type { RunResult, RunWatcher } from '../../engine/run/options.ts'
import { VERSION } from '../version.ts'
import { widthOf, type Io } from '../cli/frame/io.ts'
import { onOneLine } from '../tui/line.ts'
import { clockTime, count, localStamp, short, waitLeft } from './format.ts'
import { annotationsFor, harmless, onGitHub } from './github.ts'
import { detailsFor, factsFor, orphansBlock, resultBlock } from './lines.ts'
import { paint } from './paint.ts'
import { preflightBlock } from './screens/preflight.ts'
import { reportBlock } from './screens/report.ts'

export interface Screen extends RunWatcher {
  /** Clears the live line; a run that broke off is told as far as it got. */
  close(): void
  view(): View | null
  /** Clears the live line and holds all else back until it may be shown: somebody is asked something, and what is told meanwhile would
   *  push the question out of sight. Gives what allows it. */
  hush(): () => void
}

export interface ScreenOptions {
  /** Stream the agent's own words. */
  live: boolean
  /** Only the result. */
  quiet: boolean
  /** Also what usually goes without saying. */
  verbose: boolean
}

const REFRESH_MS = 200
const PIPE_MS = 60_000
/** The longest prefix and a space. */
const PREFIX = 11
const LINE_MAX = 10_000
/** Of what is told while somebody is asked, the end is kept: an answer may take hours. */
const HELD_MAX = 100_000
const BELL = '\u0007'

export function loopScreen(io: Io, options: ScreenOptions): Screen {
  const p = paint(io.colour)
  let view: View | null = null
  let activity = newActivity()
  let shown = false
  let over = false
  let hushed = 0
  let held = ''
  /** The agent's words stop in the middle of a line. */
  let midLine = false
  const timer = options.quiet ? null : setInterval(tick, io.terminal ? REFRESH_MS : PIPE_MS)
  timer?.unref()

  const github = onGitHub(io.env)
  const safe = github ? harmless : (text: string): string => text
  /** The agent's words since its last whole line. */
  let unfinished = ''

  function print(is: string, text: string): void {
    if (!options.quiet) show(is, text)
  }

  function show(is: string, text: string): void {
    clearLive()
    if (io.terminal) return out(`${safe(text)}\n`)
    for (const line of text.split('\n'))
      if (line.trim() !== '') out(`${safe(`${is.padEnd(PREFIX)}${line.trim()}`)}\n`)
  }

  function out(text: string): void {
    if (hushed > 0) held = `${held}${text}`.slice(-HELD_MAX)
    else io.out(text)
  }

  function clearLive(): void {
    if (shown) io.out('\r\u001b[2K')
    shown = false
  }

  function tick(): void {
    const line = view === null || hushed > 0 ? null : liveLine(view, activity)
    if (line === null) return clearLive()
    if (!io.terminal) return show('live', line)
    clearLive()
    io.out(p.dim(onOneLine(line, io.columns() - 1)))
    shown = true
  }

  return {
    ready: (facts) => print('start', preflightBlock(facts, VERSION, p).trimEnd().concat('\n')),
    continued({ run, after, iteration, view: before }) {
      view = before
      print('run', p.head(`Run ${run} was ${LEFT[after]} in iteration ${iteration} and is taken up again.`))
    },
    already({ run, view: before }) {
      view = before
      const done = before.outcome !== null && isComplete(before.outcome.is)
      const what = `Run ${run} was already ${done ? 'done' : 'over'}: it ended ${localStamp(before.at)}, before anybody could be told.`
      show(
        'run',
        `${p.head(what)}\nNo agent was started. A new run: ralph ${before.tasks === null ? 'loop' : 'run'}`,
      )
    },
    notice: (text) => io.err(`${text}\n`),
    stopping: (signal) =>
      print(
        'run',
        p.warn(
          `${signal === 'SIGINT' ? 'Ctrl+C' : signal}: ending what runs, then stopping. Once more: at once.`,
        ),
      ),
    bell() {
      if (io.terminal) io.out(BELL)
    },
    rows(rows: Row[]) {
      for (const row of rows) {
        view = foldView(view, row)
        if (row.event.type === 'agent-ended') endWords()
        if (row.effects.some((effect) => effect.type === 'run-agent')) activity = newActivity()
        const details = options.verbose ? detailsFor(row, p) : []
        for (const { is, text } of [...factsFor(row, view, p), ...details]) print(is, text)
        if (github) for (const line of annotationsFor(row)) out(`${line}\n`)
      }
    },
    words(_worker, event) {
      activity = follow(activity, event)
      if (options.live && !options.quiet) stream(event)
    },
    ended: (result) => end(result),
    close: () => end(null),
    view: () => view,
    hush() {
      clearLive()
      if (midLine && hushed === 0) io.out('\n')
      midLine = false
      hushed += 1
      return () => {
        hushed -= 1
        if (hushed > 0) return
        io.out(held)
        held = ''
      }
    },
  }

  /** Prints the result once, with the report where there is one. */
  function end(result: Pick<RunResult, 'report' | 'left'> | null): void {
    const left = result?.report ?? null
    if (over) return
    over = true
    if (timer !== null) clearInterval(timer)
    endWords()
    clearLive()
    if (left !== null) {
      const look = { columns: io.columns(), each: !io.terminal, beforeResult: true }
      print('report', `\n${reportBlock(left.report, p, look)}`)
    }
    if (view !== null) show('result', resultBlock(view, { p, columns: widthOf(io) }).trimEnd())
    if (result !== null && result.left.length > 0) show('result', p.warn(orphansBlock(result.left).trimEnd()))
    if (left !== null) print('report', p.dim(`report: ${left.path}`))
  }

  function stream(event: AgentEvent): void {
    if (event.type === 'text') say(event.delta ? event.text : `${event.text}\n`)
    if (event.type === 'tool') {
      endWords()
      print('tool', p.dim(`  ⚡ ${stripControl(event.name)} ${oneLine(stripControl(event.input), 100)}`))
    }
  }

  /** On a terminal words appear as they come; a pipe gets whole lines. */
  function say(text: string): void {
    const clean = stripControl(text)
    if (io.terminal) {
      clearLive()
      midLine = !clean.endsWith('\n')
      return out(safe(clean))
    }
    const lines = `${unfinished}${clean}`.split('\n')
    unfinished = (lines.pop() ?? '').slice(-LINE_MAX)
    for (const line of lines) show('agent', line)
  }

  function endWords(): void {
    if (unfinished !== '') show('agent', unfinished)
    unfinished = ''
  }
}

const LEFT: Record<EventOf<'run-continued'>['after'], string> = {
  crash: 'cut off',
  pause: 'paused',
  outage: 'left in an outage',
}

interface Activity {
  tools: number
  files: Set<string>
  used: UsageCounter
  last: string
}

function newActivity(): Activity {
  return { tools: 0, files: new Set(), used: usageCounter(), last: '' }
}

function follow(activity: Activity, event: AgentEvent): Activity {
  if (event.type === 'tool') {
    for (const path of event.paths) if (activity.files.size < 10_000) activity.files.add(path)
    return { ...activity, tools: activity.tools + 1, last: `${event.name} ${event.input}` }
  }
  if (event.type === 'text' && event.text.trim() !== '') {
    const last = event.delta ? `${activity.last}${event.text}`.slice(-300) : event.text
    return { ...activity, last }
  }
  if (event.type === 'usage') activity.used.take(event)
  return activity
}

/** What happens at this moment, in one line. */
function liveLine(view: View, activity: Activity): string | null {
  const worker = focus(view)
  if (worker === undefined) return null
  const { doing } = worker
  const elapsed = clockTime(nowAfter(doing.since))
  switch (doing.is) {
    case 'working': {
      const tokens = tokensOf(activity.used.iteration() ?? {})
      const parts = [
        count(activity.tools, 'tool'),
        activity.files.size > 0 ? count(activity.files.size, 'file') : null,
        tokens > 0 ? `${short(tokens)} tokens` : null,
        activity.last === '' ? null : oneLine(stripControl(activity.last), 70),
      ].filter((part) => part !== null)
      const task = worker.task === null ? '' : `${worker.task.id} · `
      return `▸ ${worker.iteration}  ${elapsed}  ${task}${parts.join(' · ')}`
    }
    case 'trying':
      return `▸ ${doing.what}  ${elapsed}`
    case 'proving':
      return `▸ gate ${doing.gate}  ${elapsed}`
    case 'waiting':
      return `▸ ${stripControl(waitLeft(doing, { now: Date.now(), local: localStamp }))}`
    case 'putting-back':
      return `▸ putting back what failed  ${elapsed}`
    case 'asking':
      return '▸ the agent waits for an answer: `ralph steer "…"`'
    case 'paused':
      return '▸ paused: `ralph resume` goes on'
    case 'starting':
    case 'choosing':
    case 'idle':
    case 'looking':
    case 'measuring':
    case 'comparing':
    case 'committing':
    case 'stopping':
    case 'ended':
      return null
  }
}

function nowAfter(since: number): number {
  return Date.now() - since
}
