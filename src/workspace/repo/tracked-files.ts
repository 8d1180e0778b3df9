/** Which of these files git knows already; without git all of them are known by nobody. */
import { gitOrThrow } from './git.ts'
import type { Repo } from './find-repo.ts'
import { nulList } from '../paths.ts'

/** A command line holds only so many names; more files than this are no report. */
const ASKED_MAX = 200

export async function trackedFiles(repo: Repo, paths: string[]): Promise<string[]> {
  if (repo.git === null) return []
  if (paths.length > ASKED_MAX) return paths
  const listing = await gitOrThrow(repo, ['ls-files', '-z', '--', ...paths], {
    literal: true,
    activity: 'see which files git knows',
  })
  return nulList(listing)
}
