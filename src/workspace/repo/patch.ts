/** The difference between two trees, or of a commit, for people: a stat and a patch. Null if git deleted a tree. */
import type { TreeHash } from '../../core/ids.ts'
import { git } from './git.ts'
import type { Repo } from './find-repo.ts'
import { MANIFEST_PATH } from '../snapshot/unstored-manifest.ts'

export interface Patch {
  /** Git's own diffstat. */
  stat: string
  patch: string
  /** The patch was cut at `maxBytes`. */
  cut: boolean
}

/** No setting of the repository applies, and the output is the same on every machine. */
const PLAIN = '--no-color --no-ext-diff --no-textconv --no-renames --src-prefix=a/ --dst-prefix=b/'.split(' ')
/** Leaves out the manifest of a snapshot, which is not part of the project. */
const WORK = ['--', '.', `:(exclude,top)${MANIFEST_PATH}`]

export async function patchBetween(
  repo: Repo,
  trees: { from: TreeHash; to: TreeHash },
  maxBytes: number,
): Promise<Patch | null> {
  const { from, to } = trees
  if (repo.git === null || !isTree(from) || !isTree(to)) return null
  const ask = (how: string[]) =>
    git(repo, ['diff-tree', '-r', ...PLAIN, ...how, from, to, ...WORK], { maxBytes: maxBytes + 1 })
  const stat = await ask(['--stat=100'])
  if (stat.code !== 0) return null
  const { code, stdout } = await ask(['--patch'])
  if (code !== 0 && stdout === '') return null
  return { stat: stat.stdout.trimEnd(), patch: stdout.slice(0, maxBytes), cut: stdout.length > maxBytes }
}

export interface CommitStat {
  files: number
  added: number
  removed: number
}

/** The size of each commit; commits that no longer exist are absent. One process for all of them. */
export async function commitStats(repo: Repo, shas: string[]): Promise<Record<string, CommitStat>> {
  const wanted = shas.filter(isTree)
  if (repo.git === null || wanted.length === 0) return {}
  const how = ['--numstat', '--format=%x00%H', '--root', '-m', '--stdin', ...PLAIN]
  const { stdout } = await git(repo, ['diff-tree', ...how], { input: `${wanted.join('\n')}\n` })
  const stats: Record<string, CommitStat> = {}
  for (const part of stdout.split('\0').slice(1)) {
    const [sha = '', ...lines] = part.split('\n')
    const counted = lines.flatMap((line) => {
      const found = /^(\d+|-)\t(\d+|-)\t/.exec(line)
      return found === null ? [] : [{ added: Number(found[1]) || 0, removed: Number(found[2]) || 0 }]
    })
    const add = (of: 'added' | 'removed'): number => counted.reduce((sum, one) => sum + one[of], 0)
    // A merge is listed once per parent; the first parent is the branch it was made on.
    stats[sha] ??= { files: counted.length, added: add('added'), removed: add('removed') }
  }
  return stats
}

/** Only a hash is allowed, because it becomes an argument of git. */
function isTree(hash: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(hash)
}
