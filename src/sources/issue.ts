/** A GitHub issue as `gh` returns it, and how one of several is chosen: patterns, labels and order. */
import { parseTask, type ParsedTask } from '../compat/parse-tasks.ts'
import { ownField, jsonOrNull } from '../core/text/json.ts'
import { oneLine, stripControl } from '../core/text/sanitize.ts'

export interface Issue {
  number: number
  title: string
  body: string
  labels: string[]
  assignees: string[]
  milestone: string | null
  url: string
  comments: { author: string; body: string }[]
}

/** Skips entries that are no issues. */
export function parseIssues(told: string): Issue[] {
  const value = jsonOrNull(told)
  return (Array.isArray(value) ? value : []).map(readIssue).filter((issue) => issue !== null)
}

export function parseIssue(told: string): Issue | null {
  return readIssue(jsonOrNull(told))
}

function readIssue(value: unknown): Issue | null {
  const number = ownField(value, 'number')
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return null
  return {
    number,
    title: oneLine(text(ownField(value, 'title')), 300),
    body: clean(text(ownField(value, 'body'))),
    labels: list(ownField(value, 'labels')).map((label) => oneLine(text(ownField(label, 'name')), 100)),
    assignees: list(ownField(value, 'assignees')).map((user) => oneLine(text(ownField(user, 'login')), 100)),
    milestone: oneLine(text(ownField(ownField(value, 'milestone'), 'title')), 200) || null,
    url: oneLine(text(ownField(value, 'url')), 300),
    comments: list(ownField(value, 'comments')).map((comment) => ({
      author: oneLine(text(ownField(ownField(comment, 'author'), 'login')), 100),
      body: clean(text(ownField(comment, 'body'))),
    })),
  }
}

/** GitHub allows 65,536 characters; longer texts do not come from there. */
const BODY_MAX = 70_000

function clean(body: string): string {
  return stripControl(body).slice(0, BODY_MAX)
}

export function issueToTask(issue: Issue): ParsedTask | null {
  const rank = priorityRank(issue)
  const id = `#${issue.number}`
  if (rank === null) return parseTask(issue.title, { id })
  return parseTask(issue.title, { id, priority: rank <= 1 ? 'high' : rank === 2 ? 'medium' : 'low' })
}

/** Filters that GitHub itself does not support. */
export function matchesIssueFilters(
  issue: Issue,
  { title, excludeLabels }: { title: string | null; excludeLabels: string[] },
): boolean {
  const has = new Set(issue.labels.map((label) => label.toLowerCase()))
  if (excludeLabels.some((label) => has.has(label.toLowerCase()))) return false
  return title === null || patternOf(title).test(issue.title)
}

/** `*` matches anything; every other character only itself. */
function patternOf(title: string): RegExp {
  const literal = title.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}/]/g, '\\$&'))
  return new RegExp(`^${literal.join('.*')}$`, 'iu')
}

/** The issue to use. The list is oldest first, so equal priorities keep that order. */
export function selectIssue(issues: readonly Issue[], by: 'first' | 'priority'): Issue | null {
  const ranked = by === 'first' ? issues : issues.toSorted((a, b) => (priorityRank(a) ?? 99) - (priorityRank(b) ?? 99))
  return ranked[0] ?? null
}

/** From a label `P0` … `P9` or `priority: P1`; null without one. */
function priorityRank(issue: Pick<Issue, 'labels'>): number | null {
  const ranks = issue.labels.flatMap((label) => {
    const digit = /^(?:priority\s*[:/]\s*)?p([0-9])$/i.exec(label.trim())?.[1]
    return digit === undefined ? [] : [Number(digit)]
  })
  return ranks.length === 0 ? null : Math.min(...ranks)
}

/** The issue as a document to import. Anybody can write comments, so they are included only on request. */
export function issueToDocument(issue: Issue): string {
  const labels = issue.labels.length === 0 ? '' : ` · ${issue.labels.join(', ')}`
  const parts = [
    `# ${issue.title || `Issue #${issue.number}`}`,
    `> Issue #${issue.number}${labels} · ${issue.url}`,
    issue.body.trim(),
  ]
  if (issue.comments.length > 0) {
    parts.push(
      '## Discussion',
      ...issue.comments.map(({ author, body }) => `**${author || 'someone'}:** ${body.trim()}`),
    )
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
