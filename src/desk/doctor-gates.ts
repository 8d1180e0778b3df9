/** Can the gates be run at all? Looks for the program each begins with; what a shell does with the rest only the run itself shows. */
import { resolve } from 'node:path'
import { splitCommand } from '../compat/shell-words.ts'
import type { Gate } from '../domain/proof/evidence.ts'
import { exists } from '../system/files.ts'
import { whereIs } from '../system/process.ts'
import { bad, ok, warn, type Finding } from './finding.ts'

export function gateFindings(
  root: string,
  gates: Gate[],
  env: Record<string, string | undefined>,
): Finding[] {
  if (gates.length === 0) {
    const remedy =
      'Add one to .ralph.toml:  [[gate]] name = "test" run = "npm test"   (ralph init detects them)'
    return [warn('gates', 'there is none, so outcomes will be unproven', remedy)]
  }
  return gates.map((gate) => gateFinding(root, gate, env))
}

function gateFinding(root: string, gate: Gate, env: Record<string, string | undefined>): Finding {
  const about = `gate ${gate.name}`
  const folder = resolve(root, gate.cwd)
  if (!exists(folder))
    return bad(about, `its folder ${gate.cwd} does not exist`, `Correct cwd of the gate ${gate.name}`)
  const program = programOf(gate.run)
  if (program === null) return ok(about, `${gate.run} (left to the shell)`)
  const found = whereIs(program.includes('/') ? resolve(folder, program) : program, { ...env, ...gate.env })
  if (found !== null) return ok(about, gate.run)
  const where = program.includes('/')
    ? `in ${gate.cwd === '.' ? 'the project' : gate.cwd}, as a program`
    : 'on the PATH'
  return bad(
    about,
    `${gate.run}: ${program} was not found ${where}`,
    `Install ${program}, or correct the gate ${gate.name}`,
  )
}

/** Words that the shell itself understands: nothing on the PATH answers to them, or need not. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  [
    '! { . : [ [[ if for while until case cd eval exec exit export set',
    'command echo false printf read test time trap true ulimit umask unset',
  ].flatMap((words) => words.split(' ')),
)

/** The program a command line begins with; null: only a shell can tell. */
export function programOf(line: string): string | null {
  const words = splitCommand(line) ?? []
  const first = words.find((word) => !/^\w+=/.test(word))
  if (first === undefined || SHELL_WORDS.has(first)) return null
  // `(cd x && make)`, `$RUNNER test`, `a|b`: what stands there is not a name.
  return /[$`(){}<>|&;*?~]/.test(first) ? null : first
}
