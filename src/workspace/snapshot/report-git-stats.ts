/** Adds the numbers of a report that need git: the difference between the first and the last snapshot, and the size of each commit. */
import type { Report } from '../../core/presentation/report.ts'
import { changeSizeBetween } from './compare-snapshots.ts'
import { commitStats } from '../repo/patch.ts'
import type { Repo } from '../repo/find-repo.ts'

/** A report without these numbers is better than none: if git deleted a tree, the sums of the record stay. */
export async function addGitStats(repo: Repo, report: Report): Promise<Report> {
  const { first, last } = report.trees
  try {
    const size = first === null || last === null ? null : await changeSizeBetween(repo, first, last)
    const stats = await commitStats(
      repo,
      report.commits.map(({ sha }) => sha),
    )
    return {
      ...report,
      commits: report.commits.map((commit) => ({ ...commit, stat: stats[commit.sha] ?? null })),
      changed: size === null ? report.changed : { ...report.changed, ...size, from: 'snapshots' },
    }
  } catch (error) {
    // The caller no longer waits for git.
    if (repo.by?.signal.aborted === true) return report
    throw error
  }
}
