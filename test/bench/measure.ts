/** CPU and wall time of child processes, with all that they start and wait for. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Cost {
  cpuMs: number
  wallMs: number
}

export interface Call {
  argv: string[]
  cwd: string
  env: Record<string, string>
}

/** Runs a program to its end. The CPU of all its waited-for descendants counts. */
export function costOf({ argv, cwd, env }: Call): Cost {
  const [program = '', ...args] = argv
  const cpu = childrenCpuMs()
  const began = process.hrtime.bigint()
  const done = spawnSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const wallMs = Number(process.hrtime.bigint() - began) / 1e6
  if (done.error !== undefined) throw done.error
  const after = childrenCpuMs()
  return { cpuMs: cpu === null || after === null ? wallMs : after - cpu, wallMs }
}

/** Clock ticks of all children that were waited for; the kernel counts in hundredths of a second. */
function childrenCpuMs(): number | null {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return null
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
