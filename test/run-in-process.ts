/** Calls Ralph in this very process, as the terminal would, and keeps what it says. For commands that start no engine. */
import type { Io } from '../src/ui/cli/framework/io.ts'
import { main } from '../src/ui/cli/main.ts'

export interface CapturedOutput {
  code: number
  out: string
  err: string
}

export interface InProcessOptions {
  cwd: string
  /** All that the command sees; HOME is what a test most likely wants to set. */
  env: Record<string, string | undefined>
  colour?: boolean
  /** Of the terminal; absent: there is none. */
  columns?: number
}

/** A screen without the breaks that only its width made: every run of blanks is one. */
export function collapseSpaces(screen: string): string {
  return screen.replaceAll(/\s+/g, ' ')
}

export async function runInProcess(
  argv: string[],
  { cwd, env, colour = false, columns }: InProcessOptions,
): Promise<CapturedOutput> {
  let out = ''
  let err = ''
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: columns !== undefined,
    asks: false,
    colour,
    columns: () => columns ?? 80,
    env,
    cwd,
  }
  const code = await main(argv, io)
  return { code, out, err }
}

/** The last line of `--json`. */
export function lastResultOf(stdout: string): Record<string, unknown> {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
}
