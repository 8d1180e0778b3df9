/** For tests: a working tree, its tree archive and its room. */
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeAll } from '../../src/system/files/remove-all.ts'
import { openRepo } from '../../src/workspace/repo/git.ts'
import { type TestProject, aFolder, testProjectAt } from './workspace.ts'
import { type TreeArchive, openTreeArchive } from '../../src/workspace/archive/tree-archive.ts'
import {
  type FillOptions,
  type FillResult,
  type CleanRoomFile,
  fillCleanRoom,
} from '../../src/workspace/clean-room/fill-clean-room.ts'
import { type OpenCleanRoom, openCleanRoom } from '../../src/workspace/clean-room/clean-room.ts'

export interface Scene {
  /** The working tree, called `proj`. */
  testProject: TestProject
  /** The folder around it. */
  around: TestProject
  memory: string
  archive: TreeArchive
  room: OpenCleanRoom
  /** The working tree as it is now. */
  files: () => Promise<Map<string, CleanRoomFile>>
  /** Fills the clean room with it. */
  fill: (options?: FillOptions) => Promise<FillResult>
  /** A path in the clean room. */
  at: (path: string) => string
  /** What is in the clean room: texts of files by path, links as `-> target`, empty folders with a slash. */
  holds: () => Record<string, string>
}

export async function createCleanRoomScene(files: Record<string, string>): Promise<Scene> {
  const around = aFolder()
  const testProject = testProjectAt(around.path('proj'))
  mkdirSync(testProject.root)
  await testProject.git('init', '-q', '-b', 'main', '--template=')
  testProject.write(files)
  const memory = aFolder().root
  const archive = openTreeArchive(memory)
  const room = openCleanRoom({ memory, top: testProject.root, prefix: '' })
  onTestFinished(() => removeAll(room.parent))
  const now = async () => {
    const { tree } = await archive.take(await openRepo(testProject.root))
    const entries = [...tree].map(([path, { hash, mode, kept }]): [string, CleanRoomFile] => [
      path,
      { mode, from: kept ? { hash } : { copy: testProject.path(path), hash } },
    ])
    return new Map(entries)
  }
  return {
    testProject,
    around,
    memory,
    archive,
    room,
    files: now,
    fill: async (options) => fillCleanRoom(room, archive, await now(), options),
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
