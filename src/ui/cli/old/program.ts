/** What an old command is: its own flags, its own exit codes, and what does its work now. */
import type { Io } from '../frame/io.ts'

/** What the old `ralph-enable` and `ralph-enable-ci` exit with. */
export const OLD_EXIT = { done: 0, error: 1, already: 2, usage: 3, noFile: 4 } as const

export interface OldProgram {
  usage: string
  /** Flags that take a value. */
  values: string[]
  switches: string[]
  /** The most arguments it takes. */
  args: number
  exits: { usage: number; error: number }
  run(said: Said, io: Io): Promise<number>
}

/** A command line of the old kind, read. */
export interface Said {
  args: string[]
  /** True for a switch. */
  flags: Record<string, string | true>
}

export function valueOf({ flags }: Said, name: string): string | null {
  const given = flags[name]
  return typeof given === 'string' ? given : null
}
