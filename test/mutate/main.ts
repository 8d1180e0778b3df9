/**
 * `npm run mutate`: how much would the tests of the core notice? Small faults are made in `src/core`, one at a time (a comparison
 * turned round, a condition always true, a field left out, a call left out), and the tests that meet the fault are played. A fault that
 * no test notices has survived: a rule nobody wrote down, or a line nobody needs.
 *
 *   --files TEXT   only files whose path has this in it        --list N    so many survivors are shown (40); `all`
 *   --sample N     only so many faults, drawn by               --seed S    (1)
 *   --floor P      fails below so many percent (80)            --again     only what survived the last time
 *
 * Every unit test that needs no process, no store and no waiting is played. The faults are shared out over two processes; one that a
 * fault kills is begun again behind it.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { EQUIVALENT_MUTANTS, type EquivalentMutant } from './equivalent-mutants.ts'
import { mutate, type Mutant } from './mutants.ts'
import { openTestFile, type Limits, type TestBaseline, type TestFile } from './run-tests.ts'

const DOMAIN = 'src/core'
const CACHE = join('node_modules', '.cache', 'ralph', 'mutate')
const PARTS = 2
/** Tables of sentences: what they say is for people, and no rule. */
const WORDS = [
  'presentation/advice.ts',
  'presentation/report-text.ts',
  'presentation/outcome-text.ts',
  'proof/gate-example.ts',
]
/** What a test may import from outside and still be played a thousand times in one process. */
const QUIET = new Set(['vitest', 'fast-check', 'smol-toml', 'node:fs', 'node:path', 'node:url', 'node:util'])
const LAST = join('node_modules', '.cache', 'ralph', 'mutate-survivors.json')
const TOLD_EVERY_MS = 30_000
/** Nothing that a test of pure code does takes so long, and so many times what it took of the processor without a fault, on a busy machine;
 *  but for no test a fault is waited for longer than the last. */
const LIMIT_MS = 2_000
const LIMIT_TIMES = 20
const LIMIT_MOST_MS = 30_000

/** One fault, and who meets it: the test file and its tests, all of them if it is met while the file is read; the quickest first. */
interface Trial {
  mutant: number
  by: { file: number; tests: number[] }[]
}

interface Plan {
  files: { name: string; bundle: string; limits: Limits }[]
  trials: Trial[]
}

/** By which test a fault was noticed; null: by none. */
interface Result {
  mutant: number
  noticed: string | null
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      files: { type: 'string', default: '' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      list: { type: 'string', default: '40' },
      floor: { type: 'string', default: '80' },
      again: { type: 'boolean', default: false },
      part: { type: 'string' },
    },
  })
  if (values.part !== undefined) return playPart(values.part)
  const began = performance.now()
  const { mutants, sources } = faults(values.files)
  const plan = await prepare(sources)
  const asked = values.again ? survivorsIn(mutants) : mutants
  const drawn = values.sample === undefined ? asked : draw(asked, Number(values.sample), Number(values.seed))
  const wanted = new Set(drawn.map(({ id }) => id))
  const met = plan.trials.filter((trial) => wanted.has(trial.mutant))
  say(`${drawn.length} faults, ${met.length} of them met by ${plan.files.length} test files`)
  const results = new Map<number, string | null>()
  const telling = setInterval(() => process.stderr.write(`${results.size} of ${met.length}\n`), TOLD_EVERY_MS)
  await Promise.all(
    Array.from({ length: PARTS }, (_, part) =>
      playAside(
        { ...plan, trials: met.filter((_trial, i) => i % PARTS === part) },
        { part, heard: ({ mutant, noticed }) => void results.set(mutant, noticed) },
      ),
    ),
  )
  clearInterval(telling)
  const floor = Number(values.floor)
  const score = tell(drawn, results, { most: values.list === 'all' ? Infinity : Number(values.list), floor })
  say(`${((performance.now() - began) / 1_000).toFixed(0)} s`)
  const stale = EQUIVALENT_MUTANTS.filter(({ file }) => sources.has(join(process.cwd(), DOMAIN, file))).filter(
    (excuse) => !mutants.some((mutant) => isExcusedBy(mutant, excuse)),
  )
  for (const { file, line, was } of stale) say(`nothing is excused by ${file}: ${line}: ${was}`)
  return score * 100 >= floor && stale.length === 0 ? 0 : 1
}

