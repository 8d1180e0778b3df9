/** One setting as `ralph config` tells it. */
import { originText, type Origin } from '../../../../config/origin.ts'
import type { Settings } from '../../../../config/resolve.ts'
import { settingOf, type SettingKey } from '../../../../config/settings.ts'
import { formatValue, type Value } from '../../../../core/text/value-kind.ts'

/** `ralph config get KEY --json` prints it. */
export interface SettingEntry {
  key: SettingKey
  /** Durations are milliseconds; null is what the setting's own word says. */
  value: Value
  /** As one would write it in a file. */
  valueText: string
  origin: Origin
  /** The origin in one phrase. */
  where: string
}

export function settingEntry(key: SettingKey, settings: Settings): SettingEntry {
  const value: Value = settings.values[key]
  const origin = settings.origin(key)
  return { key, value, valueText: formatValue(settingOf(key).kind, value), origin, where: originText(origin) }
}
