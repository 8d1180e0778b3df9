/** `ralph config`: shows the settings in effect, and where each one comes from. */
import { originText, type Origin } from '../../../config/origin.ts'
import type { Settings } from '../../../config/resolve.ts'
import { settingsSchema } from '../../../config/schema.ts'
import {
  groupOf,
  isGroup,
  isSettingKey,
  nearestSetting,
  SETTING_KEYS,
  settingOf,
  type SettingKey,
} from '../../../config/settings.ts'
import { EXIT, RalphError } from '../../../core/error.ts'
import type { Gate } from '../../../core/proof/evidence.ts'
import { clip, escapeInvisible } from '../../../core/text/sanitize.ts'
import { formatValue, type SettingValue } from '../../../core/text/value-kind.ts'
import type { ScreenStyle } from '../../plain/colours.ts'
import type { CommandHandler } from '../framework/command.ts'
import { printResult, createPrintCommand } from '../framework/print-result.ts'
import { openProjectOrFolder } from '../framework/open-project.ts'
import type { CONFIG_GET, CONFIG_LIST, CONFIG_SCHEMA } from '../command-table/setup-commands.ts'

export const list: CommandHandler<typeof CONFIG_LIST> = createPrintCommand(async (input, io) => {
  const { root, kind, settings } = await openProjectOrFolder(input, io)
  return listingOf(kind === 'none' ? null : root, settings)
}, listScreen)

/** Prints one value. */
export const get: CommandHandler<typeof CONFIG_GET> = async (input, io) => {
  const key = checkKey(input.args.key)
  const { root, settings } = await openProjectOrFolder(input, io)
  const one = settingEntry(key, settings)
  const text = one.value === null && key === 'agent.tools' ? await detectedTools(root, settings) : one.valueText
  const valueText = io.terminal ? escapeInvisible(text) : text
  return printResult(one, () => `${valueText}\n`, { json: input.flags.json, io })
}

/** Unset, the list depends on the project's languages and gates: print what a run would use, as the start block promises. */
async function detectedTools(root: string, settings: Settings): Promise<string> {
  const { allowedTools } = await import('../../../app/project/allowed-tools.ts')
  return formatValue(settingOf('agent.tools').kind, allowedTools(root, settings))
}

/** Prints the JSON schema of the settings file, for editors. */
export const schema: CommandHandler<typeof CONFIG_SCHEMA> = async (_input, io) => {
  io.out(`${JSON.stringify(settingsSchema(), null, 2)}\n`)
  return EXIT.done
}

/** The JSON of `ralph config get KEY --json`. */
export interface SettingEntry {
  key: SettingKey
  /** Durations are milliseconds; null: the setting's word for "none" or "unlimited". */
  value: SettingValue
  /** As written in a settings file. */
  valueText: string
  origin: Origin
  /** The origin in one phrase. */
  where: string
}

export function settingEntry(key: SettingKey, settings: Settings): SettingEntry {
  const value: SettingValue = settings.values[key]
  const origin = settings.origin(key)
  return { key, value, valueText: formatValue(settingOf(key).kind, value), origin, where: originText(origin) }
}

export function checkKey(key: string): SettingKey {
  if (isSettingKey(key)) return key
  throw new RalphError('unknown-setting', `unknown setting ${key}`, { hint: nearest(key) })
}

function nearest(key: string): string {
  if (isGroup(key))
    return `It is a group of settings: ${SETTING_KEYS.filter((each) => groupOf(each) === key).join(', ')}`
  const near = nearestSetting(key)
  return near === null ? 'See all settings: ralph config list' : `Did you mean ${near}?`
}

/** The JSON of `ralph config list --json`. Variables for gates and agents are listed by name only: the values may be keys. */
interface Listing {
  /** Null: outside a project. */
  root: string | null
  settings: SettingEntry[]
  gates: (Omit<Gate, 'env'> & { env: string[] })[]
  agents: { name: string; command: string[]; output: 'text' | 'jsonl'; env: string[] }[]
  programs: Record<string, string[]>
  remarks: string[]
  unused: Settings['unused']
  /** The problems that prevent a run from starting. */
  refused: Settings['refused']
}

function listingOf(root: string | null, settings: Settings): Listing {
  return {
    root,
    settings: SETTING_KEYS.map((key) => settingEntry(key, settings)),
    gates: settings.gates.map((gate) => ({ ...gate, env: Object.keys(gate.env) })),
    agents: Object.entries(settings.agents).map(([name, { command, output, env }]) => ({
      name,
      command,
      output,
      env: Object.keys(env),
    })),
    programs: settings.programs,
    remarks: settings.remarks,
    unused: settings.unused,
    refused: settings.refused,
  }
}

const VALUE_MAX = 60

function short(text: string): string {
  return clip(escapeInvisible(text.trim()), VALUE_MAX)
}

function sayShort(valueText: string): string {
  return short(valueText) || '(empty)'
}

function listScreen(listing: Listing, { p }: ScreenStyle): string {
  const { settings, gates, agents, programs, remarks, unused, refused } = listing
  const keys = Math.max(...settings.map(({ key }) => key.length)) + 2
  const values = Math.max(...settings.map(({ valueText }) => sayShort(valueText).length)) + 2
  const lines = settings.map(({ key, valueText, origin, where }) => {
    const isDefault = origin.from === 'default'
    const words = `${key.padEnd(keys)}${sayShort(valueText).padEnd(values)}`
    return isDefault ? p.dim(`${words}${where}`) : `${words}${p.head(where)}`
  })
  if (listing.root === null) lines.push('', p.dim('Not in a project: these are your own settings and the defaults.'))
  else if (gates.length === 0) lines.push('', p.warn('no gate: outcomes will be unproven'))
  lines.push(...gates.map(({ name, run: line, when }) => `gate ${short(name)}: ${short(line)} ${p.dim(`(${when})`)}`))
  lines.push(...agents.map(({ name, command }) => `agent ${name}: ${short(command.join(' '))}`))
  lines.push(
    ...Object.entries(programs).map(([name, command]) => `command for ${short(name)}: ${short(command.join(' '))}`),
  )
  if (remarks.length > 0) lines.push('', ...remarks.map((remark) => `${p.warn('note')} ${escapeInvisible(remark)}`))
  if (refused.length > 0)
    lines.push(
      '',
      p.bad('Not supported, so no run starts:'),
      ...refused.map(({ where, why, fix }) => `  ${escapeInvisible(where)}: ${why}. ${escapeInvisible(fix)}`),
    )
  if (unused.length > 0)
    lines.push(
      '',
      'Set, but without effect:',
      ...unused.map(
        ({ name, where, remark }) => `  ${escapeInvisible(name)} ${p.dim(`(${escapeInvisible(where)})`)}: ${remark}`,
      ),
    )
  return `${lines.join('\n')}\n`
}
