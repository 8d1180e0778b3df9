/**
 * What the room takes from the working tree as it stands because no set-up brings it: folders of tools, ignored files, neighbours of
 * the working tree. Copied at the start of a run, before an agent can reach it; from then on every file is known by two seals, that of
 * what it was copied from and that of the copy. What is changed in the room is copied again, but only from what is still as it was.
 */
import { join } from 'node:path'
import type { RalphError } from '../../../domain/error.ts'
import { breather } from '../../../system/breath.ts'
import { type Entry, entryAt, linkText, readPlain } from '../../../system/files/entries.ts'
import {
  ensureFolder,
  hashText,
  listFolder,
  readIfThere,
  removeIfThere,
  writeLoose,
} from '../../../system/files/files.ts'
import {
  makeCopy,
  makeFile,
  makeFolder,
  makeLink,
  makeUsable,
  sameTime,
  setMode,
  settle,
} from '../../../system/files/fresh-files.ts'
import { realPath } from '../../../system/files/links.ts'
import { removeAll } from '../../../system/files/sweep.ts'
import * as read from '../../../domain/text/json.ts'
import { makeFoldersTo } from '../fill.ts'
import { type Relocation, isPlaceNote, relocation } from '../relocate.ts'
import { type OpenRoom, checkRoom, failed, inRoom } from '../room.ts'
import { entriesIn, removeInside, sealOfEntry } from '../seals.ts'

/** A folder or a file. */
export interface Lent {
  /** From the top of the working tree, and at the same place in the room; `../name` is a neighbour of the working tree. */
  path: string
}

export interface LendOptions {
  /** From the top of the working tree: what `fill` brings, though it lies in a lent folder. */
  but?: { has(path: string): boolean }
  signal?: AbortSignal | undefined
  progress?: (done: number, all: number) => void
}

export interface LentChanges {
  /** From the top of the room: copied because it was not there as it must be. */
  copied: string[]
  /** Removed because nobody has lent it; of a whole folder only its name. */
  removed: string[]
}

/** At the start of a run: the room has these as they are now in the working tree, and nothing else that was lent before. What is not
 *  there is not lent. */
export async function lend(
  room: OpenRoom,
  lent: readonly Lent[],
  options: LendOptions = {},
): Promise<LentChanges> {
  checkRoom(room)
  const left = lent.filter(({ path }) => options.but?.has(path) !== true)
  const wanted = new Map(left.flatMap(({ path }) => sourceOf(room, path)))
  for (const [file, note] of notesOf(room)) {
    if (note === null) removeIfThere(file)
    else if (!wanted.has(note.path)) forget(room, note.path)
  }
  const changes: LentChanges = { copied: [], removed: [] }
  const before = new Map(notesOf(room).map(([, note]) => [note?.path, note]))
  const places = placesOf(wanted.keys())
  for (const [path, from] of wanted) {
    const entries = await entriesIn(from, {
      signal: options.signal,
      but: butIn(path, options),
      isTheirs: true,
    })
    const seals = new Map<string, Pair>()
    for (const [inside, entry] of entries) {
      if (entry === null || entry.kind === 'other' || isKeptByTool(inside)) continue
      const source = sealOfEntry(entry)
      const known = before.get(path)?.seals.get(inside)
      seals.set(inside, { source, copy: known?.source === source ? known.copy : null })
    }
    const note = { path, from, places: before.get(path)?.places ?? places, seals }
    await bring(room, { note, places, isStart: true, changes, options })
  }
  return changes
}

/** Before every trial: what was lent is as it was at the start. Throws `room-failed` where something was changed in the room and in the
 *  working tree too, so that nobody has it any more. */
export async function sweepLent(room: OpenRoom, options: LendOptions = {}): Promise<LentChanges> {
  checkRoom(room)
  const changes: LentChanges = { copied: [], removed: [] }
  const notes = notesOf(room).map(([file, note]) => {
    if (note === null) throw failed(`${file}, which tells what was lent, cannot be read any more`)
    return note
  })
  const places = placesOf(notes.map(({ path }) => path))
  for (const note of notes) await bring(room, { note, places, isStart: false, changes, options })
  return changes
}

