/** A log of limited size: when it is full it becomes `.1`, the older ones move on, and the oldest is deleted. */
import { appendLine, exists, removeIfExists, sizeOf } from '../../system/files/files.ts'
import { moveFile } from '../../system/files/copy-move.ts'

export interface LogRotation {
  maxBytes: number
  /** Number of old logs to keep: `.1` is the newest. */
  archives: number
}

export function appendToRotatingLog(path: string, line: string, rotation: LogRotation): void {
  if ((sizeOf(path) ?? 0) >= rotation.maxBytes) rotate(path, rotation.archives)
  appendLine(path, line)
}

function rotate(path: string, archives: number): void {
  removeIfExists(`${path}.${archives}`)
  for (let n = archives - 1; n >= 1; n -= 1) {
    if (exists(`${path}.${n}`)) moveFile(`${path}.${n}`, `${path}.${n + 1}`)
  }
  moveFile(path, `${path}.1`)
}
