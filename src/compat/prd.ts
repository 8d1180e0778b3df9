/**
 * Reads a requirements document without an agent: what it is about, and what in it is work. Boxes and numbered lists are tasks
 * as they stand; where there are none, the bullets of sections that speak of work are, and at last the sections themselves.
 */
import { clip, oneLine, stripControl } from '../domain/text.ts'
import { foundTask, type FoundTask } from './tasks.ts'

export interface Prd {
  title: string | null
  /** The text before the first section, or the first section that introduces. */
  summary: string
  tasks: FoundTask[]
  /** What the tasks were read from, for people. */
  by: 'boxes' | 'numbered lists' | 'boxes and numbered lists' | 'bullets' | 'sections' | 'nothing'
}

/** The plan of an agent is read again in every iteration: more than this belongs into the specification. */
const TASKS_MAX = 30
const NUMBERED_MAX = 20
const SUMMARY_MAX = 1_500

export function readPrd(document: string): Prd {
  const text = stripControl(document)
  const lines = proseLines(text)
  const boxes = boxTasks(lines)
  const numbered = numberedTasks(lines)
  const title = titleOf(lines)
  const summary = summaryOf(lines)
  const listed = [...boxes, ...numbered].slice(0, TASKS_MAX)
  if (listed.length > 0) {
    const both = boxes.length > 0 && numbered.length > 0
    const by = both ? 'boxes and numbered lists' : boxes.length > 0 ? 'boxes' : 'numbered lists'
    return { title, summary, tasks: listed, by }
  }
  const bullets = bulletTasks(lines).slice(0, TASKS_MAX)
  if (bullets.length > 0) return { title, summary, tasks: bullets, by: 'bullets' }
  const sections = sectionTasks(lines).slice(0, TASKS_MAX)
  return { title, summary, tasks: sections, by: sections.length > 0 ? 'sections' : 'nothing' }
}

/** Boxes, then numbered lines: what counts as a task where a document is only a source of tasks. */
export function prdTasks(document: string): FoundTask[] {
  const lines = proseLines(stripControl(document))
  return [...boxTasks(lines), ...numberedTasks(lines)].slice(0, TASKS_MAX)
}

interface Line {
  text: string
  /** Title of the section it stands in, lower case; empty before the first. */
  section: string
  heading: { level: number; title: string } | null
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const FENCE = /^\s*(`{3,}|~{3,})/

/** Lines outside code fences, front matter and lists of contents, each with the section it stands in. */
function proseLines(text: string): Line[] {
  const lines: Line[] = []
  let section = ''
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
    if (found !== null) section = title.toLowerCase()
    if (/^(?:table of )?contents$/.test(section)) continue
    lines.push({
      text: line,
      section,
      heading: found === null ? null : { level: found[1]?.length ?? 1, title },
    })
  }
  return lines
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, '')
}

const BOX = /^(\s*)[-*+]\s+\[[ xX]\]\s*(.*)$/
const NUMBERED = /^\s*\d+[.)]\s+(.*)$/
const BULLET = /^(\s*)[-*+]\s+(?!\[[ xX]\])(.*)$/

/** A box that is ticked in a document of requirements says that somebody once agreed; whether it is built, the loop finds out. */
function boxTasks(lines: readonly Line[]): FoundTask[] {
  return nested(lines.map((line) => BOX.exec(line.text)))
}

function numberedTasks(lines: readonly Line[]): FoundTask[] {
  return lines
    .map((line) => NUMBERED.exec(line.text)?.[1] ?? '')
    .filter((text) => !/^\[[^\]]*\]\(#/.test(text))
    .map((text) => foundTask(text))
    .filter((task) => task !== null)
    .slice(0, NUMBERED_MAX)
}

const WORK =
  /\b(?:tasks?|to.?do|requirements?|features?|stories|deliverables?|milestones?|scope|acceptance|backlog|goals?)\b/
const NOT_WORK = /\b(?:out of scope|non.?goals?|non.?requirements?)\b/

function bulletTasks(lines: readonly Line[]): FoundTask[] {
  const ofWork = lines.filter(({ section }) => WORK.test(section) && !NOT_WORK.test(section))
  return nested(ofWork.map((line) => BULLET.exec(line.text)))
}

const INTRODUCES =
  /^(?:overview|summary|introduction|background|about|context|purpose|vision|goals?|objectives?)$/
const TELLS_NO_WORK =
  /^(?:out of scope|non.?goals?|references|glossary|appendix|links|changelog|open questions)/

function sectionTasks(lines: readonly Line[]): FoundTask[] {
  return lines
    .flatMap(({ heading }) =>
      heading === null || heading.level < 2 || heading.level > 3 ? [] : [heading.title],
    )
    .filter((title) => !INTRODUCES.test(title.toLowerCase()) && !TELLS_NO_WORK.test(title.toLowerCase()))
    .map((title) => foundTask(`Build what the specification says under "${title}"`))
    .filter((task) => task !== null)
}

/** Indentation as depth: one step for each list that is opened inside another, however many spaces that takes. */
function nested(matches: readonly (RegExpExecArray | null)[]): FoundTask[] {
  const tasks: FoundTask[] = []
  let open: number[] = []
  for (const match of matches) {
    if (match === null) continue
    const indent = (match[1] ?? '').replaceAll('\t', '    ').length
    open = open.filter((outer) => outer < indent)
    const task = foundTask(match[2] ?? '', { depth: open.length })
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