/** After a trial: what was lent and is no longer as it was, from the top of the room. What a gate has added is no harm. */
export async function changedLent(room: OpenRoom, options: LendOptions = {}): Promise<string[]> {
  const changed: string[] = []
  for (const [, note] of notesOf(room)) {
    if (note === null) continue
    const { path, seals } = note
    const now = await entriesIn(join(room.top, path), {
      signal: options.signal,
      but: butIn(path, options),
      into: (inside) => seals.has(inside),
    })
    for (const [inside, { copy: seal }] of seals) {
      const entry = now.get(inside) ?? null
      if (seal !== null && (entry === null || sealOfEntry(entry) !== seal)) changed.push(`${path}/${inside}`)
    }
  }
  return changed
}

/** What is known about something lent. */
interface Note {
  path: string
  /** Where it was copied from. */
  from: string
  /** To which neighbours its links and notes may lead. */
  places: string
  /** By path inside it, folders before what is in them. */
  seals: Map<string, Pair>
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
  changes: LentChanges
  options: LendOptions
}

/** Makes the room's copy what the note says. */
async function bring(room: OpenRoom, { note, places, isStart, changes, options }: Bringing): Promise<void> {
  const { path, from, seals } = note
  const { signal, progress } = options
  const target = join(room.top, path)
  const named = (inside: string) => (inside === '' ? path : `${path}/${inside}`)
  inRoom(room, () => makeFoldersTo(room.top, path))
  const now = await entriesIn(target, {
    signal,
    but: butIn(path, options),
    into: (inside) => seals.has(inside),
  })
  const isMoved = (inside: string, entry: Entry) =>
    places !== note.places && (entry.kind === 'link' || isPlaceNote(named(inside), entry.size))
  const held = new Set<string>()
  inRoom(room, () => {
    for (const [inside, entry] of now) {
      const known = seals.get(inside)
      if (entry !== null && known?.copy === sealOfEntry(entry) && !isMoved(inside, entry)) held.add(inside)
      else if (entry?.kind !== 'folder' || known?.source.startsWith('folder ') !== true) {
        removeInside(target, inside)
        if (known === undefined) changes.removed.push(named(inside))
      }
    }
    if (seals.has('')) return
    if (entryAt(target) === null) makeFolder(target)
    makeUsable(target)
  })
  const left = [...seals.keys()].filter((inside) => !held.has(inside))
  const relocate = relocation(room, places.split('\0'))
  const breathe = breather(signal)
  let newest = 0n
  try {
    for (const [at, inside] of left.entries()) {
      await breathe()
      const pair = await copy({
        from: join(from, inside),
        to: join(target, inside),
        name: named(inside),
        expected: isStart ? null : (seals.get(inside)?.source ?? ''),
        relocate,
        breathe,
      })
      progress?.(at + 1, left.length)
      if (pair === null) seals.delete(inside)
      else {
        seals.set(inside, pair.seals)
        newest = pair.changedNs > newest ? pair.changedNs : newest
        changes.copied.push(named(inside))
      }
    }
    await settle(room.parent, newest)
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
  /** The seal that it must have; null: any. */
  expected: string | null
  relocate: Relocation
  breathe: () => Promise<void>
}

/** A file that somebody writes to all the time is taken as it was found the last time. */
const TRIES = 3

/** Null: it is gone, which at the start of a run is nobody's fault. */
async function copy(job: Copying): Promise<{ seals: Pair; changedNs: bigint } | null> {
  for (let tries = 1; ; tries += 1) {
    const before = entryAt(job.from)
    const source = before === null ? null : sealOfEntry(before)
    if (job.expected !== null && source !== job.expected) throw lostSource(job)
    if (before === null || source === null || before.kind === 'other') return null
    await copyEntry(before, job)
    const after = entryAt(job.from)
    const made = entryAt(job.to)
    const isSteady = after !== null && sealOfEntry(after) === source
    if (made !== null && (isSteady || tries === TRIES)) {
      if (!isSteady && job.expected !== null) throw lostSource(job)
      return {
        seals: { source, copy: sealOfEntry(made) },
        changedNs: made.kind === 'folder' ? 0n : made.changedNs,
      }
    }
    removeAll(job.to)
  }
}

function lostSource({ name }: Copying): RalphError {
  return failed(`${name} was changed in the room, and in the working tree it is not as it was at the start`)
}

async function copyEntry(entry: Entry, job: Copying): Promise<void> {
  const { from, to, relocate } = job
  if (entry.kind === 'folder') {
    if (entryAt(to) === null) makeFolder(to)
    setMode(to, entry.mode | 0o700)
  } else if (entry.kind === 'link') {
    makeLink(to, relocate.link(linkText(from) ?? Buffer.alloc(0), { from, to }))
  } else {
    await copyFile(entry, job)
    sameTime(from, to)
  }
}

async function copyFile(entry: Entry, { from, to, relocate, breathe }: Copying): Promise<void> {
  const bytes = isPlaceNote(from, entry.size) ? (readPlain(from)?.bytes ?? null) : null
  const moved = bytes === null ? null : relocate.text(bytes)
  if (moved === null || moved === bytes) return makeCopy(from, to, breathe)
  makeFile(to, moved, { isExec: entry.isExec })
  setMode(to, entry.mode)
}

/** What a link leads to is lent, not the link: outside the room anybody could change it. */
function sourceOf({ original }: OpenRoom, path: string): [string, string][] {
  const real = realPath(join(original, path))
  return real === null ? [] : [[path, real]]
}

/** What tools keep for their own next run, inside the folders that they fill: never lent, and swept like all that nobody has lent. */
const KEPT_BY_TOOLS: ReadonlySet<string> = new Set(
  '.cache .vite .vite-temp .vitest .tmp __pycache__ .pytest_cache .mypy_cache .ruff_cache .eslintcache'.split(
    ' ',
  ),
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

function butIn(path: string, { but }: LendOptions): (inside: string) => boolean {
  return (inside) => but?.has(`${path}/${inside}`) ?? false
}

function folderOf({ memory }: OpenRoom): string {
  return join(memory, 'lent')
}

function noteFile(room: OpenRoom, path: string): string {
  return join(folderOf(room), `${hashText(path).slice(0, 32)}.json`)
}

function forget(room: OpenRoom, path: string): void {
  inRoom(room, () => removeAll(join(room.top, path)))
  removeIfThere(noteFile(room, path))
}

function writeNote(room: OpenRoom, { path, from, places, seals }: Note): void {
  ensureFolder(folderOf(room))
  const files = [...seals].map(([inside, { source, copy: seal }]) => [inside, source, seal])
  writeLoose(noteFile(room, path), JSON.stringify({ id: room.id, path, from, places, files }))
}

/** All notes by the files they stand in; null: it cannot be read. */
function notesOf(room: OpenRoom): [string, Note | null][] {
  const files = listFolder(folderOf(room)).map((name) => join(folderOf(room), name))
  return files.filter((file) => file.endsWith('.json')).map((file) => [file, readNote(file, room)])
}

/** Of another room that is gone only what was found at the start still holds. */
function readNote(file: string, room: OpenRoom): Note | null {
  const kept = read.json(readIfThere(file) ?? '')
  const [path, from, places] = ['path', 'from', 'places'].map((field) => read.text(read.field(kept, field)))
  const files = read.field(kept, 'files')
  if (path == null || from == null || places == null || !Array.isArray(files)) return null
  const isHere = read.field(kept, 'id') === room.id
  const seals = new Map<string, Pair>()
  for (const entry of files) {
    const [inside, source, seal] = Array.isArray(entry) ? entry.map(read.text) : []
    if (inside != null && source != null) seals.set(inside, { source, copy: isHere ? (seal ?? null) : null })
  }
  return { path, from, places, seals }
}
