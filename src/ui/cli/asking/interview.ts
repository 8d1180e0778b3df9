/**
 * The interview: shows the questions of a draft on the terminal and sends the answers to the run. When somebody answers from
 * elsewhere (`ralph steer`) or ends the run, the open question is cancelled.
 */
import { INTERVIEW_ANSWER_MAX } from '../../../core/features/interview.ts'
import { focusedWorker } from '../../../core/presentation/focused-worker.ts'
import type { RunView } from '../../../core/presentation/run-view.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import type { RunControl, RunWatcher } from '../../../engine/run/run-options.ts'
import { interruptSelf } from '../../../system/signals.ts'
import type { Io } from '../framework/io.ts'
import type { WatcherContext } from './interrupt.ts'
import { askText } from './terminal-prompts.ts'

/** The sender of the answers in the record. */
const FROM = 'the terminal'

export function addInterviewPrompt({ watcher, screen, closed }: WatcherContext, io: Io): RunWatcher {
  let runControl: RunControl | null = null
  /** The question that is on the screen now. */
  let open: { since: number; taken: AbortController } | null = null

  function look(view: RunView | null): void {
    const activity = view === null ? undefined : focusedWorker(view)?.activity
    const since = activity?.is === 'asking' && view?.is === 'going' ? activity.since : null
    if (open !== null && open.since !== since) {
      open.taken.abort()
      open = null
    }
    if (since === null || open !== null || runControl === null || activity?.is !== 'asking') return
    const taken = new AbortController()
    open = { since, taken }
    void ask(activity.question, { runControl, gone: AbortSignal.any([taken.signal, closed]) })
  }

  async function ask(
    question: string,
    { runControl, gone }: { runControl: RunControl; gone: AbortSignal },
  ): Promise<void> {
    const aloud = screen.suspendOutput()
    try {
      const answer = await answerTo(question, gone, io)
      if (gone.aborted) return
      // While a question is open, Ctrl+C arrives as a key: send the signal it normally causes.
      if (answer === null) interruptSelf()
      else runControl.ask({ id: null, from: FROM, do: 'steer', text: answer })
    } finally {
      aloud()
    }
  }

  return {
    ...watcher,
    serving(opened) {
      runControl = opened
      watcher.serving?.(opened)
      // A run that was interrupted at a question asks it again.
      look(screen.view())
    },
    rows(rows) {
      watcher.rows?.(rows)
      look(screen.view())
    },
  }
}

const DECIDE_YOURSELF = 'Decide this yourself, choose the safe option, and write down in the document what you assumed.'

/** Null: the user cancelled. */
async function answerTo(question: string, gone: AbortSignal, io: Io): Promise<string | null> {
  io.out(`\n${stripControl(question)}\n\n`)
  const said = await askText({
    message: 'Your answer',
    placeholder: 'Enter: let the agent decide · Ctrl+C: stop (you can resume later)',
    signal: gone,
    max: INTERVIEW_ANSWER_MAX,
  })
  if (gone.aborted) return DECIDE_YOURSELF
  if (said === null) return null
  const answer = stripControl(said).trim()
  return answer === '' ? DECIDE_YOURSELF : answer
}
