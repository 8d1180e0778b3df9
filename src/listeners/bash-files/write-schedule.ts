/**
 * When the bash tool's files are written: at transitions of the run, at most once a second; output every second; and the progress of a
 * working agent every ten seconds.
 */
import type { StatusKey } from '../../compat/bash/status-files.ts'
import type { AwakeMs } from '../../core/ids.ts'
import type { Clock, Timer } from '../../system/clock.ts'

export interface WriteSchedule {
  /** The run has this status now. */
  onTransition(now: StatusKey): void
  /** An agent wrote something. */
  onOutput(): void
  close(): void
}

const EVERY_MS = 1_000
/** Monitors of the bash tool show the elapsed time and the last line of a working agent live. */
const PROGRESS_MS = 10_000

export function openWriteSchedule(
  clock: Clock,
  write: { all(): void; words(): void; progress(): void },
): WriteSchedule {
  let turn: StatusKey | null = null
  let timer: (Timer & { at: AwakeMs }) | null = null
  let hearing: Timer | null = null
  let progress: Timer | null = null
  let lastAt: AwakeMs = -EVERY_MS
  let closed = false

  function wake(at: AwakeMs): void {
    if (timer !== null && timer.at <= at) return
    timer?.cancel()
    timer = { at, ...clock.after(Math.max(0, at - clock.up()), writeAll) }
  }

  function writeAll(): void {
    timer = null
    lastAt = clock.up()
    write.all()
    goOn()
  }

  function goOn(): void {
    progress?.cancel()
    progress = turn?.is === 'working' ? clock.after(PROGRESS_MS, writeProgress) : null
  }

  function writeProgress(): void {
    write.progress()
    goOn()
  }

  return {
    /** The phase between two iterations is usually too short for a write of its own. */
    onTransition(now) {
      if (closed || (now.is === turn?.is && now.iteration === turn.iteration)) return
      const waits = turn !== null && now.is === 'between'
      turn = now
      wake((waits ? clock.up() : lastAt) + EVERY_MS)
    },
    onOutput() {
      if (closed || hearing !== null) return
      hearing = clock.after(EVERY_MS, () => {
        hearing = null
        write.words()
      })
    },
    close() {
      closed = true
      for (const one of [timer, hearing, progress]) one?.cancel()
    },
  }
}
