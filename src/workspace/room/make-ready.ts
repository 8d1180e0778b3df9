/**
 * Makes the room ready for a trial: its files, a git folder, what is lent, a new home, and the tools that the set-up brings. What was
 * there before and is as we left it stays, so that the next trial costs little; everything else is gone.
 */
import { join } from 'node:path'
import type { Env } from '../../domain/trust/environment.ts'
import type { Lend } from '../../domain/proof/trial.ts'
import { readIfThere, writeLoose } from '../../system/files/files.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { prefixOf, topFolder, type Repo } from '../repo/repository-at.ts'
import * as read from '../../domain/text/json.ts'
import type { WitnessFile } from '../witness/tree.ts'
import type { Witness } from '../witness/witness.ts'
import { roomEnvironment } from './environment.ts'
import { changedSince, fill, type RoomFile } from './fill.ts'
import { gitFolder, gitFoldersIn } from './git-folder.ts'
import { changedLent, lend, sweepLent } from './lent/lend.ts'
import { lentFor } from './lent/lent-choice.ts'
import { findLentHome, layLentHome, type LentHome } from './lent/lent-home.ts'
import { failed, freshen, openRoom, type OpenRoom } from './room.ts'
import { changedSetUp, keptSetUp, setUpRoom } from './reuse-set-up.ts'

export interface ReadyOptions {
  repo: Repo
  /** The project's folder. */
  root: string
  witness: Witness
  /** Where the room is remembered. */
  memory: string
  files: ReadonlyMap<string, WitnessFile>
  lend: Lend
  /** At the start of a run what is lent is taken as it stands; afterwards only as it stood then. */
  isStart: boolean
  setup: string | null
  copy: readonly string[]
  /** Texts that may name a neighbour. */
  texts: () => Iterable<string>
  /** Manifests and lock files of the base, whose install scripts may run. */
  base: ReadonlyMap<string, WitnessFile>
  /** As gates get it, complete. */
  env: Env
  /** The real one. */
  home: string
  log: string
  notes: string
  mask: Masker
  now(): number
  signal: AbortSignal
}

export interface Ready {
  room: OpenRoom
  env: Env
  /** What was lent, by name. */
  lent: string[]
  /** What the witness only lists and is not to be had any more. */
  missing: string[]
  /** After a trial: files of the arrangement, and tools, that are no longer as they were when it began. */
  changed(): Promise<string[]>
}

/** Throws `room-failed` in words. */
export async function makeReady(options: ReadyOptions): Promise<Ready> {
  const { repo, root, memory, witness, signal } = options
  const top = topFolder(repo)
  const prefix = prefixOf(repo, root)
  const room = freshen(openRoom({ memory, top, prefix }))
  const files = roomFiles(options.files, top)
  const lent = await lendAll(room, options)
  const links = join(room.parent, LINKS)
  const setsUp = options.setup !== null && options.lend === 'nothing'
  const kept = setsUp ? keptSetUp(memory, room) : null
  const gits = await gitFoldersIn(repo)
  const skip = new Set([...lent.paths, ...(kept?.made.keys() ?? []), ...gits, `../${LINKS}`])
  const filled = await fill(room, witness, files, { skip, signal })
  await gitFolder(room, repo, { memory })
  layLentHome(lent.home, { room, links })
  const env = roomEnvironment({ env: options.env, room, top, home: options.home, links, lent: lent.home })
  if (options.setup !== null && setsUp)
    await setUpRoom({ ...options, command: options.setup, room, env, kept })
  const but = { has: (path: string) => options.files.has(path) }
  return {
    room,
    env,
    lent: lent.paths,
    missing: filled.missing,
    changed: async () => [
      ...(await changedSince(room, files, { signal })),
      ...(await changedLent(room, { but, signal })),
      ...(setsUp ? await changedSetUp(memory, room, signal) : []),
    ],
  }
}

/** The folder of links to programs. It is on the PATH, so its name says nothing. */
const LINKS = 'bin'

function roomFiles(files: ReadonlyMap<string, WitnessFile>, top: string): Map<string, RoomFile> {
  const all = new Map<string, RoomFile>()
  for (const [path, { hash, mode, kept }] of files) {
    all.set(path, { mode, from: kept || mode === 'link' ? { hash } : { copy: join(top, path), hash } })
  }
  return all
}

async function lendAll(
  room: OpenRoom,
  { repo, memory, files, lend: step, copy, texts, isStart, env, home, signal }: ReadyOptions,
): Promise<{ paths: string[]; home: LentHome }> {
  const note = join(memory, 'lent.json')
  const but = { has: (path: string) => files.has(path) }
  if (!isStart) {
    const before = readLent(readIfThere(note))
    if (before === null) throw failed('what it was lent at the start is not known any more')
    await sweepLent(room, { but, signal })
    return before
  }
  const wanted = await lentFor(step, { repo, copy, texts })
  await lend(room, wanted, { but, signal })
  const found = await findLentHome({ env, repo, top: topFolder(repo), home })
  const lent = { paths: wanted.map(({ path }) => path), home: found }
  writeLoose(note, JSON.stringify(lent))
  return lent
}

/** Whether a run has said what the room is lent. */
export function wasLent(memory: string): boolean {
  return readLent(readIfThere(join(memory, 'lent.json'))) !== null
}

/** Null: it was never written, or is not what we wrote. */
function readLent(text: string | null): { paths: string[]; home: LentHome } | null {
  const kept = read.json(text ?? '')
  const paths = read.field(kept, 'paths')
  const home = read.field(kept, 'home')
  return Array.isArray(paths) && typeof home === 'object' && home !== null
    ? { paths: paths as string[], home: home as LentHome }
    : null
}
