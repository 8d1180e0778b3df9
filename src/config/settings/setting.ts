/** What a setting is: its kind, and its aliases. */
import { ruleByName, type RuleByName, type RuleKey } from '../../core/settings/rule-table.ts'
import type { RuleDefinition } from '../../core/settings/rule.ts'
import type { ValueKind, SettingValue, ValueOf } from '../../core/text/value-kind.ts'

export interface Setting extends SettingAliases {
  kind: ValueKind
  default: SettingValue
  /** One line for help, docs and editors. */
  help: string
}

/** Where it can be set besides its own name in Ralph's file, and how that value is parsed. */
export interface SettingAliases {
  flag?: SettingFlag
  /** Names in `.ralphrc` and in the environment that the old tools used; the first that is set wins. */
  old?: readonly string[]
  /** Short or old names that exist only in the environment. */
  env?: readonly string[]
  /** Paths in `.ralph/config.json` of the old orchestrator. */
  json?: readonly string[]
  /** The value that the bash tool wrote into every `.ralphrc`, which is nobody's choice. */
  generated?: string
  /** Old values that have another name here. */
  renamed?: Readonly<Record<string, string>>
  /** Splits text into a list; absent: at commas. Null: the text cannot be split. */
  split?: (text: string) => string[] | null
  /** What is missing in an element of a list, as the end of a sentence; null: nothing. */
  missing?: (word: string) => string | null
  /** It can name a program: if a project file sets it, the person is asked first (`project-programs.ts`). */
  executed?: boolean
  /** It becomes an argument on the agent's command line, where a leading dash would make it another flag. */
  argument?: true
}

export interface SettingFlag {
  long: string
  short?: string
  /** The value's placeholder; absent: a switch. */
  value?: string
  /** The flag is `--no-<long>` and switches off. */
  negated?: true
  /** What the flag does, if that differs from the setting's help. */
  help?: string
  /** The flag accepts only whole numbers of its unit, as in the bash tool; other places accept more. */
  whole?: { of: string; max?: number }
}

/** Ties the default to the kind, and tells the compiler which settings are executed. */
export function defineSetting<const K extends ValueKind, const E extends boolean = false>(
  entry: Omit<Setting, 'kind' | 'default' | 'executed'> & {
    kind: K
    default: NoInfer<ValueOf<K>>
    executed?: E
  },
): Setting & { kind: K; executed: E } {
  return { ...entry, default: entry.default as SettingValue, executed: (entry.executed ?? false) as E }
}

/** A setting that the core decides by: `core/settings` defines it, and this table adds its aliases. */
export function ruleSetting<const N extends RuleKey, const E extends boolean = false>(
  name: N,
  aliases: SettingAliases & { executed?: E } = {},
): { [K in N]: Setting & { kind: RuleByName[K]['kind']; executed: E } } {
  const { kind, default: defaultValue, help, argument }: RuleDefinition = ruleByName(name)
  const entry = {
    ...aliases,
    ...(argument === undefined ? {} : { argument }),
    kind,
    default: defaultValue,
    help,
    executed: (aliases.executed ?? false) as E,
  }
  // A computed key widens to any name; there is exactly one.
  return { [name]: entry } as ReturnType<typeof ruleSetting<N, E>>
}

export const THRESHOLD_KIND = { is: 'integer', min: 1 } as const
export const SWITCH_KIND = { is: 'boolean' } as const
