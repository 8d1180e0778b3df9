/** The numbers of each iteration that charts show: what it cost, and how many lines it changed. */
import type { IterationView } from '../run-view.ts'

/** One value per ended iteration, oldest first. */
export interface IterationSeries {
  /** Null: the agent reported no cost. */
  usd: (number | null)[]
  /** Lines added and removed. Null: not measured. */
  lines: (number | null)[]
}

export type ChartedIteration = Pick<IterationView, 'end' | 'usage' | 'change'>

/** As many as a line of the screen has room for; the page of a run has more. */
export const SERIES_MAX = 40

/** Of the newest iterations. */
export function iterationSeriesOf(iterations: readonly ChartedIteration[], max = SERIES_MAX): IterationSeries {
  const ended = iterations.filter(({ end }) => end !== null).slice(-max)
  return {
    usd: ended.map(({ usage }) => usage?.usd ?? null),
    lines: ended.map(({ change }) => (change === null ? null : change.added + change.removed)),
  }
}
