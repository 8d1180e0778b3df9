/** The transitions of a breaker or a conversation, and the result of a reset. */
import type { ResetResult, Transition } from '../../app/steer/breaker-and-conversation.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { localTimestamp } from './format-values.ts'
import { wrapPainted } from './wrap.ts'

export function resetResultText({ unfinished, said }: ResetResult, what: string): string {
  const text = [...said, what].join('\n')
  if (unfinished === null) return `${text}\n`
  return `${text}\nRun ${unfinished} is unfinished. This reset does not change it, even if you resume it. To start a new run: ralph loop --fresh\n`
}

/** Each line begins with its time; wrapped text is indented to the text, not to the time. */
const TURN_INDENT = 4

export function transitionLines(turns: Transition[], none: string, columns: number): string {
  if (turns.length === 0) return `${none}\n`
  const lines = turns.flatMap(({ at, loop, from, to, reason }) => {
    const where = loop > 0 ? `  iteration ${loop}` : ''
    const line = `  ${localTimestamp(at)}  ${from} → ${to}${where}  ${oneLine(reason, 200)}`
    return wrapPainted(line, { columns, indent: TURN_INDENT })
  })
  return `${lines.join('\n')}\n`
}
