/** For tests: a working tree, its witness and its room. */
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeAll } from '../../src/system/files/sweep.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { type Garden, aFolder, gardenAt } from './workspace.ts'
import { type Witness, openWitness } from '../../src/workspace/witness/witness.ts'
import { type FillOptions, type Filled, type RoomFile, fill } from '../../src/workspace/room/fill.ts'
import { type OpenRoom, openRoom } from '../../src/workspace/room/room.ts'

export interface Scene {
  /** The working tree, called `proj`. */
  garden: Garden
  /** The folder around it. */
  around: Garden
  memory: string
  witness: Witness
  room: OpenRoom
  /** The working tree as it is now. */
  files: () => Promise<Map<string, RoomFile>>
  /** Fills the room with it. */
  fill: (options?: FillOptions) => Promise<Filled>
  /** A path in the room. */
  at: (path: string) => string
  /** What is in the room: texts of files by path, links as `-> target`, empty folders with a slash. */
  holds: () => Record<string, string>
}

export async function aScene(files: Record<string, string>): Promise<Scene> {
  const around = aFolder()
  const garden = gardenAt(around.path('proj'))
  mkdirSync(garden.root)
  await garden.git('init', '-q', '-b', 'main', '--template=')
  garden.write(files)
  const memory = aFolder().root
  const witness = openWitness(memory)
  const room = openRoom({ memory, top: garden.root, prefix: '' })
  onTestFinished(() => removeAll(room.parent))
  const now = async () => {
    const { tree } = await witness.take(await openRepo(garden.root))
    const entries = [...tree].map(([path, { hash, mode, kept }]): [string, RoomFile] => [
      path,
      { mode, from: kept ? { hash } : { copy: garden.path(path), hash } },
    ])
    return new Map(entries)
  }
  return {
    garden,
    around,
    memory,
    witness,
    room,
    files: now,
    fill: async (options) => fill(room, witness, await now(), options),
    at: (path) => join(room.top, path),
    holds: () => Object.fromEntries(textsIn(room.top, '')),
  }
}

function textsIn(top: string, folder: string): [string, string][] {
  const names = readdirSync(join(top, folder)).sort()
  if (names.length === 0 && folder !== '') return [[`${folder}/`, '']]
  return names.flatMap((name): [string, string][] => {
    const path = folder === '' ? name : `${folder}/${name}`
    const stat = lstatSync(join(top, path))
    if (stat.isSymbolicLink()) return [[path, `-> ${readlinkSync(join(top, path))}`]]
    return stat.isDirectory() ? textsIn(top, path) : [[path, readFileSync(join(top, path), 'utf8')]]
  })
}
