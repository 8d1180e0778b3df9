/** Report pages for tests: of a small night, of many iterations, and full of hostile text. */
import type { PageIteration, ReportPage } from '../../src/app/report-page/load-page.ts'
import { foldReport, type ReportState } from '../../src/core/presentation/report.ts'
import { foldView, type RunView } from '../../src/core/presentation/run-view.ts'
import { playRun, type AgentTurn } from './core.ts'

const DIFF = `diff --git a/dates.ts b/dates.ts
index 1..2 100644
--- a/dates.ts
+++ b/dates.ts
@@ -1,2 +1,2 @@
 same
--- a comment that was removed
+const leap = year % 4 === 0 && "yes" < 'z'
`

export const NIGHT: AgentTurn[] = [
  { files: 2, commits: ['dates: read them'], checkboxes: { open: 1, done: 1 }, nextCheckbox: 'write dates' },
  { files: 1, checkboxes: { open: 0, done: 2 }, done: true, green: false },
  { files: 1, checkboxes: { open: 0, done: 2 }, done: true, green: true },
]

export function pageOf(turns: AgentTurn[], change: Partial<PageIteration> = {}): ReportPage {
  let report: ReportState | null = null
  let view: RunView | null = null
  for (const row of playRun(turns)) {
    report = foldReport(report, row)
    view = foldView(view, row)
  }
  if (report === null || view === null) throw new Error('no run-started')
  const iterations = view.iterations.map((one) => ({ ...one, diff: { text: DIFF, cut: false }, ...change }))
  return { report: report.report, project: 'dates', branches: ['main'], models: ['opus'], iterations }
}

/** Times in UTC, so that a page is the same everywhere. */
export const PAGE_CONTEXT = {
  when: (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' '),
  version: '1.2.3',
}

/** Each iteration with long sentences and a long diff. */
export function longPage(count: number): ReportPage {
  const night = pageOf(NIGHT)
  const text = `${DIFF}${'+const another = line("of some length", { in: a, long: diff })\n'.repeat(300)}`
  const iterations = Array.from({ length: count }, (_one, i): PageIteration => ({
    ...(night.iterations[i % 3] as PageIteration),
    n: i + 1,
    summary: 'It works. '.repeat(40),
    why: 'because '.repeat(60),
    usage: { usd: 1 + Math.sin(i / 5) },
    change: { files: 1, added: (i * 37) % 90, removed: 1, commits: [] },
    diff: { text, cut: true },
  }))
  return { ...night, iterations }
}

/** Markup, an attribute that ends early, an escape sequence, hidden reordering, half a character. */
export const HOSTILE = `</pre></title><script>alert(1)</script><img src=x onerror="alert('1')">&lt;\u001b[31m\u0007\u202eabc\u2066\ud800\u200b`

/** Names and numbers of ours, which no text from outside can be. */
const OURS = new Set([
  'mark',
  'is',
  'run',
  'verdict',
  'outcome',
  'from',
  'end',
  'worker',
  'limit',
  'document',
  'command',
  'begin',
])

/** Every text of a value made hostile. */
export function hostileText<T>(value: T, key = ''): T {
  if (typeof value === 'string') return (OURS.has(key) ? value : `${HOSTILE} ${value}`) as T
  if (Array.isArray(value)) return value.map((one: unknown) => hostileText(one, key)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]: [string, unknown]) =>
    OURS.has(name) && typeof one !== 'object' ? [name, one] : [name, hostileText(one, name)],
  )
  return Object.fromEntries(entries) as T
}
