/** The part of `ralph import` that chooses a GitHub issue: flags into filters, a list to look at, a question when asked for one. */
import type { Document } from '../../../../desk/import/import.ts'
import {
  candidates,
  issueAsDocument,
  type Gh,
  type Issue,
  type IssueFilters,
  type Select,
} from '../../../../desk/import/import-issue.ts'
import { RalphError } from '../../../../domain/error.ts'
import { clip } from '../../../../domain/text/text.ts'
import type { Input } from '../../frame/row.ts'
import type { Io } from '../../frame/io.ts'
import { questions } from '../../asking/questions.ts'

const FILTERS = [
  'github-search',
  'github-label',
  'github-title',
  'github-assignee',
  'github-milestone',
  'github-state',
]
const MODIFIERS = ['exclude-label', 'select', 'dry-run']

export function namesAnIssue({ flags }: Input): boolean {
  return ['github-issue', ...FILTERS].some((name) => flags[name] !== undefined)
}

export interface IssueDocument extends Document {
  title: string
}

/** Null: it was only a look (`--dry-run`), or the person chose none. */
export async function findIssueDocument(
  { input, root }: { input: Input; root: string },
  io: Io,
): Promise<IssueDocument | null> {
  checkFlags(input)
  const gh: Gh = { root, env: io.env, repo: value(input, 'repo') }
  const comments = input.flags['include-comments'] === true
  const named = value(input, 'github-issue')
  if (named !== null) return issueAsDocument(gh, issueNumber(named), { comments })
  const by = selectOf(input)
  const { issues, chosen, remarks } = await candidates(gh, filtersOf(input), by)
  for (const remark of remarks) io.err(`ralph: ${remark}\n`)
  if (input.flags['dry-run'] === true) {
    io.out(
      input.flags['json'] === true
        ? `${JSON.stringify({ issues: issues.map(facts), chosen: chosen.number })}\n`
        : table(issues, chosen),
    )
    return null
  }
  const number = by === 'interactive' && issues.length > 1 ? await askWhich(issues, io) : chosen.number
  return number === null ? null : issueAsDocument(gh, number, { comments })
}

function checkFlags(input: Input): void {
  const used = (names: string[]): string | undefined => names.find((name) => input.flags[name] !== undefined)
  const filter = used(FILTERS)
  const modifier = used(MODIFIERS)
  if (input.flags['github-issue'] !== undefined && filter !== undefined) {
    throw new RalphError('usage', `--github-issue names one issue, so --${filter} says nothing beside it`)
  }
  if (filter === undefined && modifier !== undefined) {
    throw new RalphError('usage', `--${modifier} needs a filter to choose from`, {
      hint: `One of: ${FILTERS.map((name) => `--${name}`).join(', ')}`,
    })
  }
}

function issueNumber(text: string): number {
  if (/^#?[1-9]\d{0,9}$/.test(text)) return Number(text.replace('#', ''))
  throw new RalphError('usage', `"${text}" is no issue number`, { hint: 'For example: --github-issue 42' })
}

function selectOf(input: Input): Select {
  const how = value(input, 'select') ?? 'first'
  if (how === 'first' || how === 'priority' || how === 'interactive') return how
  throw new RalphError('usage', `--select is first, priority or interactive, not "${how}"`)
}

function filtersOf(input: Input): IssueFilters {
  const state = value(input, 'github-state') ?? 'open'
  if (state !== 'open' && state !== 'closed' && state !== 'all') {
    throw new RalphError('usage', `--github-state is open, closed or all, not "${state}"`)
  }
  return {
    search: value(input, 'github-search'),
    labels: words(value(input, 'github-label')),
    title: value(input, 'github-title'),
    assignee: value(input, 'github-assignee'),
    milestone: value(input, 'github-milestone'),
    state,
    excludeLabels: words(value(input, 'exclude-label')),
  }
}

async function askWhich(issues: Issue[], io: Io): Promise<number | null> {
  if (!io.asks) {
    throw new RalphError('usage', `${issues.length} issues match, and there is no terminal to ask on`, {
      hint: 'Say which: --select first, --select priority, or --github-issue N',
    })
  }
  const { isCancel, select } = await questions()
  const options = issues.map((issue) => ({
    value: issue.number,
    label: `#${issue.number} ${clip(issue.title, 70)}`,
    hint: issue.labels.join(', '),
  }))
  const answer = await select({ message: 'Which issue?', options })
  return isCancel(answer) ? null : answer
}

function facts({ number, title, labels, assignees, milestone, url }: Issue): object {
  return { number, title, labels, assignees, milestone, url }
}

function table(issues: Issue[], chosen: Issue): string {
  const rows = issues.map((issue) => {
    const mark = issue.number === chosen.number ? '→' : ' '
    const more = [issue.labels.join(', '), issue.assignees.join(', '), issue.milestone ?? '']
      .filter((part) => part !== '')
      .join(' · ')
    return `${mark} ${`#${issue.number}`.padEnd(8)}${clip(issue.title, 60).padEnd(62)}${more}`.trimEnd()
  })
  return `${rows.join('\n')}\n\n${issues.length === 1 ? '1 issue matches' : `${issues.length} issues match`}; #${chosen.number} would be imported.\n`
}

function value({ flags }: Input, name: string): string | null {
  const given = flags[name]
  return typeof given === 'string' ? given : null
}

function words(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
