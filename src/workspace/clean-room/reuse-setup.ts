/**
 * Reuses the set-up of the clean room between trials: its files are recorded by fingerprints and valid while command, manifests and lock
 * files stay the same. If it was changed, or is for other lock files, it is removed and done again.
 */
import { join } from 'node:path'
import { parseLockFile } from '../../protection/manifest/classify-lock-file.ts'
import { lockFileKind } from '../../protection/file-kinds.ts'
import { readIfExists, removeIfExists, writeWithoutSync } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/remove-all.ts'
import * as read from '../../core/text/json.ts'
import type { ArchiveEntry } from '../archive/tree-listing.ts'
import type { TreeArchive } from '../archive/tree-archive.ts'
import { cleanRoomError, type OpenCleanRoom } from './clean-room.ts'
import { folderChangesSince, removeAddedPaths, fingerprintFolder, type Fingerprints } from './fingerprints.ts'
import { buildsFromSources, setupKey, type InstallScriptPackages } from './setup-steps.ts'
import { runSetup, type SetupOptions } from './run-setup.ts'

export interface SetUpCleanRoomOptions extends Omit<SetupOptions, 'room' | 'ignoreScripts'> {
  room: OpenCleanRoom
  archive: TreeArchive
  memory: string
  files: ReadonlyMap<string, ArchiveEntry>
  base: ReadonlyMap<string, ArchiveEntry>
  /** The last set-up, which `readSavedSetup` returned before the clean room was filled. */
  kept: SavedSetup | null
}

export interface SavedSetup {
  /** The id of the clean room. */
  id: string
  key: string
  made: Map<string, Fingerprints>
}

const FILE = 'set-up.json'

/** Null: there was no set-up in this clean room. */
export function readSavedSetup(memory: string, room: OpenCleanRoom): SavedSetup | null {
  const kept = read.jsonOrNull(readIfExists(join(memory, FILE)) ?? '')
  const [id, key] = [read.asText(read.ownField(kept, 'id')), read.asText(read.ownField(kept, 'key'))]
  const made = read.ownField(kept, 'made')
  if (id !== room.id || key === null || !Array.isArray(made)) return null
  return {
    id,
    key,
    made: new Map(
      (made as [string, [string, string][]][]).map(([path, fingerprints]) => [path, new Map(fingerprints)]),
    ),
  }
}

/** Throws `room-failed` with the last lines of output. */
export async function setUpCleanRoom(options: SetUpCleanRoomOptions): Promise<void> {
  const { room, memory, command, files, kept, signal } = options
  const key = setupKey({ command, files, builds: buildsFromSources(textsOf(options)) })
  if (kept !== null && kept.key === key && (await isUntouched(room, kept, signal))) return
  removeIfExists(join(memory, FILE))
  for (const path of kept?.made.keys() ?? []) removeAll(join(room.top, path))
  const ran = await runSetup({ ...options, ignoreScripts: scriptsToBlock(options) })
  if (!ran.ok) {
    const lines = ran.lines.slice(0, 10).join('\n')
    throw cleanRoomError(`the setup ${WHY[ran.why]}: ${ran.step}${lines === '' ? '' : `\n${lines}`}`)
  }
  const made: [string, [string, string][]][] = []
  for (const path of ran.made) made.push([path, [...(await fingerprintFolder(join(room.top, path), signal))]])
  writeWithoutSync(join(memory, FILE), JSON.stringify({ id: room.id, key, made }))
}

const WHY = { failed: 'failed', 'timed-out': 'timed out', 'not-found': 'could not start' } as const

/** Removes new files that a gate wrote; any other change makes the set-up invalid. */
async function isUntouched(
  room: OpenCleanRoom,
  { made }: SavedSetup,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const [path, fingerprints] of made) {
    const whole = join(room.top, path)
    const found = await folderChangesSince(whole, fingerprints, signal)
    if (found.changed.length > 0 || found.gone.length > 0) return false
    removeAddedPaths(whole, found.added)
  }
  return true
}

/** After a trial: files of the set-up that changed, relative to the top of the clean room. */
export async function changedSetupFiles(
  memory: string,
  room: OpenCleanRoom,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const changed: string[] = []
  for (const [path, fingerprints] of readSavedSetup(memory, room)?.made ?? []) {
    const found = await folderChangesSince(join(room.top, path), fingerprints, signal)
    changed.push(...[...found.changed, ...found.gone].map((inside) => (inside === '' ? path : `${path}/${inside}`)))
  }
  return changed
}

function textsOf({ room }: SetUpCleanRoomOptions): { packageJson: string; pyproject: string; setupPy: string } {
  const text = (name: string): string => readIfExists(join(room.root, name)) ?? ''
  return { packageJson: text('package.json'), pyproject: text('pyproject.toml'), setupPy: text('setup.py') }
}

/** Packages that are not in the lock files of the base; null: there are none. */
function scriptsToBlock({ archive, files, base }: SetUpCleanRoomOptions): InstallScriptPackages | null {
  const [known, now] = [packagesIn(archive, base), packagesIn(archive, files)]
  const added = [...now.keys()].filter((name) => !known.has(name))
  if (added.length === 0) return null
  return { added, known: [...known].filter(([, hasScript]) => hasScript).map(([name]) => name) }
}

/** By name: whether the lock file says that it has an install script. */
function packagesIn(archive: TreeArchive, files: ReadonlyMap<string, ArchiveEntry>): Map<string, boolean> {
  const found = new Map<string, boolean>()
  for (const [path, file] of files) {
    const kind = lockFileKind(path)
    if (kind === null || !file.kept || file.mode === 'link') continue
    const text = archive.bytes(file.hash).toString('utf8')
    const scripts = new Set(
      [...text.matchAll(/"node_modules\/([^"]+)": \{[^{}]*"hasInstallScript": true/g)].map(([, name = '']) => name),
    )
    for (const { name } of parseLockFile(kind, text)?.packages.values() ?? [])
      found.set(name, found.get(name) === true || scripts.has(name))
  }
  return found
}
