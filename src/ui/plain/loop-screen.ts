/**
 * A loop on the screen: a block before it, a live line while it runs (a line a minute in a pipe), one line after each
 * iteration, and the result. Facts come from rows, text from the agent's stream; both are stripped of control sequences.
 * In a pipe every line begins with a word that names its kind: `start`, `run`, `iteration`, `gate`, `proof`, `decision`, `wait`, `live`,
 * `agent`, `tool`, `detail`, `report`, `result`.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { RunId } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { oneLine, stripControl } from '../../core/text/sanitize.ts'
import { RESUMED_AFTER_TEXT } from '../../core/presentation/outcome-text.ts'
import { foldView, type RunView } from '../../core/presentation/run-view.ts'
import { isCompleteOutcome } from '../../core/state/outcome.ts'
import type { RunResult, RunWatcher } from '../../engine/run/run-options.ts'
import { VERSION } from '../version.ts'
import { outputWidth, type Io } from '../cli/framework/io.ts'
import type { StopSignal } from '../../system/signals.ts'
import { localTimestamp } from './format-values.ts'
import { annotationsFor, neutralizeWorkflowCommands, isGitHubActions } from './github-annotations.ts'
import { outputLinesFor, orphansBlock, resultBlock } from './row-lines.ts'
import { foldActivity, liveLine, emptyActivity } from './live-line.ts'
import { createPaint, type Paint } from './colours.ts'
import { openLineWriter, type LineWriter } from './line-writer.ts'
import { preflightBlock } from './screens/preflight.ts'
import { reportBlock } from './screens/report.ts'
import { wrapOutputLine } from './wrap.ts'

export interface LoopScreen extends RunWatcher {
  /** Clears the live line and prints the result, as far as the run got. */
  close(): void
  view(): RunView | null
  /** For the time of a question: other output would scroll it away. */
  suspendOutput: LineWriter['suspendOutput']
}

export interface LoopScreenOptions {
  /** Stream the agent's own text. */
  live: boolean
  /** Print only the result. */
  quiet: boolean
  /** Print details too. */
  verbose: boolean
  /** The questions of a draft are asked on this terminal, so their decision is not printed as well. */
  asksHere: boolean
}

const REFRESH_MS = 200
const PIPE_MS = 60_000

export function openLoopScreen(io: Io, options: LoopScreenOptions): LoopScreen {
  const p = createPaint(io.colour)
  const github = isGitHubActions(io.env)
  const lineWriter = openLineWriter(io, { p, neutralizeCommands: github ? neutralizeWorkflowCommands : (text) => text })
  let view: RunView | null = null
  let activity = emptyActivity()
  let over = false
  const timer = options.quiet ? null : setInterval(tick, io.terminal ? REFRESH_MS : PIPE_MS)
  timer?.unref()

  function tick(): void {
    lineWriter.live(view === null ? null : liveLine(view, activity))
  }

  function print(is: string, text: string): void {
    if (!options.quiet) lineWriter.show(is, text)
  }

  function take(row: Row): void {
    view = foldView(view, row)
    if (row.event.type === 'agent-ended') lineWriter.endMessage()
    if (row.effects.some((effect) => effect.type === 'run-agent')) activity = emptyActivity()
    const printed = options.asksHere ? withoutQuestion(row) : row
    for (const { is, text } of outputLinesFor(printed, view, p, options))
      print(is, wrapOutputLine(text, outputWidth(io)).join('\n'))
    if (github) for (const line of annotationsFor(row)) lineWriter.command(line)
  }

  /** Prints the result once, with the report if there is one. */
  function end(result: RunResult | null): void {
    if (over) return
    over = true
    if (timer !== null) clearInterval(timer)
    lineWriter.endMessage()
    lineWriter.live(null)
    for (const { is, text, loud } of lastMessage(view, result, { io, p }))
      if (loud || !options.quiet) lineWriter.show(is, text)
  }

  return {
    ready: (facts) =>
      print(
        'start',
        `${preflightBlock(facts, VERSION, { p, columns: outputWidth(io), verbose: options.verbose }).trimEnd()}\n`,
      ),
    continued({ view: before, run, after, iteration }) {
      view = before
      print('run', p.head(`Resuming run ${run}, ${RESUMED_AFTER_TEXT[after]} in iteration ${iteration}.`))
    },
    already({ run, view: before }) {
      view = before
      lineWriter.show('run', alreadyWords(run, { view, p }))
    },
    notice: (text) => io.err(`${text}\n`),
    stopping: (signal) => print('run', p.warn(stoppingWords(signal))),
    bell() {
      if (io.terminal) io.out(BELL)
    },
    rows: (rows) => rows.forEach(take),
    words(_worker, event) {
      activity = foldActivity(activity, event)
      if (options.live && !options.quiet) stream(lineWriter, event, p)
    },
    ended: (result) => end(result),
    close: () => end(null),
    view: () => view,
    suspendOutput: () => lineWriter.suspendOutput(),
  }
}

function withoutQuestion(row: Row): Row {
  return { ...row, decisions: row.decisions.filter(({ by, what }) => by !== 'draft' || what !== 'ask') }
}

const BELL = '\u0007'

function alreadyWords(run: RunId, { view, p }: { view: RunView; p: Paint }): string {
  const done = view.outcome !== null && isCompleteOutcome(view.outcome.is)
  const what = `Run ${run} had already ${done ? 'finished' : 'ended'} at ${localTimestamp(view.at)}, before its result could be shown.`
  return `${p.head(what)}\nNo agent was started. To start a new run: ralph ${view.tasks === null ? 'loop' : 'run'}`
}

function stoppingWords(signal: StopSignal): string {
  return signal === 'SIGINT'
    ? 'Stopping… press Ctrl+C again to force quit.'
    : `${signal}: stopping. Send it again to force quit.`
}

function stream(lineWriter: LineWriter, event: AgentEvent, p: Paint): void {
  if (event.type === 'text') lineWriter.say(event.delta ? event.text : `${event.text}\n`)
  if (event.type === 'tool') {
    lineWriter.endMessage()
    lineWriter.show('tool', p.dim(`  ⚡ ${stripControl(event.name)} ${oneLine(stripControl(event.input), 100)}`))
  }
}

/** `loud`: printed with `quiet` too. */
function lastMessage(
  view: RunView | null,
  result: RunResult | null,
  { io, p }: { io: Io; p: Paint },
): { is: string; text: string; loud: boolean }[] {
  const report = result?.report ?? null
  const style = { columns: io.columns(), each: !io.terminal, beforeResult: true }
  const said = [
    report === null ? null : { is: 'report', text: `\n${reportBlock(report.report, p, style)}`, loud: false },
    view === null
      ? null
      : {
          is: 'result',
          text: resultBlock(view, { p, columns: outputWidth(io) }, report?.report.questions).trimEnd(),
          loud: true,
        },
    result === null || result.left.length === 0
      ? null
      : { is: 'result', text: p.warn(orphansBlock(result.left).trimEnd()), loud: true },
    report === null ? null : { is: 'report', text: p.dim(`report: ${report.path}`), loud: false },
  ]
  return said.filter((one) => one !== null)
}
