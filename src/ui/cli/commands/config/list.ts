/** `ralph config`: what holds, where it was said, and the schema for editors. */
import { findProject } from '../../../../config/paths.ts'
import { sayOrigin, type Origin } from '../../../../config/origin.ts'
import type { Settings } from '../../../../config/resolve.ts'
import { settingsSchema } from '../../../../config/schema.ts'
import {
  groupOf,
  isGroup,
  isSettingKey,
  SETTING_KEYS,
  settingOf,
  type SettingKey,
} from '../../../../config/settings.ts'
import { EXIT, RalphError } from '../../../../domain/error.ts'
import { sayValue, type Value } from '../../../../domain/text/kind.ts'
import type { Gate } from '../../../../domain/proof/evidence.ts'
import { suggest } from '../../../../domain/text/suggest.ts'
import { clip, visible } from '../../../../domain/text/text.ts'
import { paint, type Paint } from '../../../plain/paint.ts'
import type { Run } from '../../frame/row.ts'
import { homeOf, settingsOf } from '../../frame/project.ts'

export const run: Run = async (input, io) => {
  const [what = 'list', key] = input.args
  const json = input.flags['json'] === true
  if (what === 'schema' && key === undefined) {
    io.out(`${JSON.stringify(settingsSchema(), null, 2)}\n`)
    return EXIT.done
  }
  const wanted = what === 'get' ? checkKey(key) : null
  if (wanted === null && (what !== 'list' || key !== undefined)) throw notUnderstood(input.args)
  const { root, kind } = findProject(io.cwd, { home: homeOf(io) })
  const settings = await settingsOf(root, input, io)
  if (wanted !== null) {
    const one = entryOf(wanted, settings)
    const said = io.terminal ? visible(one.said) : one.said
    io.out(json ? `${JSON.stringify(one)}\n` : `${said}\n`)
    return EXIT.done
  }
  const listing = listingOf(kind === 'none' ? null : root, settings)
  io.out(json ? `${JSON.stringify(listing)}\n` : screen(listing, paint(io.colour)))
  return EXIT.done
}

/** One setting; `ralph config get KEY --json` prints it. */
interface Entry {
  key: SettingKey
  /** Durations are milliseconds; null is what the setting's own word says. */
  value: Value
  /** As one would write it in a file. */
  said: string
  origin: Origin
  /** The origin in one phrase. */
  where: string
}

/** What `ralph config list --json` prints. Of variables for gates and agents only the names are told: the values may be keys. */
interface Listing {
  /** Null: outside a project. */
  root: string | null
  settings: Entry[]
  gates: (Omit<Gate, 'env'> & { env: string[] })[]
  agents: { name: string; command: string[]; output: 'text' | 'jsonl'; env: string[] }[]
  programs: Record<string, string[]>
  remarks: string[]
  unused: Settings['unused']
  /** What keeps a run from starting. */
  refused: Settings['refused']
}

function entryOf(key: SettingKey, settings: Settings): Entry {
  const value: Value = settings.values[key]
  const origin = settings.origin(key)
  return { key, value, said: sayValue(settingOf(key).kind, value), origin, where: sayOrigin(origin) }
}

function listingOf(root: string | null, settings: Settings): Listing {
  return {
    root,
    settings: SETTING_KEYS.map((key) => entryOf(key, settings)),
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
  return clip(visible(text.trim()), VALUE_MAX)
}

function sayShort(said: string): string {
  return short(said) || '(empty)'
}

function screen(listing: Listing, p: Paint): string {
  const { settings, gates, agents, programs, remarks, unused, refused } = listing
  const keys = Math.max(...settings.map(({ key }) => key.length)) + 2
  const values = Math.max(...settings.map(({ said }) => sayShort(said).length)) + 2
  const lines = settings.map(({ key, said, origin, where }) => {
    const isDefault = origin.from === 'default'
    const words = `${key.padEnd(keys)}${sayShort(said).padEnd(values)}`
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
  if (remarks.length > 0) lines.push('', ...remarks.map((remark) => `${p.warn('note')} ${visible(remark)}`))
  if (refused.length > 0)
    lines.push(
      '',
      p.bad('Not offered, so no run starts:'),
      ...refused.map(({ where, why, remedy }) => `  ${visible(where)}: ${why}. ${visible(remedy)}`),
    )
  if (unused.length > 0)
    lines.push(
      '',
      'Set, but without effect:',
      ...unused.map(
        ({ name, where, remark }) => `  ${visible(name)} ${p.dim(`(${visible(where)})`)}: ${remark}`,
      ),
    )
  return `${lines.join('\n')}\n`
}

function checkKey(key: string | undefined): SettingKey {
  if (key === undefined)
    throw new RalphError('usage', 'ralph config get needs a KEY', { hint: 'ralph config get budget.usd' })
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

function notUnderstood(args: string[]): RalphError {
  const near = suggest(args[0] ?? '', ['list', 'get', 'schema'])
  const hint =
    near === null || near === args[0]
      ? 'It takes: list, get KEY, schema'
      : `Did you mean: ralph config ${near}?`
  return new RalphError('usage', `ralph config does not know what to do with "${args.join(' ')}"`, { hint })
}
