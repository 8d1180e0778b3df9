/** Parses the issues of beads, from `bd list --json`, from its JSONL file, or from the plain list of an old `bd`. */
import { jsonOrNull } from '../core/text/json.ts'
import { parseTask, type ParsedTask, type Priority } from './parse-tasks.ts'

export interface BeadsTasks {
  tasks: ParsedTask[]
  /** Lines that could not be parsed, with their numbers. */
  remarks: string[]
}

export type BeadsStatusFilter = 'open' | 'in_progress' | 'all'

/** A JSON list, or one JSON object a line. Skips closed issues and those without an id or a title; the most urgent come first. */
export function parseBeadsJson(text: string, { status }: { status: BeadsStatusFilter }): BeadsTasks {
  const whole = jsonOrNull(text)
  if (Array.isArray(whole)) return gather(whole, status, [])
  const remarks: string[] = []
  const entries: unknown[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const entry = jsonOrNull(line)
    if (entry === null) remarks.push(`line ${index + 1} is not valid JSON and was skipped`)
    else entries.push(entry)
  }
  return gather(entries, status, remarks)
}

function gather(entries: readonly unknown[], status: BeadsStatusFilter, remarks: string[]): BeadsTasks {
  // A later line about the same issue replaces the earlier one.
  const byId = new Map<string, Issue>()
  for (const entry of entries) {
    const issue = readIssue(entry)
    if (issue !== null) byId.set(issue.id, issue)
  }
  const tasks = [...byId.values()]
    .filter((issue) => isWanted(issue.status, status))
    .toSorted((a, b) => (a.priority ?? MIDDLE) - (b.priority ?? MIDDLE))
    .map(({ id, title, priority }) =>
      parseTask(title, priority === null ? { id } : { id, priority: ofNumber(priority) }),
    )
    .filter((task) => task !== null)
  return { tasks, remarks }
}

interface Issue {
  id: string
  title: string
  status: string
  /** 0 is the most urgent, 4 the least. */
  priority: number | null
}

const MIDDLE = 2

function readIssue(entry: unknown): Issue | null {
  if (typeof entry !== 'object' || entry === null) return null
  const { id, title, status, priority } = entry as Record<string, unknown>
  if (typeof id !== 'string' || id === '' || typeof title !== 'string' || title.trim() === '') return null
  return {
    id,
    title,
    status: typeof status === 'string' ? status : 'open',
    priority: typeof priority === 'number' && Number.isFinite(priority) ? priority : null,
  }
}

function isWanted(has: string, wanted: BeadsStatusFilter): boolean {
  if (has === 'closed' || has === 'tombstone') return false
  return wanted === 'all' || has === wanted
}

function ofNumber(priority: number): Priority {
  return priority < MIDDLE ? 'high' : priority > MIDDLE ? 'low' : 'medium'
}

const LISTED = /(?:^|\s)\[?([a-z]+-[a-z0-9.]+)\b/

/** `○ bd-12 [P1] - Title`: the first word that looks like an id, and the text after the last dash. */
export function parseBeadsText(text: string): BeadsTasks {
  const tasks = text
    .split('\n')
    .map((line) => {
      const id = LISTED.exec(line)?.[1]
      const at = line.lastIndexOf('- ')
      return id === undefined || at < 0 ? null : parseTask(line.slice(at + 2), { id })
    })
    .filter((task) => task !== null)
  return { tasks, remarks: [] }
}
