/**
 * Writes Ralph's commits and refs without starting git: an iteration writes one of each, and a process costs more than all the rest
 * of it. Only for repositories of the classic layout (a file per object, a file per ref); git itself writes to all others (reftables,
 * shared permissions, unknown extensions) and after any failure here, so that git reports what is wrong.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { attempt } from '../../system/attempt.ts'
import { randomId } from '../../system/clock.ts'
import { createAtomic } from '../../system/files/create-files.ts'
import { ensureFolder, exists, readIfExists, removeIfExists } from '../../system/files/files.ts'
import type { GitFolders } from './find-repo.ts'

/** Returns the hash; null: git must write it. */
export function writeCommit({ commonDir }: GitFolders, text: string): string | null {
  return attempt(() => {
    const format = objectFormatOf(commonDir)
    if (format === null) return null
    const body = Buffer.from(text)
    const object = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body])
    const hash = createHash(format).update(object).digest('hex')
    const objects = join(commonDir, 'objects')
    const path = join(objects, hash.slice(0, 2), hash.slice(2))
    if (exists(path)) return hash
    ensureFolder(dirname(path), 0o777)
    // Git names its temporary objects like this and deletes old ones.
    const temporary = join(objects, `tmp_obj_${randomId(10)}`)
    createAtomic(path, deflateSync(object), { temporary, mode: 0o444, durable: false })
    return hash
  }, null)
}

/** False: git must write it. All worktrees share `ref`; it has no reflog, like every ref that is no branch. */
export function writeRef({ commonDir }: GitFolders, ref: string, hash: string): boolean {
  return attempt(() => {
    if (objectFormatOf(commonDir) === null) return false
    const path = join(commonDir, ref)
    ensureFolder(dirname(path), 0o777)
    // The temporary file doubles as git's lock of the ref.
    createAtomic(path, Buffer.from(`${hash}\n`), { temporary: `${path}.lock`, mode: 0o666, durable: true })
    return true
  }, false)
}

/** False: git must remove it, for example because it is packed. */
export function removeRef({ commonDir }: GitFolders, ref: string): boolean {
  return attempt(() => {
    if (objectFormatOf(commonDir) === null || isPacked(commonDir, ref)) return false
    removeIfExists(join(commonDir, ref))
    return true
  }, false)
}

function isPacked(commonDir: string, ref: string): boolean {
  return readIfExists(join(commonDir, 'packed-refs'))?.includes(` ${ref}\n`) === true
}

/** Extensions of a repository that do not change how commits and refs are written. */
const HARMLESS: ReadonlySet<string> = new Set(['worktreeconfig', 'partialclone', 'preciousobjects', 'noop'])

/** The hash format of the objects; null: the repository is unusual. */
export function objectFormatOf(commonDir: string): 'sha1' | 'sha256' | null {
  const config = readIfExists(join(commonDir, 'config'))
  if (config === null || !exists(join(commonDir, 'refs'))) return null
  let format: 'sha1' | 'sha256' = 'sha1'
  let section = ''
  for (const line of config.split('\n')) {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    if (section.startsWith('include')) return null
    const [, key = '', value = ''] = /^\s*(?:\[[^\]]*\]\s*)?([a-z][\w-]*)\s*(?:=\s*([\w.-]*))?/i.exec(line) ?? []
    const name = key.toLowerCase()
    if (section === 'core' && name === 'sharedrepository') return null
    if (section === 'core' && name === 'repositoryformatversion' && value !== '0' && value !== '1') return null
    if (section !== 'extensions' || name === '' || HARMLESS.has(name)) continue
    if (name !== 'objectformat' || (value !== 'sha1' && value !== 'sha256')) return null
    format = value
  }
  return format
}
