/** The morning report on a terminal: readable in half a minute. */
import { toneOf } from '../../domain/outcome-words.ts'
import type { Report } from '../../domain/report.ts'
import { headline, sectionsOf } from '../../domain/report-words.ts'
import type { Paint } from './paint.ts'

/** `each`: every line carries its section's name, for a pipe. */
export function reportBlock(report: Report, p: Paint, { each = false }: { each?: boolean } = {}): string {
  const { outcome } = report
  const colour = p[outcome === null ? 'warn' : toneOf(outcome)]
  const width = Math.max(...sectionsOf(report).map(({ title }) => title.length)) + 2
  const rows = sectionsOf(report).flatMap(({ title, lines }) =>
    lines.map(
      (line, index) => `  ${p.dim((index === 0 || each ? title : '').padEnd(width))}${marked(line, p)}`,
    ),
  )
  return `${[colour(headline(report)), '', ...rows].join('\n')}\n`
}

function marked(line: string, p: Paint): string {
  if (line.startsWith('✓')) return `${p.good('✓')}${line.slice(1)}`
  return line.startsWith('✗') ? `${p.bad('✗')}${line.slice(1)}` : line
}
