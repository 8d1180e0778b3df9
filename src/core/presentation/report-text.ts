/** The morning report in words: the same few sections for the terminal, the Markdown file and GitHub's step summary. */
import { formatElapsed, plural, describeSpent } from '../text/format-amounts.ts'
import type { Instant } from '../ids.ts'
import { SERIES_MAX } from './charts/iteration-series.ts'
import { sparkRows, sparkRowText } from './charts/spark-line.ts'
import { areFromOneWorker, iterationName } from './iteration-text.ts'
import { outcomeDetails, outcomeReason, runStatusText } from './outcome-text.ts'
import type { Verdict } from '../proof/evidence.ts'
import { adviceWithout } from './advice.ts'
import { answerCommand, type OpenQuestion } from './answer-to-agent.ts'
import { adviceForReport, type Report, type ReportChange, type ReportCommit } from './report.ts'
import { doneTaskLines, failedTaskLines, unfinishedTaskLines } from './report-tasks.ts'
import { proofStepLine } from './gate-result.ts'
import { oneLine } from '../text/sanitize.ts'
import type { ReaderClock } from './wait-text.ts'

export interface ReportSection {
  is: ReportSectionName
  title: string
  /** An indented line belongs to the line above it. */
  lines: string[]
  /** To be typed or pasted unchanged. */
  code?: true
}

export type ReportSectionName =
  | 'end'
  | 'done'
  | 'failed'
  | 'unfinished'
  | 'proof'
  | 'rejected'
  | 'questions'
  | 'findings'
  | 'notes'
  | 'models'
  | 'cost'
  | 'next'

/** The report in one line. */
export function reportHeadline(report: Report): string {
  const undone = report.undone !== undefined
  const title = runStatusText({ ...report, undone })
  return report.outcome === null && !undone ? `Run ${report.run} ${title}` : `Run ${report.run}: ${title}`
}

/** Enough for a quick read; `ralph show` has the rest. */
const LINES_MAX = 8

export interface ReportReader {
  /** The reader's clock; absent: times in the advice are left out. */
  reader?: ReaderClock
  /** The command that prints this screen: the advice does not repeat it. */
  own?: string
}

