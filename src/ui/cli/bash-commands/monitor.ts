/** `ralph-monitor`: prints the status screen every two seconds until Ctrl+C. It only reads, and shows a bash loop as well as a run. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBashMonitorData, type BashMonitorData } from '../../../app/bash-commands/bash-monitor.ts'
import { loadProjectStatus } from '../../../app/run/status.ts'
import { onStopSignals } from '../../../system/signals.ts'
import { formatElapsed } from '../../plain/format-values.ts'
import { createPaint, type Paint } from '../../plain/colours.ts'
import type { CommandInput } from '../framework/command.ts'
import type { Io } from '../framework/io.ts'
import { LEGACY_EXIT_CODES, defineLegacyCommand } from './legacy-command.ts'
import type { STATUS } from '../command-table/quick-commands.ts'
import { openProject } from '../framework/open-project.ts'

const EVERY_MS = 2_000
/** Moves the cursor home and clears everything below it: less flicker than clearing first. */
const CLEAR = '\u001b[H\u001b[J'
const INPUT: CommandInput<typeof STATUS> = {
  command: 'status',
  words: [],
  args: {},
  flags: { json: false, verbose: false },
  settings: {},
  typed: 'ralph-monitor',
  given: [],
  by: null,
}

export const program = defineLegacyCommand({
  usage: `Usage: ralph-monitor                     (now: ralph watch)

Shows the status of this project's loop every two seconds. Ctrl+C quits; the loop keeps running.`,
  flags: {},
  args: 0,
  exits: { usage: LEGACY_EXIT_CODES.error, error: LEGACY_EXIT_CODES.error },
  async run(_, io) {
    // Ctrl+C is the normal way to end a monitor, so the signal is caught and the exit code is 0.
    const stop = new AbortController()
    const { signal } = stop
    const forget = onStopSignals(() => stop.abort())
    while (!signal.aborted) {
      const text = await frame(io)
      if (signal.aborted) break
      io.out(io.terminal ? `${CLEAR}${text}` : text)
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
    forget()
    return LEGACY_EXIT_CODES.done
  },
})

async function frame(io: Io): Promise<string> {
  const { root } = await openProject(INPUT, io)
  const old = readBashMonitorData(join(root, '.ralph'))
  const p = createPaint(io.colour)
  const isOurs = old.status === null || (await loadProjectStatus(root)).view !== null
  return `${isOurs ? await ourScreen(io) : oldScreen(old, root, p)}${logPanel(old, p)}`
}

async function ourScreen(io: Io): Promise<string> {
  const { run } = await import('../commands/run/status.ts')
  let text = ''
  await run(INPUT, { ...io, out: (more) => void (text += more) })
  return text
}

function oldScreen({ status, progress }: BashMonitorData, root: string, p: Paint): string {
  const line = (name: string, value: string): string => `  ${p.dim(name.padEnd(10))}${value}`
  return [
    `${p.bold('Ralph')} · ${root}`,
    '',
    line('loop', `#${status?.loop ?? 0}`),
    line(
      'state',
      [status?.status, status?.action, status?.reason].filter((part) => part !== undefined && part !== '').join(' · '),
    ),
    line('calls', `${status?.calls ?? 0} of ${status?.callsMax ?? 0} this hour`),
    ...(progress === null
      ? []
      : [line('agent', `${formatElapsed(progress.seconds * 1000)} ${progress.words}`.trimEnd())]),
    '',
  ].join('\n')
}

function logPanel({ log }: BashMonitorData, p: Paint): string {
  return log.length === 0 ? '' : `${['', p.dim('  log'), ...log.map((line) => `  ${line}`), ''].join('\n')}\n`
}
