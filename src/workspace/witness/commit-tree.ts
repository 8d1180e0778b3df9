/**
 * A commit's files as a tree of the witness: what a fresh checkout has, line ends included. Git writes them into a folder of ours,
 * through an index of its own and with the repository's filters off; we read them there.
 */
import { join } from 'node:path'
import { RalphError } from '../../domain/error.ts'
import { breather } from '../../system/breath.ts'
import { entryAt, linkText, readPlainPieces } from '../../system/files/entries.ts'
import { ensureFolder, makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { git, gitOut } from '../repo/git.ts'
import type { Repo } from '../repo/repository-at.ts'
import { isOurs } from '../repo/status.ts'
import type { WitnessFile, WitnessId } from './tree.ts'
import type { Witness } from './witness.ts'

/** The commit that a person names; one that is none is said before anything is run for it. */
export async function commitNamed(repo: Repo, ref: string): Promise<string> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const { code, stdout } = await git(repo, words)
  if (code !== 0) {
    throw new RalphError('usage', `there is no commit "${ref}"`, { hint: 'git log shows which there are.' })
  }
  return stdout.trim()
}

export async function commitTree(repo: Repo, witness: Witness, ref: string): Promise<WitnessId> {
  const commit = await commitNamed(repo, ref)
  const doing = `read the files of ${ref}`
  const folder = makeTempFolder('checkout-')
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') }
    const top = join(folder, 'top')
    ensureFolder(top)
    await gitOut(repo, ['read-tree', commit], { env, doing })
    await gitOut(repo, ['checkout-index', '--all', '--force', '--quiet', `--prefix=${top}/`], { env, doing })
    const listing = await gitOut(repo, ['ls-files', '-z'], { env, doing })
    const breathe = breather(repo.by?.signal)
    const tree = new Map<string, WitnessFile>()
    for (const path of listing.split('\0')) {
      if (path === '' || isOurs(path)) continue
      await breathe()
      const file = fileAt(witness, join(top, path))
      if (file !== null) tree.set(path, file)
    }
    return witness.put(tree)
  } finally {
    removeFolder(folder)
  }
}

/** Null: a submodule, or what this disk could not take. */
function fileAt(witness: Witness, path: string): WitnessFile | null {
  const entry = entryAt(path)
  if (entry?.kind === 'link') {
    const target = linkText(path)
    return target === null
      ? null
      : { hash: witness.keep(target), size: target.length, mode: 'link', kept: true }
  }
  if (entry?.kind !== 'file') return null
  const bytes = Buffer.concat([...readPlainPieces(path)])
  const mode = (entry.mode & 0o100) === 0 ? 'file' : 'exec'
  return { hash: witness.keep(bytes), size: bytes.length, mode, kept: true }
}
