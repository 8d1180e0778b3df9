/** What a command is: a row of the table, whose words make the help, the docs and the completion, and whose code loads lazily. */
import type { SettingKey } from '../../../config/settings.ts'
import type { Io } from './io.ts'

export interface Command {
  name: string
  group: Group
  /** One line. */
  summary: string
  /** What follows the name: `[RUN]`, `KEY=VALUE …`. */
  args?: string
  /** Numbers of arguments it takes; absent: none. */
  takes?: { min: number; max: number }
  flags?: Flag[]
  /** Settings that may be given as flags; `all` for the commands that start a run. */
  settings?: 'all' | SettingKey[]
  /** More than one line can say, in paragraphs. */
  about?: string
  /** Command line and what it does; first in the help, because most people only read these. */
  examples: [string, string][]
  touches: 'reads' | 'writes store' | 'holds workspace'
  /** Refused inside a run's own agent or gate (RALPH_INSIDE), against accidents. */
  outside?: true
  hidden?: true
  load: () => Promise<{ run: Run }>
}

export type Group = 'work' | 'plan' | 'see' | 'steer' | 'set up'

export interface Flag {
  long: string
  short?: string
  /** The value's placeholder; absent: a switch. */
  value?: string
  /** The value may be left out. */
  optional?: true
  /** May be given again and again; the values come as lines. */
  many?: true
  help: string
}

/** A command line, read. */
export interface Input {
  command: string
  args: string[]
  /** The command's own flags: true for a switch. */
  flags: Record<string, string | true>
  /** Flags that set a setting, by the setting's flag name, for `resolveSettings`. */
  settings: Record<string, string | boolean>
  /** As typed, for the record. */
  typed: string
}

/** Returns the exit code. */
export type Run = (input: Input, io: Io) => Promise<number>

export const JSON_FLAG: Flag = { long: 'json', help: 'Print JSON for programs' }

export const TRUST_FLAG: Flag = {
  long: 'trust',
  help: "Trust the programs that the project's files name, from now on (RALPH_TRUST=1: this time only)",
}
