/**
 * Copies into the clean room the files that no set-up installs: tool folders, ignored files, neighbours of the working tree. They are
 * copied at the start of a run, before an agent can change them; then every file has two recorded fingerprints, of the source and of the
 * copy. A copy that changed is copied again, but only from an unchanged source.
 */
import { join } from 'node:path'
import type { RalphError } from '../../../core/error.ts'
import { createEventLoopYielder } from '../../../system/event-loop-yielder.ts'
import { type PathEntry, entryAt, readLinkTarget, readRegularFile } from '../../../system/files/path-entry.ts'
import {
  ensureFolder,
  hashText,
  listFolder,
  readIfExists,
  removeIfExists,
  writeWithoutSync,
} from '../../../system/files/files.ts'
import {
  makeCopy,
  makeFile,
  makeFolder,
  makeLink,
  ensureOwnerAccess,
  copyModifiedTime,
  setMode,
  awaitNewTimestamp,
} from '../../../system/files/create-files.ts'
import { realPath } from '../../../system/files/links.ts'
import { removeAll } from '../../../system/files/remove-all.ts'
import * as read from '../../../core/text/json.ts'
import { makeParentFolders } from '../fill-clean-room.ts'
import { type PathRelocator, mayContainPaths, createPathRelocator } from '../relocate-paths.ts'
import { type OpenCleanRoom, assertCleanRoomIdentity, cleanRoomError, discardCleanRoomOnError } from '../clean-room.ts'
import { walkFolder, removeEntry, fingerprintOfEntry } from '../fingerprints.ts'
import { splitWords } from '../../../core/text/split-words.ts'

export interface ShareOptions {
  /** Paths relative to the top of the working tree that `fillCleanRoom` writes, although they are in a shared folder. */
  but?: { has(path: string): boolean }
  signal?: AbortSignal | undefined
  progress?: (done: number, all: number) => void
}

export interface SharedToolsUpdate {
  /** Relative to the top of the clean room: paths that were missing or changed. */
  copied: string[]
  /** Paths that are not shared; a folder is listed by its name only. */
  removed: string[]
}

/**
 * At the start of a run: copies these paths from the working tree and removes everything shared earlier. Missing paths are skipped.
 * `sharedPaths`: folders or files relative to the top of the working tree, at the same path in the clean room; `../name` is a neighbour of
 * the working tree.
 */
export async function copySharedTools(
  room: OpenCleanRoom,
  sharedPaths: readonly string[],
  options: ShareOptions = {},
): Promise<SharedToolsUpdate> {
  assertCleanRoomIdentity(room)
  const left = sharedPaths.filter((path) => options.but?.has(path) !== true)
  const wanted = new Map(left.flatMap((path) => sourceOf(room, path)))
  for (const [file, note] of notesOf(room)) {
    if (note === null) removeIfExists(file)
    else if (!wanted.has(note.path)) forget(room, note.path)
  }
  const changes: SharedToolsUpdate = { copied: [], removed: [] }
  const before = new Map(notesOf(room).map(([, note]) => [note?.path, note]))
  const places = placesOf(wanted.keys())
  for (const [path, from] of wanted) {
    const entries = await walkFolder(from, { signal: options.signal, but: butIn(path, options), isTheirs: true })
    const fingerprints = new Map<string, Pair>()
    for (const [inside, entry] of entries) {
      if (entry === null || entry.kind === 'other' || isKeptByTool(inside)) continue
      const source = fingerprintOfEntry(entry)
      const known = before.get(path)?.fingerprints.get(inside)
      fingerprints.set(inside, { source, copy: known?.source === source ? known.copy : null })
    }
    const note = { path, from, places: before.get(path)?.places ?? places, fingerprints }
    await bring(room, { note, places, isStart: true, changes, options })
  }
  return changes
}

/** Before every trial: restores the shared files to the start of the run. Throws `room-failed` if a file changed in the clean room and in
 *  the working tree, so that no original is left. */
export async function resetSharedTools(room: OpenCleanRoom, options: ShareOptions = {}): Promise<SharedToolsUpdate> {
  assertCleanRoomIdentity(room)
  const changes: SharedToolsUpdate = { copied: [], removed: [] }
  const notes = notesOf(room).map(([file, note]) => {
    if (note === null) throw cleanRoomError(`${file}, the list of shared tools, cannot be read`)
    return note
  })
  const places = placesOf(notes.map(({ path }) => path))
  for (const note of notes) await bring(room, { note, places, isStart: false, changes, options })
  return changes
}

