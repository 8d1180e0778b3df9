/** The numbers that the bash tool's `ralph-stats` printed, from the metrics that every iteration leaves in `.ralph/logs`. */
import { join } from 'node:path'
import { readIfThere } from '../system/files.ts'

export interface OldStats {
  total_loops: number
  successful: number
  avg_duration: number
  /** The highest count of calls that a line tells: the lines count on, hour by hour. */
  total_calls: number
}

/** Null: there are no metrics yet. Lines that are no JSON object are passed over. */
export function oldStats(folder: string): OldStats | null {
  const text = readIfThere(join(folder, 'logs', 'metrics.jsonl'))
  if (text === null) return null
  const rows = text
    .split('\n')
    .map(readRow)
    .filter((row) => row !== null)
  const total = rows.reduce((sum, row) => sum + row.duration, 0)
  return {
    total_loops: rows.length,
    successful: rows.filter((row) => row.success).length,
    avg_duration: rows.length === 0 ? 0 : total / rows.length,
    total_calls: rows.reduce((most, row) => Math.max(most, row.calls), 0),
  }
}

function readRow(line: string): { duration: number; success: boolean; calls: number } | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return null
    const { duration, success, calls } = value as Record<string, unknown>
    return { duration: number(duration), success: success === true, calls: number(calls) }
  } catch {
    return null
  }
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
