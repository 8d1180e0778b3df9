/**
 * The folder in which a completion is tried: outside the repository, where no agent has ever been, and with nothing in its path that tells
 * whoever runs there that it is on trial. It is used again from trial to trial, and known by more than its name.
 */
import { basename, join } from 'node:path'
import { RalphError, messageOf } from '../../core/error.ts'
import { randomId } from '../../system/clock.ts'
import { entryAt } from '../../system/files/path-entry.ts'
import { fileBirthId, ensureFolder, readIfExists, removeIfExists, writeAtomic } from '../../system/files/files.ts'
import { makeFolder, setMode, tempFolderCandidates } from '../../system/files/create-files.ts'
import { resolvesInto, realPath } from '../../system/files/links.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import * as read from '../../core/text/json.ts'

export interface CleanRoom {
  /** Of all that belongs to the clean room; its name says nothing of Ralph. */
  parent: string
  /** Stands for the top folder of the working tree. */
  top: string
  /** Stands for the project's folder. */
  root: string
  /** New for every trial. */
  home: string
  tmp: string
}

/** A room with what is needed to fill it. */
export interface OpenCleanRoom extends CleanRoom {
  /** Where is remembered what was put there. */
  memory: string
  /** The top folder of the working tree that it stands for. */
  original: string
  /** Of `parent`: another folder of the same name is not the clean room. */
  id: string
}

export interface CleanRoomLocation {
  /** The folder of the tree archive. */
  memory: string
  top: string
  /** From `top` to the project's folder. */
  prefix: string
}

/** The clean room of the last time, with the home and the tmp of its last trial; a new one where it is gone. */
export function openCleanRoom(at: CleanRoomLocation): OpenCleanRoom {
  const kept = remembered(at)
  if (kept !== null) return kept
  const parent = newParent(at.top)
  const room = { ...roomIn(parent, at), home: join(parent, aName('h')), tmp: join(parent, aName('t')) }
  remember(room)
  for (const folder of [room.top, room.home, room.tmp]) makeFolder(folder, 0o700)
  return room
}

/** A home and a tmp that nobody has seen; the old ones are removed. They are remembered before they are there: what carries the new
 *  tmp in its environment is found whatever becomes of us. */
export function renewHomeAndTmp(room: OpenCleanRoom): OpenCleanRoom {
  assertCleanRoom(room)
  const fresh = { ...room, home: join(room.parent, aName('h')), tmp: join(room.parent, aName('t')) }
  remember(fresh)
  for (const folder of [fresh.home, fresh.tmp]) makeFolder(folder, 0o700)
  withCleanRoom(room, () => {
    for (const folder of [room.home, room.tmp]) removeAll(folder)
  })
  return fresh
}

/** Something ran there: before anything is removed or written, the folder must still be the one that we made. */
export function assertCleanRoom(room: OpenCleanRoom): void {
  if (realPath(room.parent) === room.parent && fileBirthId(room.parent) === room.id) {
    return setMode(room.parent, 0o700)
  }
  giveUp(room)
  throw cleanRoomError(`${room.parent} was moved or replaced`)
}

/** A room that cannot be brought into order is given up, and the next one is new. */
export function withCleanRoom<T>(room: OpenCleanRoom, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof RalphError) || thrown.code === 'room-failed') throw thrown
    giveUp(room)
    throw cleanRoomError(messageOf(thrown), thrown)
  }
}

export function cleanRoomError(why: string, cause?: unknown): RalphError {
  return new RalphError('room-failed', `the clean room failed: ${why}`, {
    hint: 'The work is kept. Try again with: ralph verify',
    cause,
  })
}

function giveUp({ memory }: OpenCleanRoom): void {
  removeIfExists(join(memory, FILE))
}

const FILE = 'room.json'

function roomIn(parent: string, { memory, top, prefix }: CleanRoomLocation): Omit<OpenCleanRoom, 'home' | 'tmp'> {
  const inside = join(parent, basename(top) || 'project')
  const root = join(inside, prefix).replace(/\/$/, '')
  return { parent, top: inside, root, memory, original: top, id: fileBirthId(parent) ?? '' }
}

function remember({ memory, parent, original, id, home, tmp }: OpenCleanRoom): void {
  ensureFolder(memory)
  const names = { home: basename(home), tmp: basename(tmp) }
  writeAtomic(join(memory, FILE), `${JSON.stringify({ parent, original, id, ...names })}\n`)
}

/** What was noted of the clean room; nothing where there was none. */
function noted(memory: string): Partial<Record<'parent' | 'original' | 'id' | 'home' | 'tmp', string>> {
  return read.asRecord(read.jsonOrNull(readIfExists(join(memory, FILE)) ?? ''), read.asText)
}

function remembered(at: CleanRoomLocation): OpenCleanRoom | null {
  const { parent, home, tmp, original, id } = noted(at.memory)
  if (parent === undefined || home === undefined || tmp === undefined) return null
  if (original !== at.top || realPath(parent) !== parent) return null
  const room = { ...roomIn(parent, at), home: join(parent, home), tmp: join(parent, tmp) }
  if (room.id === '' || room.id !== id) return null
  // Cut short while it was made.
  for (const folder of [room.top, room.home, room.tmp]) if (entryAt(folder) === null) makeFolder(folder, 0o700)
  return room
}

/** Not inside the working tree itself, where an agent works and git would list it. */
function newParent(top: string): string {
  let why = 'there is no folder for it'
  for (const place of tempFolderCandidates()) {
    const real = realPath(place)
    if (real === null || resolvesInto(real, top)) continue
    try {
      const parent = join(real, randomId(10))
      makeFolder(parent, 0o700)
      return parent
    } catch (thrown) {
      why = messageOf(thrown)
    }
  }
  throw new RalphError('room-failed', `the clean room could not be made: ${why}`, {
    hint: 'Set TMPDIR to a folder of your own with some space, outside the project.',
  })
}

/** The letter first: some tools take a name that begins with a digit for something else. */
function aName(letter: string): string {
  return `${letter}${randomId(9)}`
}

/** The parent of the clean room that is remembered there, if it is still the one that we made. */
export function rememberedCleanRoom(memory: string): string | null {
  const { parent, id } = noted(memory)
  if (parent === undefined || realPath(parent) !== parent || fileBirthId(parent) !== id) return null
  return parent
}

/** By which the children of the last trial are known; null: there was none. */
export function lastTrialTmp(memory: string): string | null {
  const { parent, tmp } = noted(memory)
  return parent === undefined || tmp === undefined ? null : join(parent, tmp)
}
