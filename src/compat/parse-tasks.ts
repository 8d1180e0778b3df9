/**
 * Turns tasks of other tools into the checkboxes of a plan: one line of plain text each, a priority guessed from the words if the tool
 * has none, and a section for each priority.
 */
import { oneLine } from '../core/text/sanitize.ts'

export type Priority = 'high' | 'medium' | 'low'

export interface ParsedTask {
  /** The tracker's own id: `#12`, `bd-a1b2`; null: it has none. */
  id: string | null
  text: string
  priority: Priority
  /** 0 at the top; a task with a greater depth belongs to the one before it. */
  depth: number
}

/** Long enough for any real title; a whole issue pasted into one would flood the plan. */
const TEXT_MAX = 300

/** Null: the text is empty. A tracker's text is data: no control characters, one line, bounded. */
export function parseTask(text: string, more: Partial<Omit<ParsedTask, 'text'>> = {}): ParsedTask | null {
  const clean = oneLine(text, TEXT_MAX)
  if (clean === '') return null
  const { id = null, priority = guessPriority(clean), depth = 0 } = more
  return { id: id === null ? null : oneLine(id, 80), text: clean, priority, depth }
}

const CHECKBOX = /^\s*[-*+]\s+\[[ xX]?\]\s*/
const BULLET = /^\s*[-*+]\s+/
const NUMBER = /^\s*\d+(?:[.)]\s+|\s+)/
const HEADING = /^\s*#{1,6}\s/

/** One task per line, with or without a checkbox, a bullet or a number before it. Headings are no tasks. */
export function parseTaskLines(text: string): ParsedTask[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !HEADING.test(line))
    .map((line) => parseTask(withoutMark(line)))
    .filter((task) => task !== null)
}

function withoutMark(line: string): string {
  const mark = [CHECKBOX, BULLET, NUMBER].find((pattern) => pattern.test(line))
  return mark === undefined ? line : line.replace(mark, '')
}

/**
 * Checked in this order, as in the bash tool: "must have later" is for later. Whole words, so that neither "mustache"
 * nor "http1" matches.
 */
const WORDS: [Priority, RegExp][] = [
  ['high', /\b(?:critical|urgent|blockers?|breaking|security|p[01])\b/],
  ['low', /\b(?:nice.to.have|optional|future|later|low.priority|p[34])\b/],
  ['high', /\b(?:important|should|must|needed|required|p2)\b/],
]

export function guessPriority(text: string): Priority {
  const lower = text.toLowerCase()
  return WORDS.find(([, words]) => words.test(lower))?.[0] ?? 'medium'
}

const SECTIONS: [Priority, string][] = [
  ['high', 'High priority'],
  ['medium', 'Medium priority'],
  ['low', 'Low priority'],
]

/** The checkboxes under a heading for each priority that occurs. A child goes to the section of its parent. */
export function renderPlanSections(tasks: readonly ParsedTask[]): string {
  const groups: { priority: Priority; lines: string[] }[] = []
  for (const task of tasks) {
    const last = groups.at(-1)
    if (task.depth > 0 && last !== undefined) last.lines.push(checkboxOf(task))
    else groups.push({ priority: task.priority, lines: [checkboxOf({ ...task, depth: 0 })] })
  }
  return SECTIONS.map(([priority, title]) => {
    const lines = groups.filter((group) => group.priority === priority).flatMap((group) => group.lines)
    return lines.length === 0 ? null : `## ${title}\n\n${lines.join('\n')}\n`
  })
    .filter((section) => section !== null)
    .join('\n')
}

function checkboxOf({ id, text, depth }: ParsedTask): string {
  return `${'  '.repeat(depth)}- [ ] ${id === null ? '' : `[${id}] `}${text}`
}
