import type { DraftTask } from '../../src/core/features/task-file.ts'

/** A task that the critic has nothing against, as long as somebody names a test. */
export function draft(key: string, said: Partial<DraftTask> = {}): DraftTask {
  return {
    key,
    title: `Task ${key}`,
    description: '',
    parent: null,
    after: [],
    files: [],
    checks: ['npm test'],
    criteria: [],
    tests: [],
    priority: 0,
    size: null,
    ...said,
  }
}

/** The text of a document. */
export function taskFileText(...tasks: unknown[]): string {
  return JSON.stringify({ version: 1, tasks }, null, 2)
}
