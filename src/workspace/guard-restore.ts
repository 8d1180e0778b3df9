/** Puts files that judge the work back as they were in the guard's base. Only what is stored can come back; the rest is named. */
import { join, posix } from 'node:path'
import type { TreeHash } from '../domain/ids.ts'
import { exists, removeFolder, removeIfThere } from '../system/files.ts'
import { copyTree, isTaken } from '../system/links.ts'
import { isFileList } from './file-list.ts'
import { git } from './git.ts'
import type { GitPlace, Repo } from './place.ts'
import { keptFolder, keptList } from './guard-copies.ts'
import { nulLines } from './paths.ts'
import type { Restored } from './restore.ts'
import { writeOld } from './scratch.ts'
import { isOurs } from './status.ts'

/** `paths` from the project's folder, as a guard's report names them. */
export async function restoreGuarded(
  repo: Repo,
  { tree, paths }: { tree: TreeHash; paths: string[] },
): Promise<Restored> {
  const place = repo.git
  const mine = [...new Set(paths)].filter((path) => !isOutside(path) && !isOurs(path))
  const done =
    place === null || isFileList(tree)
      ? await restorePlain(repo, tree, mine)
      : await restoreGit(repo, place, { tree, paths: mine })
  const kept = paths.filter((path) => !done.restored.includes(path) && !done.removed.includes(path))
  return { restored: done.restored.sort(), removed: done.removed.sort(), kept: [...new Set(kept)].sort() }
}

function isOutside(path: string): boolean {
  return posix.isAbsolute(path) || posix.normalize(path).startsWith('..')
}

type Done = Pick<Restored, 'restored' | 'removed'>

async function restoreGit(
  repo: Repo,
  place: GitPlace,
  { tree, paths }: { tree: TreeHash; paths: string[] },
): Promise<Done> {
  const full = new Map(paths.map((path) => [posix.join(place.prefix, path), path]))
  const written = await writeOld(repo, place, { tree, paths: [...full.keys()], to: place.top })
  const restored = new Set(written)
  const extra = [...full.keys()].filter((path) => !restored.has(path) && isTaken(join(place.top, path)))
  const ignored = await ignoredAmong(repo, extra)
  const removed = extra.filter((path) => !ignored.has(path) && isTaken(join(place.top, path)))
  for (const path of removed) removeFolder(join(place.top, path))
  return {
    restored: written.map((path) => full.get(path) ?? path),
    removed: removed.map((path) => full.get(path) ?? path),
  }
}

/** Nobody has a copy of an ignored file, so it is not ours to remove. */
async function ignoredAmong(repo: Repo, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const { stdout } = await git(repo, ['check-ignore', '-z', '--stdin'], { input: nulLines(paths) })
  return new Set(stdout.split('\0'))
}

async function restorePlain(repo: Repo, tree: TreeHash, paths: string[]): Promise<Done> {
  const list = keptList(repo, tree)
  const done: Done = { restored: [], removed: [] }
  for (const path of paths) {
    const copy = join(keptFolder(repo, tree), path)
    const target = join(repo.root, path)
    if (exists(copy)) {
      removeIfThere(target)
      await copyTree(copy, target, { without: new Set() })
      done.restored.push(path)
    } else if (
      list !== null &&
      list[path] === undefined &&
      exists(target) &&
      !target.includes('/node_modules/')
    ) {
      removeIfThere(target)
      done.removed.push(path)
    }
  }
  return done
}
