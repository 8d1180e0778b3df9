/** The part of `ralph import` that chooses a GitHub issue: turns flags into filters, lists issues, and asks for one if wanted. */
import type { ImportDocument } from '../../../../app/import/draft-project-files.ts'
import {
  findIssueCandidates,
  fetchIssueDocument,
  type GithubCliOptions,
  type Issue,
  type IssueFilters,
  type IssueSelection,
} from '../../../../app/import/import-issue.ts'
import { RalphError } from '../../../../core/error.ts'
import { clip } from '../../../../core/text/sanitize.ts'
import { flagNameOf, type CommandInput } from '../../framework/command.ts'
import type { IMPORT } from '../../command-table/plan-commands.ts'
import type { Io } from '../../framework/io.ts'
import { loadPromptLibrary } from '../../asking/terminal-prompts.ts'

/** All flags of `ralph import` except those for reading a document. */
export type IssueFlags = Omit<CommandInput<typeof IMPORT>['flags'], 'noAgent' | 'agent' | 'force' | 'trust'>

const FILTERS = [
  'githubSearch',
  'githubLabel',
  'githubTitle',
  'githubAssignee',
  'githubMilestone',
  'githubState',
] as const
const MODIFIERS = ['excludeLabel', 'select', 'dryRun'] as const

export function isIssueRequested(flags: IssueFlags): boolean {
  return flags.githubIssue !== null || FILTERS.some((name) => flags[name] !== null)
}

export interface IssueDocument extends ImportDocument {
  title: string
}

/** Null: it was a dry run, or the user chose none. */
export async function findIssueDocument(
  { flags, root }: { flags: IssueFlags; root: string },
  io: Io,
): Promise<IssueDocument | null> {
  checkFlags(flags)
  const gh: GithubCliOptions = { root, env: io.env, repo: flags.repo }
  const comments = flags.includeComments
  const named = flags.githubIssue
  if (named !== null) return fetchIssueDocument(gh, issueNumber(named), { comments })
  const by: IssueSelection = flags.select ?? 'first'
  const { issues, chosen, remarks } = await findIssueCandidates(gh, filtersOf(flags), by)
  for (const remark of remarks) io.err(`ralph: ${remark}\n`)
  if (flags.dryRun) {
    io.out(
      flags.json ? `${JSON.stringify({ issues: issues.map(facts), chosen: chosen.number })}\n` : table(issues, chosen),
    )
    return null
  }
  const number = by === 'interactive' && issues.length > 1 ? await askWhich(issues, io) : chosen.number
  return number === null ? null : fetchIssueDocument(gh, number, { comments })
}

function checkFlags(flags: IssueFlags): void {
  const filter = FILTERS.find((name) => flags[name] !== null)
  const modifier = MODIFIERS.find((name) => flags[name] !== null && flags[name] !== false)
  if (flags.githubIssue !== null && filter !== undefined) {
    throw new RalphError('usage', `--github-issue already names one issue; omit --${flagNameOf(filter)}`)
  }
  if (filter === undefined && modifier !== undefined) {
    throw new RalphError('usage', `--${flagNameOf(modifier)} needs a filter`, {
      hint: `One of: ${FILTERS.map((name) => `--${flagNameOf(name)}`).join(', ')}`,
    })
  }
}

function issueNumber(text: string): number {
  if (/^#?[1-9]\d{0,9}$/.test(text)) return Number(text.replace('#', ''))
  throw new RalphError('usage', `"${text}" is not an issue number`, { hint: 'For example: --github-issue 42' })
}

function filtersOf(flags: IssueFlags): IssueFilters {
  return {
    search: flags.githubSearch,
    labels: words(flags.githubLabel),
    title: flags.githubTitle,
    assignee: flags.githubAssignee,
    milestone: flags.githubMilestone,
    state: flags.githubState ?? 'open',
    excludeLabels: words(flags.excludeLabel),
  }
}

async function askWhich(issues: Issue[], io: Io): Promise<number | null> {
  if (!io.asks) {
    throw new RalphError('usage', `${issues.length} issues match, and there is no terminal to ask which one`, {
      hint: 'Choose one: --select first, --select priority, or --github-issue N',
    })
  }
  const { isCancel, select } = await loadPromptLibrary()
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

function words(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
