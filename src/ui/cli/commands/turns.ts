/** What `circuit` and `conversation` share: their verbs, their answers, and the lines of a history. */
import type { ResetDone, Turn } from '../../../desk/steer/breaker-and-conversation.ts'
import { EXIT, RalphError } from '../../../domain/error.ts'
import { suggest } from '../../../domain/text/suggest.ts'
import { oneLine } from '../../../domain/text/text.ts'
import { localStamp } from '../../plain/format.ts'
import { hangingPainted } from '../../plain/wrap.ts'
import type { Input } from '../frame/row.ts'
import type { Io } from '../frame/io.ts'

/** The first verb is meant when none is given. */
export function verbOf<const Verb extends string>(input: Input, verbs: readonly [Verb, ...Verb[]]): Verb {
  const [word] = input.args
  const found = word === undefined ? verbs[0] : verbs.find((verb) => verb === word)
  if (found !== undefined) return found
  const near = suggest(word ?? '', verbs)
  throw new RalphError('usage', `ralph ${input.command} cannot "${word ?? ''}"`, {
    hint: near === null ? `It can: ${verbs.join(', ')}` : `Did you mean: ralph ${input.command} ${near}?`,
  })
}

/** Reading is harmless; changing what a run begins with is not for the agent it will start. */
export function refuseInside(input: Input, io: Io): void {
  const inside = io.env['RALPH_INSIDE'] ?? ''
  if (inside === '') return
  throw new RalphError('inside-run', `ralph ${input.command} reset was called from inside run ${inside}`, {
    hint: 'An agent or a gate must not steer the run it belongs to.',
  })
}

export function answer(facts: object, screen: () => string, { input, io }: { input: Input; io: Io }): number {
  io.out(input.flags['json'] === true ? `${JSON.stringify(facts)}\n` : screen())
  return EXIT.done
}

export function sayReset({ unfinished, said }: ResetDone, what: string): string {
  const told = [...said, what].join('\n')
  if (unfinished === null) return `${told}\n`
  return `${told}\nRun ${unfinished} is unfinished: if it goes on it keeps its own. Begin a new one: ralph loop --fresh\n`
}

/** Each begins with its time; what it says goes on below the words, not below the time. */
const TURN_INDENT = 4

export function turnLines(turns: Turn[], none: string, columns: number): string {
  if (turns.length === 0) return `${none}\n`
  const lines = turns.flatMap(({ at, loop, from, to, reason }) => {
    const where = loop > 0 ? `  iteration ${loop}` : ''
    const line = `  ${localStamp(at)}  ${from} → ${to}${where}  ${oneLine(reason, 200)}`
    return hangingPainted(line, { columns, indent: TURN_INDENT })
  })
  return `${lines.join('\n')}\n`
}