export function reportSectionsOf(report: Report, how: ReportReader = {}): ReportSection[] {
  const sections: ReportSection[] = [
    { is: 'end', title: report.left ? 'Interrupted' : 'Result', lines: endLines(report) },
    { is: 'done', title: 'Done', lines: doneLines(report) },
    { is: 'failed', title: 'Failed', lines: report.tasks === undefined ? [] : failedTaskLines(report.tasks) },
    { is: 'unfinished', title: 'Left', lines: report.tasks === undefined ? [] : unfinishedTaskLines(report.tasks) },
    { is: 'proof', title: 'Proof', lines: proofLines(report) },
    { is: 'rejected', title: 'Rejected', lines: rejectionLines(report) },
    { is: 'questions', title: 'Questions', lines: some((report.questions ?? report.asked ?? []).map(askedLine)) },
    { is: 'findings', title: 'Findings', lines: some((report.found ?? []).map(sentence)) },
    { is: 'notes', title: 'Notes', lines: noteLines(report) },
    {
      is: 'models',
      title: 'Models',
      lines: (report.models ?? []).map(({ why, iterations }) => `${plural(iterations, 'iteration')}: ${line(why)}`),
    },
    { is: 'cost', title: 'Cost', lines: costLines(report) },
    { is: 'next', title: 'Next', lines: nextLines(report, how), code: true },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

function nextLines(report: Report, { reader, own = '' }: ReportReader): string[] {
  const { first, others, ...step } = adviceWithout(own, adviceForReport(report, reader))
  // Not shortened: the commands must stay complete to be typed.
  return [...first, ...[step, ...others].map(({ command, why }) => `${command} (${line(why)})`)]
}

/** Not shortened to a line: the sentence may end with the fix. */
function endLines({ outcome }: Report): string[] {
  if (outcome === null) return []
  return [sentence(outcomeReason(outcome)), ...outcomeDetails(outcome).map(sentence)]
}

function doneLines(report: Report): string[] {
  // A draft changes only documents: Ralph reverts everything else.
  if (report.documents !== undefined && report.changed.files === 0)
    return report.documents.length === 0 ? ['nothing was drafted'] : report.documents.map((path) => `✓ ${line(path)}`)
  return [
    ...(report.tasks === undefined ? doneCheckboxes(report) : doneTaskLines(report.tasks)),
    changeLine(report.changed),
    ...some(report.commits.map(commitLine), report.commitCount),
  ]
}

function doneCheckboxes({ checkboxes, done }: Report): string[] {
  const plan =
    checkboxes.after === null
      ? []
      : [
          `plan: ${checkboxes.after.done} of ${plural(checkboxes.after.done + checkboxes.after.open, 'item')} done${checkboxes.byRun > 0 ? ` (${checkboxes.byRun} by this run)` : ''}`,
        ]
  // After a crash some texts are unknown.
  const more = checkboxes.byRun - done.length
  return [
    ...plan,
    ...done.map((checkbox) => `✓ ${line(checkbox)}`),
    ...(done.length > 0 && more > 0 ? [`✓ and ${plural(more, 'more item')}`] : []),
  ]
}

function changeLine({ files, added, removed, from, between }: ReportChange): string {
  if (files === 0) return 'nothing changed'
  const size = `${plural(files, 'file')}, +${added} −${removed}`
  if (from === 'iterations') return `changed: ${size} (sum of the iterations; a file may count more than once)`
  return between === 0
    ? `changed: ${size}`
    : `changed: ${size}, of which ${plural(between, 'file')} changed between iterations, not by an agent`
}

function commitLine({ sha, subject, stat }: ReportCommit): string {
  const size = stat === null ? '' : ` (${plural(stat.files, 'file')}, +${stat.added} −${stat.removed})`
  return `${sha.slice(0, 9)} ${line(subject)}${size}`
}

function proofLines({ gates, proofSteps, outcome, documents }: Report): string[] {
  if (documents !== undefined) return []
  if (gates.length === 0) return ['none (no gate ran)']
  const verdict = outcome === null ? null : VERDICTS[outcome.verdict]
  const judged = gates.flatMap((gate) => [
    `${gate.passed ? '✓' : '✗'} ${gate.gate}: ${sentence(gate.said)} · ${line(gate.command)}`,
    ...gate.failing.map((text) => `    ${text}`),
  ])
  return [...(verdict === null ? [] : [verdict]), ...judged, ...proofSteps.map((step) => sentence(proofStepLine(step)))]
}

/** The meaning of a verdict; null: the title or the gates below already show it. */
const VERDICTS: Record<Verdict, string | null> = {
  proven: null,
  'gates-passed': null,
  'needs-review': null,
  unproven: null,
  failed: null,
  regressed: 'a gate that passed before this run fails now',
  tampered: 'the code under test changes tests or config while the gates run',
  'baseline-failed': 'a gate failed before this run and still fails',
  flaky: 'a gate passes and fails on the same files',
  'timed-out': 'a gate timed out',
}

/** Groups iterations with the same reason in one line. */
function rejectionLines({ refused, refusedCount }: Report): string[] {
  const said = new Map<string, string[]>()
  const isAlone = areFromOneWorker(refused)
  for (const { worker, iteration: n, why } of refused) {
    const words = sentence(why)
    said.set(words, [...(said.get(words) ?? []), iterationName({ worker, n }, isAlone)])
  }
  const lines = [...said].map(
    ([why, all]) => `✗ ${all.length === 1 ? 'iteration' : 'iterations'} ${all.join(', ')}: ${why}`,
  )
  const earlier = refusedCount - refused.length
  return earlier > 0 ? [`(${earlier} more before these)`, ...lines] : lines
}

/** Only the question is shortened: the command must stay complete to be typed. */
function askedLine({ id, text }: Pick<OpenQuestion, 'id' | 'text'>): string {
  return `${line(text)} (${answerCommand({ id })})`
}

/** Leaves out what the section about the end already says. */
function noteLines({ drift, remarks, outcome }: Report): string[] {
  const said = lettersOf(outcome === null ? '' : [outcome.reason, ...outcomeDetails(outcome)].join('. '))
  // It contains a command, which must stay complete to be typed.
  const where = drift === null ? [] : [oneLine(drift, 400)]
  return [...where, ...remarks.filter((text) => !said.includes(lettersOf(text))).map(sentence)]
}

/** For a comparison of two sentences without their punctuation. */
function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
}

function costLines({ iterations, durationMs, spent, agents, series }: Report): string[] {
  const { made, moved, nothing, refused, limited } = iterations
  const marks = [
    moved > 0 ? `✓ ${moved} made changes` : null,
    nothing > 0 ? `· ${nothing} made no changes` : null,
    refused > 0 ? `✗ ${refused} rejected` : null,
  ].filter((part) => part !== null)
  const total = [
    `${plural(made, 'iteration')} in ${formatElapsed(durationMs)}`,
    limited === 0 ? null : `${limited} stopped by a limit`,
    ...describeSpent(spent),
  ].filter((part) => part !== null)
  const each =
    agents.length < 2
      ? []
      : agents.map(({ agent, iterations: n, usd, tokens, estimated, unknown }) =>
          [
            `${agent}: ${n === 0 ? 'review' : plural(n, 'iteration')}`,
            ...describeSpent({ usd: usd ?? 0, tokens, estimated, unknown }),
          ].join(', '),
        )
  const charts = series === undefined ? [] : sparkRows(series, SERIES_MAX)
  return [
    total.join(', '),
    ...(marks.length === 0 ? [] : [marks.join(', ')]),
    ...each,
    ...charts.map((row) => `${row.name.padEnd(5)} ${sparkRowText(row)}`),
  ]
}

/** The last lines, and how many were before them. */
function some(lines: string[], all = lines.length): string[] {
  if (all <= LINES_MAX && lines.length <= LINES_MAX) return lines
  const shown = lines.slice(-LINES_MAX)
  return [`(${all - shown.length} more before these)`, ...shown]
}

/** `when` writes an instant in the reader's time zone. */
export function reportMarkdown(report: Report, when: (at: Instant) => string): string {
  const head = [
    `# ${reportHeadline(report)}`,
    '',
    `\`${line(report.command).replaceAll('`', "'")}\` from ${when(report.startedAt)} to ${when(report.at)}`,
  ]
  const reader = { now: report.at, local: when }
  const parts = reportSectionsOf(report, { reader }).flatMap(({ title, lines, code }) => [
    '',
    `## ${title}`,
    '',
    ...(code === true ? fenced(lines) : lines.map(item)),
  ])
  return `${[...head, ...parts].join('\n')}\n`
}

function item(text: string): string {
  return `${text.startsWith(' ') ? '  ' : ''}- ${escapeMarkdown(text.trim())}`
}

/** Replaces fences inside the lines, which would end the block. */
function fenced(lines: string[]): string[] {
  return ['```sh', ...lines.map((one) => one.replaceAll('```', "'''")), '```']
}

/** Escapes foreign text: a commit subject must not become a heading, link, image or HTML. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|!]/g, '\\$&')
}

const SENTENCE_MAX = 600

function sentence(text: string): string {
  return oneLine(text, SENTENCE_MAX)
}

function line(text: string): string {
  return oneLine(text, 160)
}
