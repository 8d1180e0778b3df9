/**
 * The folder of the trials of a completion: outside the repository, where no agent has worked, and with a path that does not reveal the
 * trial to the programs in it. It is reused from trial to trial, and identified by more than its name.
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
  /** The folder of everything in the clean room; its name does not mention Ralph. */
  parent: string
  /** The counterpart of the working tree's top folder. */
  top: string
  /** The counterpart of the project's folder. */
  root: string
  /** New for every trial. */
  home: string
  tmp: string
}

/** A clean room with the data needed to fill it. */
export interface OpenCleanRoom extends CleanRoom {
  /** The folder that records its content. */
  memory: string
  /** The top folder of the working tree. */
  original: string
  /** The id of `parent`: another folder of the same name is not the clean room. */
  id: string
}

export interface OpenCleanRoomOptions {
  /** The folder of the tree archive. */
  memory: string
  top: string
  /** From `top` to the project's folder. */
  prefix: string
}

/** The last clean room, with the home and tmp of its last trial; a new one if it no longer exists. */
export function openCleanRoom(at: OpenCleanRoomOptions): OpenCleanRoom {
  const kept = remembered(at)
  if (kept !== null) return kept
  const parent = newParent(at.top)
  const room = { ...roomIn(parent, at), home: join(parent, aName('h')), tmp: join(parent, aName('t')) }
  remember(room)
  for (const folder of [room.top, room.home, room.tmp]) makeFolder(folder, 0o700)
  return room
}

/** Creates a new home and tmp and removes the old ones. They are recorded before they exist, so that processes with the new tmp in their
 *  environment are found even after a crash. */
export function renewHomeAndTmp(room: OpenCleanRoom): OpenCleanRoom {
  assertCleanRoomIdentity(room)
  const fresh = { ...room, home: join(room.parent, aName('h')), tmp: join(room.parent, aName('t')) }
  remember(fresh)
  for (const folder of [fresh.home, fresh.tmp]) makeFolder(folder, 0o700)
  discardCleanRoomOnError(room, () => {
    for (const folder of [room.home, room.tmp]) removeAll(folder)
  })
  return fresh
}

/** Programs ran in it: before anything is removed or written, the folder must still be the one that Ralph created. */
export function assertCleanRoomIdentity(room: OpenCleanRoom): void {
  if (realPath(room.parent) === room.parent && fileBirthId(room.parent) === room.id) {
    return setMode(room.parent, 0o700)
  }
  giveUp(room)
  throw cleanRoomError(`${room.parent} was moved or replaced`)
}

/** A clean room that cannot be repaired is given up, and the next one is new. */
export function discardCleanRoomOnError<T>(room: OpenCleanRoom, work: () => T): T {
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
    hint: 'The changes are still there. Try again: ralph verify',
    cause,
  })
}

function giveUp({ memory }: OpenCleanRoom): void {
  removeIfExists(join(memory, FILE))
}

const FILE = 'room.json'

function roomIn(parent: string, { memory, top, prefix }: OpenCleanRoomOptions): Omit<OpenCleanRoom, 'home' | 'tmp'> {
  const inside = join(parent, basename(top) || 'project')
  const root = join(inside, prefix).replace(/\/$/, '')
  return { parent, top: inside, root, memory, original: top, id: fileBirthId(parent) ?? '' }
}

function remember({ memory, parent, original, id, home, tmp }: OpenCleanRoom): void {
  ensureFolder(memory)
  const names = { home: basename(home), tmp: basename(tmp) }
  writeAtomic(join(memory, FILE), `${JSON.stringify({ parent, original, id, ...names })}\n`)
}

/** The record of the clean room; empty if there is none. */
function noted(memory: string): Partial<Record<'parent' | 'original' | 'id' | 'home' | 'tmp', string>> {
  return read.asRecord(read.jsonOrNull(readIfExists(join(memory, FILE)) ?? ''), read.asText)
}

function remembered(at: OpenCleanRoomOptions): OpenCleanRoom | null {
  const { parent, home, tmp, original, id } = noted(at.memory)
  if (parent === undefined || home === undefined || tmp === undefined) return null
  if (original !== at.top || realPath(parent) !== parent) return null
  const room = { ...roomIn(parent, at), home: join(parent, home), tmp: join(parent, tmp) }
  if (room.id === '' || room.id !== id) return null
  // Its creation was interrupted.
  for (const folder of [room.top, room.home, room.tmp]) if (entryAt(folder) === null) makeFolder(folder, 0o700)
  return room
}

/** Never inside the working tree, where agents work and git would list it. */
function newParent(top: string): string {
  let why = 'no temporary folder outside the project is usable'
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
  throw new RalphError('room-failed', `could not create the clean room: ${why}`, {
    hint: 'Set TMPDIR to a folder of yours outside the project, with free space.',
  })
}

/** A letter first, because some tools misread a name that begins with a digit. */
function aName(letter: string): string {
  return `${letter}${randomId(9)}`
}

/** The parent folder of the recorded clean room, if it is still the one that Ralph created. */
export function recordedCleanRoomPath(memory: string): string | null {
  const { parent, id } = noted(memory)
  if (parent === undefined || realPath(parent) !== parent || fileBirthId(parent) !== id) return null
  return parent
}

/** The tmp folder that identifies processes of the last trial; null: there was none. */
export function lastTrialTmp(memory: string): string | null {
  const { parent, tmp } = noted(memory)
  return parent === undefined || tmp === undefined ? null : join(parent, tmp)
}
