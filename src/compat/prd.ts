/**
 * Reads a requirements document without an agent: its summary and its tasks. Every checkbox, number and bullet is a task, in document
 * order, unless its section is an introduction or out of scope; in a document without lists, the sections are the tasks.
 */
import { clip, oneLine, stripControl } from '../core/text/sanitize.ts'
import { parseTask, type ParsedTask } from './parse-tasks.ts'

export interface Prd {
  title: string | null
  /** The text before the first section, or the first introductory section. */
  summary: string
  tasks: ParsedTask[]
  /** What the tasks were read from, for people; empty if there are none. */
  by: string
  /** Sections whose lists are no tasks: they stay in the document, which every iteration can read. */
  leftOut: string[]
}

const SUMMARY_MAX = 1_500

export function parsePrd(document: string): Prd {
  const lines = proseLines(stripControl(document))
  const items = listItems(lines)
  const work = items.filter(({ section }) => isWork(section))
  const about = { title: titleOf(lines), summary: summaryOf(lines), leftOut: leftOutOf(items) }
  if (work.length > 0) return { ...about, tasks: nested(work), by: marksOf(work) }
  const sections = sectionTasks(lines)
  return { ...about, tasks: sections, by: sections.length > 0 ? 'sections' : '' }
}

/** Only the lists: for a document that is only a source of tasks. */
export function parsePrdTasks(document: string): ParsedTask[] {
  const items = listItems(proseLines(stripControl(document)))
  return nested(items.filter(({ section }) => isWork(section)))
}

interface Line {
  text: string
  /** Title of its section, lower case; empty before the first. */
  section: string
  heading: { level: number; title: string } | null
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const FENCE = /^\s*(`{3,}|~{3,})/

/** Lines outside code fences, front matter and tables of contents, each with its section. */
function proseLines(text: string): Line[] {
  const lines: Line[] = []
  let section = ''
  /** Level of the out-of-scope heading; deeper headings belong to it. */
  let outLevel: number | null = null
  let fence: string | null = null
  for (const line of withoutFrontMatter(text).split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null
      continue
    }
    if (fence !== null) continue
    const found = HEADING.exec(line)
    const title = oneLine(found?.[2] ?? '', 200)
    const level = found?.[1]?.length ?? 1
    if (found !== null && (outLevel === null || level <= outLevel)) {
      section = title.toLowerCase()
      outLevel = RULES_OUT.test(section) ? level : null
    }
    if (/^(?:table of )?contents$/.test(section)) continue
    lines.push({
      text: line,
      section,
      heading: found === null ? null : { level, title },
    })
  }
  return lines
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, '')
}

interface Item {
  mark: 'checkboxes' | 'numbered lists' | 'bullets'
  indent: number
  text: string
  section: string
}

/** The first match decides. A ticked checkbox may only mean that somebody agreed, so it is a task too; the loop finds out if it is done. */
const MARKS: [Item['mark'], RegExp][] = [
  ['checkboxes', /^(\s*)[-*+•]\s+\[[ xX]\]\s*(.*)$/],
  ['numbered lists', /^(\s*)\d{1,4}[.)]\s+(.*)$/],
  ['bullets', /^(\s*)[-*+•]\s+(.*)$/],
]
/** `- - -` and `* * *` are horizontal rules. */
const RULE = /^\s*(?:[-*_]\s*){3,}$/

/** Every item of every list, with its continuation lines. */
function listItems(lines: readonly Line[]): Item[] {
  const items: Item[] = []
  let open: Item | null = null
  for (const { text, section, heading } of lines) {
    const item = heading === null ? itemOf(text, section) : null
    if (item !== null) items.push((open = item))
    else if (open === null || heading !== null || RULE.test(text) || text.trim() === '') open = null
    else open.text += ` ${text.trim()}`
  }
  // An entry of a table of contents is no task.
  return items.filter(({ text }) => !/^\[[^\]]*\]\(#/.test(text))
}

function itemOf(line: string, section: string): Item | null {
  if (RULE.test(line)) return null
  for (const [mark, pattern] of MARKS) {
    const found = pattern.exec(line)
    if (found === null) continue
    return { mark, indent: (found[1] ?? '').replaceAll('\t', '    ').length, text: found[2] ?? '', section }
  }
  return null
}

function marksOf(items: readonly Item[]): string {
  const marks = MARKS.map(([mark]) => mark).filter((mark) => items.some((item) => item.mark === mark))
  return marks.join(', ').replace(/, (?=[^,]*$)/, ' and ')
}

const WORK =
  /\b(?:tasks?|to.?do|requirements?|features?|stories|deliverables?|milestones?|scope|acceptance|backlog|goals?)\b/
const RULES_OUT = /\b(?:out of scope|non.?goals?|non.?requirements?)\b/
const INTRODUCES = /^(?:overview|summary|introduction|background|about|context|purpose|vision|goals?|objectives?)$/
const TELLS_NO_WORK =
  /^(?:references|glossary|appendix|links|changelog|open questions|risks|assumptions|personas?|audience)\b/

function isWork(section: string): boolean {
  if (RULES_OUT.test(section)) return false
  return WORK.test(section) || !(INTRODUCES.test(section) || TELLS_NO_WORK.test(section))
}

/** In document order, each once. */
function leftOutOf(items: readonly Item[]): string[] {
  return [...new Set(items.map(({ section }) => section).filter((section) => !isWork(section)))]
}

function sectionTasks(lines: readonly Line[]): ParsedTask[] {
  return lines
    .flatMap(({ heading, section }) =>
      heading === null || heading.level < 2 || heading.level > 3 || RULES_OUT.test(section) ? [] : [heading.title],
    )
    .filter((title) => !INTRODUCES.test(title.toLowerCase()) && isWork(title.toLowerCase()))
    .map((title) => parseTask(`Build what the specification says under "${title}"`))
    .filter((task) => task !== null)
}

/** Turns indentation into depth: one step for each nested list, however many spaces it uses. */
function nested(items: readonly Item[]): ParsedTask[] {
  const tasks: ParsedTask[] = []
  let open: number[] = []
  let section: string | null = null
  for (const { indent, text, section: own } of items) {
    open = own === section ? open.filter((outer) => outer < indent) : []
    section = own
    const task = parseTask(text, { depth: open.length })
    if (task === null) continue
    open.push(indent)
    tasks.push(task)
  }
  return tasks
}

function titleOf(lines: readonly Line[]): string | null {
  const first = lines.find(({ heading }) => heading !== null)?.heading ?? null
  return first === null || first.title === '' ? null : first.title
}

function summaryOf(lines: readonly Line[]): string {
  const body = lines.filter(({ heading }) => heading === null)
  const first = lines.find(({ heading }) => heading !== null)?.heading?.title.toLowerCase() ?? ''
  const opening = textOf(body.filter(({ section }) => section === '' || section === first))
  const summary = opening === '' ? textOf(body.filter(({ section }) => INTRODUCES.test(section))) : opening
  return clip(summary, SUMMARY_MAX)
}

function textOf(lines: readonly Line[]): string {
  return lines
    .map(({ text }) => text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
