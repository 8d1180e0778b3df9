/** `ralph circuit`: shows the breaker's status and history, and resets it. */
import {
  circuitStatus,
  loadTransitions,
  resetCircuit,
  type CircuitStatus,
} from '../../../app/steer/breaker-and-conversation.ts'
import { describeInstant } from '../../../core/presentation/wait-text.ts'
import { breakerText } from '../../plain/breaker-text.ts'
import type { Paint, ScreenStyle } from '../../plain/colours.ts'
import { plural, formatSpan, localTimestamp } from '../../plain/format-values.ts'
import { resetResultText, transitionLines } from '../../plain/transitions.ts'
import { wrapPainted } from '../../plain/wrap.ts'
import type { CommandHandler } from '../framework/command.ts'
import { createPrintCommand } from '../framework/print-result.ts'
import { openProject } from '../framework/open-project.ts'
import type { CIRCUIT_HISTORY, CIRCUIT_RESET, CIRCUIT_STATUS } from '../command-table/control-commands.ts'

export const status: CommandHandler<typeof CIRCUIT_STATUS> = createPrintCommand(async (input, io) => {
  const { root, settings } = await openProject(input, io)
  return circuitStatus(root, settings.rules().breaker)
}, screen)

/** Closes the breaker for the next run. */
export const reset: CommandHandler<typeof CIRCUIT_RESET> = createPrintCommand(
  async (input, io) => resetCircuit((await openProject(input, io)).root),
  (done) => resetResultText(done, 'The breaker is closed. The next run starts a new agent session.'),
)

export const history: CommandHandler<typeof CIRCUIT_HISTORY> = createPrintCommand(
  async (input, io) => (await loadTransitions((await openProject(input, io)).root)).breakerTransitions,
  (turns, { width }) => transitionLines(turns, 'The breaker has never opened.', width),
)

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
    ['opened', plural(breaker.opens, 'time')],
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
  if (breaker.is !== 'open' || coolsAt === null) return p.dim('  history: ralph circuit history')
  if (nextStart !== 'open') return p.dim(`  state in the next run: ${nextStart}`)
  const after = formatSpan(rules.cooldownMs)
  return p.dim(
    `  retries at ${describeInstant(coolsAt, { now: Date.now(), local: localTimestamp })} (${after} after it opened) · retry now: ralph circuit reset`,
  )
}
