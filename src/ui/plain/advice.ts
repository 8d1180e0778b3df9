/** "Next", as every screen with room for it prints it: what belongs to the command, the command, and what else may help. */
import type { Advice, AdvisedCommand } from '../../domain/tell/advice.ts'
import { visible } from '../../domain/text/text.ts'
import { cells } from '../tui/width.ts'
import type { Look } from './paint.ts'
import { hanging } from './wrap.ts'

export function adviceBlock({ first, command, why, others }: Advice, look: Look): string[] {
  const { p, columns } = look
  const next = (typed: string): string => `${p.bold('Next:')} ${p.head(typed)}`
  const also = others.flatMap((step) => stepLines(step, look, (typed) => `  ${typed}`))
  return [
    ...first.flatMap((line) => hanging(`  ${visible(line)}`, columns)),
    ...stepLines({ command, why }, look, next),
    ...(also.length === 0 ? [] : [p.dim('Also:'), ...also]),
  ]
}

const NEXT = 'Next: '

/** What is typed is never broken, so that it can be copied; why stands beside it, or below where there is no room. */
function stepLines(
  { command, why }: AdvisedCommand,
  { p, columns }: Look,
  show: (typed: string) => string,
): string[] {
  const [typed, said] = [visible(command), visible(why)]
  if (cells(`${NEXT}${typed}  ${said}`) <= columns) return [`${show(typed)}  ${p.dim(said)}`]
  return [show(typed), ...hanging(`    ${said}`, columns).map((line) => p.dim(line))]
}
