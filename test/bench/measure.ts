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

/** A hundredth of a second is coarse, so each round starts every variant this often. */
const STARTS = 5

/** Each of these beside the first: how much CPU it takes, one start of each after the other, again and again. */
export function printRatios(variants: Record<string, Call>, rounds: number): void {
  const [first = ''] = Object.keys(variants)
  const ratios = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    const costs = new Map<string, number>()
    for (let start = 0; start < STARTS; start += 1)
      for (const [name, variant] of Object.entries(variants))
        costs.set(name, (costs.get(name) ?? 0) + costOf(variant).cpuMs)
    const floor = costs.get(first) ?? Number.NaN
    for (const [name, cost] of costs) ratios.set(name, [...(ratios.get(name) ?? []), cost / floor])
  }
  for (const [name, values] of ratios)
    console.log(`  ${name.padEnd(36)} ${median(values).toFixed(2)} × the CPU of ${first}`)
}

export function refuseFailing({ argv: [program = '', ...args], cwd, env }: Call): void {
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${String(status)}: ${stderr}`)
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
