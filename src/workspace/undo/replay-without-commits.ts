/**
 * Removes commits from a history and recreates the later ones on top of the rest: same author, dates and message, another parent. It only
 * writes git objects; no branch, index or file is touched.
 */
import type { TreeHash } from '../../core/ids.ts'
import { git, gitLine, gitOrThrow } from '../repo/git.ts'
import type { Repo } from '../repo/find-repo.ts'
import { createEmptyTree, mergeTrees, type MergeContext } from './merge-trees.ts'

export interface NamedCommit {
  sha: string
  subject: string
}

export interface ReplayedHistory {
  /** Null: no commit remains. */
  head: string | null
  /** Removed commits, oldest first. */
  gone: NamedCommit[]
  /** Old hash → new hash of the recreated commits, oldest first. */
  renewed: Map<string, string>
  /** A commit that cannot be recreated, with the conflicting files. */
  clash: (NamedCommit & { files: string[] }) | null
}

/**
 * `head` without the commits between `from` and `to`. Null: `head` does not descend from `to`, so the commits cannot be told apart.
 */
export async function replayWithoutCommits(
  merging: MergeContext,
  head: string | null,
  { from, to }: { from: string | null; to: string | null },
): Promise<ReplayedHistory | null> {
  const none: ReplayedHistory = { head, gone: [], renewed: new Map(), clash: null }
  const { repo } = merging
  if (from === to || head === from) return none
  const gone = to === null ? [] : await commitsSince(repo, { from, to })
  if (head === to) return { ...none, head: from, gone }
  if (head === null) return none
  const here = new Set((await commitsSince(repo, { from, to: head })).map(({ sha }) => sha))
  const isIn = gone.some(({ sha }) => here.has(sha))
  // A person removed them already.
  if (!isIn && (from === null || (await isAncestor(repo, from, head)))) return none
  if (to !== null && !(await isAncestor(repo, to, head))) return isIn || gone.length === 0 ? null : none
  const outs = new Set([...gone.map(({ sha }) => sha), to])
  const renewed = new Map<string, string>()
  for (const commit of await withParents(repo, to === null ? [head] : [head, `^${to}`])) {
    const parents = newParents(commit, (parent) => (outs.has(parent) ? from : (renewed.get(parent) ?? parent)))
    // A root commit gets the restored commit as its parent.
    if (commit.parents.length === 0 && to === null && from !== null) parents.push(from)
    if (parents.join() === commit.parents.join()) continue
    const made = await makeAnew(merging, commit, parents)
    if ('clash' in made) {
      const [named] = await listed(repo, ['--max-count=1', commit.sha])
      return { ...none, gone, clash: { sha: commit.sha, subject: named?.subject ?? '', files: made.clash } }
    }
    renewed.set(commit.sha, made.sha)
  }
  return { head: renewed.get(head) ?? head, gone, renewed, clash: null }
}

/** Without duplicates: a merge with removed commits keeps one parent. */
function newParents({ parents }: WithParents, become: (parent: string) => string | null): string[] {
  return [...new Set(parents.map(become).filter((parent) => parent !== null))]
}

async function makeAnew(
  merging: MergeContext,
  { sha, parents: [oldParent] }: WithParents,
  parents: string[],
): Promise<{ sha: string } | { clash: string[] }> {
  const { repo } = merging
  const { tree, clashes } = await mergeTrees(merging, {
    base: await treeOfCommit(repo, oldParent ?? null),
    ours: await treeOfCommit(repo, sha),
    theirs: await treeOfCommit(repo, parents[0] ?? null),
  })
  if (clashes.length > 0) return { clash: clashes }
  return { sha: await commitLike(repo, sha, { tree, parents }) }
}

const FIELDS = ['an', 'ae', 'ad', 'cn', 'ce', 'cd', 'B']

/** A commit with the same message, people and dates. The signature would be invalid, so it is dropped. */
async function commitLike(
  repo: Repo,
  sha: string,
  { tree, parents }: { tree: TreeHash; parents: string[] },
): Promise<string> {
  const format = FIELDS.map((field) => `%${field}`).join('%x00')
  const how = ['--no-show-signature', '--date=raw', '--encoding=UTF-8', `--format=${format}`, '--max-count=1']
  const activity = `make the commit ${sha.slice(0, 10)} anew`
  const [an = '', ae = '', ad = '', cn = '', ce = '', cd = '', message = ''] = (
    await gitOrThrow(repo, ['log', ...how, '--end-of-options', sha, '--'], { activity })
  ).split('\0')
  const env = {
    GIT_AUTHOR_NAME: an,
    GIT_AUTHOR_EMAIL: ae,
    GIT_AUTHOR_DATE: ad,
    GIT_COMMITTER_NAME: cn,
    GIT_COMMITTER_EMAIL: ce,
    GIT_COMMITTER_DATE: cd,
  }
  const encoding = ['-c', 'i18n.commitEncoding=UTF-8']
  const args = [...encoding, 'commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-F', '-']
  // `git log` adds a final line end.
  return gitLine(repo, args, { env, activity, input: message.replace(/\n$/, '') })
}

export async function treeOfCommit(repo: Repo, commit: string | null): Promise<TreeHash> {
  if (commit === null) return createEmptyTree(repo)
  return gitLine(repo, ['rev-parse', '--verify', `${commit}^{tree}`], { activity: 'read a commit' })
}

/** Oldest first. */
export async function commitsSince(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
): Promise<NamedCommit[]> {
  return listed(repo, from === null ? [to] : [to, `^${from}`])
}

async function listed(repo: Repo, range: string[]): Promise<NamedCommit[]> {
  const how = ['--no-show-signature', '--no-decorate', '--topo-order', '--reverse', '--format=%H %s']
  const options = range.filter((one) => one.startsWith('--'))
  const revisions = range.filter((one) => !one.startsWith('--'))
  const output = await gitOrThrow(repo, ['log', ...how, ...options, '--end-of-options', ...revisions, '--'], {
    activity: 'read the history',
  })
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ sha: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }))
}

interface WithParents {
  sha: string
  parents: string[]
}

/** Parents before their children. */
async function withParents(repo: Repo, range: string[]): Promise<WithParents[]> {
  const output = await gitOrThrow(
    repo,
    ['rev-list', '--topo-order', '--reverse', '--parents', '--end-of-options', ...range, '--'],
    { activity: 'read the history' },
  )
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map(([sha = '', ...parents]) => ({ sha, parents }))
}

export async function isAncestor(repo: Repo, one: string, of: string): Promise<boolean> {
  return (await git(repo, ['merge-base', '--is-ancestor', one, of])).code === 0
}

/** Remote branches that already contain this commit. */
export async function remoteBranchesWith(repo: Repo, sha: string): Promise<string[]> {
  const args = ['for-each-ref', `--contains=${sha}`, '--format=%(refname:short)', 'refs/remotes/']
  const { code, stdout } = await git(repo, args)
  return code === 0 ? stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/HEAD')) : []
}
