/** Signals that stop a run: the first requests a stop, the second forces it, and a signal after the end cuts the clean-up short. */
import { EXIT, type ExitCode } from '../../core/error.ts'
import type { RunState } from '../../core/state/state.ts'
import { isStopOutcome, type Outcome } from '../../core/state/outcome.ts'
import { newAbortController } from '../../system/process/git-context.ts'
import { exitNow, onStopSignals, type StopSignal } from '../../system/signals.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { emergencyStop } from './emergency-stop.ts'
import type { Inbox } from './inbox.ts'
import type { RunningEffects } from './running-effects.ts'
import { CLEANUP_GIT_MARK, repoOfEffect, type HandlerContext } from '../handler-context.ts'

/** A user who stopped a run should not wait long for the clean-up. */
const CLEANING_MS = 2_000

export interface StopSignals {
  stop(): void
  exit(): ExitCode | null
  /** The run is over: from now on a signal interrupts only the clean-up. */
  duringCleanup<T>(outcome: Outcome, clean: (repo: Repo) => Promise<T>): Promise<T>
}

interface Listening {
  world: HandlerContext
  inbox: Pick<Inbox, 'put' | 'fail'>
  runningEffects: RunningEffects
  /** The state after the last row. */
  state: () => RunState | null
  /** A closed terminal stops the run too. */
  hangsUp: boolean
  /** Called at the first Ctrl+C. Null: nobody handles it. Otherwise resolves to whether the run continues. */
  interrupted: () => Promise<boolean> | null
  /** The first signal arrived. */
  stopping: (signal: StopSignal) => void
}

/** The first Ctrl+C stops the run or asks the watcher; the second is an emergency stop. A closed terminal alone need not stop a run. */
export function handleStopSignals(listening: Listening): StopSignals {
  const { world, inbox, runningEffects, state, hangsUp, interrupted, stopping } = listening
  const cleaning = newAbortController()
  let over = false
  let exit: ExitCode | null = null
  let heeded = 0
  const stop = onStopSignals((signal) => {
    if (signal === 'SIGHUP' && !hangsUp) return
    heeded += 1
    const taken = signal === 'SIGINT' && heeded === 1 && !over ? interrupted() : null
    if (taken !== null) {
      const settled = (resumedRun: boolean): void => {
        if (resumedRun) heeded = 0
        else exit = EXIT.interrupted
      }
      void taken.then(settled, (error: unknown) => inbox.fail(error))
      return
    }
    exit = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
    if (over) cleaning.abort()
    if (heeded > 1) {
      const code = exit
      void emergencyStop(world, runningEffects, state()).finally(() => exitNow(code))
      return
    }
    stopping(signal)
    inbox.put({ type: 'request-received', request: { id: null, from: signal, do: 'stop', now: false } })
  })
  return {
    stop,
    exit: () => exit,
    async duringCleanup(outcome, clean) {
      over = true
      const timer = isStopOutcome(outcome.is) ? world.clock.after(CLEANING_MS, () => cleaning.abort()) : null
      try {
        return await clean(repoOfEffect({ ...world, ...world.project }, CLEANUP_GIT_MARK, cleaning))
      } finally {
        timer?.cancel()
      }
    },
  }
}
