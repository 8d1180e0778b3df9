/**
 * The definition of one setting that becomes a rule: its name, kind and bounds, default, help, and what may change it. It has the same
 * path in the rules of a run as in the table (`rule-table.ts`); the type of `Rules` is derived from the table.
 */
import type { ValueKind, Value, ValueOf } from '../text/value-kind.ts'

/** Which tool set the project up: one with a `.ralph.toml` (Ralph or the Rust tool), or the bash tool. */
export type ProjectOrigin = 'ours' | 'bash' | 'rust'

export interface Rule {
  /** The setting's name. */
  name: string
  kind: ValueKind
  default: Value
  /** One line for help, docs and editors. */
  help: string
  /** The meaning of `auto`, by the origin of the project. Rules hold the meaning, never `auto` itself. */
  auto?: Readonly<Record<ProjectOrigin, Value>>
  /** Milliseconds per unit in the rules: some rules count durations in larger units. */
  per?: number
  /** live: `ralph set` may change it during a run. replay: only `replay --what-if` may. Absent: fixed when the run starts. */
  changes?: 'live' | 'replay'
  /** The value becomes an argument of the agent's command line, where a leading dash would make it a flag. */
  argument?: true
}

/** A word that the agent's program would read as a flag: with one, a settings file could make it load or start anything. */
export function leadingFlag(value: Value): string | undefined {
  const words: unknown[] = Array.isArray(value) ? value : [value]
  return words.find((word): word is string => typeof word === 'string' && word.startsWith('-'))
}

export function describeFlag(flag: string): string {
  return `found ${JSON.stringify(flag)}, expected a word that does not begin with a dash`
}

/** Checks default and `auto` against the kind, and keeps the literal types. */
export function defineRule<const R extends Rule & Fitting<R['kind']>>(entry: R): R {
  return entry
}

interface Fitting<K extends ValueKind> {
  default: ValueOf<K>
  auto?: Readonly<Record<ProjectOrigin, ValueOf<K>>>
}

/** The rules that a table describes: each entry is a value, each table below it a group of them. */
export type RuleValuesOf<T> = { [F in keyof T]: T[F] extends Rule ? RuleValue<T[F]> : RuleValuesOf<T[F]> }

type RuleValue<R extends Rule> = R extends { auto: object } ? Exclude<ValueOf<R['kind']>, null> : ValueOf<R['kind']>

/** Every entry of a table, however deep. */
export type RuleEntriesOf<T> = T extends Rule ? T : { [F in keyof T]: RuleEntriesOf<T[F]> }[keyof T]
