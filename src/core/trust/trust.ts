/**
 * Trust in programs that a file of the project names. It is bound to what would be started, so a new budget or a comment asks
 * nothing, and a changed command does.
 */
import type { Instant } from '../ids.ts'

/** A program that a file of the project names. */
export interface ProjectProgram {
  /** Who names it: `agent.command`, `agents.mine`, `gate test`. */
  setting: string
  /** A line for a shell, or words that are started as they are. */
  run: string | string[]
  /** The folder it is started in, inside the project. */
  cwd: string
  /** Variables that are set for it: they can make a harmless program do anything. */
  env: Record<string, string>
  /** The place in the file: `.ralph.toml:7`. */
  where: string
  /** What else it may have been called when it was trusted, where nobody noted which setting named it. */
  also?: Pick<ProjectProgram, 'setting' | 'run'>[]
  /** One of many with that name: it takes no other's place. */
  oneOfMany?: true
}

/** One that somebody trusted. */
export interface TrustedProgram extends Omit<ProjectProgram, 'where' | 'also' | 'oneOfMany'> {
  at: Instant
}

/** A program that nobody trusted yet. */
export interface UntrustedProgram {
  program: ProjectProgram
  /** What the same setting said when it was trusted last; null: it is new. */
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

/** Everything that trust is bound to, as one text: two programs with the same one are the same. */
export function trustKey({ setting, run, cwd, env }: Omit<ProjectProgram, 'where'>): string {
  const sorted = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([setting, run, cwd, sorted])
}
