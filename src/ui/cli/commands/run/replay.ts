/** `ralph replay`: redraws a run from its record, checks that every row still follows, or folds it with other settings. */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkIterationExists } from '../../../../app/run/logs.ts'
import { withRecord } from '../../../../app/run/open-record.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import type { Row } from '../../../../core/state/row.ts'
import { timelineOf } from '../../../../app/run/timeline.ts'
import type { RunView } from '../../../../core/presentation/run-view.ts'
import { textLinesFor, resultBlock } from '../../../plain/row-lines.ts'
import { createPaint } from '../../../plain/colours.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { REPLAY } from '../../command-table/view-commands.ts'
import { outputWidth, type Io } from '../../framework/io.ts'
import { openProject } from '../../framework/open-project.ts'
import { waitForOutputDrain } from '../../../../system/terminal/output-drain.ts'

const SPEED = 20
/** Shortens long pauses of the record on the screen. */
const PAUSE_MAX_MS = 2_000

export const run: CommandHandler<typeof REPLAY> = async (input, io) => {
  const { root } = await openProject(input, io)
  const speed = speedOf(input.flags)
  const from = input.flags.from ?? 0
  const { named, changes } = argumentsOf(input)
  return withRecord(root, named, async ({ entry, rows, state }) => {
    if (changes.length > 0) {
      const { printWhatIf } = await import('./what-if.ts')
      return printWhatIf({ run: entry.id, rows, changes, json: input.flags.json }, io)
    }
    if (input.flags.check) {
      const { verifyRecord } = await import('../../../../watch/verify-record.ts')
      return sayChecked(await verifyRecord(rows, state), { io, run: entry.id, json: input.flags.json })
    }
    if (input.flags.json) {
      for await (const { row, iteration } of timelineOf(rows)) {
        if (iteration >= from) io.out(`${JSON.stringify(row)}\n`)
        if (!(await waitForOutputDrain())) break
      }
      return EXIT.done
    }
    checkIterationExists(entry, from)
    await redraw(rows, { io, speed, from })
    return EXIT.done
  })
}

/** A word with `=` changes a setting; run IDs have none. */
function argumentsOf({ args, flags }: CommandInput<typeof REPLAY>): { named: string | null; changes: string[] } {
  const words = [...(args.run === null ? [] : [args.run]), ...args.changes]
  const [named, extra] = words.filter((word) => !word.includes('='))
  if (extra !== undefined)
    throw new RalphError('usage', `ralph replay: unexpected argument "${extra}"`, {
      hint: 'See: ralph replay --help',
    })
  const others = words.filter((word) => word.includes('='))
  if (others.length > 0 && flags.whatIf.length === 0) {
    throw new RalphError('usage', `"${others[0] ?? ''}" needs --what-if`, {
      hint: `ralph replay --what-if ${others[0] ?? ''}`,
    })
  }
  return { named: named ?? null, changes: [...flags.whatIf, ...others] }
}

function speedOf({ speed: text }: CommandInput<typeof REPLAY>['flags']): number {
  if (text === null) return SPEED
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  throw new RalphError('usage', `--speed must be a number, 0 or more, not "${text}"`, {
    hint: '20 is 20 times as fast; 0 prints everything at once.',
  })
}

async function redraw(
  rows: AsyncIterable<Row>,
  { io, speed, from }: { io: Io; speed: number; from: number },
): Promise<void> {
  const p = createPaint(io.colour)
  let last: RunView | null = null
  let up: number | null = null
  for await (const moment of timelineOf(rows)) {
    const { row } = moment
    last = moment.view
    if (moment.iteration < from) continue
    if (speed > 0 && up !== null) await sleep(Math.min(PAUSE_MAX_MS, (row.up - up) / speed))
    up = row.up
    for (const line of textLinesFor(row, moment, p)) io.out(`${line}\n`)
    if (!(await waitForOutputDrain())) return
  }
  if (last !== null) io.out(resultBlock(last, { p, columns: outputWidth(io) }))
}

type Checked = Awaited<ReturnType<(typeof import('../../../../watch/verify-record.ts'))['verifyRecord']>>

function sayChecked(checked: Checked, { io, run: id, json }: { io: Io; run: string; json: boolean }): number {
  const ok = checked.difference === null
  if (json) io.out(`${JSON.stringify({ run: id, ok, ...checked })}\n`)
  else if (checked.difference !== null) {
    const { seq, what, recorded, replayed } = checked.difference
    io.err(
      `Run ${id} and its replay differ at row ${seq} (${what}).\n  recorded: ${brief(recorded)}\n  replayed: ${brief(replayed)}\n`,
    )
  } else if (checked.foreign > 0) {
    io.out(
      `Run ${id}: ${checked.rows} rows match. Another version of Ralph recorded the rest, so Ralph did not check it.\n`,
    )
  } else io.out(`Run ${id}: all ${checked.rows} rows and the saved state match the replay.\n`)
  return ok ? EXIT.done : EXIT.error
}

function brief(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}
