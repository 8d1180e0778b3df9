/** "Next", as every screen with room for it prints it: what belongs to the command, the command, and what else may help. */
import type { Advice } from '../../domain/advice.ts'
import { visible } from '../../domain/text.ts'
import type { Paint } from './paint.ts'

export function adviceBlock({ first, command, why, others }: Advice, p: Paint): string[] {
  const also = others.map((step) => `  ${visible(step.command)}  ${p.dim(visible(step.why))}`)
  return [
    ...first.map((line) => `  ${visible(line)}`),
    `${p.bold('Next:')} ${p.head(visible(command))}  ${p.dim(visible(why))}`,
    ...(also.length === 0 ? [] : [p.dim('Also:'), ...also]),
  ]
}
