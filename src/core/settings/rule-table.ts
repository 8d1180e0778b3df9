/**
 * The table of settings that become rules, in the shape of `Rules`: an entry has the same path here as its value has there.
 * Flags, environment variables and old names are aliases of a setting; `config/settings` has those.
 */
import type { SettingValue, ValueOf } from '../text/value-kind.ts'
import { AGENT_SETTINGS } from './agent.ts'
import { BREAKER_SETTINGS } from './breaker.ts'
import { EXIT_SETTINGS, RETRY_SETTINGS } from './exit.ts'
import { BUDGET_SETTINGS, QUOTA_SETTINGS } from './limits.ts'
import { LOOP_SETTINGS } from './loop.ts'
import { MODEL_SETTINGS } from './model.ts'
import { PROOF_SETTINGS } from './proof.ts'
import { TASK_SETTINGS } from './task.ts'
import type { RuleDefinitionsOf, ProjectOrigin, RuleDefinition, RuleValuesOf } from './rule.ts'

const TABLE = {
  agent: AGENT_SETTINGS,
  model: MODEL_SETTINGS,
  loop: LOOP_SETTINGS,
  quota: QUOTA_SETTINGS,
  budget: BUDGET_SETTINGS,
  breaker: BREAKER_SETTINGS,
  exit: EXIT_SETTINGS,
  retry: RETRY_SETTINGS,
  proof: PROOF_SETTINGS,
  task: TASK_SETTINGS,
} as const

/** The part of the rules that comes from settings. */
export type ConfiguredRules = RuleValuesOf<typeof TABLE>

type Entry = RuleDefinitionsOf<typeof TABLE>

export type RuleKey = Entry['name']

/** The value of every rule's setting, by name. */
export type RuleSettingValues = { [E in Entry as E['name']]: ValueOf<E['kind']> }

export type RuleByName = { readonly [E in Entry as E['name']]: E }

interface Placed {
  rule: RuleDefinition
  /** Its path in the rules. */
  path: string[]
}

const PLACED = new Map<string, Placed>()
place(TABLE, [])

/** In the order of the table. */
export const RULE_KEYS: readonly RuleKey[] = [...PLACED.keys()] as RuleKey[]

/** By the setting's name. */
export function ruleByName<N extends RuleKey>(name: N): RuleByName[N] {
  return placeOf(name).rule as RuleByName[N]
}

export function isRuleKey(key: string): key is RuleKey {
  return PLACED.has(key)
}

/** The rules that these settings make. */
export function rulesFromSettings(settings: RuleSettingValues, made: ProjectOrigin): ConfiguredRules {
  const valueOf = (rule: RuleDefinition): SettingValue => {
    const said = settings[rule.name as RuleKey] as SettingValue
    return stored(rule, said ?? rule.auto?.[made] ?? null)
  }
  // Every entry of the table gets a value that its kind allows.
  return filled(TABLE, valueOf) as ConfiguredRules
}

/** The same shape with values in place of entries. */
function filled(table: object, valueOf: (rule: RuleDefinition) => SettingValue): object {
  const values: Record<string, unknown> = {}
  for (const [field, entry] of Object.entries(table as Record<string, object>))
    values[field] = isRule(entry) ? valueOf(entry) : filled(entry, valueOf)
  return values
}

/** A rule's value in the unit of its setting. */
export function ruleValue(rules: ConfiguredRules, key: RuleKey): SettingValue {
  const { rule, path } = placeOf(key)
  const value = path.reduce<unknown>((group, field) => (group as Record<string, unknown>)[field], rules) as SettingValue
  return rule.per !== undefined && typeof value === 'number' ? Math.round(value * rule.per) : value
}

/** The same rules with one value replaced; the rule's kind must allow the value. */
export function withRuleValue<R extends ConfiguredRules>(rules: R, key: RuleKey, value: SettingValue): R {
  const { rule, path } = placeOf(key)
  return put(rules, path, stored(rule, value)) as R
}

function placeOf(key: RuleKey): Placed {
  const placed = PLACED.get(key)
  if (placed === undefined) throw new Error(`there is no rule ${key}`)
  return placed
}

function stored({ per }: RuleDefinition, value: SettingValue): SettingValue {
  return per !== undefined && typeof value === 'number' ? value / per : value
}

function put(group: object, [field = '', ...rest]: string[], value: SettingValue): object {
  if (rest.length === 0) return { ...group, [field]: value }
  const below = (group as Record<string, object | undefined>)[field] ?? {}
  return { ...group, [field]: put(below, rest, value) }
}

/** A simple recursion, because every start of the program builds this map. */
function place(table: object, above: string[]): void {
  for (const [field, entry] of Object.entries(table as Record<string, object>)) {
    const path = [...above, field]
    if (isRule(entry)) PLACED.set(entry.name, { rule: entry, path })
    else place(entry, path)
  }
}

function isRule(entry: object): entry is RuleDefinition {
  return 'kind' in entry
}
