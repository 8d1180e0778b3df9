/** `ralph replay --what-if`: explains where other settings would have led to other decisions. */
import { EXIT, RalphError } from '../../../../core/error.ts'
import type { Row } from '../../../../core/state/row.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import { parseRuleChange } from '../../../../watch/parse-rule-change.ts'
import { type RecordedChoice, whatIf, type ChoiceDifference, type WhatIfResult } from '../../../../watch/what-if.ts'
import { plural } from '../../../plain/format-values.ts'
import { createPaint, type Paint } from '../../../plain/colours.ts'
import type { Io } from '../../framework/io.ts'

export interface WhatIfOptions {
  run: string
  rows: AsyncIterable<Row>
  changes: string[]
  json: boolean
}

export async function printWhatIf({ run, rows, changes, json }: WhatIfOptions, io: Io): Promise<number> {
  const steps = changes.map(parseRuleChange)
  const result = await whatIf(rows, (rules) => steps.reduce((changed, change) => change(changed), rules))
  if (result.foreign && result.rows === 0) {
    throw new RalphError('store-newer', `another version of Ralph recorded run ${run}`, {
      hint: 'Only that version can replay it.',
    })
  }
  io.out(
    json
      ? `${JSON.stringify({ run, changes, ...result })}\n`
      : whatIfText(run, changes, result, createPaint(io.colour)),
  )
  return EXIT.done
}

function whatIfText(
  run: string,
  changes: string[],
  { rows, foreign, first, later, laterCount }: WhatIfResult,
  p: Paint,
): string {
  const under = changes.join(', ')
  const tail = foreign
    ? [p.warn('Another version of Ralph recorded the rest of this run, so Ralph did not compare it.')]
    : []
  if (first === null)
    return `${[`Run ${run} with ${under}: no decision differs (${plural(rows, 'row')}).`, ...tail].join('\n')}\n`
  const lines = [
    `Run ${run} with ${under}: the first different decision is in row ${first.seq}, ${where(first)}.`,
    ...both(first, p),
  ]
  if (laterCount > 0) {
    lines.push(
      '',
      `Ralph cannot know how the run would have continued. With the recorded facts, the breaker, the exit rule or the budget`,
    )
    lines.push(`would also have decided differently in ${plural(laterCount, 'later row')}:`)
    for (const one of later)
      lines.push('', `  row ${one.seq}, ${where(one)} ${p.dim('(recorded facts)')}`, ...both(one, p))
    if (laterCount > later.length) lines.push('', p.dim(`  … and ${laterCount - later.length} more`))
  }
  return `${[...lines, ...tail].join('\n')}\n`
}

function where({ iteration, event }: ChoiceDifference): string {
  return `${iteration === 0 ? 'before the first iteration' : `iteration ${iteration}`}, after ${event}`
}

function both({ recorded, instead }: ChoiceDifference, p: Paint): string[] {
  return [`    ${p.dim('recorded')}  ${decisionsText(recorded)}`, `    ${p.dim('instead ')}  ${decisionsText(instead)}`]
}

function decisionsText(decisions: RecordedChoice[]): string {
  return decisions.length === 0 ? 'nothing' : decisions.map(({ by, why }) => `${by}: ${oneLine(why, 200)}`).join('; ')
}
