/**
 * Ctrl+C while a run works on tasks on a terminal: stops the agent, releases its task, and lets the user write guidance about the task
 * before the run resumes or stops. The engine never asks: it gets a request to pause, and then one to resume or to stop.
 */
import { messageOf } from '../../../core/error.ts'
import type { TaskView, RunView } from '../../../core/presentation/run-view.ts'
import { focusedWorker } from '../../../core/presentation/focused-worker.ts'
import { describeTask } from '../../../core/tasks/task-text.ts'
import { clip, stripControl } from '../../../core/text/sanitize.ts'
import type { RunControl, RunWatcher } from '../../../engine/run/run-options.ts'
import { interruptSelf } from '../../../system/signals.ts'
import type { LoopScreen } from '../../plain/loop-screen.ts'
import { createPaint } from '../../plain/colours.ts'
import type { Io } from '../framework/io.ts'
import { loadPromptLibrary } from './terminal-prompts.ts'

/** The sender of the requests in the record. */
const FROM = 'Ctrl+C'

/** More than anybody types; a prompt uses far less of it. */
const GUIDANCE_MAX = 64 * 1024

export interface WatcherContext {
  watcher: RunWatcher
  screen: LoopScreen
  /** Aborted when no engine runs the run any more. */
  closed: AbortSignal
}

export function addInterruptPrompt({ watcher, screen, closed }: WatcherContext, io: Io): RunWatcher {
  let runControl: RunControl | null = null
  let status: CurrentStatus | null = null
  return {
    ...watcher,
    serving(opened) {
      runControl = opened
      watcher.serving?.(opened)
    },
    rows(rows) {
      watcher.rows?.(rows)
      status?.look(screen.view())
    },
    interrupted() {
      const view = screen.view()
      // A run that is paused or about to end has nothing to interrupt; a plain loop just stops.
      if (runControl === null || view?.is !== 'going' || view.tasks === null) return null
      status = newCurrentStatus(view, closed)
      return interrupt({ runControl, status, screen, io }).finally(() => (status = null))
    },
  }
}

interface Interrupt {
  runControl: RunControl
  status: CurrentStatus
  screen: LoopScreen
  io: Io
}

/** Resolves to whether the run continues. */
async function interrupt({ runControl, status, screen, io }: Interrupt): Promise<boolean> {
  const aloud = screen.suspendOutput()
  try {
    const p = createPaint(io.colour)
    io.out(`${p.warn('Stopping the agent… press Ctrl+C again to force quit.')}\n`)
    runControl.ask({ id: null, from: FROM, do: 'pause', now: true })
    if (!(await status.still)) return true
    const task = status.task()
    if (task !== null) await guide(task, { runControl, status, io })
    const continues = await askToContinue(status, io)
    if (status.over.aborted) return true
    runControl.ask(
      continues ? { id: null, from: FROM, do: 'resume' } : { id: null, from: FROM, do: 'stop', now: false },
    )
    return continues
  } finally {
    aloud()
  }
}

async function guide(
  task: TaskView,
  { runControl, status, io }: Pick<Interrupt, 'runControl' | 'status' | 'io'>,
): Promise<void> {
  const { multiline, isCancel } = await loadPromptLibrary()
  const name = describeTask({ task: task.id, title: stripControl(task.title) })
  const said = await multiline({
    message: `Guidance for the agent on ${name} (finish with an empty line, or just press Enter to skip):`,
    signal: status.over,
  })
  if (status.over.aborted) return
  if (isCancel(said)) return interruptNow(io)
  const text = clip(stripControl(said).trim(), GUIDANCE_MAX)
  if (text === '') return
  const message = await runControl.guide(task.id, text).then(
    () => `Saved. It'll be in the next prompt for ${task.id}.`,
    (error: unknown) => `Your guidance for ${task.id} couldn't be saved: ${messageOf(error)}`,
  )
  io.out(`${message}\n`)
}

async function askToContinue({ over }: CurrentStatus, io: Io): Promise<boolean> {
  const { confirm, isCancel } = await loadPromptLibrary()
  const answer = await confirm({ message: 'Continue the run?', signal: over })
  if (over.aborted) return true
  return isCancel(answer) ? interruptNow(io) : answer
}

/** While a question is open, Ctrl+C arrives as a key: sends the signal it normally causes, and waits until the process ends. */
function interruptNow(io: Io): Promise<never> {
  io.out('The run is paused. Continue it: ralph resume\n')
  interruptSelf()
  return new Promise<never>(() => {})
}

/** The status of the run while the user is asked about it. */
interface CurrentStatus {
  /** True: the run is paused. False: it ended by itself before that. */
  still: Promise<boolean>
  /** Aborted when the question is pointless: the run was resumed or ended from elsewhere. */
  over: AbortSignal
  /** The task that was interrupted; null: none. */
  task(): TaskView | null
  look(view: RunView | null): void
}

function newCurrentStatus(begun: RunView, closed: AbortSignal): CurrentStatus {
  let task = focusedWorker(begun)?.task ?? null
  let isStill = false
  let settle: (isStill: boolean) => void = () => {}
  const still = new Promise<boolean>((resolve) => (settle = resolve))
  const over = new AbortController()
  return {
    still,
    over: AbortSignal.any([over.signal, closed]),
    task: () => task,
    look(view) {
      if (view === null) return
      if (!isStill) task = focusedWorker(view)?.task ?? task
      if (view.is === 'paused') {
        isStill = true
        return settle(true)
      }
      if (isStill || view.is !== 'going') over.abort()
      if (view.is !== 'going') settle(false)
    },
  }
}
