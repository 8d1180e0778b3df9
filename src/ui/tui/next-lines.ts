/** What to do once a run is over, as every screen advises it: what belongs to the command, then the commands, one to a line. */
import { adviceAtEnd, adviceMeanwhile, type Advice } from '../../domain/tell/advice.ts'
import type { View } from '../../domain/tell/view.ts'

export function nextLines(view: View): string[] {
  const { outcome } = view
  if (outcome === null) return []
  if (view.is === 'left') return linesOf(adviceMeanwhile('left', view.command))
  return linesOf(adviceAtEnd(view, outcome))
}

export function linesOf({ first, command, why, others }: Advice): string[] {
  return [...first, ...[{ command, why }, ...others].map((step) => `${step.command} (${step.why})`)]
}
