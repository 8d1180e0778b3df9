/**
 * The effects that run at the moment. Each can be aborted in the same way, and none outlives the run: a leftover timer or child would
 * keep the process alive long after the end was printed.
 */
import type { EffectId, Millis } from '../../core/ids.ts'
import type { Clock } from '../../system/clock.ts'
import { newAbortController } from '../../system/process/git-context.ts'
import type { AbortRequest, AbortListener, HandledEffect } from './handler.ts'

export interface RunningEffects {
  /** Settles as the work does. After `close` it starts nothing. */
  begin(effect: HandledEffect, work: (aborting: AbortListener) => Promise<void>): Promise<void>
  /** Aborts an effect and waits until it has ended. Does nothing if it is not running. */
  abort(target: EffectId, how: AbortRequest): Promise<void>
  /** Aborts all running effects and starts no more. Does not wait for those that do not end in time. */
  close(clock: Pick<Clock, 'after'>): Promise<void>
}

/** Children are killed a second after the request to end; only a process stuck in the kernel takes longer. */
const CLOSE_MS: Millis = 4_000

interface Entry {
  tell: (how: AbortRequest) => void
  over: Promise<void>
}

export function openRunningEffects(): RunningEffects {
  const entries = new Map<EffectId, Entry>()
  let closed = false

  return {
    begin(effect, work) {
      if (closed) return Promise.resolve()
      const { aborting, tell } = newAborting()
      const done = work(aborting).finally(() => entries.delete(effect.id))
      const over = done.catch(() => {})
      entries.set(effect.id, { tell, over })
      return done
    },
    async abort(target, how) {
      const entry = entries.get(target)
      entry?.tell(how)
      await entry?.over
    },
    async close(clock) {
      closed = true
      const left = [...entries.values()]
      if (left.length === 0) return
      for (const entry of left) entry.tell({ why: 'stop', now: true })
      await withPatience(clock, Promise.all(left.map((entry) => entry.over)))
    },
  }
}

function newAborting(): { aborting: AbortListener; tell: (how: AbortRequest) => void } {
  const controller = newAbortController()
  const ears: ((how: AbortRequest) => void)[] = []
  const aborting: AbortListener = {
    signal: controller.signal,
    told: null,
    onAbort(hear) {
      ears.push(hear)
      if (aborting.told !== null) hear(aborting.told)
    },
  }
  return {
    aborting,
    tell(how) {
      aborting.told = how
      controller.abort()
      for (const hear of ears) hear(how)
    },
  }
}

function withPatience(clock: Pick<Clock, 'after'>, over: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const patience = clock.after(CLOSE_MS, resolve)
    void over.then(() => {
      patience.cancel()
      resolve()
    })
  })
}
