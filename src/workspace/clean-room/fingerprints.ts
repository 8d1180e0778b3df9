/**
 * Fingerprints of all files in a folder: they show what was added, changed or removed since without reading any content, because nobody can
 * set back the change time of a file.
 */
import { dirname, join } from 'node:path'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { attempt } from '../../system/attempt.ts'
import { type PathEntry, entryAt } from '../../system/files/path-entry.ts'
import { listFolder } from '../../system/files/files.ts'
import { awaitNewTimestamp } from '../../system/files/create-files.ts'
import { listEntries, removeAll, removeUndecodable } from '../../system/files/remove-all.ts'

/** By path relative to the folder, with slashes, folders before their content; '' if it is a file itself. */
export type Fingerprints = ReadonlyMap<string, string>

export interface FolderChanges {
  /** New paths; a new folder is listed by its name only. */
  added: string[]
  changed: string[]
  gone: string[]
}

/** After it returns, every change in the folder gives another fingerprint. */
export async function fingerprintFolder(path: string, signal?: AbortSignal): Promise<Fingerprints> {
  const fingerprints = new Map<string, string>()
  let newest = 0n
  for (const [inside, entry] of await walkFolder(path, { signal })) {
    if (entry === null) continue
    fingerprints.set(inside, fingerprintOfEntry(entry))
    if (entry.kind !== 'folder' && entry.changedNs > newest) newest = entry.changedNs
  }
  await awaitNewTimestamp(dirname(path), newest)
  return fingerprints
}

export async function folderChangesSince(
  path: string,
  fingerprints: Fingerprints,
  signal?: AbortSignal,
): Promise<FolderChanges> {
  const now = await walkFolder(path, { signal, into: (inside) => fingerprints.has(inside) })
  const found: FolderChanges = { added: [], changed: [], gone: [] }
  for (const [inside, entry] of now) {
    const before = fingerprints.get(inside)
    if (before === undefined || entry === null) found.added.push(inside)
    else if (fingerprintOfEntry(entry) !== before) found.changed.push(inside)
  }
  for (const inside of fingerprints.keys()) if (!now.has(inside)) found.gone.push(inside)
  return found
}

/** Removes the paths that `folderChangesSince` found as added. */
export function removeAddedPaths(path: string, added: readonly string[]): void {
  for (const inside of added) removeEntry(path, inside)
}

/** Of a folder only its permissions: its times change with everything inside it. */
export function fingerprintOfEntry(entry: PathEntry): string {
  return entry.kind === 'folder' ? `folder ${entry.mode.toString(8)}` : entry.fingerprint
}

/** If the name is not UTF-8, removes all such names in its folder. */
export function removeEntry(path: string, inside: string): void {
  const whole = join(path, inside)
  if (inside.includes('\ufffd') && entryAt(whole) === null) removeUndecodable(dirname(whole))
  else removeAll(whole)
}

/** Null: the name is not UTF-8, so the entry cannot be read. */
export type FolderEntries = ReadonlyMap<string, PathEntry | null>

export interface WalkOptions {
  signal?: AbortSignal | undefined
  /** Whether to list a folder's content; otherwise only its name is listed. */
  into?: (inside: string) => boolean
  /** Paths to skip completely. */
  but?: (inside: string) => boolean
  /** The folder is not Ralph's own: unreadable folders stay unread, and names that are not UTF-8 are left out. */
  isTheirs?: boolean
}

/** All entries of a folder, folders before their content. Links are not followed and other mounted disks are not entered. */
export async function walkFolder(
  path: string,
  { signal, into, but, isTheirs = false }: WalkOptions,
): Promise<FolderEntries> {
  const breathe = createEventLoopYielder(signal)
  const found = new Map<string, PathEntry | null>()
  const top = entryAt(path)
  const list = isTheirs ? listTheirs : listEntries
  const walk = async (folder: string): Promise<void> => {
    for (const { name, isUndecodable } of list(join(path, folder))) {
      await breathe()
      const inside = folder === '' ? name : `${folder}/${name}`
      if (but?.(inside) === true) continue
      const entry = isUndecodable ? null : entryAt(`${path}/${inside}`)
      if (entry === null && !isUndecodable) continue
      found.set(inside, entry)
      if (entry?.kind === 'folder' && entry.disk === top?.disk && (into?.(inside) ?? true)) await walk(inside)
    }
  }
  if (top?.kind === 'folder') await walk('')
  else if (top !== null) found.set('', top)
  return found
}

function listTheirs(folder: string): { name: string; isUndecodable: false }[] {
  return attempt(() => listFolder(folder), []).map((name) => ({ name, isUndecodable: false }))
}
