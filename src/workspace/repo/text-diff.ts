/** Two versions of one file as people compare them: git's own patch, without a head, since whoever shows it has its name. */
import { join } from 'node:path'
import { makeTempFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { git } from './git.ts'
import type { Repo } from './find-repo.ts'

/** A person reads no more than this. */
const MAX_BYTES = 1024 * 1024

/** Null: there is no git here to compare them. A side that is null is a file that was not there. */
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
    // Outside of any repository: no attribute or setting of the project takes part.
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

/** From the first hunk on; of bytes that are no text it is only said that they differ. */
function withoutHead(patch: string): string {
  const lines = patch.trimEnd().split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first === -1) return lines.some((line) => line.startsWith('Binary files')) ? 'no text: the bytes differ' : ''
  const hunks = lines.slice(first).join('\n')
  return patch.length < MAX_BYTES ? hunks : `${hunks}\n(cut: there is more)`
}
