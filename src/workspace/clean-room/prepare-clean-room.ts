/**
 * Makes the clean room ready for a trial: its files, a git folder, what is shared, a new home, and the tools that the set-up brings. What was
 * there before and is as we left it stays, so that the next trial costs little; everything else is gone.
 */
import { join } from 'node:path'
import type { Env } from '../../core/trust/environment.ts'
import type { SharedTools } from '../../core/proof/trial.ts'
import { readIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { prefixOf, workingTreeRoot, type Repo } from '../repo/find-repo.ts'
import * as read from '../../core/text/json.ts'
import type { ArchiveFile } from '../archive/tree-listing.ts'
import type { TreeArchive } from '../archive/tree-archive.ts'
import { buildTrialEnvironment } from './trial-environment.ts'
import { changedFilesIn, fillCleanRoom, type CleanRoomFile } from './fill-clean-room.ts'
import { createGitFolder, gitFoldersIn } from './git-folder.ts'
import { changedSharedTools, copySharedTools, resetSharedTools } from './shared-tools/copy-shared-tools.ts'
import { sharedPathsFor } from './shared-tools/choose-shared-paths.ts'
import { findSharedHome, linkSharedHome, type SharedHome } from './shared-tools/shared-home.ts'
import { cleanRoomError, renewHomeAndTmp, openCleanRoom, type OpenCleanRoom } from './clean-room.ts'
import type { SetupOptions } from './run-setup.ts'
import { changedSetupFiles, readSavedSetup, setUpCleanRoom } from './reuse-setup.ts'

/** `env` is that of the gates, complete. */
export interface PrepareOptions extends Pick<SetupOptions, 'env' | 'log' | 'mask' | 'now'> {
  repo: Repo
  /** The project's folder. */
  root: string
  archive: TreeArchive
  /** Where the clean room is remembered. */
  memory: string
  files: ReadonlyMap<string, ArchiveFile>
  sharedTools: SharedTools
  /** At the start of a run what is shared is taken as it stands; afterwards only as it stood then. */
  isStart: boolean
  setup: string | null
  copy: readonly string[]
  /** Texts that may name a neighbour. */
  texts: () => Iterable<string>
  /** Manifests and lock files of the base, whose install scripts may run. */
  base: ReadonlyMap<string, ArchiveFile>
  /** The real one. */
  home: string
  notes: string
  signal: AbortSignal
}

export interface PreparedRoom {
  room: OpenCleanRoom
  env: Env
  /** What was shared, by name. */
  sharedPaths: string[]
  /** What the tree archive only lists and is not to be had any more. */
  missing: string[]
  /** After a trial: files of the arrangement, and tools, that are no longer as they were when it began. */
  changed(): Promise<string[]>
}

/** Throws `room-failed` in words. */
export async function prepareCleanRoom(options: PrepareOptions): Promise<PreparedRoom> {
  const { repo, root, memory, archive, signal } = options
  const top = workingTreeRoot(repo)
  const prefix = prefixOf(repo, root)
  const room = renewHomeAndTmp(openCleanRoom({ memory, top, prefix }))
  const files = roomFiles(options.files, top)
  const sharedPaths = await shareAll(room, options)
  const links = join(room.parent, LINKS)
  const setsUp = options.setup !== null && options.sharedTools === 'nothing'
  const kept = setsUp ? readSavedSetup(memory, room) : null
  const gits = await gitFoldersIn(repo)
  const skip = new Set([...sharedPaths.paths, ...(kept?.made.keys() ?? []), ...gits, `../${LINKS}`])
  const filled = await fillCleanRoom(room, archive, files, { skip, signal })
  await createGitFolder(room, repo, { memory })
  linkSharedHome(sharedPaths.home, { room, links })
  const env = buildTrialEnvironment({
    env: options.env,
    room,
    top,
    home: options.home,
    links,
    sharedPaths: sharedPaths.home,
  })
  if (options.setup !== null && setsUp) await setUpCleanRoom({ ...options, command: options.setup, room, env, kept })
  const but = { has: (path: string) => options.files.has(path) }
  return {
    room,
    env,
    sharedPaths: sharedPaths.paths,
    missing: filled.missing,
    changed: async () => [
      ...(await changedFilesIn(room, files, { signal })),
      ...(await changedSharedTools(room, { but, signal })),
      ...(setsUp ? await changedSetupFiles(memory, room, signal) : []),
    ],
  }
}

/** The folder of links to programs. It is on the PATH, so its name says nothing. */
const LINKS = 'bin'

function roomFiles(files: ReadonlyMap<string, ArchiveFile>, top: string): Map<string, CleanRoomFile> {
  const all = new Map<string, CleanRoomFile>()
  for (const [path, { hash, mode, kept }] of files) {
    all.set(path, { mode, from: kept || mode === 'link' ? { hash } : { copy: join(top, path), hash } })
  }
  return all
}

async function shareAll(
  room: OpenCleanRoom,
  { repo, memory, files, sharedTools: step, copy, texts, isStart, env, home, signal }: PrepareOptions,
): Promise<{ paths: string[]; home: SharedHome }> {
  const note = join(memory, 'lent.json')
  const but = { has: (path: string) => files.has(path) }
  if (!isStart) {
    const before = readShared(readIfExists(note))
    if (before === null) throw cleanRoomError('what it was lent at the start is not known any more')
    await resetSharedTools(room, { but, signal })
    return before
  }
  const wanted = await sharedPathsFor(step, { repo, copy, texts })
  await copySharedTools(room, wanted, { but, signal })
  const found = await findSharedHome({ env, repo, top: workingTreeRoot(repo), home })
  const sharedPaths = { paths: wanted, home: found }
  writeWithoutSync(note, JSON.stringify(sharedPaths))
  return sharedPaths
}

/** Whether a run has noted what is shared with the clean room. */
export function hasSharedTools(memory: string): boolean {
  return readShared(readIfExists(join(memory, 'lent.json'))) !== null
}

/** Null: it was never written, or is not what we wrote. */
function readShared(text: string | null): { paths: string[]; home: SharedHome } | null {
  const kept = read.jsonOrNull(text ?? '')
  const paths = read.ownField(kept, 'paths')
  const home = read.ownField(kept, 'home')
  return Array.isArray(paths) && typeof home === 'object' && home !== null
    ? { paths: paths as string[], home: home as SharedHome }
    : null
}
