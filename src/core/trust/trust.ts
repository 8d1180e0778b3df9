/**
 * Trust in programs that a file of the project names. It is bound to what would be started, so a changed command asks again, and a new
 * budget or comment does not.
 */
import type { Instant } from '../ids.ts'

/** A program that a file of the project names. */
export interface ProjectProgram {
  /** The setting that names it: `agent.command`, `agents.mine`, `gate test`. */
  setting: string
  /** A line for a shell, or the words of a command without a shell. */
  run: string | string[]
  /** The folder it is started in, inside the project. */
  cwd: string
  /** Variables set for it: they can make a harmless program do anything. */
  env: Record<string, string>
  /** The place in the file: `.ralph.toml:7`. */
  where: string
  /** Other names under which it may have been trusted, where the setting was not recorded. */
  also?: Pick<ProjectProgram, 'setting' | 'run'>[]
  /** One of several programs with that name: it does not replace another. */
  oneOfMany?: true
}

/** A trusted program. */
export interface TrustedProgram extends Omit<ProjectProgram, 'where' | 'also' | 'oneOfMany'> {
  at: Instant
}

/** A program that is not trusted yet. */
export interface UntrustedProgram {
  program: ProjectProgram
  /** The program that was trusted last for the same setting; null: it is new. */
  was: TrustedProgram | null
}

export function untrustedPrograms(
  wanted: readonly ProjectProgram[],
  trusted: readonly TrustedProgram[],
): UntrustedProgram[] {
  const known = new Set(trusted.map(trustKey))
  const current = new Set(wanted.map(trustKey))
  const doubtful = wanted.filter((program, index) => {
    const identity = trustKey(program)
    const names = [identity, ...(program.also ?? []).map((other) => trustKey({ ...program, ...other }))]
    return !names.some((name) => known.has(name)) && wanted.findIndex((other) => trustKey(other) === identity) === index
  })
  return doubtful.map((program) => {
    if (program.oneOfMany === true) return { program, was: null }
    const earlier = trusted
      .filter((one) => one.setting === program.setting && !current.has(trustKey(one)))
      .toSorted((a, b) => b.at - a.at)
    return { program, was: earlier[0] ?? null }
  })
}

/** Everything that trust is bound to, as one text: programs with equal texts are the same. */
export function trustKey({ setting, run, cwd, env }: Omit<ProjectProgram, 'where'>): string {
  const sorted = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([setting, run, cwd, sorted])
}
