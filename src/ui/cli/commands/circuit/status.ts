/** `ralph circuit`: how the breaker stands. */
import { circuitStatus, type CircuitStatus } from '../../../../desk/steer/circuit.ts'
import { momentWords } from '../../../../domain/tell/wait-words.ts'
import { breakerWords } from '../../../plain/breaker.ts'
import { count, localStamp, span } from '../../../plain/format.ts'
import { paint, type Look, type Paint } from '../../../plain/paint.ts'
import { hangingPainted } from '../../../plain/wrap.ts'
import type { Code } from '../../frame/command.ts'
import type { CIRCUIT_STATUS } from '../../table/steer.ts'
import { answer } from '../../frame/answer.ts'
import { openProject } from '../../frame/project.ts'

export const run: Code<typeof CIRCUIT_STATUS> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const status = await circuitStatus(root, settings.rules().breaker)
  const look = { p: paint(io.colour), columns: io.columns() }
  return answer(status, () => screen(status, look), { json: input.flags.json, io })
}

function screen(
  { breaker, rules, coolsAt, nextStart, run: id, live }: CircuitStatus,
  { p, columns }: Look,
): string {
  const { counts } = breaker
  const rows = [
    ['state', breakerWords(breaker, p)],
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
      hangingPainted(`  ${p.dim(name.padEnd(10))}${value}`, { columns, indent: 12 }),
    ),
    '',
    ...hangingPainted(next, { columns, indent: 2 }),
    '',
  ].join('\n')
}

function nextLine(
  { breaker, coolsAt, nextStart, rules }: Pick<CircuitStatus, 'breaker' | 'coolsAt' | 'nextStart' | 'rules'>,
  p: Paint,
): string {
  if (breaker.is !== 'open' || coolsAt === null) return p.dim('  its turns: ralph circuit history')
  if (nextStart !== 'open') return p.dim(`  the next run finds it ${nextStart}`)
  const after = span(rules.cooldownMs)
  return p.dim(
    `  one more try at ${momentWords(coolsAt, { now: Date.now(), local: localStamp })} (${after} after it opened) · at once: ralph circuit reset`,
  )
}
