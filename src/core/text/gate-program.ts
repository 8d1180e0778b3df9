/** The program that a gate starts with; only the run shows what the shell does with the rest. */
import { splitCommand } from './shell.ts'

/** Keywords and builtins of the shell: they need no program on the PATH. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  [
    '! { . : [ [[ if for while until case cd eval exec exit export set',
    'command echo false printf read test time trap true ulimit umask unset',
  ].flatMap((words) => words.split(' ')),
)

/** The program a command line starts with; null: only a shell can tell. */
export function gateProgram(line: string): string | null {
  const words = splitCommand(line) ?? []
  const first = words.find((word) => !/^\w+=/.test(word))
  if (first === undefined || SHELL_WORDS.has(first)) return null
  // `(cd x && make)`, `$RUNNER test`, `a|b`: the first word is not a program's name.
  return /[$`(){}<>|&;*?~]/.test(first) ? null : first
}
