/** What the flags of `task add` and `task update` say of a task, in the words of the domain. */
import { RalphError } from '../../../../domain/error.ts'
import { readWhen, WHEN } from '../../../../domain/task/when.ts'
import type { Instant } from '../../../../domain/ids.ts'

export function momentFrom(text: string | null): Instant | null {
  if (text === null) return null
  const at = readWhen(text, Date.now())
  if (at === null) throw new RalphError('usage', `--not-before takes ${WHEN}, not "${text}"`)
  return at
}
