/** The three time limits of an agent in flight: silence, total time, and the grace after its own final event. */
import type { AgentTimeLimits } from '../../core/calls/agent-io.ts'
import type { AwakeMs, Millis } from '../../core/ids.ts'
import type { Clock, Timer } from '../../system/clock.ts'

export type TimeLimit = 'idle' | 'wall' | 'grace'

export interface TimeLimitWatch {
  /** Bytes arrived, whatever their content: restarts the idle limit. */
  heard: () => void
  /** A person is asked: pauses the idle limit until the returned function is called. */
  pauseIdleLimit: () => () => void
  /** The agent's final event arrived. */
  final: () => void
  cancel: () => void
}

interface TimeLimitOptions {
  limits: AgentTimeLimits
  clock: Clock
  onLimitReached: (by: TimeLimit) => void
}

export function watchTimeLimits({ limits, clock, onLimitReached }: TimeLimitOptions): TimeLimitWatch {
  let lastActivity: AwakeMs = clock.up()
  let over = false
  let ended = false
  let pauses = 0
  const armed = new Set<Timer>()

  function fire(by: TimeLimit): void {
    if (over) return
    cancel()
    onLimitReached(by)
  }

  function cancel(): void {
    over = true
    for (const timer of armed) timer.cancel()
  }

  /** One timer that checks the remaining time, instead of a new timer for every chunk. */
  function afterSilence(by: TimeLimit, ms: Millis): void {
    if (ms === 0 || over) return
    const look = (wait: Millis): void => {
      const timer = clock.after(wait, () => {
        armed.delete(timer)
        const left = pauses > 0 ? ms : lastActivity + ms - clock.up()
        if (left <= 0) fire(by)
        else look(left)
      })
      armed.add(timer)
    }
    look(ms)
  }

  if (limits.wallMs > 0) armed.add(clock.after(limits.wallMs, () => fire('wall')))
  afterSilence('idle', limits.idleMs)

  return {
    heard: () => void (lastActivity = clock.up()),
    pauseIdleLimit() {
      pauses += 1
      let isPaused = true
      return () => {
        if (isPaused) pauses -= 1
        isPaused = false
        lastActivity = clock.up()
      }
    },
    /** Trailing lines may follow the final event, and a child can hold the pipe open for ever; so the grace also counts silence only:
     *  an agent that continues after all (a compacted conversation) is not cut off. */
    final() {
      if (!ended) afterSilence('grace', limits.completionGraceMs)
      ended = true
    },
    cancel,
  }
}
