/**
 * The few lines that tell why a gate failed, the runner's own summary first: on a terminal, in the report and in the next prompt. They are
 * taken from the summary in its evidence, so they remain even if the log is deleted.
 */
import { cellWidth, truncateToCells } from '../text/cell-width.ts'
import { stripControl } from '../text/sanitize.ts'
import type { Evidence } from './evidence.ts'
import { findGateSummaryLines } from './gate-summary-lines.ts'
import { hasPassed } from './verdict.ts'

const LINES_MIN = 3
const LINES_MAX = 10
const CELLS_MAX = 200

/** Up to 10 lines, and at least 3 if the gate printed as many; none of a gate that passed. */
export function gateFailureLines(evidence: Evidence): string[] {
  if (hasPassed(evidence)) return []
  if (!evidence.unstable) return chooseFailureLines(evidence.summary)
  const lines = evidence.summary.split('\n')
  const said = evidence.exit === 0 ? [] : chooseFailureLines(lines.slice(FIX_LINES).join('\n'))
  return [...lines.slice(0, FIX_LINES), ...said].slice(0, LINES_MAX).map((line) => fitToWidth(stripControl(line)))
}

/** The summary of a gate that keeps changing the tree begins with the file it writes and the command that ignores it. */
const FIX_LINES = 2

function chooseFailureLines(summary: string): string[] {
  const lines = stripControl(summary)
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').trim())
  const head = lines.findIndex((line) => HEAD.test(line))
  const totals = head > 0 ? lines.slice(0, head) : findGateSummaryLines(lines)
  const told = head < 0 ? lastErrorLines(lines) : failingNameLines(lines, head, LINES_MAX - totals.length)
  const chosen = [...new Set([...totals, ...told])]
  // Names alone say little: lines that look like errors are added.
  const bare = head >= 0 && !told.some((line) => line.includes(': '))
  const errors = bare ? lines.slice(head + 1 + told.length).filter((line) => ERROR.test(line)) : []
  for (const line of errors) {
    if (chosen.length >= LINES_MIN) break
    if (!chosen.some((one) => one.includes(line) || line.includes(one))) chosen.push(line)
  }
  return chosen.slice(0, LINES_MAX).map(fitToWidth)
}

/** As `gate-output.ts` writes it. */
const HEAD = /^Failing \(\d+\):$/

/** The lines below the head, cut, with a count of the rest. */
function failingNameLines(lines: string[], head: number, max: number): string[] {
  const below = lines.slice(head + 1)
  const end = below.findIndex((line) => !line.startsWith('- '))
  const items = (end < 0 ? below : below.slice(0, end)).map((line) => line.slice(2))
  const all = Number(/\d+/.exec(lines[head] ?? '')?.[0] ?? items.length)
  const names = items.filter((line) => !/^and \d+ more$/.test(line))
  if (all <= max && names.length === all) return names
  const shown = names.slice(0, max - 1)
  return [...shown, `and ${all - shown.length} more`]
}

/** An unknown program: the lines that look like errors, and its last lines. */
function lastErrorLines(lines: string[]): string[] {
  const spoken = lines.filter((line, at) => line !== '' && !NOISE.test(line) && !isScriptEcho(lines, at))
  const end = spoken.length - LINES_MIN
  return spoken.filter((line, at) => at >= end || ERROR.test(line)).slice(-LINES_MAX)
}

/** Before a script runs, npm prints `> pkg@1.0.0 test` and `> node test.js`. */
function isScriptEcho(lines: string[], at: number): boolean {
  const [before = '', line = ''] = [lines[at - 1], lines[at]]
  return SCRIPT.test(line) || (line.startsWith('> ') && SCRIPT.test(before))
}

const SCRIPT = /^> \S+@\S+ \S+/

/** A package manager that says that its script failed, as the gate's exit code does, and the version that Node prints below a stack. */
const NOISE = /^(?:npm (?:ERR!|error)|error Command failed|info Visit https|ELIFECYCLE|Node\.js v\d+\.)/i
const ERROR =
  /\b(?:errors?|fatal|fail(?:ed|ures?|s)?|panic(?:ked)?|exception|traceback|not found|cannot|can't|unable|denied|undefined|no such)\b|\w(?:Error|Exception)\b/i

function fitToWidth(line: string): string {
  return cellWidth(line) <= CELLS_MAX ? line : `${truncateToCells(line, CELLS_MAX - 1)}…`
}
