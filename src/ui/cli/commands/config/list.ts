/** `ralph config list`: every setting that holds, and where it was said. */
import { findProject } from '../../../../config/find-project.ts'
import type { Settings } from '../../../../config/resolve.ts'
import { SETTING_KEYS } from '../../../../config/settings.ts'
import type { Gate } from '../../../../core/proof/evidence.ts'
import { clip, escapeInvisible } from '../../../../core/text/sanitize.ts'
import { paint, type Paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import { homeOf, settingsOf } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONFIG_LIST } from '../../table/setup-commands.ts'
import { settingEntry, type SettingEntry } from './entry.ts'

export const run: CommandCode<typeof CONFIG_LIST> = async (input, io) => {
  const { root, kind } = findProject(io.cwd, { home: homeOf(io) })
  const settings = await settingsOf(root, input, io)
  const listing = listingOf(kind === 'none' ? null : root, settings)
  return answer(listing, () => screen(listing, paint(io.colour)), { json: input.flags.json, io })
}

/** What `ralph config list --json` prints. Of variables for gates and agents only the names are told: the values may be keys. */
interface Listing {
  /** Null: outside a project. */
  root: string | null
  settings: SettingEntry[]
  gates: (Omit<Gate, 'env'> & { env: string[] })[]
  agents: { name: string; command: string[]; output: 'text' | 'jsonl'; env: string[] }[]
  programs: Record<string, string[]>
  remarks: string[]
  unused: Settings['unused']
  /** What keeps a run from starting. */
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

function screen(listing: Listing, p: Paint): string {
  const { settings, gates, agents, programs, remarks, unused, refused } = listing
  const keys = Math.max(...settings.map(({ key }) => key.length)) + 2
  const values = Math.max(...settings.map(({ valueText }) => sayShort(valueText).length)) + 2
  const lines = settings.map(({ key, valueText, origin, where }) => {
    const isDefault = origin.from === 'default'
    const words = `${key.padEnd(keys)}${sayShort(valueText).padEnd(values)}`
    return isDefault ? p.dim(`${words}${where}`) : `${words}${p.head(where)}`
  })
  if (listing.root === null)
    lines.push('', p.dim('Not in a project: these are your own settings and the defaults.'))
  else if (gates.length === 0) lines.push('', p.warn('no gate: outcomes will be unproven'))
  lines.push(
    ...gates.map(({ name, run: line, when }) => `gate ${short(name)}: ${short(line)} ${p.dim(`(${when})`)}`),
  )
  lines.push(...agents.map(({ name, command }) => `agent ${name}: ${short(command.join(' '))}`))
  lines.push(
    ...Object.entries(programs).map(
      ([name, command]) => `${short(name)} is started as: ${short(command.join(' '))}`,
    ),
  )
  if (remarks.length > 0)
    lines.push('', ...remarks.map((remark) => `${p.warn('note')} ${escapeInvisible(remark)}`))
  if (refused.length > 0)
    lines.push(
      '',
      p.bad('Not offered, so no run starts:'),
      ...refused.map(
        ({ where, why, retryPolicy }) =>
          `  ${escapeInvisible(where)}: ${why}. ${escapeInvisible(retryPolicy)}`,
      ),
    )
  if (unused.length > 0)
    lines.push(
      '',
      'Set, but without effect:',
      ...unused.map(
        ({ name, where, remark }) =>
          `  ${escapeInvisible(name)} ${p.dim(`(${escapeInvisible(where)})`)}: ${remark}`,
      ),
    )
  return `${lines.join('\n')}\n`
}
