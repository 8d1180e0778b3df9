/** Finds a GitHub issue by number or by filters, and turns it into a document. */
import { RalphError } from '../../core/error.ts'
import {
  fetchIssue,
  findIssues,
  type IssueCandidates,
  type GithubCliOptions,
  type IssueFilters,
} from '../../sources/github.ts'
import { issueToDocument, selectIssue, type Issue } from '../../sources/issue.ts'
import type { ImportDocument } from './draft-project-files.ts'

export type { IssueCandidates, GithubCliOptions, IssueFilters } from '../../sources/github.ts'
export type { Issue } from '../../sources/issue.ts'

export type IssueSelection = 'first' | 'interactive' | 'priority'

/** The candidates, and which of them `first` or `priority` would choose. */
export async function findIssueCandidates(
  gh: GithubCliOptions,
  filters: IssueFilters,
  by: IssueSelection,
): Promise<IssueCandidates & { chosen: Issue }> {
  const found = await findIssues(gh, filters)
  const chosen = selectIssue(found.issues, by === 'priority' ? 'priority' : 'first')
  if (chosen === null) throw new RalphError('not-found', 'no issue matches', { hint: 'List them: gh issue list' })
  return { ...found, chosen }
}

export async function fetchIssueDocument(
  gh: GithubCliOptions,
  number: number,
  { comments }: { comments: boolean },
): Promise<ImportDocument & { title: string }> {
  const issue = await fetchIssue(gh, number, { comments })
  return { name: `issue-${issue.number}.md`, text: issueToDocument(issue), title: issue.title }
}

/** A folder's name from a title: `Add dark mode!` is `add-dark-mode`. */
export function folderNameFromTitle(title: string, otherwise: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '')
  return slug === '' ? otherwise : slug
}
