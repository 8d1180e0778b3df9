/** The report on a terminal: readable in half a minute. */
import type { Report } from '../../../core/presentation/report.ts'
import { reportHeadline, reportSectionsOf, type ReportSectionName } from '../../../core/presentation/report-text.ts'
import { runStatusTone } from '../../../core/presentation/outcome-text.ts'
import type { Paint } from '../colours.ts'
import { readerClock } from '../format-values.ts'
import { wrapIndented } from '../wrap.ts'

export interface ReportStyle {
  columns: number
  /** For a pipe: every line begins with its section's name, and no line is wrapped. */
  each?: boolean
  /** The result block follows, with the outcome, the cost and what to do next. */
  beforeResult?: boolean
  /** The command that prints this screen: it does not advise itself. */
  own?: string
}

/** Sections that the result block or the lines of the run already contain: nothing is printed twice. */
const PRINTED: ReadonlySet<ReportSectionName> = new Set<ReportSectionName>([
  'end',
  'proof',
  'rejected',
  'notes',
  'models',
  'cost',
  'next',
])

export function reportBlock(
  report: Report,
  p: Paint,
  { columns, each = false, beforeResult = false, own = '' }: ReportStyle,
): string {
  const sections = reportSectionsOf(report, { reader: readerClock(), own }).filter(
    ({ is }) => !beforeResult || !PRINTED.has(is),
  )
  const width = Math.max(0, ...sections.map(({ title }) => title.length)) + 2
  const rows = sections.flatMap(({ title, lines, code }) =>
    lines.flatMap((line, index) => {
      const name = p.dim((index === 0 || each ? title : '').padEnd(width))
      // Commands to type or paste are not wrapped.
      if (each || code === true) return [`  ${name}${marked(line, p)}`]
      const [first = '', ...rest] = wrapIndented(line, columns - width - 2)
      const below = rest.map((part) => `  ${' '.repeat(width)}${part}`)
      return [`  ${name}${marked(first, p)}`, ...below]
    }),
  )
  const head = beforeResult
    ? []
    : [p[runStatusTone({ ...report, undone: report.undone !== undefined })](reportHeadline(report)), '']
  return `${[...head, ...rows].join('\n')}\n`
}

function marked(line: string, p: Paint): string {
  const tone = MARK_TONES[line.charAt(0)]
  return tone === undefined || line.charAt(1) !== ' ' ? line : `${p[tone](line.charAt(0))}${line.slice(1)}`
}

const MARK_TONES: Partial<Record<string, keyof Paint>> = { '✓': 'good', '✗': 'bad', '–': 'dim', '!': 'warn' }
