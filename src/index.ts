/**
 * The public door for programs that run Ralph from their own code. Nobody is asked here: whoever calls `startRun` answers for what the
 * settings name, and for the record of a run that it resumes unless `mayResume` looks at it.
 */
export { runEngine as startRun } from './engine/run.ts'
export type { RunOptions, RunResult, RunWatcher } from './engine/run/options.ts'
export { openWatch as watchRun, type Watch } from './watch/watch.ts'
export { resolveSettings, type Settings } from './config/resolve.ts'
export { foldView, type RunView } from './domain/tell/view.ts'
export { RalphError, EXIT, type ErrorCode } from './domain/error.ts'
export type { Event } from './domain/state/event.ts'
export type { Row } from './domain/state/row.ts'
export type { Rules } from './domain/state/rules.ts'
