/** `ralph config set`, `unset` and `edit`: change a settings file, and print the value that now applies. */
import { openEditor } from '../../../app/knowledge/editor.ts'
import {
  editSettings,
  projectSettingsFile,
  setSetting,
  unsetSetting,
  usersSettingsFile,
  type SettingsFile,
} from '../../../app/project/change-settings.ts'
import { originText } from '../../../config/origin.ts'
import { EXIT, RalphError } from '../../../core/error.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import type { CommandHandler } from '../framework/command.ts'
import type { Io } from '../framework/io.ts'
import { homeOf, openProjectOrFolder } from '../framework/open-project.ts'
import { createPrintCommand, type OutputStyle } from '../framework/print-result.ts'
import { requireProject } from '../framework/project-root.ts'
import type { CONFIG_EDIT, CONFIG_SET, CONFIG_UNSET } from '../command-table/setup-commands.ts'
import { checkKey, settingEntry, type SettingEntry } from './config.ts'

export const set: CommandHandler<typeof CONFIG_SET> = createPrintCommand(async (input, io) => {
  const { key, value } = input.args
  const file = settingsFile(input.flags.user, io)
  setSetting(file, checkKey(key), value)
  return changed({ isChanged: true, file, entry: await entryNow(input, io) })
}, changedScreen)

export const unset: CommandHandler<typeof CONFIG_UNSET> = createPrintCommand(async (input, io) => {
  const file = settingsFile(input.flags.user, io)
  const isChanged = unsetSetting(file, checkKey(input.args.key))
  return changed({ isChanged, file, entry: await entryNow(input, io) })
}, changedScreen)

export const edit: CommandHandler<typeof CONFIG_EDIT> = async ({ flags: { user } }, io) => {
  const file = settingsFile(user, io)
  if (!io.asks || !io.terminal)
    throw new RalphError('usage', 'there is no terminal for an editor', {
      hint: `Edit ${file.path} yourself, or change one value: ralph config set KEY VALUE`,
    })
  const isChanged = await editSettings(file, (copy) => openEditor(copy, file.name, io.env))
  io.out(isChanged ? `Saved ${file.name}.\n` : `${file.name} is unchanged.\n`)
  return EXIT.done
}

/** The JSON of both: the setting as it now applies, and the file that was changed. */
interface Changed extends SettingEntry {
  file: string
  changed: boolean
  /** What sets it instead of this file; null: nothing does. */
  overriddenBy: string | null
}

function changed({ isChanged, file, entry }: { isChanged: boolean; file: SettingsFile; entry: SettingEntry }): Changed {
  const { origin } = entry
  const isFromFile = 'file' in origin && origin.file === file.name
  const isWeaker = origin.from === 'default' || (file.from === 'project' && origin.from === 'user')
  return {
    ...entry,
    file: file.name,
    changed: isChanged,
    overriddenBy: isFromFile || isWeaker ? null : originText(origin),
  }
}

function changedScreen(
  { key, valueText, where, file, changed: isChanged, overriddenBy }: Changed,
  { p }: OutputStyle,
): string {
  const now = `${key} = ${escapeInvisible(valueText) || '(empty)'}  ${p.dim(where)}\n`
  const unchanged = isChanged ? '' : `${file} does not set ${key}.\n`
  return overriddenBy === null
    ? unchanged + now
    : `${unchanged}${now}${p.warn('!')} ${overriddenBy} overrides ${file}\n`
}

function settingsFile(user: boolean, io: Io): SettingsFile {
  return user ? usersSettingsFile({ env: io.env, home: homeOf(io) }) : projectSettingsFile(requireProject(io))
}

async function entryNow(input: Parameters<typeof set>[0] | Parameters<typeof unset>[0], io: Io): Promise<SettingEntry> {
  return settingEntry(checkKey(input.args.key), (await openProjectOrFolder(input, io)).settings)
}
