/** Whoever watches a run in this process: rows always arrive, words only while they are fresh. Nobody calls back upwards. */
import type { AgentEvent } from '../core/calls/agent-io.ts'
import type { WorkerId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'

export interface Watcher {
  rows?(rows: Row[]): void
  /** What the agent says and does at this moment; not recorded, its log is. */
  words?(worker: WorkerId, event: AgentEvent): void
}

export interface EventBus extends Required<Watcher> {
  watch(watcher: Watcher): void
}

export function openEventBus(): EventBus {
  const watchers: Watcher[] = []
  return {
    watch: (watcher) => void watchers.push(watcher),
    rows: (rows) => watchers.forEach((watcher) => watcher.rows?.(rows)),
    words: (worker, event) => watchers.forEach((watcher) => watcher.words?.(worker, event)),
  }
}
