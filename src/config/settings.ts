/**
 * THE table of settings: name, kind, default, flag, environment, old names and help of everything a user can choose, by group in
 * `settings/`. Types, the settings page, the JSON schema, the flags and the readers of all files come from here and nowhere else.
 */
import { suggest } from '../core/text/suggest.ts'
import type { ValueOf } from '../core/text/value-kind.ts'
import { AGENT_SETTINGS } from './settings/agent.ts'
import { LIMITS_SETTINGS } from './settings/limits.ts'
import { LOOP_SETTINGS } from './settings/loop.ts'
import { PROOF_SETTINGS } from './settings/proof.ts'
import { RUN_SETTINGS } from './settings/run.ts'
import type { SettingFlag, Setting } from './settings/setting.ts'
import { TASK_SETTINGS } from './settings/task.ts'
import { UI_SETTINGS } from './settings/ui.ts'

/** In the order of the page. */
export const SETTINGS = {
  ...AGENT_SETTINGS,
  ...LOOP_SETTINGS,
  ...LIMITS_SETTINGS,
  ...PROOF_SETTINGS,
  ...TASK_SETTINGS,
  ...RUN_SETTINGS,
  ...UI_SETTINGS,
} satisfies Record<string, Setting>

export type SettingKey = keyof typeof SETTINGS

/** Every setting's value, typed; durations are milliseconds. */
export type SettingValues = { [K in SettingKey]: ValueOf<(typeof SETTINGS)[K]['kind']> }

/** The settings that can name a program. */
export type ProgramSettingKey = {
  [K in SettingKey]: (typeof SETTINGS)[K] extends { executed: true } ? K : never
}[SettingKey]

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

export function settingOf(key: SettingKey): Setting {
  return SETTINGS[key]
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

/** The first part of a key: `quota`. */
export function groupOf(key: SettingKey): string {
  return key.slice(0, key.indexOf('.'))
}

export function isGroup(word: string): boolean {
  return SETTING_KEYS.some((key) => groupOf(key) === word)
}

/** The setting that an unknown key probably means: an old name, a typing error, or a name in the wrong group. Null: none is similar. */
export function nearestSetting(key: string): SettingKey | null {
  const [group = ''] = key.split('.')
  const nameOf = (each: string): string => each.slice(each.indexOf('.') + 1)
  // In an existing group only the names are compared: the shared group would make different names look alike.
  const beside = SETTING_KEYS.filter((each) => groupOf(each) === group)
  const near =
    beside.length > 0 ? `${group}.${suggest(nameOf(key), beside.map(nameOf)) ?? ''}` : suggest(key, SETTING_KEYS)
  return (
    SETTING_KEYS.find((each) => settingOf(each).old?.includes(key) === true) ??
    SETTING_KEYS.find((each) => each === near) ??
    SETTING_KEYS.find((each) => nameOf(each) === nameOf(key)) ??
    null
  )
}

/** The environment variable every setting has: `quota.calls_per_hour` is `RALPH_QUOTA_CALLS_PER_HOUR`. */
export function envVariableOf(key: string): string {
  return `RALPH_${key.replace('.', '_').toUpperCase()}`
}

/** A flag as the help shows it and the command-line parser accepts it: `-c, --calls <N>`. */
export function flagSyntax(flag: SettingFlag): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const long = flag.negated === true ? `--no-${flag.long}` : `--${flag.long}`
  return `${short}${long}${flag.value === undefined ? '' : ` <${flag.value}>`}`
}

/** All flags that are settings, in the order of the table. */
export function settingFlags(): { key: SettingKey; flag: SettingFlag; words: string; help: string }[] {
  return SETTING_KEYS.flatMap((key) => {
    const { flag, help } = settingOf(key)
    return flag === undefined ? [] : [{ key, flag, words: flagSyntax(flag), help: flag.help ?? help }]
  })
}
