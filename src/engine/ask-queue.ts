/** The person at the terminal, as a run has one: asked one thing at a time, whoever wants to know, and never again what was allowed for the
 *  whole run. That is kept in this process alone: whoever takes the run up later asks anew. */
import { permissionKey } from '../core/calls/permission-request.ts'
import type { AskPerson } from '../system/terminal/ask-person.ts'

export function queueQuestions(ask: AskPerson): AskPerson {
  const allowed = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  return (wanted, until) => {
    const turn = last.then(async () => {
      if (until.aborted) return 'no'
      // Somebody may have allowed it while this one waited.
      if (allowed.has(permissionKey(wanted))) return 'always'
      const given = await ask(wanted, until)
      if (given === 'always') allowed.add(permissionKey(wanted))
      return given
    })
    last = turn.catch(() => {})
    return turn
  }
}
