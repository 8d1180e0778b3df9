/** What to do once a run is over, as every screen advises it: what belongs to the command, then the commands, one to a line. */
import { adviceFor, adviceMeanwhile, termsOf, type Advice } from '../../domain/advice.ts'
import type { View } from '../../domain/view.ts'

export function nextLines(view: View): string[] {
  const { outcome, run, rules, command } = view
  if (outcome === null) return []
  if (view.is === 'left') return linesOf(adviceMeanwhile('left'))
  return linesOf(adviceFor({ outcome, run, terms: termsOf(rules, command) }))
}

export function linesOf({ first, command, why, others }: Advice): string[] {
  return [...first, ...[{ command, why }, ...others].map((step) => `${step.command} (${step.why})`)]
}
