/**
 * What the clean room takes from the working tree as it stands because no set-up brings it: folders of tools, ignored files, neighbours of
 * the working tree. Copied at the start of a run, before an agent can reach it; from then on every file is known by two fingerprints, that of
 * what it was copied from and that of the copy. What is changed in the clean room is copied again, but only from what is still as it was.
 */
import { join } from 'node:path'
import type { RalphError } from '../../../core/error.ts'
import { eventLoopYielder } from '../../../system/yield-loop.ts'
import { type PathEntry, entryAt, linkText, readRegularFile } from '../../../system/files/path-entry.ts'
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
  restorePermissions,
  copyModifiedTime,
  setMode,
  awaitNewTimestamp,
} from '../../../system/files/create-files.ts'
import { realPath } from '../../../system/files/links.ts'
import { removeAll } from '../../../system/files/remove-all.ts'
import * as read from '../../../core/text/json.ts'
import { makeParentFolders } from '../fill-clean-room.ts'
import { type Relocation, mayContainPaths, createRelocation } from '../relocate-paths.ts'
import { type OpenCleanRoom, assertCleanRoom, cleanRoomError, withCleanRoom } from '../clean-room.ts'
import { entriesIn, removeInside, fingerprintOfEntry } from '../fingerprints.ts'
import { words } from '../../../core/text/words.ts'

export interface ShareOptions {
  /** From the top of the working tree: what `fill` brings, though it lies in a shared folder. */
  but?: { has(path: string): boolean }
  signal?: AbortSignal | undefined
  progress?: (done: number, all: number) => void
}

export interface SharedChanges {
  /** From the top of the clean room: copied because it was not there as it must be. */
  copied: string[]
  /** Removed because nobody has shared it; of a whole folder only its name. */
  removed: string[]
}

/**
 * At the start of a run: the clean room has these as they are now in the working tree, and nothing else that was shared before. What is not
 * there is not shared. `sharedPaths`: folders or files from the top of the working tree, and at the same place in the clean room; `../name`
 * is a neighbour of the working tree.
 */
