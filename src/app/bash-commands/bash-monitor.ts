/**
 * Reads the files that the bash tool's loop writes to `.ralph/` for a monitor: its state, its progress and the end of its log.
 * A file may be half written when it is read; then it counts as missing.
 */
import { join } from 'node:path'
import { numberAt, parseObject, textAt, type JsonObject } from '../../core/text/json.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { readIfExists } from '../../system/files/files.ts'

export interface BashMonitorData {
  /** Null: no status file, or none that can be read now. */
  status: {
    loop: number
    status: string
    action: string
    calls: number
    callsMax: number
    reason: string
  } | null
  /** How many seconds the agent has worked, and its last output; null while no agent works. */
  progress: { seconds: number; words: string } | null
  log: string[]
}

/** As many lines as the bash tool's dashboard shows. */
const LOG_LINES = 8

export function readBashMonitorData(folder: string): BashMonitorData {
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

function readObject(path: string): JsonObject | null {
  return parseObject(readIfExists(path) ?? '')
}

function number(object: JsonObject, key: string): number {
  return numberAt(object, key) ?? 0
}

function text(object: JsonObject, key: string): string {
  return oneLine(textAt(object, key) ?? '', 200)
}
