/** What to do once a run is over, as every screen advises it: what belongs to the command, then the commands, one to a line. */
import { adviceForView, adviceForUnfinished, type Advice } from '../../core/presentation/advice.ts'
import type { RunView } from '../../core/presentation/view.ts'

export function nextStepLines(view: RunView): string[] {
  const { outcome } = view
  if (outcome === null) return []
  if (view.is === 'left') return linesOf(adviceForUnfinished('left', view.command))
  return linesOf(adviceForView(view, outcome))
}

export function linesOf({ first, command, why, others }: Advice): string[] {
  return [...first, ...[{ command, why }, ...others].map((step) => `${step.command} (${step.why})`)]
}
