/** `ralph logs`: prints the agent's text, the gates' output and the events as one stream. */
import { LOG_PARTS, readLogs, type LogItem, type LogPart } from '../../../../app/run/logs.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { createRunMasker } from '../../../../config/run-masker.ts'
import { createLogLineBuilder } from '../../../plain/screens/logs.ts'
import { createPaint } from '../../../plain/colours.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { LOGS } from '../../command-table/view-commands.ts'
import type { Io } from '../../framework/io.ts'
import { openProject } from '../../framework/open-project.ts'
import { waitForOutputDrain } from '../../../../system/terminal/output-drain.ts'

type LogFlags = CommandInput<typeof LOGS>['flags']

export const run: CommandHandler<typeof LOGS> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const follows = input.flags.follow
  const lines = input.flags.lines ?? (follows ? FOLLOW_LINES : null)
  const printer = printerOf(input.flags, io, lines)
  const wanted = {
    run: input.args.run,
    iteration: input.flags.iteration,
    parts: partsOf(input.flags),
    agents: settings.agents,
    mask: createRunMasker(settings, root),
  }
  if (follows) {
    const { followLogs } = await import('./follow-logs.ts')
    await followLogs(root, wanted, printer)
  } else await readLogs(root, wanted, printer.print)
  printer.end()
  return EXIT.done
}

/** Enough lines to see the context; `ralph logs` without `-f` prints all. */
const FOLLOW_LINES = 20

/** All parts, unless some are named. */
function partsOf(flags: LogFlags): Set<LogPart> {
  const named = LOG_PARTS.filter((part) => flags[part])
  return new Set(named.length === 0 ? LOG_PARTS : named)
}

export interface LogPrinter {
  /** False: the reader of the output is gone. */
  print: (item: LogItem) => Promise<boolean>
  /** Everything from here on is new and is printed in full. */
  caughtUp: () => void
  end(): void
}

/** `last`: prints only so many of the existing lines; null: all. */
function printerOf({ json, grep: pattern }: LogFlags, io: Io, last: number | null): LogPrinter {
  const lines = createLogLineBuilder(createPaint(io.colour))
  const grep = pattern === null ? null : patternOf(pattern)
  /** Null: prints every line at once. */
  let kept: string[] | null = last === null ? null : []
  const say = (line: string): void => {
    if (grep !== null && !grep.test(line)) return
    if (kept === null) return io.out(`${line}\n`)
    kept.push(line)
    if (kept.length > (last ?? 0)) kept.shift()
  }
  const caughtUp = (): void => {
    const waiting = kept ?? []
    kept = null
    waiting.forEach(say)
  }
  return {
    print(item) {
      if (json) say(JSON.stringify(jsonOf(item)))
      else lines.take(item).forEach(say)
      return waitForOutputDrain()
    },
    caughtUp,
    end() {
      lines.end().forEach(say)
      caughtUp()
    },
  }
}

/** The view after an event is folded from rows that the reader already has. */
function jsonOf(item: LogItem): object {
  if (item.from !== 'events') return item
  const { from, iteration, moment } = item
  const { seq, at, event, decisions } = moment.row
  return { from, iteration, seq, at, event, decisions }
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch {
    throw new RalphError('usage', `--grep needs a valid regular expression, not "${text}"`, {
      hint: 'Escape special characters with \\.',
    })
  }
}
