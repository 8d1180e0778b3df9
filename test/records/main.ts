/**
 * Writes the records of this version: `npm run records -- NAME`. A real run with the scripted agent that works, hits a usage limit,
 * lies once, is paused and taken up again, and is proven done. Its rows go to `record.jsonl`; the state is kept once in each phase it
 * went through. Done once per release, before the shape changes; the files are never written anew.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { House } from '../../src/domain/house.ts'
import { step } from '../../src/domain/loop/step.ts'
import type { Row } from '../../src/domain/row.ts'
import { HOUSE_VERSION } from '../../src/domain/upgrade.ts'
import { openStore } from '../../src/store/open.ts'
import { allRows } from '../../src/store/record.ts'
import { project } from '../crash/ground.ts'

const TOML = `[loop]
commit = "iteration"

[[gate]]
name = "test"
run = "sh test.sh"

[retry]
limit_wait = "1s"
`

const says = (done: boolean): object => ({
  do: 'status',
  text: done ? 'All done.' : 'Half done.',
  fields: { STATUS: done ? 'COMPLETE' : 'IN_PROGRESS', EXIT_SIGNAL: done },
})

const TURNS = [
  { steps: [{ do: 'write', path: 'one.txt', content: 'one\n' }, { do: 'delay', ms: 3000 }, says(false)] },
  { steps: [{ do: 'limit', kind: 'usage-limit' }] },
  { steps: [{ do: 'write', path: 'three.txt', content: 'three\n' }, says(true)] },
  { steps: [{ do: 'write', path: 'two.txt', content: 'two\n' }, says(true)] },
]

async function main(): Promise<number> {
  const name = process.argv[2]
  if (name === undefined) {
    console.error('Name the release: npm run records -- 0.1.0')
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'ralph-records-'))
  try {
    const rows = await live(folder)
    const into = join('test', 'records', name)
    mkdirSync(into, { recursive: true })
    writeFileSync(
      join(into, 'record.jsonl'),
      rows.map((row) => `${JSON.stringify(neutral(row, folder))}\n`).join(''),
    )
    for (const [phase, house] of states(rows)) {
      const kept = { version: HOUSE_VERSION, house: neutral(house, folder) }
      writeFileSync(join(into, `${phase}.json`), `${JSON.stringify(kept, null, 2)}\n`)
      console.log(`${phase}.json`)
    }
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function live(folder: string): Promise<Row[]> {
  const ground = project(folder, { toml: TOML, turns: TURNS })
  const night = spawn(process.execPath, [ground.ralphPath, 'loop', '--json'], {
    cwd: ground.root,
    env: ground.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  let asked = 0
  night.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    // A pause takes effect after the iteration; it is taken back as soon as it is there.
    if (asked === 0 && stdout.includes('agent-began')) asked += Number(ground.ralph(['pause']).code === 0)
    if (asked === 1 && stdout.includes('"what":"pause"')) asked += Number(ground.ralph(['resume']).code === 0)
  })
  const code = await new Promise((resolve) => night.once('close', resolve))
  if (code !== 0) throw new Error(`the run ended with ${String(code)}: ${stdout}`)
  const store = await openStore(join(ground.root, '.git', 'ralph', 'root', 'ralph.db'), {
    create: false,
    notice: () => {},
  })
  const rows: Row[] = []
  const { run } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { run: string }
  for await (const row of allRows(store.sql, run)) rows.push(row)
  await store.close()
  return rows
}

/** The first state in each phase. A record that was just written refolds to what was kept. */
function states(rows: Row[]): Map<string, House> {
  const found = new Map<string, House>()
  let house: House | null = null
  for (const row of rows) {
    house = step(house, row.event, row).house
    const phase = house.workers['1']?.phase.is
    if (phase !== undefined && !found.has(phase)) found.set(phase, house)
  }
  return found
}

function neutral<T>(value: T, folder: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(folder, '/home/ann')) as T
}

process.exitCode = await main()