/** After a trial: the shared files that changed, relative to the top of the clean room. Files that a gate added do not count. */
export async function changedSharedTools(room: OpenCleanRoom, options: ShareOptions = {}): Promise<string[]> {
  const changed: string[] = []
  for (const [, note] of notesOf(room)) {
    if (note === null) continue
    const { path, fingerprints } = note
    const now = await walkFolder(join(room.top, path), {
      signal: options.signal,
      but: butIn(path, options),
      into: (inside) => fingerprints.has(inside),
    })
    for (const [inside, { copy: fingerprint }] of fingerprints) {
      const entry = now.get(inside) ?? null
      if (fingerprint !== null && (entry === null || fingerprintOfEntry(entry) !== fingerprint))
        changed.push(`${path}/${inside}`)
    }
  }
  return changed
}

/** The record of one shared path. */
interface Note {
  path: string
  /** The source of the copy. */
  from: string
  /** The neighbours that its links and path notes may point to. */
  places: string
  /** By path inside it, folders before their content. */
  fingerprints: Map<string, Pair>
}

interface Pair {
  source: string
  /** Null: not copied yet. */
  copy: string | null
}

interface Bringing {
  note: Note
  places: string
  /** Accept the present files of the working tree; otherwise only those of the start. */
  isStart: boolean
  changes: SharedToolsUpdate
  options: ShareOptions
}

/** Makes the clean room's copy match the note. */
async function bring(room: OpenCleanRoom, { note, places, isStart, changes, options }: Bringing): Promise<void> {
  const { path, from, fingerprints } = note
  const { signal, progress } = options
  const target = join(room.top, path)
  const named = (inside: string) => (inside === '' ? path : `${path}/${inside}`)
  discardCleanRoomOnError(room, () => makeParentFolders(room.top, path))
  const now = await walkFolder(target, {
    signal,
    but: butIn(path, options),
    into: (inside) => fingerprints.has(inside),
  })
  const isMoved = (inside: string, entry: PathEntry) =>
    places !== note.places && (entry.kind === 'link' || mayContainPaths(named(inside), entry.size))
  const held = new Set<string>()
  discardCleanRoomOnError(room, () => {
    for (const [inside, entry] of now) {
      const known = fingerprints.get(inside)
      if (entry !== null && known?.copy === fingerprintOfEntry(entry) && !isMoved(inside, entry)) held.add(inside)
      else if (entry?.kind !== 'folder' || known?.source.startsWith('folder ') !== true) {
        removeEntry(target, inside)
        if (known === undefined) changes.removed.push(named(inside))
      }
    }
    if (fingerprints.has('')) return
    if (entryAt(target) === null) makeFolder(target)
    ensureOwnerAccess(target)
  })
  const left = [...fingerprints.keys()].filter((inside) => !held.has(inside))
  const relocate = createPathRelocator(room, places.split('\0'))
  const breathe = createEventLoopYielder(signal)
  let newest = 0n
  try {
    for (const [at, inside] of left.entries()) {
      await breathe()
      const pair = await copy({
        from: join(from, inside),
        to: join(target, inside),
        name: named(inside),
        expected: isStart ? null : (fingerprints.get(inside)?.source ?? ''),
        relocate,
        breathe,
      })
      progress?.(at + 1, left.length)
      if (pair === null) fingerprints.delete(inside)
      else {
        fingerprints.set(inside, pair.fingerprints)
        newest = pair.changedNs > newest ? pair.changedNs : newest
        changes.copied.push(named(inside))
      }
    }
    await awaitNewTimestamp(room.parent, newest)
    note.places = places
  } finally {
    // After an interruption too: files that are already copied need not be copied again.
    writeNote(room, note)
  }
}

interface Copying {
  from: string
  to: string
  /** For people. */
  name: string
  /** The fingerprint that the source must have; null: any. */
  expected: string | null
  relocate: PathRelocator
  breathe: () => Promise<void>
}

/** After this many tries, a file that changes all the time is taken as it is. */
const TRIES = 3

/** Null: the file no longer exists, which is no error at the start of a run. */
async function copy(job: Copying): Promise<{ fingerprints: Pair; changedNs: bigint } | null> {
  for (let tries = 1; ; tries += 1) {
    const before = entryAt(job.from)
    const source = before === null ? null : fingerprintOfEntry(before)
    if (job.expected !== null && source !== job.expected) throw lostSource(job)
    if (before === null || source === null || before.kind === 'other') return null
    await copyEntry(before, job)
    const after = entryAt(job.from)
    const made = entryAt(job.to)
    const isSteady = after !== null && fingerprintOfEntry(after) === source
    if (made !== null && (isSteady || tries === TRIES)) {
      if (!isSteady && job.expected !== null) throw lostSource(job)
      return {
        fingerprints: { source, copy: fingerprintOfEntry(made) },
        changedNs: made.kind === 'folder' ? 0n : made.changedNs,
      }
    }
    removeAll(job.to)
  }
}

