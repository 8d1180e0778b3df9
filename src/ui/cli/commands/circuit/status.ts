/** `ralph circuit [status|reset|history]`: the breaker. */
import {
  circuitHistory,
  circuitStatus,
  resetCircuit,
  type CircuitStatus,
} from '../../../../desk/steer/circuit.ts'
import { EXIT } from '../../../../domain/error.ts'
import { momentWords } from '../../../../domain/tell/wait-words.ts'
import { breakerWords } from '../../../plain/breaker.ts'
import { count, localStamp, span } from '../../../plain/format.ts'
import { paint, type Look, type Paint } from '../../../plain/paint.ts'
import { hangingPainted } from '../../../plain/wrap.ts'
import type { Run } from '../../frame/row.ts'
import { widthOf } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'
import { answer, refuseInside, sayReset, turnLines, verbOf } from '../turns.ts'

const VERBS = ['status', 'reset', 'history'] as const

export const run: Run = async (input, io) => {
  const verb = verbOf(input, VERBS)
  const { root, settings } = await openProject(input, io)
  const p = paint(io.colour)
  if (verb === 'reset') {
    refuseInside(input, io)
    const done = await resetCircuit(root)
    return answer(
      done,
      () => sayReset(done, 'The breaker is closed, and a fresh conversation will be begun.'),
      { input, io },
    )
  }
  if (verb === 'history') {
    const turns = await circuitHistory(root)
    return answer(turns, () => turnLines(turns, 'The breaker has never turned.', widthOf(io)), { input, io })
  }
  const status = await circuitStatus(root, settings.rules().breaker)
  answer(status, () => screen(status, { p, columns: io.columns() }), { input, io })
  return EXIT.done
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