export async function copySharedTools(
  room: OpenCleanRoom,
  sharedPaths: readonly string[],
  options: ShareOptions = {},
): Promise<SharedChanges> {
  assertCleanRoom(room)
  const left = sharedPaths.filter((path) => options.but?.has(path) !== true)
  const wanted = new Map(left.flatMap((path) => sourceOf(room, path)))
  for (const [file, note] of notesOf(room)) {
    if (note === null) removeIfExists(file)
    else if (!wanted.has(note.path)) forget(room, note.path)
  }
  const changes: SharedChanges = { copied: [], removed: [] }
  const before = new Map(notesOf(room).map(([, note]) => [note?.path, note]))
  const places = placesOf(wanted.keys())
  for (const [path, from] of wanted) {
    const entries = await entriesIn(from, {
      signal: options.signal,
      but: butIn(path, options),
      isTheirs: true,
    })
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

/** Before every trial: what was shared is as it was at the start. Throws `room-failed` where something was changed in the clean room and in the
 *  working tree too, so that nobody has it any more. */
export async function resetSharedTools(room: OpenCleanRoom, options: ShareOptions = {}): Promise<SharedChanges> {
  assertCleanRoom(room)
  const changes: SharedChanges = { copied: [], removed: [] }
  const notes = notesOf(room).map(([file, note]) => {
    if (note === null) throw cleanRoomError(`${file}, which tells what was lent, cannot be read any more`)
    return note
  })
  const places = placesOf(notes.map(({ path }) => path))
  for (const note of notes) await bring(room, { note, places, isStart: false, changes, options })
  return changes
}

/** After a trial: what was shared and is no longer as it was, from the top of the clean room. What a gate has added is no harm. */
export async function changedSharedTools(room: OpenCleanRoom, options: ShareOptions = {}): Promise<string[]> {
  const changed: string[] = []
  for (const [, note] of notesOf(room)) {
    if (note === null) continue
    const { path, fingerprints } = note
    const now = await entriesIn(join(room.top, path), {
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

/** What is known about something shared. */
interface Note {
  path: string
  /** Where it was copied from. */
  from: string
  /** To which neighbours its links and notes may lead. */
  places: string
  /** By path inside it, folders before what is in them. */
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
  /** What is found in the working tree is right; else only what was found at the start. */
  isStart: boolean
  changes: SharedChanges
  options: ShareOptions
}

/** Makes the clean room's copy what the note says. */
async function bring(room: OpenCleanRoom, { note, places, isStart, changes, options }: Bringing): Promise<void> {
  const { path, from, fingerprints } = note
  const { signal, progress } = options
  const target = join(room.top, path)
  const named = (inside: string) => (inside === '' ? path : `${path}/${inside}`)
  withCleanRoom(room, () => makeParentFolders(room.top, path))
  const now = await entriesIn(target, {
    signal,
    but: butIn(path, options),
    into: (inside) => fingerprints.has(inside),
  })
  const isMoved = (inside: string, entry: PathEntry) =>
    places !== note.places && (entry.kind === 'link' || mayContainPaths(named(inside), entry.size))
  const held = new Set<string>()
  withCleanRoom(room, () => {
    for (const [inside, entry] of now) {
      const known = fingerprints.get(inside)
      if (entry !== null && known?.copy === fingerprintOfEntry(entry) && !isMoved(inside, entry)) held.add(inside)
      else if (entry?.kind !== 'folder' || known?.source.startsWith('folder ') !== true) {
        removeInside(target, inside)
        if (known === undefined) changes.removed.push(named(inside))
      }
    }
    if (fingerprints.has('')) return
    if (entryAt(target) === null) makeFolder(target)
    restorePermissions(target)
  })
  const left = [...fingerprints.keys()].filter((inside) => !held.has(inside))
  const relocate = createRelocation(room, places.split('\0'))
  const breathe = eventLoopYielder(signal)
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
    // Also what was cut short: what is there already need not be copied again.
    writeNote(room, note)
  }
}

interface Copying {
  from: string
  to: string
  /** For people. */
  name: string
  /** The fingerprint that it must have; null: any. */
  expected: string | null
  relocate: Relocation
  breathe: () => Promise<void>
}

/** A file that somebody writes to all the time is taken as it was found the last time. */
const TRIES = 3

/** Null: it is gone, which at the start of a run is nobody's fault. */
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
  return cleanRoomError(`${name} was changed in the room, and in the working tree it is not as it was at the start`)
}

async function copyEntry(entry: PathEntry, job: Copying): Promise<void> {
  const { from, to, relocate } = job
  if (entry.kind === 'folder') {
    if (entryAt(to) === null) makeFolder(to)
    setMode(to, entry.mode | 0o700)
  } else if (entry.kind === 'link') {
    makeLink(to, relocate.link(linkText(from) ?? Buffer.alloc(0), { from, to }))
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

/** What a link leads to is shared, not the link: outside the clean room anybody could change it. */
function sourceOf({ original }: OpenCleanRoom, path: string): [string, string][] {
  const real = realPath(join(original, path))
  return real === null ? [] : [[path, real]]
}

/** What tools keep for their own next run, inside the folders that they fill: never shared, and swept like all that nobody has shared. */
const KEPT_BY_TOOLS: ReadonlySet<string> = new Set(
  words(`
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
  withCleanRoom(room, () => removeAll(join(room.top, path)))
  removeIfExists(noteFile(room, path))
}

function writeNote(room: OpenCleanRoom, { path, from, places, fingerprints }: Note): void {
  ensureFolder(folderOf(room))
  const files = [...fingerprints].map(([inside, { source, copy: fingerprint }]) => [inside, source, fingerprint])
  writeWithoutSync(noteFile(room, path), JSON.stringify({ id: room.id, path, from, places, files }))
}

/** All notes by the files they stand in; null: it cannot be read. */
function notesOf(room: OpenCleanRoom): [string, Note | null][] {
  const files = listFolder(folderOf(room)).map((name) => join(folderOf(room), name))
  return files.filter((file) => file.endsWith('.json')).map((file) => [file, readNote(file, room)])
}

/** Of another room that is gone only what was found at the start still holds. */
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
