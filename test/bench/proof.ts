/** What a proof costs beyond its gates: proof step by proof step on a small project whose gate takes a second, and the clean room of 20,000 files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project, SOURCE, source } from '../crash/crash-project.ts'
import { median } from './measure.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "sleep 1 && node test.mjs"\n'
const FILES = 20_000
const PER_FOLDER = 200

/** Two things of the protected files change without need, so that its proof step is climbed too. */
const CLAIM = {
  steps: [
    { do: 'write', path: SOURCE, content: source(1, 2) },
    { do: 'write', path: 'helper.mjs', content: '// for tests, reworded\n' },
    { do: 'status', text: 'All done.', fields: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ],
}

interface Told {
  at: number
  type: string
  decisions: { by: string; what: string; why: string }[]
  evidence?: { purpose: string; durationMs: number }
  trial?: { durationMs?: number; results?: { durationMs: number; purpose: string }[] }
}

export function proofBench({ rounds }: { rounds: number }): void {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
  try {
    const beyond = new Map<string, number[]>()
    for (let round = 0; round < Math.max(3, Math.floor(rounds / 3)); round += 1) {
      for (const [name, ms] of costs(claimIn(join(folder, String(round)), 0)))
        beyond.set(name, [...(beyond.get(name) ?? []), ms])
    }
    console.log('  a gate of one second, no tools; wall time beyond the gates:')
    for (const [name, all] of beyond) line(name, median(all))
    console.log(`  ${FILES} files:`)
    const many = costs(claimIn(join(folder, 'many'), FILES))
    for (const name of ['clean-room-check', 'room']) line(NAMES[name] ?? name, many.get(NAMES[name] ?? name) ?? NaN)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const NAMES: Record<string, string> = {
  'clean-room-check': 'the room, before the first agent',
  room: 'clean room',
  'original-tests': 'judge as it was',
  'source-loaded': 'work made to fail',
  mutation: 'change made wrong',
  expects: 'expectations made wrong',
}

/** Of each trial, and of the whole way from the claim to the end of the run. */
function costs(rows: Told[]): Map<string, number> {
  const trials = rows.flatMap(({ trial }) => {
    const [first] = trial?.results ?? []
    if (trial?.durationMs === undefined || first === undefined) return []
    const gates = (trial.results ?? []).reduce((sum, { durationMs }) => sum + durationMs, 0)
    return [[NAMES[first.purpose] ?? first.purpose, trial.durationMs - gates] as const]
  })
  const claim = rows.findIndex(({ decisions }) => decisions.some(({ what }) => what === 'check'))
  const after = rows.slice(claim)
  const inGates = after.reduce((sum, { evidence, trial }) => {
    const tried = (trial?.results ?? []).reduce((all, { durationMs }) => all + durationMs, 0)
    return sum + (evidence?.durationMs ?? 0) + tried
  }, 0)
  const whole = (after.at(-1)?.at ?? 0) - (after[0]?.at ?? 0)
  return new Map([...trials, ['in all, from claim to end', whole - inGates], ['in all, gates included', whole]])
}

function claimIn(folder: string, files: number): Told[] {
  const ground = project(folder, { toml: GATE, turns: [CLAIM] })
  for (let n = 0; n < files; n += 1) {
    const at = join(ground.root, 'data', String(Math.floor(n / PER_FOLDER)))
    if (n % PER_FOLDER === 0) mkdirSync(at, { recursive: true })
    writeFileSync(join(at, `${n}.txt`), `file ${n}\n`.repeat(20))
  }
  if (files > 0) {
    ground.git(['add', '-A'])
    ground.git(['commit', '-q', '-m', 'many files'])
  }
  const ran = ground.ralph(['loop', '--json'])
  const rows = ran.stdout.split('\n').flatMap((text) => {
    const told = text.startsWith('{') ? (JSON.parse(text) as Partial<Told>) : {}
    return told.at === undefined ? [] : [told as Told]
  })
  if (ran.code !== 0) throw new Error(`the claim was not proven (${ran.code}): ${ran.stdout.slice(-500)}`)
  return rows
}

function line(name: string, ms: number): void {
  console.log(`    ${name.padEnd(34)} ${(ms / 1000).toFixed(2)} s`)
}
