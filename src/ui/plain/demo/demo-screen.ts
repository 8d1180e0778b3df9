/** A run of the demo on the screen: fewer lines than a real run prints, from the same rows and in the same words. */
import type { Decision } from '../../../core/state/decision.ts'
import { isIterationEnd } from '../../../core/state/decision.ts'
import { foldView, type RunView } from '../../../core/presentation/run-view.ts'
import type { RunWatcher } from '../../../engine/run/run-options.ts'
import type { Io } from '../../cli/framework/io.ts'
import { createPaint } from '../colours.ts'
import { outputLinesFor } from '../row-lines.ts'
import { wrapOutputLine } from '../wrap.ts'

/** Which decisions a demo shows, besides the end of each iteration. */
export type DemoFocus = 'proof' | 'tasks'

export function openDemoScreen(io: Io, focus: DemoFocus): RunWatcher {
  const p = createPaint(io.colour)
  let view: RunView | null = null
  return {
    continued: ({ view: before }) => void (view = before),
    already: ({ view: before }) => void (view = before),
    notice: (text) => io.err(`${text}\n`),
    rows(rows) {
      for (const row of rows) {
        view = foldView(view, row)
        const shown = { ...row, effects: [], decisions: row.decisions.filter((one) => isShown(one, focus)) }
        for (const { is, text } of outputLinesFor(shown, withoutCost(view), p))
          if (is !== 'gate') io.out(`${wrapOutputLine(text, io.columns()).join('\n')}\n`)
      }
    },
  }
}

/** A driver estimates tokens from the agent's text, but here no model wrote it. */
function withoutCost(view: RunView): RunView {
  return { ...view, iterations: view.iterations.map((one) => ({ ...one, usage: { usd: 0 } })) }
}

const TASK_DECISIONS = ['retry', 'done', 'failed']

function isShown(decision: Decision, focus: DemoFocus): boolean {
  if (isIterationEnd(decision)) return true
  return focus === 'proof'
    ? decision.by === 'proof' && decision.step !== undefined
    : decision.by === 'task' && TASK_DECISIONS.includes(decision.what)
}
