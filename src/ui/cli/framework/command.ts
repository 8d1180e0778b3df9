/**
 * What a command is: words and typed input. The words of its row make the help, the page of commands and the completion; the type of what
 * its code gets is derived from the same row, so a flag that is misspelt does not compile. The code itself loads when it is called.
 */
import type { SettingKey } from '../../../config/settings.ts'
import type { Io } from './io.ts'

/** What the help says of a command, or of a word that further words follow. */
interface CommandWords {
  /** The last of its words. */
  name: string
  /** One line. */
  summary: string
  /** How the arguments are shown, where their own words do not say it. */
  usage?: string
}

/** What a page about it says beyond the one line. */
export interface HelpPage {
  /** More than one line can say, in paragraphs. */
  about?: string
  /** Command line and what it does; first in the help, because most people only read these. */
  examples: readonly (readonly [string, string])[]
  touches: 'reads' | 'writes store' | 'holds workspace'
  hidden?: true
}

/** The page of the command above it tells about it. */
type NoPage = { [Key in keyof HelpPage]?: undefined }

/** One command that can be called: `stop`, or `reset` of `circuit`. */
export type CommandRow = CommandWords & {
  /** What follows the name, in order; only the last may take several words. */
  args?: Args
  flags?: Flags
  /** Settings that may be given as flags; `all` for the commands that start a run. */
  settings?: 'all' | readonly SettingKey[]
  /** Refused inside a run's own agent or gate (RALPH_INSIDE), against accidents. */
  outside?: true
} & (HelpPage | NoPage)

/** By what the code calls it. */
export type Args = Readonly<Record<string, Arg>>

export interface Arg {
  /** Its place in the usage: `RUN`. */
  says: string
  takes: 'one' | 'maybe' | 'some' | 'many'
  /** The only words it takes, each with what it means. */
  of?: Readonly<Record<string, string>>
  /** What completion offers for it. */
  offers?: 'runs' | 'tasks' | 'features' | 'files' | 'settings' | 'limits'
}

/** By the name that is typed behind two dashes. */
export type Flags = Readonly<Record<string, Flag>>

export interface Flag {
  short?: string
  /** The value's placeholder; absent: a switch. */
  value?: string
  /** The value is a whole number. */
  whole?: { min: number }
  /** The value is one of these words. */
  of?: readonly string[]
  /** The value may be left out. */
  optional?: true
  /** May be given again and again. */
  many?: true
  help: string
}

/** What a flag takes, whatever it is for. */
export type FlagWithoutHelp = Omit<Flag, 'help'> & { help?: string }

/** A command line, read, as the code of one row gets it. */
export interface Input<R extends CommandRow> extends TypedCommand {
  args: ArgsOf<R>
  flags: FlagsOf<R>
}

/** What every command gets. */
export interface TypedCommand {
  /** The words that name it: `circuit reset`. */
  command: string
  /** The arguments as they were typed. */
  words: string[]
  /** Flags that set a setting, by the setting's flag name, for `resolveSettings`. */
  settings: Record<string, string | boolean>
  /** The whole line, for the record. */
  typed: string
  /** The command's own flags that were given, in the order typed. */
  given: string[]
  /** The flag of the bash tool that called it; null: its own name did. */
  by: string | null
}

type ArgsOf<R extends CommandRow> = R extends { args: infer A extends Args }
  ? { [Name in keyof A]: ArgValue<A[Name]> }
  : Record<never, never>

type FlagsOf<R extends CommandRow> = R extends { flags: infer F extends Flags } ? FlagValues<F> : Record<never, never>

export type FlagValues<F extends Record<string, FlagWithoutHelp>> = {
  [Name in keyof F as CamelCase<Name & string>]: FlagValue<F[Name]>
}

type ArgValue<A extends Arg> = A extends { takes: 'some' | 'many' }
  ? string[]
  : A extends { of: infer Words }
    ? keyof Words & string
    : A extends { takes: 'maybe' }
      ? string | null
      : string

/** Null: it was not given. Alone, a flag whose value may be left out is true, or an empty list if it may be given again. */
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

/** And back, for whoever says its name. */
export function flagNameOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** What the code of a row exports. Returns the exit code. */
export type CommandCode<R extends CommandRow> = (input: Input<R>, io: Io) => Promise<number>

/** The values of a line before anybody's row gave them a type. */
export interface ParsedLine extends TypedCommand {
  args: Record<string, string | string[] | null>
  flags: Record<string, string | number | boolean | string[] | null>
}

/** A row with its code. */
export type LeafCommand = CommandRow & {
  start(input: ParsedLine, io: Io): Promise<number>
}

/** A word that further words follow: `circuit`, of `circuit reset`. */
export type CommandGroup = CommandWords & {
  /** The one that is meant when none is named; absent: one must be. */
  usual?: string
  verbs: readonly Command[]
} & (HelpPage | NoPage)

export type Command = LeafCommand | CommandGroup

/** Keeps what the compiler knows about a row's own flags and arguments. */
export function commandRow<const R extends CommandRow>(words: R): R {
  return words
}

/**
 * Ties a row to its code, which its module exports as `run`, or as `name` where several commands share a module; the code must take
 * what the row gives. `parseCommandLine` keeps the promise that the values fit the row.
 */
export function command<R extends CommandRow, Name extends string = 'run'>(
  words: R,
  load: () => Promise<Readonly<Record<NoInfer<Name>, CommandCode<NoInfer<R>>>>>,
  name: Name = 'run' as Name,
): LeafCommand {
  return {
    ...words,
    start: async (input, io) => (await load())[name](input as unknown as Input<R>, io),
  }
}

export function isCommandGroup(one: Command): one is CommandGroup {
  return 'verbs' in one
}
