/** Which of these files git tracks; without git, none. */
import { gitOrThrow } from './git.ts'
import type { Repo } from './find-repo.ts'
import { splitNulTerminated } from '../paths.ts'

/** A command line has a limited length, and nobody reads a report of more files. */
const ASKED_MAX = 200

export async function filterTrackedPaths(repo: Repo, paths: string[]): Promise<string[]> {
  if (repo.git === null) return []
  if (paths.length > ASKED_MAX) return paths
  const listing = await gitOrThrow(repo, ['ls-files', '-z', '--', ...paths], {
    literal: true,
    activity: 'list the tracked files',
  })
  return splitNulTerminated(listing)
}
