/** Shows a run on the screen of this process: a dashboard on a terminal, lines in a pipe, JSON for programs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { activityName } from '../../../../core/presentation/activity.ts'
import { focusedWorker } from '../../../../core/presentation/focused-worker.ts'
import { sendRequest, stopEngine } from '../../../../app/steer/engine-requests.ts'
import { RalphError } from '../../../../core/error.ts'
import { foldViewTolerantly, type RunView } from '../../../../core/presentation/run-view.ts'
import type { Watch } from '../../../../watch/watch.ts'
import { formatElapsed } from '../../../plain/format-values.ts'
import { textLinesFor, resultBlock } from '../../../plain/row-lines.ts'
import { createPaint } from '../../../plain/colours.ts'
import type { PaneName, ViewState } from '../../../tui/dashboard-scene.ts'
import { onOutputClosed } from '../../../../system/terminal/output-drain.ts'
import { supportsUnicode } from '../../../../core/text/ascii.ts'
import type { DashboardResult, RunControls } from '../../../tui/dashboard.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import { receiptText } from '../../framework/receipt.ts'

/** Polls four times a second, like the dashboard. */
const LOOK_MS = 250
/** After a silence this long a line says that the run is still running; writing it also detects a closed pipe. */
const SILENCE_MS = 60_000

export async function watchOnDashboard(
  watch: Watch,
  options: { leaving: ViewState['leaving']; only: PaneName | null },
  io: Io,
): Promise<DashboardResult> {
  const { runDashboard } = await import('../../../tui/dashboard.ts')
  const { openFullScreen } = await import('../../../../system/terminal/full-screen.ts')
  const { readIterationPart, readIterations } = await import('../../../../app/run/history.ts')
  const { run, workspace } = watch
  const terminal = openFullScreen()
  try {
    return await runDashboard({
      watch,
      past: {
        iterations: (wanted) => readIterations(workspace, { run, ...wanted }),
        detail: (wanted) => readIterationPart(workspace, { run, ...wanted }),
      },
      terminal,
      steering: steeringOf(watch, io),
      colour: io.colour,
      unicode: supportsUnicode(io.env),
      ...options,
    })
  } finally {
    terminal.close()
  }
}

function steeringOf(watch: Watch, io: Io): RunControls {
  const from = 'the dashboard'
  const root = watch.workspace
  const outside = <T>(work: () => Promise<T>): Promise<T> =>
    (io.env['RALPH_INSIDE'] ?? '') === ''
      ? work()
      : Promise.reject(new RalphError('inside-run', 'agents and gates cannot control the run they belong to'))
  return {
    pause: () => outside(async () => receiptText(await sendRequest(root, { from, do: 'pause' }))),
    resume: () => outside(async () => receiptText(await sendRequest(root, { from, do: 'resume' }))),
    steer: (text) => outside(async () => receiptText(await sendRequest(root, { from, do: 'steer', text }))),
    stop: () => outside(async () => `Run ${(await stopEngine(root, { now: false })).run} is stopped.`),
  }
}

export interface FollowResult {
  view: RunView | null
  /** `cut-off`: the run has no engine any more; `unheard`: the reader of our output is gone. */
  end: 'ended' | 'cut-off' | 'unheard'
}

/** Prints each event as a line (or as JSON) until the run ends. */
export async function followAsLines(watch: Watch, { json }: { json: boolean }, io: Io): Promise<FollowResult> {
  const p = createPaint(io.colour)
  let view: RunView | null = null
  let unheard = false
  let spoke = Date.now()
  const forget = onOutputClosed(() => void (unheard = true))
  try {
    while (!unheard) {
      const look = await watch.look()
      for (const row of look.rows) {
        const folded = foldViewTolerantly(view, row)
        view = folded.view
        if (json) io.out(`${JSON.stringify(row)}\n`)
        else for (const line of textLinesFor(row, folded, p)) io.out(`${line}\n`)
      }
      if (look.rows.length > 0) spoke = Date.now()
      if (look.more) continue
      if (view?.outcome != null) {
        if (!json) io.out(resultBlock(view, { p, columns: outputWidth(io) }, look.questions))
        return { view, end: 'ended' }
      }
      if (look.runBy === null) return { view, end: 'cut-off' }
      if (!json && view !== null && Date.now() - spoke >= SILENCE_MS) {
        spoke = Date.now()
        io.out(`${p.dim(stillRunningText(view, spoke))}\n`)
      }
      await sleep(LOOK_MS)
    }
    return { view, end: 'unheard' }
  } finally {
    forget()
  }
}

function stillRunningText(view: RunView, now: number): string {
  const worker = focusedWorker(view)
  if (worker === undefined) return '▸ starting'
  return `▸ ${activityName(worker.activity)} ${formatElapsed(now - worker.activity.since)} · iteration ${worker.iteration}`
}
