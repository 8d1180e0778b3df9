/**
 * Makes the clean room contain exactly the files of one trial. Files that a gate or an agent's code left are removed, and changed files are
 * written again; unchanged ones stay, so that the next trial is cheap. Fingerprints show which files changed: nobody can change a file and
 * restore its fingerprint.
 */
import { basename, join, relative } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { createEventLoopYielder } from '../../system/event-loop-yielder.ts'
import { type PathEntry, entryAt, hashRegularFile, readLinkTarget } from '../../system/files/path-entry.ts'
import { errorCodeOf } from '../../system/files/file-error.ts'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import {
  makeCopy,
  makeFile,
  makeFolder,
  makeLink,
  ensureOwnerAccess,
  setMode,
  awaitNewTimestamp,
} from '../../system/files/create-files.ts'
import { listEntries, removeAll } from '../../system/files/remove-all.ts'
import { foldersAbove, isInsideTree } from '../paths.ts'
import * as read from '../../core/text/json.ts'
import type { TreeArchive } from '../archive/tree-archive.ts'
import { type PathRelocator, createPathRelocator } from './relocate-paths.ts'
import { type OpenCleanRoom, assertCleanRoomIdentity, discardCleanRoomOnError } from './clean-room.ts'
import { type FolderEntries, walkFolder, removeEntry } from './fingerprints.ts'

export interface CleanRoomFile {
  mode: 'file' | 'exec' | 'link'
  from:
    | { hash: string }
    /** For a file without bytes in the tree archive: its path on disk. */
    | { copy: string; hash: string }
}

export interface FillOptions {
  /** Paths relative to the top of the clean room (`../name` beside it) that other code manages. */
  skip?: ReadonlySet<string>
  signal?: AbortSignal | undefined
  progress?: (done: number, all: number) => void
}

export interface FillResult {
  written: string[]
  /** A folder is listed by its name only. */
  removed: string[]
  /** Files without bytes in the tree archive that changed on disk or are gone, and impossible paths. */
  missing: string[]
}

export async function fillCleanRoom(
  room: OpenCleanRoom,
  archive: Pick<TreeArchive, 'bytes'>,
  files: ReadonlyMap<string, CleanRoomFile>,
  { skip = new Set(), signal, progress }: FillOptions = {},
): Promise<FillResult> {
  assertCleanRoomIdentity(room)
  const memory = openMemory(room)
  const layout = layOut(files, { skip, root: relative(room.top, room.root) })
  const breathe = createEventLoopYielder(signal)
  const relocate = createPathRelocator(
    room,
    [...skip].filter((path) => path.startsWith('../')),
  )
  const writer: Writer = { room, archive, relocate, breathe }
  const extras = sweepParent(room, skip)
  const found = await look(room, layout, signal)
  const { removed, held } = discardCleanRoomOnError(room, () => sweep(room, { layout, found, memory }))
  const filled: FillResult = { written: [], removed: [...extras, ...removed], missing: [...layout.impossible] }
  let newest = [...held.values()].reduce((latest, { changedNs }) => later(latest, changedNs), 0n)
  try {
    const left = [...layout.files].filter(
      ([path, file]) => !held.has(path) || (file.mode === 'link' && !leadsRight(path, file, writer)),
    )
    for (const [at, [path, file]] of left.entries()) {
      await breathe()
      const entry = await write(path, file, writer)
      if (entry === null) filled.missing.push(path)
      else {
        filled.written.push(path)
        memory.learn(path, { fingerprint: entry.fingerprint, file })
        newest = later(newest, entry.changedNs)
      }
      progress?.(at + 1, left.length)
    }
    discardCleanRoomOnError(room, () => makeParentFolders(room.top, `${relative(room.top, room.root)}/.`))
    await awaitNewTimestamp(room.parent, newest)
    return filled
  } finally {
    // After an interruption too: files that are already written need not be written again.
    memory.save(layout.files)
  }
}

