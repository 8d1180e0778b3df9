/** What a look at the project costs beside an empty Node, after ten iterations and after thousands, with one run and with hundreds. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from '../crash/crash-project.ts'
import { storeRuns } from '../stored-runs.ts'
import { printRatios, refuseFailing, type Call } from './measure.ts'

const PROJECTS: Record<string, { runs: number; iterations: number }> = {
  '1 run of 10': { runs: 1, iterations: 10 },
  '1 run of 2,500': { runs: 1, iterations: 2_500 },
  '500 runs of 10': { runs: 500, iterations: 10 },
}
const COMMANDS = ['status', 'runs', 'stats', 'report']

export async function screensBench({ rounds }: { rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const variants: Record<string, Call> = {}
    for (const [name, { runs, iterations }] of Object.entries(PROJECTS)) {
      const fixture = join(folder, name.replaceAll(/\W/g, ''))
      mkdirSync(fixture)
      const ground = project(fixture)
      const file = join(ground.root, '.git', 'ralph', 'root', 'ralph.db')
      await storeRuns(file, { root: ground.root, runs, iterations })
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
    printRatios(variants, rounds)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
