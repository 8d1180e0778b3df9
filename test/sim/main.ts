/**
 * `npm run sim`: thousands of bad nights, each from its seed. A failure is reproduced by `--replay SEED`.
 *
 *   --runs N     how many (10,000 unless said otherwise)      --seed S     the first seed (1)
 *   --fresh      seeds nobody has tried before; printed       --replay S   one run, row by row
 *   --workers N  so many in every run (1 to 12, by the seed)  --tasks      through tasks in every run (every third, by the seed)
 *   --claims N   no nights, but so many claims of tasks by engines that crash, forget and come back too late
 *
 * The seeds are shared out over the cores, a process each.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Row } from '../../src/core/state/row.ts'
import { describeRow } from './invariants.ts'
import { simulate, type ForcedFaults } from './run.ts'
import { memoryStore } from './store.ts'
import { sumStressResults, runClaimStress, type ClaimStressResult } from './claim-stress.ts'
import { openTally, type Counts } from './tally.ts'

const FAILURES_SHOWN = 5
/** More than four processes add little and heat a laptop. */
const PARTS_MAX = 4

const TWICE_EVERY = 8

interface Part {
  first: number
  runs: number
  forced: ForcedFaults
  /** Every so many seeds, from which one on. */
  of: number
  part: number
}

/** What one process has to say at its end. */
interface Said {
  counts: Counts
  failures: string[]
  cpuSeconds: number
}

interface SaidOfClaims {
  played: ClaimStressResult
  cpuSeconds: number
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      fresh: { type: 'boolean', default: false },
      replay: { type: 'string' },
      workers: { type: 'string' },
      tasks: { type: 'boolean' },
      claims: { type: 'string' },
      part: { type: 'string' },
      of: { type: 'string', default: '1' },
    },
  })
  const forced: ForcedFaults = {
    ...(values.workers === undefined ? {} : { workers: Number(values.workers) }),
    ...(values.tasks === undefined ? {} : { tasks: values.tasks }),
  }
  if (values.replay !== undefined) return replay(Number(values.replay), forced)
  const first = values.fresh ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
  const runs = Number(values.runs)
  if (values.claims !== undefined) {
    const claims = Number(values.claims)
    if (values.part === undefined) return manyClaims({ first, claims })
    const played = await runClaimStress({ claims, seed: first })
    say(JSON.stringify({ played, cpuSeconds: cpuSeconds() } satisfies SaidOfClaims))
    return 0
  }
  if (values.part === undefined) return many({ first, runs, forced })
  const said = await playPart({ first, runs, forced, of: Number(values.of), part: Number(values.part) })
  say(JSON.stringify(said))
  return 0
}

async function many({ first, runs, forced }: Pick<Part, 'first' | 'runs' | 'forced'>): Promise<number> {
  say(`seeds ${first} to ${first + runs - 1}`)
  const began = performance.now()
  const of = partsOf(runs)
  const parts = await Promise.all(
    Array.from({ length: of }, (_, part) => inProcess<Said>(argsOf({ first, runs, forced, of, part }))),
  )
  const seconds = (performance.now() - began) / 1_000
  const exitCounts = openTally()
  for (const part of parts) exitCounts.add(part.counts)
  const failures = parts.flatMap((part) => part.failures)
  for (const failure of failures.slice(0, FAILURES_SHOWN)) say(`\n${failure}`)
  say(exitCounts.table())
  // A handful of seeds cannot show everything.
  const unseen = runs >= 2_000 ? exitCounts.unseen() : []
  if (unseen.length > 0) say(`never seen: ${unseen.join(', ')}`)
  const cpu = parts.reduce((sum, part) => sum + part.cpuSeconds, 0)
  say(`${Math.round(runs / seconds)} runs a second, ${seconds.toFixed(1)} s on ${of} cores, ${cpu.toFixed(1)} s of CPU`)
  say(`${runs - failures.length} passed, ${failures.length} failed`)
  return failures.length === 0 && unseen.length === 0 ? 0 : 1
}

/** Each core has a store of its own, with engines of its own; the seeds follow each other. */
async function manyClaims({ first, claims }: { first: number; claims: number }): Promise<number> {
  const of = partsOf(claims)
  say(`${claims} claims, seeds ${first} to ${first + of - 1}`)
  const began = performance.now()
  const each = String(Math.ceil(claims / of))
  const parts = await Promise.all(
    Array.from({ length: of }, (_, part) =>
      inProcess<SaidOfClaims>(['--claims', each, '--seed', String(first + part), '--part', String(part)]),
    ),
  )
  const seconds = (performance.now() - began) / 1_000
  for (const [what, count] of Object.entries(sumStressResults(parts.map(({ played }) => played))))
    say(`${what.padEnd(9)} ${count}`)
  const cpu = parts.reduce((sum, part) => sum + part.cpuSeconds, 0)
  say(
    `${Math.round(claims / seconds)} claims a second, ${seconds.toFixed(1)} s on ${of} cores, ${cpu.toFixed(1)} s of CPU`,
  )
  say('no claim double, none lost; what is kept equals what a recount finds')
  return 0
}

function partsOf(count: number): number {
  return Math.max(1, Math.min(PARTS_MAX, availableParallelism(), count))
}

function argsOf({ first, runs, forced, of, part }: Part): string[] {
  const args = ['--seed', String(first), '--runs', String(runs), '--of', String(of), '--part', String(part)]
  if (forced.workers !== undefined) args.push('--workers', String(forced.workers))
  if (forced.tasks === true) args.push('--tasks')
  return args
}

/** The same program again, for a share of the work. What it says is the last thing it has to say. */
function inProcess<T>(args: string[]): Promise<T> {
  const own = [...process.execArgv, process.argv[1] ?? '']
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...own, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(stdout) as T)
      else reject(new Error(`${args.join(' ')} ended with ${code}; why stands above`))
    })
  })
}

async function playPart({ first, runs, forced, of, part }: Part): Promise<Said> {
  const [store, twice] = [await memoryStore(), await memoryStore({ twice: true })]
  const exitCounts = openTally()
  const failures: string[] = []
  for (let seed = first + part; seed < first + runs; seed += of) {
    const done = await simulate(isTwice(seed) ? twice : store, seed, exitCounts, forced)
    exitCounts.ended(done)
    const again = `npm run sim -- --replay ${seed}${forced.workers === undefined ? '' : ` --workers ${forced.workers}`}${forced.tasks === true ? ' --tasks' : ''}`
    if (done.failure !== null) failures.push(`${done.failure}\n  again with: ${again}`)
  }
  return { counts: exitCounts.counts(), failures, cpuSeconds: cpuSeconds() }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

/** In some nights every transaction is done, undone and done again. */
function isTwice(seed: number): boolean {
  return seed % TWICE_EVERY === 0
}

async function replay(seed: number, forced: ForcedFaults): Promise<number> {
  const watching = {
    note: (what: string) => say(`      ~ ${what}`),
    row: (row: Row) => say(describeRow(row)),
  }
  const done = await simulate(await memoryStore({ twice: isTwice(seed) }), seed, watching, forced)
  say(done.failure ?? `seed ${seed} passed: ${JSON.stringify(done.outcome)}`)
  return done.failure === null ? 0 : 1
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

process.exitCode = await main()
