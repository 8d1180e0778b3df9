/** `ralph --status` and `ralph --circuit-status`: print exactly what bash Ralph printed, for scripts that parse it. */
import { findProject } from '../../../config/find-project.ts'
import { bashCircuitStatus, bashStatusJson, type BashCircuitStatus } from '../../../app/bash-commands/bash-status.ts'
import { EXIT } from '../../../core/error.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { createPaint, type Paint } from '../../plain/colours.ts'
import type { Io } from '../framework/io.ts'
import type { CommonInput } from '../framework/command.ts'
import { homeOf, openProject } from '../framework/open-project.ts'

/** Exits with 0 even if there is nothing to show, as bash Ralph did. */
export async function printLegacyStatus(_input: CommonInput, io: Io): Promise<number> {
  const { root, kind } = findProject(io.cwd, { home: homeOf(io) })
  const text = kind === 'none' || kind === 'flat' ? null : await bashStatusJson(root)
  io.out(text === null ? 'No status file found. Ralph may not be running.\n' : `Current Status:\n${text}`)
  return EXIT.done
}

export async function printLegacyCircuit(input: CommonInput, io: Io): Promise<number> {
  const { root, settings } = await openProject(input, io)
  io.out(panel(await bashCircuitStatus(root, settings.rules().breaker), createPaint(io.colour)))
  return EXIT.done
}

const WIDTH = 60

function panel({ state, reason, idle, lastProgress, iteration, opens }: BashCircuitStatus, p: Paint): string {
  const { sign, tone } = LOOK[state]
  const line = (name: string, width: number, value: string): string =>
    `${p[tone](name)}${' '.repeat(width - name.length)}${value}`
  return [
    p[tone](`╔${'═'.repeat(WIDTH)}╗`),
    // One cell narrower than the frame, as in bash Ralph.
    p[tone](`║${'           Circuit Breaker Status'.padEnd(WIDTH - 1)}║`),
    p[tone](`╚${'═'.repeat(WIDTH)}╝`),
    line('State:', 23, `${sign} ${state}`),
    line('Reason:', 23, stripControl(reason)),
    line('Loops since progress:', 22, String(idle)),
    line('Last progress:', 22, `Loop #${lastProgress}`),
    line('Current loop:', 22, `#${iteration ?? 'N/A'}`),
    line('Total opens:', 22, String(opens)),
    '',
    '',
  ].join('\n')
}

const LOOK: Record<BashCircuitStatus['state'], { sign: string; tone: 'good' | 'warn' | 'bad' }> = {
  CLOSED: { sign: '✅', tone: 'good' },
  HALF_OPEN: { sign: '⚠️ ', tone: 'warn' },
  OPEN: { sign: '🚨', tone: 'bad' },
}
