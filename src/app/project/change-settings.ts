/** Changes a settings file for `ralph config set`, `unset` and `edit`. A file is saved only if a start would accept it. */
import { dirname, join } from 'node:path'
import { parseSetting } from '../../config/choose-value.ts'
import { checkSettingsText } from '../../config/check-settings-text.ts'
import { removeTomlKey, setTomlKey, type TomlValue } from '../../config/toml/edit-toml.ts'
import type { Project } from '../../config/find-project.ts'
import { OLD_FILES, userSettingsFile } from '../../config/layers.ts'
import { toFileValue } from '../../config/schema.ts'
import { groupOf, settingOf, type SettingKey } from '../../config/settings.ts'
import { RalphError } from '../../core/error.ts'
import type { SettingValue } from '../../core/text/value-kind.ts'
import {
  ensureFolder,
  exists,
  makeTempFolder,
  readIfExists,
  removeFolder,
  writeAtomic,
  writeWithoutSync,
} from '../../system/files/files.ts'
import { SETTINGS_FILE } from './init-files.ts'

export interface SettingsFile {
  path: string
  /** As a person reads it: `.ralph.toml`, `~/.config/ralph/config.toml`. */
  name: string
  from: 'project' | 'user'
  /** A file of an earlier tool can be edited, but `set` and `unset` do not know its format. */
  isOurs: boolean
}

/** A project of bash Ralph keeps its file: a `.ralph.toml` beside it would change the defaults of the project. */
export function projectSettingsFile({ root }: Pick<Project, 'root'>): SettingsFile {
  const old = OLD_FILES.find((name) => exists(join(root, name)))
  const name = exists(join(root, SETTINGS_FILE)) ? SETTINGS_FILE : (old ?? SETTINGS_FILE)
  return { path: join(root, name), name, from: 'project', isOurs: name === SETTINGS_FILE }
}

export function usersSettingsFile(who: { env: Record<string, string | undefined>; home: string }): SettingsFile {
  const file = userSettingsFile(who)
  if (file === null)
    throw new RalphError('usage', 'no home folder is set, so there is no place for your own settings', {
      hint: 'Set HOME.',
    })
  return { ...file, from: 'user', isOurs: true }
}

/** `typed`: the value in words, as behind a flag. */
export function setSetting(file: SettingsFile, key: SettingKey, typed: string): void {
  const reading = parseSetting(key, typed, 'words')
  if (!reading.ok) throw new RalphError('bad-setting', `${key}: ${reading.problem}`, { hint: 'Nothing was changed.' })
  const value = fileValueOf(key, reading.value)
  change(file, (text) => setTomlKey(text, pathOf(key), value))
}

/** False: the file does not set it. */
export function unsetSetting(file: SettingsFile, key: SettingKey): boolean {
  return change(file, (text) => removeTomlKey(text, pathOf(key)))
}

/** Lets a person edit a copy. False: they changed nothing. */
export async function editSettings(file: SettingsFile, edit: (copy: string) => Promise<void>): Promise<boolean> {
  const before = readIfExists(file.path) ?? ''
  const folder = makeTempFolder('ralph-edit-')
  const copy = join(folder, file.name.slice(file.name.lastIndexOf('/') + 1))
  writeWithoutSync(copy, before)
  await edit(copy)
  const after = readIfExists(copy) ?? before
  try {
    if (file.isOurs) checkSettingsText(after, file)
    if (after !== before) save(file, { before, after })
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    throw new RalphError(error.code, error.message, { hint: `${file.name} is unchanged; your version is in ${copy}` })
  }
  removeFolder(folder)
  return after !== before
}

/** False: nothing had to change. */
function change(file: SettingsFile, edit: (text: string) => string | null): boolean {
  if (!file.isOurs)
    throw new RalphError('usage', `ralph config cannot change ${file.name}, which has the settings of this project`, {
      hint: 'Edit that file: ralph config edit. For your own settings: --user',
    })
  const before = readIfExists(file.path) ?? ''
  checkSettingsText(before, file)
  const after = edit(before)
  if (after === null)
    throw new RalphError('bad-file', `${file.name} is written in a way that Ralph cannot change safely`, {
      hint: `Edit it: ralph config edit${file.from === 'user' ? ' --user' : ''}`,
    })
  checkSettingsText(after, file)
  if (after !== before) save(file, { before, after })
  return after !== before
}

function save({ path, name, from }: SettingsFile, { before, after }: { before: string; after: string }): void {
  if ((readIfExists(path) ?? '') !== before)
    throw new RalphError('changed-meanwhile', `${name} was changed by another program`, { hint: 'Try again.' })
  if (from === 'user') ensureFolder(dirname(path))
  // The project's file is committed like any other.
  writeAtomic(path, after, from === 'user' ? {} : { mode: 0o644 })
}

function pathOf(key: SettingKey): { group: string; name: string } {
  return { group: groupOf(key), name: key.slice(groupOf(key).length + 1) }
}

/** As a person would write it: durations with their unit, "none" as the setting's own word. */
function fileValueOf(key: SettingKey, value: SettingValue): TomlValue {
  const written = toFileValue(settingOf(key).kind, value)
  if (written === null) throw new RalphError('bug', `${key} cannot be empty`)
  return written
}
