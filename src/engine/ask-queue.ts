/** Queues permission questions to the person at the terminal: one at a time, and never again for what was allowed for the whole run.
 *  The answers live in this process: a resumed run asks again. */
import { permissionKey } from '../core/calls/permission-request.ts'
import type { AskPerson } from '../system/terminal/ask-person.ts'

export function askOneAtATime(ask: AskPerson): AskPerson {
  const allowed = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  return (wanted, until) => {
    const turn = last.then(async () => {
      if (until.aborted) return 'no'
      // An earlier question in the queue may have allowed it.
      if (allowed.has(permissionKey(wanted))) return 'always'
      const given = await ask(wanted, until)
      if (given === 'always') allowed.add(permissionKey(wanted))
      return given
    })
    last = turn.catch(() => {})
    return turn
  }
}