/** After a trial: which of these files changed. Compared by content, because a gate may rewrite a file unchanged. */
export async function filesChangedInTrial(
  room: OpenCleanRoom,
  files: ReadonlyMap<string, CleanRoomFile>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const memory = openMemory(room)
  const breathe = createEventLoopYielder(signal)
  const changed: string[] = []
  for (const [path, file] of files) {
    await breathe()
    const whole = join(room.top, path)
    const entry = entryAt(whole)
    if (entry !== null && memory.fingerprint(path, file) === entry.fingerprint) continue
    const isFile = entry?.kind === 'file' && file.mode !== 'link'
    if (!isFile || (await hashRegularFile(whole, breathe)) !== file.from.hash) changed.push(path)
  }
  return changed
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

interface Layout {
  files: ReadonlyMap<string, CleanRoomFile>
  /** All folders that must exist. */
  folders: ReadonlySet<string>
  skip: ReadonlySet<string>
  /** Paths that lead out of the clean room, and paths below a file. */
  impossible: readonly string[]
}

/** `root`: the project's folder, which must exist even if it is empty. */
function layOut(
  all: ReadonlyMap<string, CleanRoomFile>,
  { skip, root }: { skip: ReadonlySet<string>; root: string },
): Layout {
  const files = new Map<string, CleanRoomFile>()
  const folders = new Set<string>()
  const impossible: string[] = []
  for (const [path, file] of all) {
    const above = foldersAbove(path)
    if (!isInsideTree(path) || above.some((folder) => all.has(folder))) impossible.push(path)
    else {
      files.set(path, file)
      for (const folder of above) folders.add(folder)
    }
  }
  for (const path of [...skip, `${root}/.`]) for (const folder of foldersAbove(path)) folders.add(folder)
  return { files, folders, skip, impossible }
}

/** Beside `top`, only the home, the tmp and skipped paths may exist. */
function sweepParent(room: OpenCleanRoom, skip: ReadonlySet<string>): string[] {
  const removed: string[] = []
  const ours = new Set([room.top, room.home, room.tmp].map((path) => basename(path)))
  discardCleanRoomOnError(room, () => {
    for (const { name } of listEntries(room.parent)) {
      if (ours.has(name) || skip.has(`../${name}`)) continue
      removeEntry(room.parent, name)
      removed.push(`../${name}`)
    }
    if (entryAt(room.top)?.kind === 'folder') return ensureOwnerAccess(room.top)
    removeAll(room.top)
    makeFolder(room.top, 0o700)
  })
  return removed
}

/** Unneeded folders are not entered, and of skipped paths only files that belong to the trial are read. */
async function look(room: OpenCleanRoom, layout: Layout, signal: AbortSignal | undefined): Promise<FolderEntries> {
  const { files, folders, skip } = layout
  const isOthers = (path: string) => (path === '.git' || skip.has(path)) && !files.has(path)
  const found = new Map(await walkFolder(room.top, { signal, but: isOthers, into: (path) => folders.has(path) }))
  for (const path of files.keys()) {
    const above = foldersAbove(path)
    if (!above.some(isOthers)) continue
    const isPlain = above.every((folder) => entryAt(join(room.top, folder))?.kind === 'folder')
    const entry = isPlain ? entryAt(join(room.top, path)) : null
    if (entry !== null) found.set(path, entry)
  }
  return found
}

/** Removes everything that changed, and returns the unchanged files. */
function sweep(
  room: OpenCleanRoom,
  { layout, found, memory }: { layout: Layout; found: FolderEntries; memory: Memory },
): { removed: string[]; held: Map<string, PathEntry> } {
  const removed: string[] = []
  const held = new Map<string, PathEntry>()
  for (const [path, entry] of found) {
    const file = layout.files.get(path)
    if (file !== undefined && entry !== null && memory.fingerprint(path, file) === entry.fingerprint)
      held.set(path, entry)
    else if (layout.folders.has(path) && entry?.kind === 'folder') {
      ensureOwnerAccess(join(room.top, path), entry)
    } else {
      removeEntry(room.top, path)
      if (file === undefined) removed.push(path)
    }
  }
  return { removed, held }
}

interface Writer {
  room: OpenCleanRoom
  archive: Pick<TreeArchive, 'bytes'>
  relocate: PathRelocator
  breathe: () => Promise<void>
}

/** The neighbours may have changed since, and with them the target of a link. */
function leadsRight(path: string, file: CleanRoomFile, writer: Writer): boolean {
  const whole = join(writer.room.top, path)
  if (readLinkTarget(whole)?.equals(targetOf(path, file, writer)) === true) return true
  removeAll(whole)
  return false
}

function targetOf(path: string, { from }: CleanRoomFile, { room, archive, relocate }: Writer): Buffer {
  return relocate.link(archive.bytes(from.hash), { from: join(room.original, path), to: join(room.top, path) })
}

/** Null: the file is no longer available. */
async function write(path: string, file: CleanRoomFile, writer: Writer): Promise<PathEntry | null> {
  const { room, archive, breathe } = writer
  const whole = join(room.top, path)
  const isExec = file.mode === 'exec'
  discardCleanRoomOnError(room, () => makeParentFolders(room.top, path))
  if (file.mode === 'link') makeLink(whole, targetOf(path, file, writer))
  else if (!('copy' in file.from)) makeFile(whole, archive.bytes(file.from.hash), { isExec })
  else if (await isSame(file.from, whole, breathe)) setMode(whole, isExec ? 0o755 : 0o644)
  else {
    removeAll(whole)
    return null
  }
  return entryAt(whole)
}

/** Copies the file and checks its hash. */
async function isSame(
  { copy, hash }: { copy: string; hash: string },
  whole: string,
  breathe: () => Promise<void>,
): Promise<boolean> {
  const [large, fingerprint] = /^large (.*)$/.exec(hash) ?? []
  const isRight = () => large === undefined || entryAt(copy)?.fingerprint === fingerprint
  if (entryAt(copy)?.kind !== 'file' || hash.startsWith('unreadable ') || !isRight()) return false
  try {
    await makeCopy(copy, whole, breathe)
  } catch (thrown) {
    if (thrown instanceof RalphError && ['EACCES', 'EPERM', 'ENOENT'].includes(errorCodeOf(thrown.cause))) return false
    throw thrown
  }
  if (large !== undefined) return isRight()
  return (await hashRegularFile(whole, breathe)) === hash
}

/** Creates the folders above a path. Replaces files and links, so that nothing is written elsewhere. */
export function makeParentFolders(top: string, path: string): void {
  for (const folder of foldersAbove(path).reverse()) {
    const whole = join(top, folder)
    if (entryAt(whole)?.kind === 'folder') ensureOwnerAccess(whole)
    else {
      removeAll(whole)
      makeFolder(whole)
    }
  }
}

interface Memory {
  /** The fingerprint of the file after it was written; null: it was not written. */
  fingerprint(path: string, file: CleanRoomFile): string | null
  learn(path: string, known: { fingerprint: string; file: CleanRoomFile }): void
  /** Saves the entries of these files. */
  save(files: ReadonlyMap<string, CleanRoomFile>): void
}

/** The written files and their fingerprints. */
function openMemory(room: OpenCleanRoom): Memory {
  const path = join(room.memory, 'room-files.json')
  const known = new Map<string, { fingerprint: string; what: string }>()
  const kept = read.jsonOrNull(readIfExists(path) ?? '')
  const files = read.ownField(kept, 'id') === room.id ? read.ownField(kept, 'files') : null
  for (const entry of Array.isArray(files) ? files : []) {
    const [name, fingerprint, what] = Array.isArray(entry) ? entry.map(read.asText) : []
    if (name != null && fingerprint != null && what != null) known.set(name, { fingerprint, what })
  }
  let isNew = false
  const whatOf = ({ mode, from }: CleanRoomFile) => `${mode} ${from.hash}`
  return {
    fingerprint(name, file) {
      const found = known.get(name)
      return found?.what === whatOf(file) ? found.fingerprint : null
    },
    learn(name, { fingerprint, file }) {
      known.set(name, { fingerprint, what: whatOf(file) })
      isNew = true
    },
    save(now) {
      if (!isNew) return
      const left = [...known].filter(([name]) => now.has(name))
      const entries = left.map(([name, { fingerprint, what }]) => [name, fingerprint, what])
      writeWithoutSync(path, JSON.stringify({ id: room.id, files: entries }))
    },
  }
}
