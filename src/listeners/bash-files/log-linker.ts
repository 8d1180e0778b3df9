/** Links every iteration's log to the path that the bash tool used, as soon as the log exists. */
import { join } from 'node:path'
import { logStamp } from '../../compat/bash/state-files.ts'
import type { EffectId, RunId } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { exists } from '../../system/files/files.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import { copyLog, linkLog, type StampedLog } from '../../workspace/log-links.ts'
import { iterationLogFolder } from '../../workspace/log-folders.ts'

export interface LogLinker {
  take(row: Row): void
  /** Creates the links that are possible by now. */
  look(): void
}

interface Awaited extends StampedLog {
  /** The agent has ended: the log is complete, or there will be none. */
  ended: boolean
}

export function createLogLinker({ root, folder, run }: { root: string; folder: string; run: RunId }): LogLinker {
  const awaited = new Map<EffectId, Awaited>()

  return {
    take(row) {
      for (const effect of row.effects) {
        if (effect.type !== 'run-agent' || effect.role === 'review') continue
        const log = join(iterationLogFolder({ folder, run }, effect.worker, effect.iteration), 'agent.log')
        awaited.set(effect.id, { stamp: logStamp(formatLocalDateTime(row.at)), log, ended: false })
      }
      const one = row.event.type === 'agent-ended' ? awaited.get(row.event.effect) : undefined
      if (one !== undefined) one.ended = true
    },
    look() {
      for (const [id, one] of awaited) {
        const there = exists(one.log)
        // A missing log gets no dead link; where links do not work, a complete log is copied.
        const linked = there && linkLog(root, one)
        if (there && !linked && one.ended) copyLog(root, one)
        if (linked || one.ended) awaited.delete(id)
      }
    },
  }
}
