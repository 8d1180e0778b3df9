/** What a look at the project costs beside an empty Node, after ten iterations and after thousands, with one run and with hundreds. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/ground.ts'
import { keepNights } from '../kept-night.ts'
import { costOf, median, type Call } from './measure.ts'

const PROJECTS: Record<string, { runs: number; iterations: number }> = {
  '1 run of 10': { runs: 1, iterations: 10 },
  '1 run of 2,500': { runs: 1, iterations: 2_500 },
  '500 runs of 10': { runs: 500, iterations: 10 },
}
const COMMANDS = ['status', 'runs', 'stats', 'report']
/** A hundredth of a second is coarse, so each round starts every variant this often. */
const STARTS = 5

export async function screensBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const variants: Record<string, Call> = {}
    for (const [name, { runs, iterations }] of Object.entries(PROJECTS)) {
      const place = join(folder, name.replaceAll(/\W/g, ''))
      mkdirSync(place)
      const ground = project(place)
      const file = join(ground.root, '.git', 'ralph', 'root', 'ralph.db')
      await keepNights(file, { root: ground.root, runs, iterations })
      const call = (...args: string[]): Call => ({
        argv: [process.execPath, ...args],
        cwd: ground.root,
        env: ground.env,
      })
      variants['node -e 0'] ??= call('-e', '0')
      for (const command of COMMANDS) {
        const asked = call(ground.ralphPath, command)
        refuseFailing(asked)
        variants[`${command}, ${name}`] = asked
      }
    }
    const ratios = new Map<string, number[]>()
    for (let round = 0; round < rounds; round += 1) {
      const costs = new Map<string, number>()
      for (let start = 0; start < STARTS; start += 1)
        for (const [name, variant] of Object.entries(variants))
          costs.set(name, (costs.get(name) ?? 0) + costOf(variant).cpuMs)
      const floor = costs.get('node -e 0') ?? Number.NaN
      for (const [name, cost] of costs) ratios.set(name, [...(ratios.get(name) ?? []), cost / floor])
    }
    for (const [name, values] of ratios)
      console.log(`  ${name.padEnd(24)} ${median(values).toFixed(2)} × the CPU of node -e 0`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function refuseFailing({ argv: [program = '', ...args], cwd, env }: Call): void {
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${String(status)}: ${stderr}`)
}
