/**
 * Archives the files of a commit as a fresh checkout has them, line ends included. Git checks them out into a temporary folder, through a
 * temporary index and with the repository's filters off.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { entryAt, readLinkTarget, readRegularFileChunks } from '../../system/files/path-entry.ts'
import { ensureFolder, makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { gitOrThrow, resolveObject } from '../repo/git.ts'
import type { Repo } from '../repo/find-repo.ts'
import { isRalphPath } from '../repo/git-status.ts'
import { splitNulTerminated } from '../paths.ts'
import type { ArchiveEntry, ArchiveTreeId } from './tree-listing.ts'
import type { TreeArchive } from './tree-archive.ts'

/** The commit that a user names; an unknown name fails before anything runs. */
export async function resolveCommit(repo: Repo, ref: string): Promise<string> {
  const commit = await resolveObject(repo, `${ref}^{commit}`)
  if (commit !== null) return commit
  throw new RalphError('usage', `there is no commit "${ref}"`, { hint: 'git log shows which there are.' })
}

export async function archiveCommit(repo: Repo, archive: TreeArchive, ref: string): Promise<ArchiveTreeId> {
  const commit = await resolveCommit(repo, ref)
  const activity = `read the files of ${ref}`
  const folder = makeTempFolder('checkout-')
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') }
    const top = join(folder, 'top')
    ensureFolder(top)
    await gitOrThrow(repo, ['read-tree', commit], { env, activity })
    await gitOrThrow(repo, ['checkout-index', '--all', '--force', '--quiet', `--prefix=${top}/`], { env, activity })
    const listing = await gitOrThrow(repo, ['ls-files', '-z'], { env, activity })
    const breathe = createEventLoopYielder(repo.by?.signal)
    const tree = new Map<string, ArchiveEntry>()
    for (const path of splitNulTerminated(listing).filter((name) => !isRalphPath(name))) {
      await breathe()
      const file = fileAt(archive, join(top, path))
      if (file !== null) tree.set(path, file)
    }
    return archive.put(tree)
  } finally {
    removeFolder(folder)
  }
}

/** Null: a submodule, or a file that this disk cannot store. */
function fileAt(archive: TreeArchive, path: string): ArchiveEntry | null {
  const entry = entryAt(path)
  if (entry?.kind === 'link') {
    const target = readLinkTarget(path)
    return target === null ? null : { hash: archive.keep(target), size: target.length, mode: 'link', kept: true }
  }
  if (entry?.kind !== 'file') return null
  const bytes = Buffer.concat([...readRegularFileChunks(path)])
  const mode = (entry.mode & 0o100) === 0 ? 'file' : 'exec'
  return { hash: archive.keep(bytes), size: bytes.length, mode, kept: true }
}
