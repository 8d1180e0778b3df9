/** Removes what programs left behind, even without permissions or with names that are not text. */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf, fileError, isNotFound } from './file-error.ts'

/** A file, a link, or a folder with its content. */
export function removeAll(path: string): void {
  removeStubborn(path, path)
}

/** Removes the entries of a folder whose names are not valid text, because no string can name them. Returns their number. */
export function removeUndecodable(folder: string): number {
  const names = listing(folder, () => readdirSync(folder, { encoding: 'buffer' }))
  const strange = names.filter((name) => !Buffer.from(name.toString()).equals(name))
  for (const name of strange) removeStubborn(Buffer.concat([Buffer.from(`${folder}/`), name]), folder)
  return strange.length
}

/** The entries of a folder of ours, sorted by name. `isUndecodable`: the name is not valid text, and `name` is only an approximation. */
export function listEntries(folder: string): { name: string; isUndecodable: boolean }[] {
  const names = listing(folder, () => readdirSync(folder))
  return names
    .map((name) => ({ name, isUndecodable: name.includes('\ufffd') && !isThere(join(folder, name)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Restores permissions on a folder of ours that we cannot read. */
function listing<T>(folder: string, list: () => T[]): T[] {
  try {
    return list()
  } catch (thrown) {
    if (isNotFound(thrown)) return []
    try {
      chmodSync(folder, 0o700)
      return list()
    } catch {
      throw fileError(thrown, { activity: 'list', path: folder })
    }
  }
}

function removeStubborn(path: string | Buffer, name: string): void {
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  try {
    remove()
  } catch (thrown) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes(errorCodeOf(thrown)))
      throw fileError(thrown, { activity: 'remove', path: name })
    try {
      makeAccessible(Buffer.from(path))
      remove()
    } catch {
      throw fileError(thrown, { activity: 'remove', path: name })
    }
  }
}

/** Restores the permission to enter and change folders; links are not followed. */
function makeAccessible(path: Buffer): void {
  if (!lstatSync(path).isDirectory()) return
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { encoding: 'buffer' }))
    makeAccessible(Buffer.concat([path, Buffer.from('/'), entry]))
}
