/** What a look at the project costs beside an empty Node, after ten iterations and after thousands, with one run and with hundreds. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { House } from '../../src/domain/run/house.ts'
import { glanceOf } from '../../src/domain/run/glance.ts'
import type { Row } from '../../src/domain/run/row.ts'
import type { Rules } from '../../src/domain/run/rules.ts'
import { step } from '../../src/domain/run/step.ts'
import { HOUSE_VERSION } from '../../src/domain/run/upgrade.ts'
import { foldView } from '../../src/domain/tell/view.ts'
import { aNight } from '../../src/domain/test-kit.ts'
import { openStore } from '../../src/store/db/open.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { keepDigest } from '../../src/store/digests.ts'
import { appendRow } from '../../src/store/record.ts'
import { NO_SCREENS, saveScreens, type Screens } from '../../src/store/screens.ts'
import { saveState } from '../../src/store/state.ts'
import { project, type Ground } from '../crash/ground.ts'
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
      await fill(ground, { runs, iterations })
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

/** Records as a night leaves them, written as the engine writes them. */
async function fill(
  ground: Ground,
  { runs, iterations }: { runs: number; iterations: number },
): Promise<void> {
  const folder = join(ground.root, '.git', 'ralph', 'root')
  const store = await openStore(join(folder, 'ralph.db'), { create: true, notice: () => {} })
  const rows = aNight([{ files: 2 }], unlimited(iterations), 1_000_000)
  for (let n = 0; n < runs; n += 1) {
    const run = `r${String(n).padStart(5, '0')}`
    await store.sql.transaction((tx) => keep(tx, rows, { run, root: ground.root }))
  }
  await store.close()
}

async function keep(tx: Sql, rows: Row[], { run, root }: { run: string; root: string }): Promise<void> {
  let house: House | null = null
  let screens: Screens = NO_SCREENS
  for (const one of rows) {
    const event = one.event.type === 'run-started' ? { ...one.event, run, project: root } : one.event
    const row: Row = { ...one, run, event }
    const before: { house: House | null; screens: Screens } = { house, screens }
    const stepped: House = step(house, row.event, row).house
    house = stepped
    screens = { view: foldView(screens.view, row), glance: glanceOf(stepped, row, screens.glance) }
    await appendRow(tx, row)
    await saveState(tx, run, { version: HOUSE_VERSION, seq: row.seq, house: stepped }, before.house)
    await saveScreens(tx, run, screens, before.screens)
    await keepDigest(tx, run, { from: row.seq - 1, to: row.seq })
  }
}

function unlimited(iterations: number): (rules: Rules) => Rules {
  return (rules) => ({
    ...rules,
    loop: { ...rules.loop, iterationsMax: iterations },
    quota: { callsPerHour: 0, tokensPerHour: 0 },
    budget: { ...rules.budget, usd: null, tokens: null, minutes: null },
  })
}
