/**
 * Whole folders known by the seals of all that is in them: what was added, changed or taken away since is found without reading a
 * byte, because the time at which anything about a file last changed cannot be set back.
 */
import { dirname, join } from 'node:path'
import { breather } from '../../system/breath.ts'
import { type Entry, entryAt } from '../../system/files/entries.ts'
import { listFolder } from '../../system/files/files.ts'
import { settle } from '../../system/files/fresh-files.ts'
import { listEntries, removeAll, removeUnnamed } from '../../system/files/sweep.ts'

/** By path from the folder, with slashes, folders before what is in them; '' where it is a file itself. */
export type Seals = ReadonlyMap<string, string>

export interface Tampering {
  /** What was not there; of a whole folder only its name. */
  added: string[]
  changed: string[]
  gone: string[]
}

/** When this returns, whatever changes in the folder gets another seal. */
export async function sealFolder(path: string, signal?: AbortSignal): Promise<Seals> {
  const seals = new Map<string, string>()
  let newest = 0n
  for (const [inside, entry] of await entriesIn(path, { signal })) {
    if (entry === null) continue
    seals.set(inside, sealOfEntry(entry))
    if (entry.kind !== 'folder' && entry.changedNs > newest) newest = entry.changedNs
  }
  await settle(dirname(path), newest)
  return seals
}

export async function checkFolder(path: string, seals: Seals, signal?: AbortSignal): Promise<Tampering> {
  return compare(seals, await entriesIn(path, { signal, into: (inside) => seals.has(inside) }))
}

/** Removes what `checkFolder` has found added. */
export function removeAdded(path: string, added: readonly string[]): void {
  for (const inside of added) removeInside(path, inside)
}

/** What is there now, beside what there was. */
export function compare(seals: Seals, now: Entries): Tampering {
  const found: Tampering = { added: [], changed: [], gone: [] }
  for (const [inside, entry] of now) {
    const before = seals.get(inside)
    if (before === undefined || entry === null) found.added.push(inside)
    else if (sealOfEntry(entry) !== before) found.changed.push(inside)
  }
  for (const inside of seals.keys()) if (!now.has(inside)) found.gone.push(inside)
  return found
}

/** Of a folder only who may do what with it: its times change with all that is done in it. */
export function sealOfEntry(entry: Entry): string {
  return entry.kind === 'folder' ? `folder ${entry.mode.toString(8)}` : entry.seal
}

/** What has a name that is no text goes with all such in its folder. */
export function removeInside(path: string, inside: string): void {
  const whole = join(path, inside)
  if (inside.includes('\ufffd') && entryAt(whole) === null) removeUnnamed(dirname(whole))
  else removeAll(whole)
}

/** Null: its name is no text, so it cannot be looked at by it. */
export type Entries = ReadonlyMap<string, Entry | null>

export interface Walk {
  signal?: AbortSignal | undefined
  /** Whether to look into a folder; else it is only named. */
  into?: (inside: string) => boolean
  /** What is not looked at at all. */
  but?: (inside: string) => boolean
  /** The folder is not ours: what is closed to us there stays closed, and what has a name that is no text is left out. */
  isTheirs?: boolean
}

/** All that is in a folder, links not followed, folders before what is in them. Another disk that was mounted there is not entered. */
export async function entriesIn(
  path: string,
  { signal, into, but, isTheirs = false }: Walk,
): Promise<Entries> {
  const breathe = breather(signal)
  const found = new Map<string, Entry | null>()
  const top = entryAt(path)
  const list = isTheirs ? listTheirs : listEntries
  const walk = async (folder: string): Promise<void> => {
    for (const { name, isUnnamed } of list(join(path, folder))) {
      await breathe()
      const inside = folder === '' ? name : `${folder}/${name}`
      if (but?.(inside) === true) continue
      const entry = isUnnamed ? null : entryAt(`${path}/${inside}`)
      if (entry === null && !isUnnamed) continue
      found.set(inside, entry)
      if (entry?.kind === 'folder' && entry.disk === top?.disk && (into?.(inside) ?? true)) await walk(inside)
    }
  }
  if (top?.kind === 'folder') await walk('')
  else if (top !== null) found.set('', top)
  return found
}

function listTheirs(folder: string): { name: string; isUnnamed: false }[] {
  try {
    return listFolder(folder).map((name) => ({ name, isUnnamed: false }))
  } catch {
    return []
  }
}
