/** For the tests of this room: a project and a home in a temporary folder, written as a table of files. */
import { dirname, join } from 'node:path'
import { RalphError } from '../../src/core/error.ts'
import { ensureFolder, makeTempFolder, removeFolder, writeWithoutSync } from '../../src/system/files/files.ts'
import { resolveSettings, type Settings } from '../../src/config/resolve.ts'

export interface SettingsFixture {
  /** By path inside the project; a path under `~/` lies in the home folder; null makes a folder. */
  files?: Record<string, string | null>
  flags?: Record<string, string | boolean>
  env?: Record<string, string>
}

/** Resolves the settings of a place that exists only for this call. */
export async function settingsOf({ files = {}, flags = {}, env = {} }: SettingsFixture): Promise<Settings> {
  return withTestFolder(files, (root, home) => resolveSettings({ root, flags, env, home }))
}

/** The error of a place whose settings cannot be used: its code, message and hint. */
export async function settingsErrorOf(
  place: SettingsFixture,
): Promise<{ code: string; message: string; hint: string | undefined }> {
  try {
    await settingsOf(place)
  } catch (thrown) {
    if (!(thrown instanceof RalphError)) throw thrown
    return { code: thrown.code, message: thrown.message, hint: thrown.hint }
  }
  throw new Error('these settings were accepted')
}

export async function withTestFolder<T>(
  files: Record<string, string | null>,
  use: (root: string, home: string) => T | Promise<T>,
): Promise<T> {
  const folder = makeTempFolder('ralph-config-')
  const [root, home] = [join(folder, 'home', 'project'), join(folder, 'home')]
  try {
    ensureFolder(root)
    for (const [path, content] of Object.entries(files)) {
      const target = path.startsWith('~/') ? join(home, path.slice(2)) : join(root, path)
      ensureFolder(content === null ? target : dirname(target))
      if (content !== null) writeWithoutSync(target, content)
    }
    return await use(root, home)
  } finally {
    removeFolder(folder)
  }
}
