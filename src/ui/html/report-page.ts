/**
 * A run on one HTML page that stands alone: no script, no other file, nothing to load, so it opens as an e-mail attachment. Its
 * sentences are those of the report on every other screen.
 */
import type { ReportPage } from '../../app/report-page/load-page.ts'
import { PAGE_GENERATOR } from '../../app/report-page/write-page.ts'
import type { Instant } from '../../core/ids.ts'
import { runStatusTone } from '../../core/presentation/outcome-text.ts'
import { adviceForReport, type Report } from '../../core/presentation/report.ts'
import { reportHeadline, reportSectionsOf } from '../../core/presentation/report-text.ts'
import { formatCompact, formatDollars, formatElapsed, formatSpentCell } from '../../core/text/format-amounts.ts'
import { utf8Length } from '../../core/text/sanitize.ts'
import { areFromOneWorker, iterationName } from '../../core/presentation/iteration-text.ts'
import { barChartHtml } from './bar-chart.ts'
import { escapeHtml } from './html-text.ts'
import { iterationHtml } from './iteration-html.ts'
import { PAGE_STYLE } from './page-style.ts'

export interface PageContext {
  /** Writes an instant in the reader's time zone. */
  when: (at: Instant) => string
  version: string
}

/** Mail servers and readers accept this much. */
const PAGE_MAX = 295_000
const DIFF_MAX = 2_000

export function reportPageHtml(page: ReportPage, context: PageContext): string {
  const withoutDiffs = renderPage(page, context, 0)
  const room = Math.floor((PAGE_MAX - utf8Length(withoutDiffs)) / Math.max(1, page.iterations.length))
  return renderPage(page, context, Math.max(0, Math.min(DIFF_MAX, room)))
}

function renderPage(page: ReportPage, context: PageContext, diffBytes: number): string {
  const { report, project } = page
  const headline = reportHeadline(report)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="${PAGE_GENERATOR}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(`${project}: ${headline}`)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${headerHtml(page, headline, context)}
${chartsHtml(page)}
${sectionsHtml(report)}
${iterationsHtml(page, context, diffBytes)}
<footer>Written by Ralph ${escapeHtml(context.version)}. This page loads nothing and runs no script.</footer>
</main>
</body>
</html>
`
}

const MARKS = { good: '✓', warn: '!', bad: '✗' } as const

function headerHtml(
  { report, project, branches, models }: ReportPage,
  headline: string,
  { when }: PageContext,
): string {
  const tone = runStatusTone({ ...report, undone: report.undone !== undefined })
  const facts: [string, string][] = [
    ['Command', `<code>${escapeHtml(report.command)}</code>`],
    ['Time', `${escapeHtml(when(report.startedAt))} to ${escapeHtml(when(report.at))}`],
    ['Agent', escapeHtml(report.agents.map(({ agent }) => agent).join(', '))],
    ['Model', escapeHtml(models.join(', '))],
    ['Branch', escapeHtml(branches.join(', '))],
  ]
  return `<header>
<p class="dim">${escapeHtml(project)}</p>
<h1 class="${tone}"><span class="mark">${MARKS[tone]}</span> ${escapeHtml(headline)}</h1>
<dl class="tiles">${tilesOf(report)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
    .join('')}</dl>
<dl class="facts">${facts.map(([name, html]) => (html === '' ? '' : `<dt>${name}</dt><dd>${html}</dd>`)).join('')}</dl>
</header>`
}

function tilesOf({ iterations, durationMs, spent, commitCount, changed }: Report): [string, string][] {
  return [
    ['iterations', String(iterations.made)],
    ['time', formatElapsed(durationMs)],
    ['cost', formatSpentCell(spent, iterations.made)],
    ['tokens', formatCompact(spent.tokens)],
    ['commits', String(commitCount)],
    ['lines', `+${formatCompact(changed.added)} −${formatCompact(changed.removed)}`],
  ]
}

function chartsHtml({ iterations }: ReportPage): string {
  const isAlone = areFromOneWorker(iterations)
  const ended = iterations.filter(({ end }) => end !== null)
  const named = ended.map((one) => ({ ...one, name: iterationName(one, isAlone) }))
  const charts = [
    barChartHtml({
      id: 'cost',
      title: 'Cost per iteration',
      bars: named.map(({ name, usage }) => ({ name, value: usage?.usd ?? null })),
      format: formatDollars,
    }),
    barChartHtml({
      id: 'lines',
      title: 'Lines per iteration',
      bars: named.map(({ name, change }) => ({ name, value: change === null ? null : change.added + change.removed })),
      format: formatCompact,
    }),
  ].filter((chart) => chart !== null)
  return charts.length === 0 ? '' : `<div class="charts">\n${charts.join('\n')}\n</div>`
}

function sectionsHtml(report: Report): string {
  // The charts above show the series.
  const { series: _, ...rest } = report
  return reportSectionsOf(rest)
    .map(({ title, lines, code }) => (code === true ? nextHtml(title, report) : sectionHtml(title, lines)))
    .join('\n')
}

const TONES: Readonly<Record<string, string>> = { '✓': 'good', '✗': 'bad', '!': 'warn', '–': 'dim', '·': 'dim' }
const MARKED = /^([✓✗!–·]) (.*)$/su

function sectionHtml(title: string, lines: string[]): string {
  const marked = lines.some((line) => MARKED.test(line)) ? ' marked' : ''
  return `<h2>${escapeHtml(title)}</h2>\n<ul class="lines${marked}">${lines.map(lineHtml).join('')}</ul>`
}

function lineHtml(line: string): string {
  if (line.startsWith(' ')) return `<li class="sub">${escapeHtml(line.trim())}</li>`
  const [, mark = '', text = line] = MARKED.exec(line) ?? []
  if (mark === '') return `<li>${escapeHtml(line)}</li>`
  return `<li><span class="mark ${TONES[mark] ?? ''}">${mark}</span> ${escapeHtml(text)}</li>`
}

function nextHtml(title: string, report: Report): string {
  const { first, others, ...step } = adviceForReport(report)
  const steps = [step, ...others].map(
    ({ command, why }) => `<dt><code>${escapeHtml(command)}</code></dt><dd>${escapeHtml(why)}</dd>`,
  )
  const before = first.length === 0 ? '' : `<pre>${first.map(escapeHtml).join('\n')}</pre>\n`
  return `<h2>${escapeHtml(title)}</h2>\n${before}<dl class="next">${steps.join('')}</dl>`
}

function iterationsHtml({ report, iterations }: ReportPage, { when }: PageContext, diffBytes: number): string {
  if (iterations.length === 0) return ''
  const { run } = report
  const isAlone = areFromOneWorker(iterations)
  const earlier = report.iterations.made - iterations.length
  const more =
    earlier > 0
      ? `<p class="dim">${earlier} earlier iterations: <code>ralph show ${escapeHtml(run)} N</code></p>\n`
      : ''
  const rows = iterations.map((one) =>
    iterationHtml(one, { run, name: iterationName(one, isAlone), time: when(one.startedAt).slice(11, 16), diffBytes }),
  )
  return `<h2>Iterations</h2>\n${more}<ol class="iterations">\n${rows.join('\n')}\n</ol>`
}
