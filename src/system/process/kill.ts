/** Ends processes that this one did not start: the engine that `ralph stop` ends. */
import type { Millis } from '../../core/ids.ts'
import { findProcess } from './process-table.ts'
import { endProcesses, trySignal } from './end-processes.ts'

/** Does nothing if the process is gone. */
export function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGINT'): void {
  if (findProcess(pid) !== null) trySignal(pid, signal) // 0 and below would mean whole groups, ours among them
}

/** Ends a process with its group and all its descendants. */
export async function endProcessTree(pid: number, options: { graceMs: Millis }): Promise<void> {
  const leader = findProcess(pid)
  if (leader !== null) await endProcesses({ leader, marks: [], noted: () => [] }, options)
}
