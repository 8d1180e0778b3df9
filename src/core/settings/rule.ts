/**
 * One setting that decides, said once: its name, kind and bounds, default, help, and what may change it. Where it stands in the rules of a
 * run is where it stands in the table (`rules/table.ts`); the type of `Rules` is derived from there.
 */
import type { ValueKind, Value, ValueOf } from '../text/value-kind.ts'

/** Whose project it is: with a `.ralph.toml` of ours or of the Rust tool, or as the bash tool leaves one. */
export type ProjectOrigin = 'ours' | 'bash' | 'rust'

export interface Rule {
  /** The setting's name. */
  name: string
  kind: ValueKind
  default: Value
  /** One line for help, docs and editors. */
  help: string
  /** What `auto` means, by whose project it is. Rules hold the meaning, never `auto` itself. */
  auto?: Readonly<Record<ProjectOrigin, Value>>
  /** So many milliseconds are one in the rules, which counted so before durations had a kind. */
  per?: number
  /** live: `ralph set` may change it while a run goes on. replay: only `replay --what-if` may. Absent: fixed when the run starts. */
  changes?: 'live' | 'replay'
  /** It becomes a word of the agent's command line, where one that begins with a dash would be another flag. */
  argument?: true
}

/** A word that the agent's program would take for a flag: with one a file could have it load or start anything. */
export function leadingFlag(value: Value): string | undefined {
  const words: unknown[] = Array.isArray(value) ? value : [value]
  return words.find((word): word is string => typeof word === 'string' && word.startsWith('-'))
}

export function describeFlag(flag: string): string {
  return `found ${JSON.stringify(flag)}, expected a word that does not begin with a dash`
}

/** Ties default and `auto` to the kind, and keeps what the compiler must know of it. */
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
