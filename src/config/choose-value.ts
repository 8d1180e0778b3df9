/** Chooses the value of one setting among all layers, and reports invalid values. */
import { flagInValue, describeFlagInValue } from '../core/settings/rule.ts'
import { parseValue, formatValue, type Reading, type SettingValue } from '../core/text/value-kind.ts'
import type { Layer, RawSetting } from './layer.ts'
import { invalidSettingError, originText, type Origin } from './origin.ts'
import { settingOf, type SettingKey } from './settings.ts'
import type { SettingFlag } from './settings/setting.ts'

interface Choice {
  value: SettingValue
  origin: Origin
  /** The rank of the layer; 0 is the strongest, defaults come last. */
  rank: number
  remarks: string[]
}

/** The strongest layer that sets it wins; an invalid value is an error in every layer. */
export function chooseValue(key: SettingKey, layers: readonly Layer[]): Choice {
  const choices: Omit<Choice, 'remarks'>[] = []
  layers.forEach((layer, rank) => {
    const said = layer.said.get(key)
    if (said !== undefined) choices.push({ value: valueOf(key, said), origin: said.origin, rank })
  })
  const [first] = choices
  if (first !== undefined) return { ...first, remarks: conflicts(key, choices) }
  return { value: settingOf(key).default, origin: { from: 'default' }, rank: layers.length, remarks: [] }
}

function valueOf(key: SettingKey, { raw, as, origin }: RawSetting): SettingValue {
  const { flag } = settingOf(key)
  if (origin.from === 'flag' && origin.flag === flag?.long && flag.whole !== undefined)
    checkWhole(flag.whole, raw, origin)
  const reading = parseSetting(key, raw, as)
  if (!reading.ok) throw invalidSettingError(origin, reading.problem)
  return reading.value
}

/** A value as it was typed, or why it cannot be used. */
export function parseSetting(key: SettingKey, raw: unknown, as: 'data' | 'words'): Reading {
  const { kind, split, missing, argument } = settingOf(key)
  const isLine = split !== undefined && typeof raw === 'string' && !('or' in kind && raw === kind.or)
  const words = isLine ? split(raw) : renamed(key, raw)
  if (words === null)
    return { ok: false, problem: `found ${JSON.stringify(raw)}, expected a command line without an unclosed quote` }
  const reading = parseValue(kind, words, as)
  if (!reading.ok) return reading
  const list = Array.isArray(reading.value) ? reading.value : null
  if (key === 'agent.order' && list?.length === 0)
    return { ok: false, problem: 'found no name, expected at least one agent' }
  for (const word of list ?? []) {
    const wanted = missing?.(word) ?? null
    if (wanted !== null) return { ok: false, problem: `found ${JSON.stringify(word)}, expected ${wanted}` }
  }
  const flag = argument === true ? flagInValue(reading.value) : undefined
  return flag === undefined ? reading : { ok: false, problem: describeFlagInValue(flag) }
}

function checkWhole({ of, max }: NonNullable<SettingFlag['whole']>, raw: unknown, origin: Origin): void {
  const number = typeof raw === 'string' && /^[1-9]\d*$/.test(raw) ? Number(raw) : 0
  if (number >= 1 && number <= (max ?? Infinity)) return
  const range = max === undefined ? 'from 1' : `from 1 to ${max}`
  throw invalidSettingError(origin, `found ${JSON.stringify(raw)}, expected a whole number of ${of} ${range}`)
}

/** Values of the old tools that have another name here. */
function renamed(key: SettingKey, raw: unknown): unknown {
  const { renamed: names = {} } = settingOf(key)
  if (Array.isArray(raw)) return raw.map((item: unknown) => renamed(key, item))
  return typeof raw === 'string' && Object.hasOwn(names, raw) ? names[raw] : raw
}

/** Two files of one project with different values: one of them has no effect, which may surprise its reader. */
function conflicts(key: SettingKey, choices: readonly { value: SettingValue; origin: Origin }[]): string[] {
  const [winner, ...others] = choices.filter(({ origin }) => origin.from === 'project')
  if (winner === undefined) return []
  const { kind } = settingOf(key)
  const said = formatValue(kind, winner.value)
  return others
    .filter(({ value }) => formatValue(kind, value) !== said)
    .map(({ value, origin }) => {
      const loser = `${originText(origin)} sets ${formatValue(kind, value)}`
      return `${key}: ${loser}, but ${originText(winner.origin)} overrides it with ${said}`
    })
}
