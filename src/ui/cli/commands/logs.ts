/** `ralph logs`: what was said and done, the agent's words, the gates' output and the events in one stream. */
import { LOG_PARTS, readLogs, type LogItem, type LogPart } from '../../../desk/logs.ts'
import { EXIT, RalphError } from '../../../domain/error.ts'
import { maskFor } from '../../../engine/mask-for.ts'
import { lineMaker } from '../../plain/logs.ts'
import { paint } from '../../plain/paint.ts'
import type { Input, Run } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../numbers.ts'
import { openProject } from '../project.ts'
import { isHeard } from '../reader.ts'

export const run: Run = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const printer = printerOf(input, io)
  const wanted = {
    run: input.args[0] ?? null,
    iteration: numberFlag(input, 'iteration', { min: 0 }),
    parts: partsOf(input),
    agents: settings.agents,
    mask: maskFor(settings, root),
  }
  if (input.flags['follow'] === true) {
    const { followLogs } = await import('../follow-logs.ts')
    await followLogs(root, wanted, printer.print)
    printer.end()
    return EXIT.done
  }
  await readLogs(root, wanted, printer.print)
  printer.end()
  return EXIT.done
}

/** All of them, unless some are named. */
function partsOf(input: Input): Set<LogPart> {
  const named = LOG_PARTS.filter((part) => input.flags[part] === true)
  return new Set(named.length === 0 ? LOG_PARTS : named)
}

/** False: nobody reads any more. */
export type Print = (item: LogItem) => Promise<boolean>

function printerOf(input: Input, io: Io): { print: Print; end(): void } {
  const lines = lineMaker(paint(io.colour))
  const json = input.flags['json'] === true
  const grep = patternOf(input)
  const say = (line: string): void => void ((grep === null || grep.test(line)) && io.out(`${line}\n`))
  return {
    print(item) {
      if (json) say(JSON.stringify(jsonOf(item)))
      else lines.take(item).forEach(say)
      return isHeard()
    },
    end: () => lines.end().forEach(say),
  }
}

/** The view behind an event is folded from rows that the reader has already. */
function jsonOf(item: LogItem): object {
  if (item.from !== 'events') return item
  const { from, iteration, moment } = item
  const { seq, at, event, decisions } = moment.row
  return { from, iteration, seq, at, event, decisions }
}

function patternOf(input: Input): RegExp | null {
  const text = input.flags['grep']
  if (typeof text !== 'string') return null
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new RalphError('usage', `--grep takes a regular expression, and "${text}" is none`, {
      hint: 'Put a \\ before each special character.',
    })
  }
}
