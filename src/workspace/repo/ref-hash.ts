/** HEAD, branches and tags as one hash, which shows whether refs changed that a gate may read. */
import { createHash } from 'node:crypto'
import { git } from './git.ts'
import type { Repo } from './find-repo.ts'

export async function hashRefs(repo: Repo): Promise<string | null> {
  if (repo.git === null) return null
  const [head, refs] = await Promise.all([
    git(repo, ['rev-parse', '--verify', '--quiet', 'HEAD']),
    git(repo, [
      'for-each-ref',
      '--format=%(objectname) %(refname)',
      'refs/heads',
      'refs/tags',
      'refs/notes',
      'refs/replace',
    ]),
  ])
  return createHash('sha256').update(`${head.stdout}\0${refs.stdout}`).digest('hex').slice(0, 32)
}
