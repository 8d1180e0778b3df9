/**
 * A command is a row of text and typed input. The row makes the help, the page of commands and the completion; the type of the
 * command's input is derived from the same row, so a misspelt flag does not compile. The code itself is loaded when it is called.
 */
import type { SettingKey } from '../../../config/settings.ts'
import type { Io } from './io.ts'

/** The help of a command or of a group of commands. */
interface CommandWords {
  /** The last word of its name. */
  name: string
  /** One line. */
  summary: string
  /** The usage of the arguments, where it differs from the one derived from them. */
  usage?: string
}

/** The rest of its help page. */
export interface HelpPage {
  /** Paragraphs below the summary. */
  about?: string
  /** Command line and what it does; first in the help, because most people only read these. */
  examples: readonly (readonly [string, string])[]
  touches: 'reads' | 'writes store' | 'holds workspace'
  hidden?: true
}

/** Documented on the page of the command above it. */
type NoPage = { [Key in keyof HelpPage]?: undefined }

/** One command that can be called: `stop`, or `reset` of `circuit`. */
export type CommandRow = CommandWords & {
  /** What follows the name, in order; only the last may take several words. */
  args?: ArgSpecs
  flags?: FlagSpecs
  /** Settings that may be given as flags; `all` for the commands that start a run. */
  settings?: 'all' | readonly SettingKey[]
  /** Refused inside a run's own agent or gate (RALPH_INSIDE), against accidents. */
  outside?: true
} & (HelpPage | NoPage)

/** By the name that the code uses. */
export type ArgSpecs = Readonly<Record<string, ArgSpec>>

export interface ArgSpec {
  /** The placeholder in the usage: `RUN_PANE`. */
  says: string
  takes: 'one' | 'maybe' | 'some' | 'many'
  /** The allowed values, each with its meaning. */
  of?: Readonly<Record<string, string>>
  /** What completion offers for it. `work`: features and open tasks. */
  offers?: 'runs' | 'tasks' | 'open-tasks' | 'features' | 'work' | 'files' | 'settings' | 'limits'
}

/** By the name that is typed after two dashes. */
export type FlagSpecs = Readonly<Record<string, FlagSpec>>

export interface FlagSpec {
  short?: string
  /** The value's placeholder; absent: a switch. */
  value?: string
  /** The value is a whole number. */
  whole?: { min: number }
  /** The value is one of these words. */
  of?: readonly string[]
  /** The value may be omitted. */
  optional?: true
  /** May be repeated. */
  many?: true
  help: string
}

/** The value of a flag. */
export type FlagWithoutHelp = Omit<FlagSpec, 'help'> & { help?: string }

/** A parsed command line, as the code of one row gets it. */
export interface CommandInput<R extends CommandRow> extends CommonInput {
  args: ArgsOf<R>
  flags: FlagsOf<R>
}

/** The part of the input that every command gets. */
export interface CommonInput {
  /** The words that name the command: `circuit reset`. */
  command: string
  /** The arguments as typed. */
  words: string[]
  /** Flags that set a setting, by the setting's flag name, for `resolveSettings`. */
  settings: Record<string, string | boolean>
  /** The whole line, for the record. */
  typed: string
  /** The command's own flags that were given, in the order typed. */
  given: string[]
  /** The flag of bash Ralph that called the command; null: it was called by its own name. */
  by: string | null
}

type ArgsOf<R extends CommandRow> = R extends { args: infer A extends ArgSpecs }
  ? { [Name in keyof A]: ArgValue<A[Name]> }
  : Record<never, never>

type FlagsOf<R extends CommandRow> = R extends { flags: infer F extends FlagSpecs }
  ? FlagValues<F>
  : Record<never, never>

export type FlagValues<F extends Record<string, FlagWithoutHelp>> = {
  [Name in keyof F as CamelCase<Name & string>]: FlagValue<F[Name]>
}

type ArgValue<A extends ArgSpec> = A extends { takes: 'some' | 'many' }
  ? string[]
  : A extends { of: infer Words }
    ? keyof Words & string
    : A extends { takes: 'maybe' }
      ? string | null
      : string

/** Null: the flag was not given. A flag with an optional value and none given is true, or an empty list if it may be repeated. */
type FlagValue<F extends FlagWithoutHelp> = F extends { many: true; optional: true }
  ? string[] | null
  : F extends { many: true }
    ? (F extends { of: readonly (infer Word)[] } ? Word : string)[]
    : F extends { optional: true }
      ? string | true | null
      : F extends { whole: object }
        ? number | null
        : F extends { of: readonly (infer Word)[] }
          ? Word | null
          : F extends { value: string }
            ? string | null
            : boolean

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** `dry-run` is `dryRun` in code. */
export function camelCase(long: string): string {
  return long.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The inverse: `dryRun` is typed as `dry-run`. */
export function flagNameOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The function that the module of a command exports. Returns the exit code. */
export type CommandHandler<R extends CommandRow> = (input: CommandInput<R>, io: Io) => Promise<number>

/** The values of a line before a row gives them a type. */
export interface ParsedLine extends CommonInput {
  args: Record<string, string | string[] | null>
  flags: Record<string, string | number | boolean | string[] | null>
}

/** A row with its code. */
export type LeafCommand = CommandRow & {
  start(input: ParsedLine, io: Io): Promise<number>
}

/** A word that further words follow: `circuit` in `circuit reset`. */
export type CommandGroup = CommandWords & {
  /** The default verb; absent: one must be named. */
  usual?: string
  verbs: readonly Command[]
} & (HelpPage | NoPage)

export type Command = LeafCommand | CommandGroup

/** Keeps the precise type of a row's flags and arguments. */
export function defineCommandRow<const R extends CommandRow>(words: R): R {
  return words
}

/**
 * Connects a row to its code, which its module exports as `run`, or as `name` where several commands share a module; the code must
 * accept the input of the row. `parseCommandLine` guarantees that the values fit the row.
 */
export function defineCommand<R extends CommandRow, Name extends string = 'run'>(
  words: R,
  load: () => Promise<Readonly<Record<NoInfer<Name>, CommandHandler<NoInfer<R>>>>>,
  name: Name = 'run' as Name,
): LeafCommand {
  return { ...words, start: async (input, io) => (await load())[name](input as unknown as CommandInput<R>, io) }
}

export function isCommandGroup(one: Command): one is CommandGroup {
  return 'verbs' in one
}
