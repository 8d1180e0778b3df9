/** One iteration: what Ralph adds to the bare agent, from the difference between a long and a short run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/crash-project.ts'
import { costOf, median, type Cost } from './measure.ts'

const LONG = 21
const SHORT = 1

/** Writes another file each time and never claims completion. */
const SCENARIO = {
  turns: [
    {
      steps: [
        { do: 'shell', command: 'date +%s%N > work-$$.txt' },
        { do: 'status', text: 'Going on.', fields: { STATUS: 'IN_PROGRESS', EXIT_SIGNAL: false } },
      ],
    },
  ],
}

export async function iterationBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const own: Cost[] = []
    const bare: Cost[] = []
    for (let round = 0; round < Math.max(3, Math.floor(rounds / 3)); round += 1) {
      const [long, short] = [LONG, SHORT].map((n) => loopCost(join(folder, `${round}-${n}`), n))
      const agent = agentCost(join(folder, `${round}-agent`))
      if (long === undefined || short === undefined) continue
      const per = {
        cpuMs: (long.cpuMs - short.cpuMs) / (LONG - SHORT),
        wallMs: (long.wallMs - short.wallMs) / (LONG - SHORT),
      }
      own.push({ cpuMs: per.cpuMs - agent.cpuMs, wallMs: per.wallMs - agent.wallMs })
      bare.push(agent)
    }
    const line = (name: string, costs: Cost[]): void =>
      console.log(
        `  ${name.padEnd(34)} CPU ${median(costs.map((one) => one.cpuMs)).toFixed(0)} ms, wall ${median(costs.map((one) => one.wallMs)).toFixed(0)} ms`,
      )
    line('the bare scripted agent', bare)
    line('what Ralph adds per iteration', own)
    const ratio = median(own.map((one, i) => one.cpuMs / (bare[i]?.cpuMs ?? Number.NaN)))
    console.log(`  ${'ratio'.padEnd(34)} ${ratio.toFixed(2)} × the agent's own CPU`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function loopCost(folder: string, iterations: number): Cost {
  const ground = project(folder)
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify(SCENARIO))
  writeFileSync(join(ground.root, '.ralph.toml'), '[breaker]\nno_progress = 1000\n')
  const argv = [process.execPath, ground.ralphPath, 'loop', '--quiet', '--max-iterations', String(iterations)]
  return costOf({ argv, cwd: ground.root, env: ground.env })
}

/** The same program as the loop starts it, ten times. */
function agentCost(folder: string): Cost {
  const ground = project(folder)
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify(SCENARIO))
  const costs = Array.from({ length: 10 }, () =>
    costOf({ argv: [join(folder, 'bin', 'claude'), '-p'], cwd: ground.root, env: ground.env }),
  )
  const mean = (pick: (cost: Cost) => number): number => costs.reduce((sum, cost) => sum + pick(cost), 0) / costs.length
  return { cpuMs: mean((cost) => cost.cpuMs), wallMs: mean((cost) => cost.wallMs) }
}
