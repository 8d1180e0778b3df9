/** The watchers of a run in this process: they get all rows, and the live output of agents. They never call back. */
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { WorkerId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'

export interface Listener {
  rows?(rows: Row[]): void
  /** The live output of an agent; it is in the agent's log, not in the record. */
  words?(worker: WorkerId, event: AgentEvent): void
}

export interface EventBus extends Required<Listener> {
  watch(watcher: Listener): void
}

export function openEventBus(): EventBus {
  const watchers: Listener[] = []
  return {
    watch: (watcher) => void watchers.push(watcher),
    rows: (rows) => watchers.forEach((watcher) => watcher.rows?.(rows)),
    words: (worker, event) => watchers.forEach((watcher) => watcher.words?.(worker, event)),
  }
}
