/** What the flags of `task add` and `task update` say of a task, in the words of the domain. */
import { RalphError } from '../../../../core/error.ts'
import { parseWhen, WHEN_FORMAT } from '../../../../core/tasks/parse-when.ts'
import type { Instant } from '../../../../core/ids.ts'

export function parseMomentFlag(text: string | null): Instant | null {
  if (text === null) return null
  const at = parseWhen(text, Date.now())
  if (at === null) throw new RalphError('usage', `--not-before takes ${WHEN_FORMAT}, not "${text}"`)
  return at
}
