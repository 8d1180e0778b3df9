/** The lines that show a row of the record: one line per fact. The live loop, `replay` and pipes use them. */
import { narrate, lineText, type NarratedLine } from '../../core/presentation/narrator.ts'
import { iterationTextParts, type TextPart } from '../../core/presentation/iteration-text.ts'
import { MARK_TONES, iterationMarkOf } from '../../core/presentation/iteration-mark.ts'
import { describeSpent } from '../../core/text/format-amounts.ts'
import { describeDrift } from '../../core/tree/branch-state.ts'
import { stripControl } from '../../core/text/sanitize.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { Row } from '../../core/state/row.ts'
import type { IterationView, RunView } from '../../core/presentation/run-view.ts'
import { adviceForView } from '../../core/presentation/advice.ts'
import { outcomeDetails, outcomeHeadline, outcomeReason, outcomeTone } from '../../core/presentation/outcome-text.ts'
import type { OpenQuestion } from '../../core/presentation/answer-to-agent.ts'
import { formatElapsed, plural, localTimestamp, readerClock } from './format-values.ts'
import { nextStepsBlock } from './next-steps.ts'
import type { ScreenStyle, Paint } from './colours.ts'
import { wrapIndented } from './wrap.ts'

/** A printed line. `is` is its prefix in a pipe, and stable. */
export interface OutputLine {
  is: NarratedLine['is']
  text: string
}

/** The lines of a row; `view`: the run folded up to it; `known` is false for a row that this version does not understand. */
export function textLinesFor(row: Row, { view, known }: { view: RunView | null; known: boolean }, p: Paint): string[] {
  if (!known || view === null) return [p.warn(`  row ${row.seq} was written by a newer Ralph and is not shown`)]
  return outputLinesFor(row, view, p).map(({ text }) => text)
}

/** `verbose`: also details, after the rest. */
export function outputLinesFor(row: Row, view: RunView, p: Paint, { verbose = false } = {}): OutputLine[] {
  const lines = narrate(row, view, localTimestamp)
  const details = verbose ? lines.filter(({ level }) => level === 'verbose') : []
  return [...lines.filter(({ level }) => level === 'normal'), ...details].flatMap((line) => printed(line, p))
}

/** Indents all lines but those of iterations. */
function printed(line: NarratedLine, p: Paint): OutputLine[] {
  const { level, mark, tone } = line
  const parts = line.parts ?? [tone === undefined ? { text: lineText(line) } : { text: lineText(line), tone }]
  const head =
    level === 'verbose'
      ? p.dim(`· ${clean(lineText(line))}`)
      : `${mark === undefined ? '' : `${p[mark.tone](mark.glyph)} `}${paintParts(parts, p)}`
  const indent = line.is === 'iteration' ? '' : '  '
  const below = line.below ?? []
  return [`${indent}${head}`, ...below.map((text) => `    ${clean(text)}`)].map((text) => ({
    is: level === 'verbose' ? 'detail' : line.is,
    text,
  }))
}

/** An iteration in a list. */
export function iterationLine(one: IterationView, p: Paint, name: string): string {
  const { is, glyph } = iterationMarkOf(one)
  return `${p[MARK_TONES[is]](glyph)} ${paintParts(iterationTextParts(one, name), p)}`
}

function paintParts(parts: TextPart[], p: Paint): string {
  return parts.map(({ text, tone }) => (tone === undefined ? clean(text) : p[tone](clean(text)))).join('')
}

/** The last lines of a run: its outcome, its cost, what to do next. */
export function resultBlock(
  view: RunView,
  { p, columns }: ScreenStyle,
  questions: readonly Pick<OpenQuestion, 'id' | 'text'>[] = [],
): string {
  const { outcome } = view
  if (outcome === null) return ''
  const spent = [
    plural(view.made, 'iteration'),
    formatElapsed(view.up - view.startedAwakeMs),
    ...describeSpent(view.spent),
  ]
  return [
    '',
    p[outcomeTone(outcome)](outcomeHeadline(outcome)),
    ...[outcomeReason(outcome), ...outcomeDetails(outcome)].flatMap((line) =>
      wrapIndented(`  ${clean(line)}`, columns),
    ),
    p.dim(`${spent.join(' · ')} · run ${view.run}`),
    ...driftLines(view, p),
    ...nextStepsBlock(adviceForView(view, outcome, { questions, reader: readerClock() }), { p, columns }),
    '',
  ].join('\n')
}

function driftLines({ workers }: RunView, p: Paint): string[] {
  const lines = Object.values(workers).map(({ branchState }) => describeDrift(branchState))
  return lines.filter((line) => line !== null).map((line) => p.warn(clean(line)))
}

/** Processes that still run, shown at the end and by `ralph stop`. Empty: none. */
export function orphansBlock(left: Orphan[]): string {
  if (left.length === 0) return ''
  const them = left.map(({ pid, command }) => `  ${pid}  ${clean(command)}`)
  return [
    'Still running in the project. Ralph did not see an agent start these, so they may be yours:',
    ...them,
    '',
  ].join('\n')
}

function clean(text: string): string {
  return stripControl(text).replaceAll('\n', ' ')
}
