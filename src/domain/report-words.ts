/** The morning report in words: the same few sections for the terminal, the Markdown file and GitHub's step summary. */
import type { Instant, Millis } from './ids.ts'
import { money } from './loop/budget.ts'
import { askedLines, reasonOf, titleOf } from './outcome-words.ts'
import { adviceAfter, type Report, type ReportCommit } from './report.ts'
import { oneLine } from './text.ts'

export interface Section {
  title: string
  lines: string[]
}

/** One line that says it all. */
export function headline({ run, outcome }: Report): string {
  if (outcome === null) return `Run ${run} has not ended`
  return `Run ${run}: ${titleOf(outcome)}`
}

/** More than these nobody reads over breakfast; `ralph show` has the rest. */
const LINES_MAX = 8

export function sectionsOf(report: Report): Section[] {
  const sections: Section[] = [
    {
      title: 'Why it ended',
      lines: endLines(report),
    },
    { title: 'Done', lines: doneLines(report) },
    { title: 'Proof', lines: proofLines(report) },
    {
      title: 'Refused',
      lines: some(
        report.refused.map((one) => `iteration ${one.iteration}: ${sentence(one.why)}`),
        report.refusedCount,
      ),
    },
    {
      title: 'Worth knowing',
      // A command that is cut off cannot be typed.
      lines: [
        ...(report.astray === null ? [] : [oneLine(report.astray, 400)]),
        ...report.remarks.map(sentence),
      ],
    },
    { title: 'Cost', lines: costLines(report) },
    { title: 'Next', lines: nextLines(report) },
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

function nextLines(report: Report): string[] {
  const { first, others, ...step } = adviceAfter(report)
  // A command that is cut off cannot be typed.
  return [...first, ...[step, ...others].map(({ command, why }) => `${command} (${line(why)})`)]
}

/** Whole: the way out may stand at its end. */
function endLines({ outcome }: Report): string[] {
  if (outcome === null) return []
  return [`${outcome.is}: ${sentence(reasonOf(outcome))}`, ...askedLines(outcome).map(sentence)]
}

function doneLines(report: Report): string[] {
  const { boxes, changed } = report
  const plan =
    boxes.after === null
      ? []
      : [
          `plan: ${boxes.after.done} of ${boxes.after.done + boxes.after.open} boxes ticked${since(boxes.before?.done ?? 0, boxes.after.done)}`,
        ]
  const files =
    changed.files === 0
      ? ['nothing changed']
      : [`changed: ${count(changed.files, 'file')}, +${changed.added} −${changed.removed}`]
  const done = report.done.map((box) => `✓ ${line(box)}`)
  return [
    ...plan,
    ...some(done, done.length),
    ...files,
    ...some(report.commits.map(commitLine), report.commitCount),
  ]
}

function since(before: number, after: number): string {
  return after > before ? ` (${after - before} by this run)` : ''
}

function commitLine({ sha, subject, stat }: ReportCommit): string {
  const size = stat === null ? '' : ` (${count(stat.files, 'file')}, +${stat.added} −${stat.removed})`
  return `${sha.slice(0, 9)} ${line(subject)}${size}`
}

function proofLines({ gates, rungs, outcome }: Report): string[] {
  if (gates.length === 0) return ['nothing: no gate judged the work']
  const judged = gates.map(
    (gate) =>
      `${gate.passed ? '✓' : '✗'} ${gate.gate}: ${line(gate.command)}, ${gate.passed ? gate.said : `red: ${line(gate.said)}`} on tree ${gate.tree.slice(0, 10)}`,
  )
  const tried = rungs.map(sentence)
  return outcome === null || outcome.verdict === 'proven'
    ? [...judged, ...tried]
    : [`verdict: ${outcome.verdict}`, ...judged, ...tried]
}

function costLines({ iterations, durationMs, spent, agents }: Report): string[] {
  const total = [
    count(iterations.made, 'iteration'),
    iterations.limited === 0 ? null : `${iterations.limited} ended by a limit`,
    timeWords(durationMs),
    spent.usd > 0 ? costWords(spent) : null,
    spent.tokens > 0 ? `${spent.tokens} tokens` : null,
    spent.unknown > 0 ? `cost of ${count(spent.unknown, 'iteration')} unknown` : null,
  ]
  const each =
    agents.length < 2
      ? []
      : agents.map(
          (one) =>
            `${one.agent}: ${count(one.iterations, 'iteration')}${one.usd === null ? '' : `, ${costWords({ ...one, usd: one.usd })}`}`,
        )
  return [total.filter((part) => part !== null).join(', '), ...each]
}

/** Money with the mark of an estimate, as soon as a part of it is one. */
function costWords({ usd, estimated }: { usd: number; estimated: number }): string {
  return `${estimated > 0 ? '~' : ''}${money(usd)}`
}

/** The last ones, and how many there were before. */
function some(lines: string[], all: number): string[] {
  if (all <= LINES_MAX && lines.length <= LINES_MAX) return lines
  const shown = lines.slice(-LINES_MAX)
  return [`(${all - shown.length} more before these)`, ...shown]
}

/** `when` writes an instant in the reader's zone, which only the machine knows. */
export function reportMarkdown(report: Report, when: (at: Instant) => string): string {
  const head = [
    `# ${headline(report)}`,
    '',
    `\`${tick(report.command)}\` from ${when(report.startedAt)} to ${when(report.at)}`,
  ]
  const parts = sectionsOf(report).flatMap(({ title, lines }) => [
    '',
    `## ${title}`,
    '',
    ...lines.map((one) => `- ${escapeMarkdown(one)}`),
  ])
  return `${[...head, ...parts].join('\n')}\n`
}

/** Foreign words must stay words: no heading, link, image or HTML comes out of a commit subject. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|!]/g, '\\$&')
}

function tick(text: string): string {
  return line(text).replaceAll('`', "'")
}

function timeWords(ms: Millis): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes === 0) return `${Math.round(ms / 1000)} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function count(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`
}

const SENTENCE_MAX = 600

function sentence(text: string): string {
  return oneLine(text, SENTENCE_MAX)
}

function line(text: string): string {
  return oneLine(text, 160)
}
