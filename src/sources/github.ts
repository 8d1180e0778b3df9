/** Issues from GitHub, through `gh`: it knows the login, the host and the repository, and Ralph never sees a token. */
import { RalphError } from '../core/error.ts'
import { oneLine } from '../core/text/sanitize.ts'
import { buildHelperEnv } from '../system/environment.ts'
import { runProgram, findProgram } from '../system/process/process.ts'
import { issueToTask, matchesIssueFilters, parseIssues, parseIssue, type Issue } from './issue.ts'
import { limitTasks, type SourceEnvironment, type FetchedTasks } from './task-source.ts'

export interface GithubCliOptions {
  root: string
  env: SourceEnvironment
  /** `owner/name`; null: the repository of the folder's origin. */
  repo: string | null
}

export interface IssueFilters {
  search: string | null
  /** An issue must have all of them. */
  labels: string[]
  title: string | null
  /** A login, `@me` or `none`. */
  assignee: string | null
  milestone: string | null
  state: 'open' | 'closed' | 'all'
  excludeLabels: string[]
}

const GH_MS = 60_000
/** The bash tool's page size; more candidates than this mean that the filter is too broad. */
const QUERY_MAX = 500
/** A limit for `gh` that means all of them. */
const ALL = 10_000
const FIELDS = 'number,title,labels,assignees,milestone,url'

export function hasGithubCli(env: SourceEnvironment): boolean {
  return findProgram('gh', env) !== null
}

/** Open issues with a label, as tasks for a plan. */
export async function fetchGithubTasks(
  gh: GithubCliOptions,
  { label, limit }: { label: string | null; limit: number },
): Promise<FetchedTasks> {
  // One more than wanted tells whether there are more.
  const most = limit === 0 ? ALL : limit + 1
  const args = [
    'issue',
    'list',
    '--state',
    'open',
    '--limit',
    String(most),
    '--json',
    FIELDS,
    ...flag('--label', label),
  ]
  const issues = parseIssues(await ask(gh, args, 'list the issues'))
  const tasks = issues.map(issueToTask).filter((task) => task !== null)
  const none = label === null ? 'there are no open issues' : `no open issue has the label "${label}" (--label L)`
  return limitTasks({ tasks, from: 'gh', remarks: tasks.length === 0 ? [none] : [] }, limit)
}

export interface IssueCandidates {
  /** Oldest first. */
  issues: Issue[]
  remarks: string[]
}

export async function findIssues(gh: GithubCliOptions, filters: IssueFilters): Promise<IssueCandidates> {
  const found = parseIssues(await ask(gh, queryOf(filters), 'search the issues'))
  const issues = found.filter((issue) => matchesIssueFilters(issue, filters))
  if (found.length < QUERY_MAX) return { issues, remarks: [] }
  if (filters.title !== null || filters.excludeLabels.length > 0) {
    throw new RalphError(
      'usage',
      `too many issues match to filter them by title or excluded label (limit: ${QUERY_MAX})`,
      {
        hint: 'Narrow the search: --github-label, --github-search, --github-milestone, --github-assignee, --github-state',
      },
    )
  }
  return { issues, remarks: [`only the oldest ${QUERY_MAX} issues were searched`] }
}

function queryOf(filters: IssueFilters): string[] {
  const unassigned = filters.assignee === 'none' ? 'no:assignee' : null
  const search = [filters.search, unassigned, 'sort:created-asc'].filter((word) => word !== null).join(' ')
  const query = ['issue', 'list', '--state', filters.state, '--limit', String(QUERY_MAX), '--json', FIELDS]
  return [
    ...query,
    ...flag('--search', search),
    ...filters.labels.flatMap((label) => ['--label', label]),
    ...flag('--assignee', filters.assignee === 'none' ? null : filters.assignee),
    ...flag('--milestone', filters.milestone),
  ]
}

export async function fetchIssue(
  gh: GithubCliOptions,
  number: number,
  { comments }: { comments: boolean },
): Promise<Issue> {
  const fields = `number,title,body,labels,assignees,milestone,url${comments ? ',comments' : ''}`
  const issue = parseIssue(await ask(gh, ['issue', 'view', String(number), '--json', fields], `read issue #${number}`))
  if (issue !== null) return issue
  throw new RalphError('bad-file', `gh printed no issue for #${number}`, {
    hint: 'Try: gh issue view',
  })
}

function flag(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value]
}

async function ask({ root, env, repo }: GithubCliOptions, args: string[], activity: string): Promise<string> {
  const gh = findProgram('gh', env)
  if (gh === null) {
    throw new RalphError('not-found', `could not ${activity}: gh, the GitHub program, is not installed`, {
      hint: 'Install it from https://cli.github.com, then: gh auth login',
    })
  }
  const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' }
  const childEnv = buildHelperEnv({ pass: ['GH_*', 'GITHUB_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'], add: quiet })
  const said = await runProgram([gh, ...args, ...flag('--repo', repo)], { cwd: root, env: childEnv, timeoutMs: GH_MS })
  if (said.code === 0) return said.stdout
  const why = said.timedOut
    ? `gh did not answer within ${GH_MS / 1000} s`
    : oneLine(said.stderr, 300) || `gh ended with ${said.code ?? 'a signal'}`
  throw new RalphError('io', `could not ${activity}: ${why}`, { hint: 'See: gh auth status, and gh repo view' })
}
