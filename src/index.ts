/**
 * The public door for programs that run Ralph from their own code. Nobody is asked here: whoever calls `startRun` answers for what the
 * settings name, and for the record of a run that it resumes unless `mayResume` looks at it.
 */
export { runEngine as startRun } from './engine/run-engine.ts'
export type { RunOptions, RunResult, RunWatcher } from './engine/run/run-options.ts'
export { openWatch as watchRun, type Watch } from './watch/watch.ts'
export { resolveSettings, type Settings } from './config/resolve.ts'
export { foldView, type RunView } from './core/presentation/run-view.ts'
export { RalphError, EXIT, type ErrorCode } from './core/error.ts'
export type { Event } from './core/state/event.ts'
export type { Row } from './core/state/row.ts'
export type { Rules } from './core/state/rules.ts'
