/**
 * Writes the records of this version: `npm run records -- NAME`. A real run with the scripted agent that works, hits a usage limit,
 * lies once, is paused and taken up again, changes its tests, which it was allowed to, and is proven done. Its rows go to
 * `record.jsonl`; the state is kept once in each phase it went through, and on each rung of the ladder. Beside it a feature is drafted by an
 * agent that asks, meets a limit, and changes what it should not: `draft.jsonl` and `draft-*.json` (`-- NAME draft`: nothing else). Done once
 * per release, before the shape changes; the files are never written anew.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { House, Phase } from '../../src/domain/run/house.ts'
import { step } from '../../src/domain/run/step.ts'
import type { Row } from '../../src/domain/run/row.ts'
import { HOUSE_VERSION } from '../../src/domain/run/upgrade.ts'
import { openStore } from '../../src/store/db/open.ts'
import { allRows } from '../../src/store/record.ts'
import { DRAFT_TURNS, project, SOURCE, source } from '../crash/ground.ts'

const LIMIT_WAIT = `[retry]
limit_wait = "1s"
`

const TOML = `[loop]
commit = "iteration"

[[gate]]
name = "test"
run = "node test.mjs"

[proof]
allow_judge = ["*.mjs"]
opinion = "claude"

${LIMIT_WAIT}`

const says = (done: boolean): object => ({
  do: 'status',
  text: done ? 'All done.' : 'Half done.',
  fields: { STATUS: done ? 'COMPLETE' : 'IN_PROGRESS', EXIT_SIGNAL: done },
})

/** What the last claim needs changed of its judge, so that it has to be found out which: the test calls it by another name. */
const TEST = `import { sum } from './src/numbers.mjs'

const good = sum() === 3
console.log(\`TAP version 13\\n1..1\\n\${good ? 'ok' : 'not ok'} 1 - adds up\`)
process.exitCode = good ? 0 : 1
`

const TURNS = [
  { steps: [{ do: 'write', path: SOURCE, content: source(1, 0) }, { do: 'delay', ms: 3000 }, says(false)] },
  { steps: [{ do: 'limit', kind: 'usage-limit' }] },
  { steps: [{ do: 'write', path: SOURCE, content: source(1, 1) }, says(true)] },
  {
    steps: [
      { do: 'write', path: SOURCE, content: 'export function sum() {\n  return 1 + 2\n}\n' },
      { do: 'write', path: 'test.mjs', content: TEST },
      { do: 'write', path: 'helper.mjs', content: '// for other tests\n' },
      says(true),
    ],
  },
  { steps: [{ do: 'say', text: 'All good. <verify-pass/>' }] },
]

/** Asks and meets a limit before it writes, one turn after the other. */
const STRAYING = [
  { steps: [{ do: 'say', text: 'Which currency?' }] },
  { steps: [{ do: 'limit', kind: 'usage-limit' }] },
  ...DRAFT_TURNS.map(({ steps }) => ({ steps })),
]

async function main(): Promise<number> {
  const name = process.argv[2]
  if (name === undefined) {
    console.error('Name the release: npm run records -- 0.1.0')
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'ralph-records-'))
  try {
    const into = join('test', 'records', name)
    mkdirSync(into, { recursive: true })
    const keep = (file: string, rows: Row[], found: Map<string, House>): void => {
      const record = rows.map((row) => `${JSON.stringify(neutral(row, folder))}\n`).join('')
      writeFileSync(join(into, `${file}.jsonl`), record)
      for (const [phase, house] of found) {
        const kept = { version: HOUSE_VERSION, house: neutral(house, folder) }
        writeFileSync(join(into, `${phase}.json`), `${JSON.stringify(kept, null, 2)}\n`)
        console.log(`${phase}.json`)
      }
    }
    if (process.argv[3] !== 'draft') {
      const rows = await live(join(folder, 'loop'), { args: ['loop'], toml: TOML, turns: TURNS })
      keep('record', rows, states(rows, PHASES))
    }
    const args = ['feature', 'create', 'money', 'a type for money', '--yes']
    const rows = await live(join(folder, 'draft'), { args, toml: LIMIT_WAIT, turns: STRAYING })
    keep('draft', rows, draftStates(rows))
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function live(
  folder: string,
  { args, ...laid }: { args: string[]; toml: string; turns: object[] },
): Promise<Row[]> {
  mkdirSync(folder)
  const ground = project(folder, laid)
  const night = spawn(process.execPath, [ground.ralphPath, ...args, '--json'], {
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
  const result = stdout.split('\n').findLast((line) => line.startsWith('{"type":"result"'))
  const { run } = JSON.parse(result ?? '{}') as { run: string }
  for await (const row of allRows(store.sql, run)) rows.push(row)
  await store.close()
  return rows
}

/** The first state in each phase and on each rung. A record that was just written refolds to what was kept. */
function states(rows: Row[], wanted: string[]): Map<string, House> {
  const found = new Map<string, House>()
  let house: House | null = null
  for (const row of rows) {
    house = step(house, row.event, row).house
    const phase = house.workers['1']?.phase
    const name = phase === undefined ? undefined : nameOf(phase)
    if (name !== undefined && !found.has(name)) found.set(name, house)
  }
  const missing = wanted.filter((name) => !found.has(name))
  if (missing.length > 0) throw new Error(`the run never came to ${missing.join(', ')}`)
  return found
}

/** As they are, and where somebody answers: then the first turn without a paper is a question. */
function draftStates(rows: Row[]): Map<string, House> {
  const [first, ...others] = rows
  if (first?.event.type !== 'run-started' || first.event.draft === undefined)
    throw new Error('no draft was begun')
  const event = { ...first.event, draft: { ...first.event.draft, asks: true } }
  const asked = rows.findIndex(({ decisions }) => decisions.some(({ by, what }) => by === 'draft' && what === 'idle'))
  const asking = states([{ ...first, event }, ...others.slice(0, asked)], ['asking'])
  const found = [...states(rows, ['taking', 'clearing']), ['asking', asking.get('asking')] as const]
  return new Map(found.flatMap(([name, house]) => (house === undefined ? [] : [[`draft-${name}`, house]])))
}

function nameOf(phase: Phase): string {
  if (phase.is !== 'proving') return phase.is
  const { at } = phase.proof
  return `proving-${at.is === 'ladder' ? at.ladder.rung.is : at.is}`
}

/** A record that shows less of the judge than this is not worth keeping. */
const PHASES = [
  'basing',
  'baselining',
  'fitting',
  'proving-gates',
  'proving-sort',
  'proving-room',
  'proving-old-judge',
  'proving-needed',
  'proving-looks',
  'proving-mistake',
  'proving-last-look',
  'proving-opinion',
  'proving-opinion-check',
]

function neutral<T>(value: T, folder: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(folder, '/home/ann')) as T
}

process.exitCode = await main()