function lostSource({ name }: Copying): RalphError {
  return cleanRoomError(`${name} changed both in the clean room and in the working tree, so Ralph cannot restore it`)
}

async function copyEntry(entry: PathEntry, job: Copying): Promise<void> {
  const { from, to, relocate } = job
  if (entry.kind === 'folder') {
    if (entryAt(to) === null) makeFolder(to)
    setMode(to, entry.mode | 0o700)
  } else if (entry.kind === 'link') {
    makeLink(to, relocate.link(readLinkTarget(from) ?? Buffer.alloc(0), { from, to }))
  } else {
    await copyFile(entry, job)
    copyModifiedTime(from, to)
  }
}

async function copyFile(entry: PathEntry, { from, to, relocate, breathe }: Copying): Promise<void> {
  const bytes = mayContainPaths(from, entry.size) ? (readRegularFile(from)?.bytes ?? null) : null
  const moved = bytes === null ? null : relocate.text(bytes)
  if (moved === null || moved === bytes) return makeCopy(from, to, breathe)
  makeFile(to, moved, { isExec: entry.isExec })
  setMode(to, entry.mode)
}

/** Shares the target of a link, not the link: its target outside the clean room could change. */
function sourceOf({ original }: OpenCleanRoom, path: string): [string, string][] {
  const real = realPath(join(original, path))
  return real === null ? [] : [[path, real]]
}

/** Caches of tools inside their own folders: never shared, and removed like everything else that is not shared. */
const KEPT_BY_TOOLS: ReadonlySet<string> = new Set(
  splitWords(`
    .cache .vite .vite-temp .vitest .tmp __pycache__ .pytest_cache .mypy_cache .ruff_cache
    .eslintcache
  `),
)

function isKeptByTool(inside: string): boolean {
  return inside.split('/').some((part) => KEPT_BY_TOOLS.has(part))
}

function placesOf(paths: Iterable<string>): string {
  return [...paths]
    .filter((path) => path.startsWith('../'))
    .sort()
    .join('\0')
}

function butIn(path: string, { but }: ShareOptions): (inside: string) => boolean {
  return (inside) => but?.has(`${path}/${inside}`) ?? false
}

function folderOf({ memory }: OpenCleanRoom): string {
  return join(memory, 'lent')
}

function noteFile(room: OpenCleanRoom, path: string): string {
  return join(folderOf(room), `${hashText(path).slice(0, 32)}.json`)
}

function forget(room: OpenCleanRoom, path: string): void {
  discardCleanRoomOnError(room, () => removeAll(join(room.top, path)))
  removeIfExists(noteFile(room, path))
}

function writeNote(room: OpenCleanRoom, { path, from, places, fingerprints }: Note): void {
  ensureFolder(folderOf(room))
  const files = [...fingerprints].map(([inside, { source, copy: fingerprint }]) => [inside, source, fingerprint])
  writeWithoutSync(noteFile(room, path), JSON.stringify({ id: room.id, path, from, places, files }))
}

/** All notes by file; null: the note is damaged. */
function notesOf(room: OpenCleanRoom): [string, Note | null][] {
  const files = listFolder(folderOf(room)).map((name) => join(folderOf(room), name))
  return files.filter((file) => file.endsWith('.json')).map((file) => [file, readNote(file, room)])
}

/** If the note belongs to an earlier clean room, only the source fingerprints are still valid. */
function readNote(file: string, room: OpenCleanRoom): Note | null {
  const kept = read.jsonOrNull(readIfExists(file) ?? '')
  const [path, from, places] = ['path', 'from', 'places'].map((field) => read.asText(read.ownField(kept, field)))
  const files = read.ownField(kept, 'files')
  if (path == null || from == null || places == null || !Array.isArray(files)) return null
  const isHere = read.ownField(kept, 'id') === room.id
  const fingerprints = new Map<string, Pair>()
  for (const entry of files) {
    const [inside, source, fingerprint] = Array.isArray(entry) ? entry.map(read.asText) : []
    if (inside != null && source != null)
      fingerprints.set(inside, { source, copy: isHere ? (fingerprint ?? null) : null })
  }
  return { path, from, places, fingerprints }
}
