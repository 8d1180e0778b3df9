/** The difference of two versions of a file as git's patch, without its header: the screen shows the name. */
import { join } from 'node:path'
import { makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { git } from './git.ts'
import type { Repo } from './find-repo.ts'

/** Nobody reads more. */
const MAX_BYTES = 1024 * 1024

/** Null: git is not installed. A side that is null is a file that does not exist. */
export async function textDiff(
  repo: Repo,
  { old, now }: { old: Buffer | null; now: Buffer | null },
): Promise<string | null> {
  if (repo.git === null) return null
  const folder = makeTempFolder('compare-')
  try {
    const side = (name: string, bytes: Buffer | null): string => {
      if (bytes === null) return '/dev/null'
      writeWithoutSync(join(folder, name), bytes)
      return name
    }
    const sides = [side('old', old), side('now', now)]
    // Outside any repository, so that no attribute or setting of the project applies.
    const { stdout } = await git(
      { root: folder, by: repo.by },
      ['diff', '--no-index', '--no-color', '--no-ext-diff', '--no-textconv', '--', ...sides],
      { maxBytes: MAX_BYTES },
    )
    return withoutHead(stdout)
  } finally {
    removeFolder(folder)
  }
}

/** The patch from its first hunk on; for binary files only a note that they differ. */
function withoutHead(patch: string): string {
  const lines = patch.trimEnd().split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first === -1) return lines.some((line) => line.startsWith('Binary files')) ? 'binary files differ' : ''
  const hunks = lines.slice(first).join('\n')
  return patch.length < MAX_BYTES ? hunks : `${hunks}\n(cut here)`
}
