/**
 * The set-up of the room, kept between trials: what it made is known by its seals and good for as long as command, manifests and lock
 * files are the same. Touched or for other lock files, it is removed and made anew.
 */
import { join } from 'node:path'
import { readLock } from '../../judge/manifest/lock.ts'
import { lockKind } from '../../judge/kinds.ts'
import { readIfThere, removeIfThere, writeLoose } from '../../system/files/files.ts'
import { removeAll } from '../../system/files/sweep.ts'
import * as read from '../../domain/text/json.ts'
import type { WitnessFile } from '../witness/tree.ts'
import type { Witness } from '../witness/witness.ts'
import { failed, type OpenRoom } from './room.ts'
import { checkFolder, removeAdded, sealFolder, type Seals } from './seals.ts'
import { buildsFromSources, setUpKey, type ScriptsHeld } from './set-up-steps.ts'
import { runSetUp, type SetUpOptions } from './set-up.ts'

export interface KeptSetUpOptions extends Omit<SetUpOptions, 'room' | 'ignoreScripts'> {
  room: OpenRoom
  witness: Witness
  memory: string
  files: ReadonlyMap<string, WitnessFile>
  base: ReadonlyMap<string, WitnessFile>
  /** From the top of the room: what the set-up made last time, as `keptSetUp` told before the room was filled. */
  kept: KeptSetUp | null
}

export interface KeptSetUp {
  /** Of the room. */
  id: string
  key: string
  made: Map<string, Seals>
}

const FILE = 'set-up.json'

/** Null: nothing was set up, or not in this room. */
export function keptSetUp(memory: string, room: OpenRoom): KeptSetUp | null {
  const kept = read.json(readIfThere(join(memory, FILE)) ?? '')
  const [id, key] = [read.text(read.field(kept, 'id')), read.text(read.field(kept, 'key'))]
  const made = read.field(kept, 'made')
  if (id !== room.id || key === null || !Array.isArray(made)) return null
  return {
    id,
    key,
    made: new Map((made as [string, [string, string][]][]).map(([path, seals]) => [path, new Map(seals)])),
  }
}

/** Throws `room-failed`, with the lines that say why. */
export async function setUpRoom(options: KeptSetUpOptions): Promise<void> {
  const { room, memory, command, files, kept, signal } = options
  const key = setUpKey({ command, files, builds: buildsFromSources(textsOf(options)) })
  if (kept !== null && kept.key === key && (await isUntouched(room, kept, signal))) return
  removeIfThere(join(memory, FILE))
  for (const path of kept?.made.keys() ?? []) removeAll(join(room.top, path))
  const ran = await runSetUp({ ...options, ignoreScripts: scriptsHeld(options) })
  if (!ran.ok) {
    const lines = ran.lines.slice(0, 10).join('\n')
    throw failed(`the set-up ${WHY[ran.why]}: ${ran.step}${lines === '' ? '' : `\n${lines}`}`)
  }
  const made: [string, [string, string][]][] = []
  for (const path of ran.made) made.push([path, [...(await sealFolder(join(room.top, path), signal))]])
  writeLoose(join(memory, FILE), JSON.stringify({ id: room.id, key, made }))
}

const WHY = {
  failed: 'failed',
  'timed-out': 'did not end in time',
  'not-found': 'could not be started',
} as const

/** New files that a gate wrote there are removed; anything else that is not as it was spoils it. */
async function isUntouched(
  room: OpenRoom,
  { made }: KeptSetUp,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const [path, seals] of made) {
    const whole = join(room.top, path)
    const found = await checkFolder(whole, seals, signal)
    if (found.changed.length > 0 || found.gone.length > 0) return false
    removeAdded(whole, found.added)
  }
  return true
}

/** After a trial: what the set-up made and is no longer as it was, from the top of the room. */
export async function changedSetUp(
  memory: string,
  room: OpenRoom,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const changed: string[] = []
  for (const [path, seals] of keptSetUp(memory, room)?.made ?? []) {
    const found = await checkFolder(join(room.top, path), seals, signal)
    changed.push(
      ...[...found.changed, ...found.gone].map((inside) => (inside === '' ? path : `${path}/${inside}`)),
    )
  }
  return changed
}

function textsOf({ room }: KeptSetUpOptions): { packageJson: string; pyproject: string; setupPy: string } {
  const text = (name: string): string => readIfThere(join(room.root, name)) ?? ''
  return { packageJson: text('package.json'), pyproject: text('pyproject.toml'), setupPy: text('setup.py') }
}

/** Packages that the lock files of the base do not have; null: there are none. */
function scriptsHeld({ witness, files, base }: KeptSetUpOptions): ScriptsHeld | null {
  const [known, now] = [packagesIn(witness, base), packagesIn(witness, files)]
  const added = [...now.keys()].filter((name) => !known.has(name))
  if (added.length === 0) return null
  return { added, known: [...known].filter(([, hasScript]) => hasScript).map(([name]) => name) }
}

/** By name: whether it has an install script, as far as the lock file tells. */
function packagesIn(witness: Witness, files: ReadonlyMap<string, WitnessFile>): Map<string, boolean> {
  const found = new Map<string, boolean>()
  for (const [path, file] of files) {
    const kind = lockKind(path)
    if (kind === null || !file.kept || file.mode === 'link') continue
    const text = witness.bytes(file.hash).toString('utf8')
    const scripts = new Set(
      [...text.matchAll(/"node_modules\/([^"]+)": \{[^{}]*"hasInstallScript": true/g)].map(
        ([, name = '']) => name,
      ),
    )
    for (const { name } of readLock(kind, text)?.packages.values() ?? [])
      found.set(name, found.get(name) === true || scripts.has(name))
  }
  return found
}
