/** `ralph circuit`: how the breaker stands. */
import { circuitStatus, type CircuitStatus } from '../../../../app/steer/circuit.ts'
import { describeInstant } from '../../../../core/presentation/wait-text.ts'
import { breakerText } from '../../../plain/breaker-text.ts'
import { count, localTimestamp, formatSpan } from '../../../plain/format-time.ts'
import { paint, type ScreenStyle, type Paint } from '../../../plain/colours.ts'
import { wrapPainted } from '../../../plain/wrap.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CIRCUIT_STATUS } from '../../table/control-commands.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof CIRCUIT_STATUS> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const status = await circuitStatus(root, settings.rules().breaker)
  const look = { p: paint(io.colour), columns: io.columns() }
  return answer(status, () => screen(status, look), { json: input.flags.json, io })
}

function screen(
  { breaker, rules, coolsAt, nextStart, run: id, live }: CircuitStatus,
  { p, columns }: ScreenStyle,
): string {
  const { counts } = breaker
  const rows = [
    ['state', breakerText(breaker, p)],
    [
      'counts',
      `${counts.idle} of ${rules.noProgress} without progress · ${counts.failed} of ${rules.sameError} with the same error · ${counts.denied} of ${rules.denials} denied`,
    ],
    ['opened', count(breaker.opens, 'time')],
    ['run', id === null ? 'none yet' : live === null ? `${id} (not running)` : `${id} (process ${live.pid})`],
  ]
  const next = nextLine({ breaker, coolsAt, nextStart, rules }, p)
  return [
    '',
    ...rows.flatMap(([name = '', value = '']) =>
      wrapPainted(`  ${p.dim(name.padEnd(10))}${value}`, { columns, indent: 12 }),
    ),
    '',
    ...wrapPainted(next, { columns, indent: 2 }),
    '',
  ].join('\n')
}

function nextLine(
  { breaker, coolsAt, nextStart, rules }: Pick<CircuitStatus, 'breaker' | 'coolsAt' | 'nextStart' | 'rules'>,
  p: Paint,
): string {
  if (breaker.is !== 'open' || coolsAt === null) return p.dim('  its turns: ralph circuit history')
  if (nextStart !== 'open') return p.dim(`  the next run finds it ${nextStart}`)
  const after = formatSpan(rules.cooldownMs)
  return p.dim(
    `  one more try at ${describeInstant(coolsAt, { now: Date.now(), local: localTimestamp })} (${after} after it opened) · at once: ralph circuit reset`,
  )
}
