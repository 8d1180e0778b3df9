/**
 * When the bash tool's files are written: one write in a second, at a turn of the run; words by the second; and while an agent works its
 * progress, every ten.
 */
import type { StatusKey } from '../../compat/bash/status-files.ts'
import type { AwakeMs } from '../../core/ids.ts'
import type { Clock, Timer } from '../../system/clock.ts'

export interface WriteSchedule {
  /** The run stands so now. */
  onTransition(now: StatusKey): void
  /** Somebody said something. */
  onOutput(): void
  close(): void
}

const EVERY_MS = 1_000
/** While an agent works, its elapsed time and its last words go on: monitors of the bash tool read them live. */
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
    /** What comes between two iterations is mostly over before it is worth a write of its own. */
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
