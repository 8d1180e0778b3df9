/** `ralph config get KEY`: one value. */
import { findProject } from '../../../../config/find-project.ts'
import {
  groupOf,
  isGroup,
  isSettingKey,
  SETTING_KEYS,
  settingOf,
  type SettingKey,
} from '../../../../config/settings.ts'
import { RalphError } from '../../../../core/error.ts'
import { suggest } from '../../../../core/text/suggest.ts'
import { escapeInvisible } from '../../../../core/text/sanitize.ts'
import { answer } from '../../frame/print-result.ts'
import { homeOf, settingsOf } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONFIG_GET } from '../../table/setup-commands.ts'
import { settingEntry } from './entry.ts'

export const run: CommandCode<typeof CONFIG_GET> = async (input, io) => {
  const key = checkKey(input.args.key)
  const { root } = findProject(io.cwd, { home: homeOf(io) })
  const one = settingEntry(key, await settingsOf(root, input, io))
  const valueText = io.terminal ? escapeInvisible(one.valueText) : one.valueText
  return answer(one, () => `${valueText}\n`, { json: input.flags.json, io })
}

function checkKey(key: string): SettingKey {
  if (isSettingKey(key)) return key
  throw new RalphError('unknown-setting', `there is no setting ${key}`, { hint: nearest(key) })
}

function nearest(key: string): string {
  if (isGroup(key))
    return `It is a group of settings: ${SETTING_KEYS.filter((each) => groupOf(each) === key).join(', ')}`
  const last = key.slice(key.lastIndexOf('.') + 1)
  const near =
    suggest(key, SETTING_KEYS) ?? SETTING_KEYS.find((each) => each.endsWith(`.${last}`)) ?? byOldName(key)
  return near === undefined ? 'See all settings: ralph config list' : `Did you mean ${near}?`
}

function byOldName(name: string): SettingKey | undefined {
  return SETTING_KEYS.find((each) => settingOf(each).old?.includes(name) === true)
}
