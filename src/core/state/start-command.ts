/** The command that started a run, parsed: what a person types to start such a run again. */
import { quoteShellWord } from '../text/shell.ts'

export interface StartCommand {
  /** `loop`, `run`, `feature create`. */
  name: string
  /** What it works on: a feature, a task; null: nothing was named. */
  target: string | null
  /** Every setting that was typed as a flag, by the flag's name without its dashes. */
  flags: Record<string, string | boolean>
}

export const LOOP_START_COMMAND: StartCommand = { name: 'loop', target: null, flags: {} }

/** `ralph run checkout`, without its flags. */
export function startCommandText({ name, target }: StartCommand): string {
  return ['ralph', name, ...(target === null ? [] : [quoteShellWord(target)])].join(' ')
}
