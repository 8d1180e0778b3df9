/** The program that a gate begins with; what a shell does with the rest only the run itself shows. */
import { splitCommand } from './shell.ts'

/** Words that the shell itself understands: nothing on the PATH answers to them, or need not. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  [
    '! { . : [ [[ if for while until case cd eval exec exit export set',
    'command echo false printf read test time trap true ulimit umask unset',
  ].flatMap((words) => words.split(' ')),
)

/** The program a command line begins with; null: only a shell can tell. */
export function gateProgram(line: string): string | null {
  const words = splitCommand(line) ?? []
  const first = words.find((word) => !/^\w+=/.test(word))
  if (first === undefined || SHELL_WORDS.has(first)) return null
  // `(cd x && make)`, `$RUNNER test`, `a|b`: what stands there is not a name.
  return /[$`(){}<>|&;*?~]/.test(first) ? null : first
}