/** Every fault of every file, numbered through. Only files that are asked for have any. */
function faults(asked: string): { mutants: Mutant[]; sources: Map<string, string> } {
  const mutants: Mutant[] = []
  const sources = new Map<string, string>()
  const isWanted = (name: string): boolean =>
    !isTest(name) && name.includes(asked) && !WORDS.includes(relative(DOMAIN, name))
  for (const file of filesBelow(DOMAIN).filter(isWanted)) {
    const { code, mutants: found } = mutate(readFileSync(file, 'utf8'), file, mutants.length)
    mutants.push(...found)
    sources.set(join(process.cwd(), file), code)
  }
  return { mutants, sources }
}

/** Bundles each test file with the faults in it, and finds out which of its tests meets which. */
async function prepare(sources: Map<string, string>): Promise<Plan> {
  rmSync(CACHE, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  const plan: Plan = { files: [], trials: [] }
  const by = new Map<number, (Trial['by'][number] & { ms: number })[]>()
  const tests = [...filesBelow('src'), RECORDS].filter((file) => file.endsWith('.test.ts'))
  for (const name of tests) {
    const bundle = join(process.cwd(), CACHE, `${name.replaceAll('/', '-')}.cjs`)
    if (!(await bundled(name, bundle, sources))) continue
    const met = meetings(name, bundle)
    if (met === null) continue
    const file = plan.files.length
    plan.files.push({ name, bundle, limits: limitsOf(met) })
    const quickest = [...met.tests.keys()].toSorted((a, b) => msOf(met.tests[a]) - msOf(met.tests[b]))
    for (const id of new Set([...met.read.ids, ...met.tests.flatMap(({ ids }) => [...ids])])) {
      const tests = met.read.ids.has(id) ? quickest : quickest.filter((i) => met.tests[i]?.ids.has(id))
      const ms = tests.reduce((sum, i) => sum + msOf(met.tests[i]), msOf(met.read))
      by.set(id, [...(by.get(id) ?? []), { file, tests, ms }])
    }
  }
  for (const [mutant, files] of by)
    plan.trials.push({
      mutant,
      by: files.toSorted((a, b) => a.ms - b.ms).map(({ file, tests }) => ({ file, tests })),
    })
  return plan
}

function limitsOf({ read, tests }: ReturnType<TestFile['meets']>): Limits {
  const limit = ({ ms }: TestBaseline): number => Math.round(Math.min(LIMIT_MOST_MS, LIMIT_MS + ms * LIMIT_TIMES))
  return { read: limit(read), tests: tests.map(limit) }
}

function msOf(met: TestBaseline | undefined): number {
  return met?.ms ?? 0
}

/** The states that each release left behind go through the core's own upgrade. */
const RECORDS = 'test/records.test.ts'

/** Null: it wants more of vitest than there is here. */
function meetings(name: string, bundle: string): ReturnType<TestFile['meets']> | null {
  try {
    return openTestFile(name, bundle).meets()
  } catch (error) {
    if (name.startsWith(DOMAIN)) throw error
    return null
  }
}

/** False: it has none of the files with faults in it, or needs the world. */
async function bundled(name: string, bundle: string, sources: Map<string, string>): Promise<boolean> {
  let has = false
  let isQuiet = true
  const build = await rolldown({
    input: name,
    platform: 'node',
    external(id) {
      if (id.startsWith('.') || id.startsWith('/')) return false
      if (!QUIET.has(id)) isQuiet = false
      return true
    },
    logLevel: 'silent',
    plugins: [
      {
        name: 'faults',
        load(id) {
          const code = sources.get(id)
          if (code === undefined) return null
          has = true
          return { code, moduleType: 'ts' }
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'cjs', codeSplitting: false })
  await build.close()
  if (has && isQuiet) writeFileSync(bundle, output[0].code)
  return has && isQuiet
}

/** A share of the faults in a process of its own. One that dies is begun again behind the fault that killed it. */
async function playAside(
  plan: Plan,
  { part, heard }: { part: number; heard: (result: Result) => void },
): Promise<void> {
  let left = plan.trials
  while (left.length > 0) {
    const file = join(CACHE, `plan-${part}.json`)
    writeFileSync(file, JSON.stringify({ ...plan, trials: left }))
    const done = await new Promise<number>((resolve, reject) => {
      let count = 0
      const own = [...process.execArgv, process.argv[1] ?? '']
      const child = spawn(process.execPath, [...own, '--part', file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      createInterface(child.stdout).on('line', (line) => {
        count += 1
        heard(JSON.parse(line) as Result)
      })
      child.once('error', reject)
      // A fault may use up all memory, which ends a process by a signal. Anything else is a fault of ours.
      child.once('close', (code) => (code === 1 ? reject(new Error(`part ${part} failed`)) : resolve(count)))
    })
    const killer = left[done]
    if (killer !== undefined) heard({ mutant: killer.mutant, noticed: 'the process died' })
    left = left.slice(done + 1)
  }
}

function playPart(planFile: string): number {
  const plan = JSON.parse(readFileSync(planFile, 'utf8')) as Plan
  const files = plan.files.map(({ name, bundle }) => openTestFile(name, bundle))
  for (const { mutant, by } of plan.trials) {
    let noticed: string | null = null
    for (const { file, tests } of by) {
      const one = files[file]
      const known = plan.files[file]
      if (one === undefined || known === undefined || noticed !== null) continue
      const played = one.play(tests, (id) => id === mutant, known.limits)
      if (played.failed !== null) noticed = `${one.name}: ${played.failed}`
      else if (played.tests !== known.limits.tests.length) noticed = `${one.name}: it has other tests`
    }
    say(JSON.stringify({ mutant, noticed } satisfies Result))
  }
  return 0
}

/** A table by folder, the survivors, then the files below the floor. The share that was noticed. */
function tell(
  mutants: Mutant[],
  results: Map<number, string | null>,
  { most, floor }: { most: number; floor: number },
): number {
  const counted = mutants.filter((mutant) => !isExcused(mutant))
  const folders = groupedBy(counted, ({ file }) => relative(DOMAIN, file).split('/').slice(0, -1).join('/'))
  const isNoticed = ({ id }: Mutant): boolean => (results.get(id) ?? null) !== null
  for (const [folder, here] of [...folders].toSorted(([a], [b]) => a.localeCompare(b))) {
    say(`${(folder === '' ? '.' : folder).padEnd(12)} ${share(here.filter(isNoticed).length, here.length)}`)
    for (const [file, own] of groupedBy(here, (mutant) => mutant.file))
      say(`  ${relative(DOMAIN, file).padEnd(32)} ${share(own.filter(isNoticed).length, own.length)}`)
  }
  const survivors = counted.filter((mutant) => !isNoticed(mutant))
  for (const { id, file, line, was, becomes } of survivors.slice(0, most))
    say(`${file}:${line}  ${was}  →  ${becomes}${results.has(id) ? '' : '  (no test comes here)'}`)
  if (survivors.length > most) say(`… and ${survivors.length - most} more (--list all)`)
  writeFileSync(LAST, JSON.stringify(survivors.map(nameOf)))
  const weak = [...groupedBy(counted, (mutant) => mutant.file)]
    .map(([file, own]) => ({ file, noticed: own.filter(isNoticed).length, all: own.length }))
    .filter(({ noticed, all }) => noticed * 100 < all * floor)
    .toSorted((a, b) => b.all - b.noticed - (a.all - a.noticed))
  if (weak.length > 0) say(`below ${floor} %, those first in which most was missed:`)
  for (const { file, noticed, all } of weak) say(`  ${relative(DOMAIN, file).padEnd(32)} ${share(noticed, all)}`)
  const noticed = counted.length - survivors.length
  say(`in all ${share(noticed, counted.length)}, ${mutants.length - counted.length} excused`)
  return counted.length === 0 ? 1 : noticed / counted.length
}

/** Those of the last run; a line that moved is found by what is on it. */
function survivorsIn(mutants: Mutant[]): Mutant[] {
  const names = new Set(JSON.parse(readFileSync(LAST, 'utf8')) as string[])
  return mutants.filter((mutant) => names.has(nameOf(mutant)))
}

function nameOf({ file, was, becomes }: Mutant): string {
  return `${file}: ${was} → ${becomes}`
}

function groupedBy<T>(list: T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

function share(noticed: number, all: number): string {
  return `${((noticed / all) * 100).toFixed(1).padStart(5)} %  ${String(noticed).padStart(5)} of ${String(all).padStart(5)}`
}

function isExcused(mutant: Mutant): boolean {
  return EQUIVALENT_MUTANTS.some((excuse) => isExcusedBy(mutant, excuse))
}

function isExcusedBy({ file, text, was, becomes }: Mutant, excuse: EquivalentMutant): boolean {
  return (
    excuse.file === relative(DOMAIN, file) && excuse.line === text && excuse.was === was && excuse.becomes === becomes
  )
}

function draw(mutants: Mutant[], count: number, seed: number): Mutant[] {
  let state = seed
  const next = (): number => (state = (state * 48_271 + 11) % 2_147_483_647)
  return mutants
    .map((mutant) => ({ mutant, by: next() }))
    .toSorted((a, b) => a.by - b.by)
    .slice(0, count)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.id - b.id)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .toSorted()
}

function isTest(name: string): boolean {
  return name.endsWith('.test.ts')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

process.exitCode = await main()
