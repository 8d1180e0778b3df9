/** What the bash tool's loop leaves in `.ralph/` for a monitor: its state, its progress and the end of its log. Read gently: a
 *  file may be half written at the moment we look. */
import { join } from 'node:path'
import { numberAt, parseObject, textAt, type Json } from '../../core/text/json.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { readIfExists } from '../../system/files/files.ts'

export interface BashMonitor {
  /** Null: no status file, or none that can be read now. */
  status: {
    loop: number
    status: string
    action: string
    calls: number
    callsMax: number
    reason: string
  } | null
  /** Seconds that the agent has worked, and its last words; null when it does not. */
  progress: { seconds: number; words: string } | null
  log: string[]
}

/** As many lines as the old dashboard had. */
const LOG_LINES = 8

export function readBashMonitor(folder: string): BashMonitor {
  const status = readObject(join(folder, 'status.json'))
  const progress = readObject(join(folder, 'progress.json'))
  const log = readIfExists(join(folder, 'logs', 'ralph.log')) ?? ''
  return {
    status:
      status === null
        ? null
        : {
            loop: number(status, 'loop_count'),
            status: text(status, 'status'),
            action: text(status, 'last_action'),
            calls: number(status, 'calls_made_this_hour'),
            callsMax: number(status, 'max_calls_per_hour'),
            reason: text(status, 'exit_reason'),
          },
    progress:
      progress?.['status'] === 'executing'
        ? { seconds: number(progress, 'elapsed_seconds'), words: text(progress, 'last_output') }
        : null,
    log: log
      .trimEnd()
      .split('\n')
      .slice(-LOG_LINES)
      .filter((line) => line !== '')
      .map((line) => oneLine(line, 200)),
  }
}

function readObject(path: string): Json | null {
  return parseObject(readIfExists(path) ?? '')
}

function number(object: Json, key: string): number {
  return numberAt(object, key) ?? 0
}

function text(object: Json, key: string): string {
  return oneLine(textAt(object, key) ?? '', 200)
}
