/**
 * Whole folders known by the fingerprints of all that is in them: what was added, changed or taken away since is found without reading a
 * byte, because the time at which anything about a file last changed cannot be set back.
 */
import { dirname, join } from 'node:path'
import { eventLoopYielder } from '../../system/yield-loop.ts'
import { attempt } from '../../system/attempt.ts'
import { type PathEntry, entryAt } from '../../system/files/path-entry.ts'
import { listFolder } from '../../system/files/files.ts'
import { awaitNewTimestamp } from '../../system/files/create-files.ts'
import { listEntries, removeAll, removeUndecodable } from '../../system/files/remove-all.ts'

/** By path from the folder, with slashes, folders before what is in them; '' where it is a file itself. */
export type Fingerprints = ReadonlyMap<string, string>

export interface FolderChanges {
  /** What was not there; of a whole folder only its name. */
  added: string[]
  changed: string[]
  gone: string[]
}

/** When this returns, whatever changes in the folder gets another fingerprint. */
export async function fingerprintFolder(path: string, signal?: AbortSignal): Promise<Fingerprints> {
  const fingerprints = new Map<string, string>()
  let newest = 0n
  for (const [inside, entry] of await entriesIn(path, { signal })) {
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
  return compareFingerprints(
    fingerprints,
    await entriesIn(path, { signal, into: (inside) => fingerprints.has(inside) }),
  )
}

/** Removes what `folderChangesSince` has found added. */
export function removeAdded(path: string, added: readonly string[]): void {
  for (const inside of added) removeInside(path, inside)
}

/** What is there now, beside what there was. */
export function compareFingerprints(fingerprints: Fingerprints, now: Entries): FolderChanges {
  const found: FolderChanges = { added: [], changed: [], gone: [] }
  for (const [inside, entry] of now) {
    const before = fingerprints.get(inside)
    if (before === undefined || entry === null) found.added.push(inside)
    else if (fingerprintOfEntry(entry) !== before) found.changed.push(inside)
  }
  for (const inside of fingerprints.keys()) if (!now.has(inside)) found.gone.push(inside)
  return found
}

/** Of a folder only who may do what with it: its times change with all that is done in it. */
export function fingerprintOfEntry(entry: PathEntry): string {
  return entry.kind === 'folder' ? `folder ${entry.mode.toString(8)}` : entry.fingerprint
}

/** What has a name that is no text goes with all such in its folder. */
export function removeInside(path: string, inside: string): void {
  const whole = join(path, inside)
  if (inside.includes('\ufffd') && entryAt(whole) === null) removeUndecodable(dirname(whole))
  else removeAll(whole)
}

/** Null: its name is no text, so it cannot be looked at by it. */
export type Entries = ReadonlyMap<string, PathEntry | null>

export interface WalkOptions {
  signal?: AbortSignal | undefined
  /** Whether to look into a folder; else it is only named. */
  into?: (inside: string) => boolean
  /** What is not looked at at all. */
  but?: (inside: string) => boolean
  /** The folder is not ours: what is closed to us there stays closed, and what has a name that is no text is left out. */
  isTheirs?: boolean
}

/** All that is in a folder, links not followed, folders before what is in them. Another disk that was mounted there is not entered. */
export async function entriesIn(path: string, { signal, into, but, isTheirs = false }: WalkOptions): Promise<Entries> {
  const breathe = eventLoopYielder(signal)
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
