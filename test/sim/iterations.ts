/** Every iteration ends exactly once, and every screen reports it exactly once, with its own worker, number and reason. */
import type { EffectId, WorkerId } from '../../src/core/ids.ts'
import { isIterationEnd, type IterationEndDecision } from '../../src/core/state/decision.ts'
import type { EffectOf } from '../../src/core/state/effect.ts'
import type { RunState, WorkerPhase } from '../../src/core/state/state.ts'
import { wasIgnored, type Row } from '../../src/core/state/row.ts'
import { foldReport, type ReportState } from '../../src/core/presentation/report.ts'
import { MAX_ITERATIONS_KEPT, type RunView } from '../../src/core/presentation/run-view.ts'
import { outputLinesFor } from '../../src/ui/plain/row-lines.ts'
import { createPaint } from '../../src/ui/plain/colours.ts'
import { fail } from './invariant-rules.ts'

export interface Iterations {
  take(row: Row, state: RunState, view: RunView): void
}

const PLAIN = createPaint(false)

export function openIterations(): Iterations {
  /** The last iteration of each worker; `over`: it ended. */
  const last = new Map<WorkerId, { n: number; over: boolean }>()
  let made = 0
  let over = 0
  /** Looks that measure an iteration, and what they found. */
  const looks = new Set<EffectId>()
  const commits = new Set<string>()
  let files = 0
  let report: ReportState | null = null

  function begin({ worker, iteration: n }: EffectOf<'run-agent'>): void {
    const before = last.get(worker)
    // A call that was cut off before it began is asked for again under the same number.
    if (before?.n === n && !before.over) return
    if (before?.over === false) fail(25, `iteration ${worker}/${n} begins while ${worker}/${before.n} is open`)
    if (n <= (before?.n ?? 0)) fail(25, `iteration ${worker}/${n} begins after ${worker}/${before?.n}`)
    last.set(worker, { n, over: false })
    made += 1
  }

  function end({ worker, n, why }: IterationEndDecision): void {
    const open = last.get(worker)
    if (open?.n !== n) return fail(25, `iteration ${worker}/${n} ended and never began`)
    if (open.over) fail(25, `iteration ${worker}/${n} ended twice`)
    if (why === '') fail(25, `iteration ${worker}/${n} ended without a reason`)
    open.over = true
    over += 1
  }

  function isOpenWhereItWorks({ workers }: RunState): void {
    for (const { id, phase } of Object.values(workers)) {
      const open = last.get(id)?.over === false
      if (open !== OPEN.has(phase.is)) fail(25, `an iteration of ${id} is ${open ? 'open' : 'over'} in ${phase.is}`)
    }
  }

  /** The plain output has one line for each end, and the table of iterations keeps its reason. */
  function isReported(row: Row, view: RunView): void {
    const ends = row.decisions.filter(isIterationEnd)
    for (const one of ends) {
      const shown = view.iterations.filter(({ worker, n }) => worker === one.worker && n === one.n)
      if (shown.length !== 1) fail(25, `iteration ${nameOf(one)} is listed ${shown.length} times`)
      if (shown[0]?.outcome !== one.outcome) fail(25, `iteration ${nameOf(one)} is listed with another outcome`)
      if (one.by === 'iteration' && shown[0]?.why !== one.why)
        fail(25, `iteration ${nameOf(one)} is listed with another reason`)
    }
    if (ends.length === 0 && row.seq % LINES_EVERY !== 0) return
    const lines = outputLinesFor(row, view, PLAIN).filter(({ is }) => is === 'iteration')
    const wanted = ends.filter(({ by, outcome }) => by === 'iteration' || outcome !== 'progress')
    if (lines.length !== wanted.length) fail(25, `${lines.length} lines for ${wanted.length} iterations that ended`)
  }

  function measure({ event, effects }: Row): void {
    if (event.type === 'snapshot-taken' && looks.delete(event.effect)) {
      files += event.change?.files ?? 0
      for (const { sha } of event.change?.commits ?? []) commits.add(sha)
    }
    if (event.type === 'committed' && event.sha !== null) commits.add(event.sha)
    for (const effect of effects) if (effect.type === 'snapshot' && effect.for === 'after') looks.add(effect.id)
  }

  function isCounted(row: Row, view: RunView): void {
    report = foldReport(report, row)
    const counted = report?.report.iterations ?? { made: 0, moved: 0, nothing: 0, refused: 0 }
    const ended = counted.moved + counted.nothing + counted.refused
    if (counted.made !== made || ended !== over)
      fail(25, `the report counts ${ended} of ${counted.made} iterations, and it were ${over} of ${made}`)
    const { changed, commitCount } = report?.report ?? { changed: { files: 0 }, commitCount: 0 }
    if (changed.files !== files) fail(25, `the report counts ${changed.files} changed files of ${files}`)
    if (commits.size < COMMITS_KNOWN && commitCount !== commits.size)
      fail(25, `the report counts ${commitCount} commits of ${commits.size}`)
    const { length } = view.iterations
    if (view.made !== made) fail(25, `the view counts ${view.made} iterations of ${made}`)
    if (length !== Math.min(made, MAX_ITERATIONS_KEPT)) fail(25, `${length} iterations of ${made} are listed`)
  }

  return {
    take(row, state, view) {
      row.decisions.filter(isIterationEnd).forEach(end)
      for (const effect of row.effects) if (effect.type === 'run-agent' && effect.role === 'work') begin(effect)
      isOpenWhereItWorks(state)
      isReported(row, view)
      if (!wasIgnored(row)) measure(row)
      isCounted(row, view)
    },
  }
}

/** A row in which no iteration ends prints no line of one. That takes as long to see as all other rules of a row, and a line too many stands
 *  in thousands of rows: with one for every agent that is started, 53 runs of 90 fail. */
const LINES_EVERY = 4

/** Of more, a report may count one twice. */
const COMMITS_KNOWN = 100

const OPEN: ReadonlySet<WorkerPhase['is']> = new Set(['working', 'measuring', 'committing', 'saving-knowledge'])

function nameOf({ worker, n }: IterationEndDecision): string {
  return `${worker}/${n}`
}
