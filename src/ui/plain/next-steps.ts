/** The "Next" block of every screen: what to do first, the command, and what else may help. */
import type { Advice, SuggestedCommand } from '../../core/presentation/advice.ts'
import { escapeInvisible } from '../../core/text/sanitize.ts'
import { cellWidth } from '../tui/text-width.ts'
import type { ScreenStyle } from './colours.ts'
import { wrapIndented } from './wrap.ts'

export function nextStepsBlock({ first, command, why, others }: Advice, style: ScreenStyle): string[] {
  const { p, columns } = style
  const next = (typed: string): string => `${p.bold('Next:')} ${p.head(typed)}`
  const also = others.flatMap((step) => stepLines(step, style, (typed) => `  ${typed}`))
  return [
    ...first.flatMap((line) => wrapIndented(`  ${escapeInvisible(line)}`, columns)),
    ...stepLines({ command, why }, style, next),
    ...(also.length === 0 ? [] : [p.dim('Also:'), ...also]),
  ]
}

const NEXT = 'Next: '

/** A command is never wrapped, so that it can be copied; its reason is beside it, or below if there is no room. */
function stepLines(
  { command, why }: SuggestedCommand,
  { p, columns }: ScreenStyle,
  show: (typed: string) => string,
): string[] {
  const [typed, said] = [escapeInvisible(command), escapeInvisible(why)]
  if (cellWidth(`${NEXT}${typed}  ${said}`) <= columns) return [`${show(typed)}  ${p.dim(said)}`]
  return [show(typed), ...wrapIndented(`    ${said}`, columns).map((line) => p.dim(line))]
}
