/**
 * The definition of one setting that becomes a rule: its name, kind and bounds, default, help, and what may change it. It has the same
 * path in the rules of a run as in the table (`rule-table.ts`); the type of `Rules` is derived from the table.
 */
import type { ValueKind, SettingValue, ValueOf } from '../text/value-kind.ts'

/** Which tool set the project up: one with a `.ralph.toml` (Ralph or the Rust tool), or the bash tool. */
export type ProjectOrigin = 'ours' | 'bash' | 'rust'

export interface RuleDefinition {
  /** The setting's name. */
  name: string
  kind: ValueKind
  default: SettingValue
  /** One line for help, docs and editors. */
  help: string
  /** The meaning of `auto`, by the origin of the project. Rules hold the meaning, never `auto` itself. */
  auto?: Readonly<Record<ProjectOrigin, SettingValue>>
  /** Milliseconds per unit in the rules: some rules count durations in larger units. */
  per?: number
  /** live: `ralph set` may change it during a run. replay: only `replay --what-if` may. Absent: fixed when the run starts. */
  changes?: 'live' | 'replay'
  /** The value becomes an argument of the agent's command line, where a leading dash would make it a flag. */
  argument?: true
}

/** A word that the agent's program would read as a flag: with one, a settings file could make it load or start anything. */
export function flagInValue(value: SettingValue): string | undefined {
  const words: unknown[] = Array.isArray(value) ? value : [value]
  return words.find((word): word is string => typeof word === 'string' && word.startsWith('-'))
}

export function describeFlagInValue(flag: string): string {
  return `found ${JSON.stringify(flag)}, expected a word that doesn't start with a dash`
}

/** Checks default and `auto` against the kind, and keeps the literal types. */
export function defineRule<const R extends RuleDefinition & Fitting<R['kind']>>(entry: R): R {
  return entry
}

interface Fitting<K extends ValueKind> {
  default: ValueOf<K>
  auto?: Readonly<Record<ProjectOrigin, ValueOf<K>>>
}

/** The rules that a table describes: each entry is a value, each table below it a group of them. */
export type RuleValuesOf<T> = { [F in keyof T]: T[F] extends RuleDefinition ? RuleValue<T[F]> : RuleValuesOf<T[F]> }

type RuleValue<R extends RuleDefinition> = R extends { auto: object }
  ? Exclude<ValueOf<R['kind']>, null>
  : ValueOf<R['kind']>

/** Every entry of a table, however deep. */
export type RuleDefinitionsOf<T> = T extends RuleDefinition ? T : { [F in keyof T]: RuleDefinitionsOf<T[F]> }[keyof T]
