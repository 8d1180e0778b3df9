/** Start-up: what Ralph's commands cost beside an empty Node. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/ground.ts'
import { costOf, median, type Call } from './measure.ts'

/** A hundredth of a second is coarse, so each round starts every variant this often. */
const STARTS = 10

export async function startBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const ground = project(join(folder, 'start'))
    ground.ralph(['loop', '--quiet'])
    const call = (...args: string[]): Call => ({
      argv: [process.execPath, ...args],
      cwd: ground.root,
      env: ground.env,
    })
    const variants: Record<string, Call> = {
      'node -e 0': call('-e', '0'),
      'ralph --version': call(ground.ralphPath, '--version'),
      'ralph --help': call(ground.ralphPath, '--help'),
      'ralph status': call(ground.ralphPath, 'status'),
    }
    const ratios = new Map<string, number[]>()
    for (let round = 0; round < rounds; round += 1) {
      const costs = new Map<string, number>()
      for (let start = 0; start < STARTS; start += 1) {
        for (const [name, variant] of Object.entries(variants))
          costs.set(name, (costs.get(name) ?? 0) + costOf(variant).cpuMs)
      }
      const floor = costs.get('node -e 0') ?? Number.NaN
      for (const [name, cost] of costs) ratios.set(name, [...(ratios.get(name) ?? []), cost / floor])
    }
    for (const [name, values] of ratios)
      console.log(`  ${name.padEnd(18)} ${median(values).toFixed(2)} × the CPU of node -e 0`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
