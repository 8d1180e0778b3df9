/** The numbers that the bash tool's `ralph-stats` printed, from the metrics that every iteration writes to `.ralph/logs`. */
import { join } from 'node:path'
import { numberAt, parseObject } from '../../core/text/json.ts'
import { readIfExists } from '../../system/files/files.ts'

export interface BashStats {
  total_loops: number
  successful: number
  avg_duration: number
  total_calls: number
}

/** Null: there are no metrics yet. Skips lines that are not a JSON object. */
export function readBashStats(folder: string): BashStats | null {
  const rows = (readIfExists(join(folder, 'logs', 'metrics.jsonl')) ?? '')
    .split('\n')
    .map(readRow)
    .filter((row) => row !== null)
  if (rows.length === 0) return null
  const sum = (key: 'duration' | 'calls'): number => rows.reduce((total, row) => total + row[key], 0)
  return {
    total_loops: rows.length,
    successful: rows.filter((row) => row.success).length,
    avg_duration: sum('duration') / rows.length,
    total_calls: sum('calls'),
  }
}

function readRow(line: string): { duration: number; success: boolean; calls: number } | null {
  const value = parseObject(line)
  if (value === null) return null
  const at = (key: string): number => numberAt(value, key) ?? 0
  return { duration: at('duration'), success: value['success'] === true, calls: at('calls') }
}
