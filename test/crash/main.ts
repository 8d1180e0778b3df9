/**
 * The crash sweep: a small run, killed with SIGKILL at every state-changing system call of the engine in turn, started again,
 * and looked at: nothing that was acknowledged is lost, no iteration is counted twice, no process is left, the run completes.
 *
 *   npm run crash                 every point (some minutes)
 *   npm run crash -- --quick      a sample of them, spread evenly
 *   npm run crash -- --part 1/2   half of them; the other half beside it on another core
 *   npm run crash -- --disk       the call fails with a full disk instead: exit 7 or a notice, and the same command goes on
 *   npm run crash -- --draft      documents are drafted and their task accepted instead, by an agent that strays once
 *
 * With strace the kill comes at the Nth call of a kind, exactly and repeatably. Where there is no strace (macOS) the engine is
 * killed after the Nth row it acknowledged instead: fewer points, the same checks.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DRAFT_TURNS, project, type CrashProject } from './crash-project.ts'

/** What changes something: files, the database, folders, processes. */
const CALLS = [
  'pwrite64',
  'write',
  'fsync',
  'fdatasync',
  'ftruncate',
  'rename',
  'unlink',
  'mkdir',
  'clone3',
  'clone',
  'vfork',
]

/** Those that a full disk refuses, as far as they are ours: libuv talks to itself by `write` and does not survive its failing. */
const DISK_CALLS = new Set(['pwrite64', 'fsync', 'ftruncate', 'rename', 'mkdir'])

const quick = process.argv.includes('--quick')
const disk = process.argv.includes('--disk')
const draft = process.argv.includes('--draft')
const COMMAND = draft ? ['feature', 'create', 'money', 'a type for money', '--yes', '--json'] : ['loop', '--json']
const LAID = draft ? { turns: DRAFT_TURNS } : {}
/** Points per kind of call in a quick sweep. */
const SAMPLE = 4
const LIMIT_MS = 60_000
/** `--part 1/2`: every second point, so that each core sweeps its share. */
const part = partOf(process.argv[process.argv.indexOf('--part') + 1] ?? '')

interface SnapshotRef {
  call: string
  n: number
}

const base = mkdtempSync(join(tmpdir(), 'ralph-crash-'))
process.on('exit', () => rmSync(base, { recursive: true, force: true }))

async function main(): Promise<number> {
  const template = join(base, 'template')
  project(template, LAID)
  const strace = spawnSync('strace', ['--version']).status === 0
  if (disk && !strace) throw new Error('a disk can only be refused with strace, and there is none here')
  const points = strace ? await pointsByStrace(template) : pointsByRows()
  const chosen = (quick ? sample(points) : points).filter((_, index) => index % part.of === part.n - 1)
  console.log(
    `${chosen.length} of ${points.length} points${strace ? '' : ' (no strace here: kills after acknowledged rows)'}`,
  )
  let failed = 0
  for (const [index, point] of chosen.entries()) {
    const problems = await strike(template, point, index, strace)
    if (problems.length > 0) {
      failed += 1
      console.log(`FAIL ${point.call} #${point.n}: ${problems.join('; ')}`)
    }
    if ((index + 1) % 25 === 0) console.log(`${index + 1} points, ${failed} failed`)
  }
  console.log(`${chosen.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function partOf(text: string): { n: number; of: number } {
  const [, n = '1', of = '1'] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  return { n: Number(n), of: Number(of) }
}

/** One whole run under strace tells how often each call is made. */
async function pointsByStrace(template: string): Promise<SnapshotRef[]> {
  const ground = copy(template, 'count')
  const log = join(base, 'count.log')
  const ran = await run(ground, { strace: ['-o', log, '-e', `trace=${known().join(',')}`] })
  if (ran.code !== 0)
    throw new Error(`the run to be swept does not complete by itself (${ran.code}):\n${ran.stdout}${ran.stderr}`)
  const counts = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const call = /^(\w+)\(/.exec(line)?.[1]
    if (call !== undefined) counts.set(call, (counts.get(call) ?? 0) + 1)
  }
  ground.remove()
  return [...counts].flatMap(([call, count]) => Array.from({ length: count }, (_, i) => ({ call, n: i + 1 })))
}

/** Calls that this kernel's strace knows; some exist on one architecture only. */
function known(): string[] {
  const wanted = disk ? CALLS.filter((call) => DISK_CALLS.has(call)) : CALLS
  return wanted.filter((call) => spawnSync('strace', ['-e', `trace=${call}`, 'true']).status === 0)
}

function pointsByRows(): SnapshotRef[] {
  return Array.from({ length: 25 }, (_, i) => ({ call: 'row', n: i + 1 }))
}

function sample(points: SnapshotRef[]): SnapshotRef[] {
  return [...group(points).values()].flatMap((list) => {
    const every = Math.max(1, list.length / SAMPLE)
    return Array.from({ length: Math.min(SAMPLE, list.length) }, (_, i) => list[Math.floor(i * every)]).filter(
      (one) => one !== undefined,
    )
  })
}

function group(points: SnapshotRef[]): Map<string, SnapshotRef[]> {
  const map = new Map<string, SnapshotRef[]>()
  for (const point of points) map.set(point.call, [...(map.get(point.call) ?? []), point])
  return map
}

/** Kills the engine at the point, takes the run up again, and says what is wrong. */
async function strike(template: string, point: SnapshotRef, index: number, strace: boolean): Promise<string[]> {
  const ground = copy(template, String(index))
  try {
    const inject = [
      '-o',
      '/dev/null',
      '-e',
      `trace=${point.call}`,
      '-e',
      `inject=${point.call}:${disk ? 'error=ENOSPC' : 'signal=SIGKILL'}:when=${point.n}`,
    ]
    const killed = await run(ground, strace ? { strace: inject } : { rows: point.n })
    const acknowledged = rowsIn(killed.stdout)
    const over = [...acknowledged.values()].includes('run-ended')
    // Killed after its last words: starting again would begin another run.
    const told = !draft && lines(killed.stdout).some((line) => line['type'] === 'result')
    const again = killed.code === 0 || told ? null : await run(ground, {})
    return [
      ...(disk && killed.code !== 0 && killed.code !== 7 ? [`exit ${killed.code}: ${killed.stderr}`] : []),
      ...(draft ? draftProblems(ground, again ?? killed) : again === null ? [] : outcomeProblems(again)),
      ...(again !== null && over && !draft ? repeatProblems(again) : []),
      ...recordProblems(ground, acknowledged),
      ...ground.survivors().map((line) => `still alive: ${line}`),
    ]
  } finally {
    ground.remove()
  }
}

function outcomeProblems(ran: Ran): string[] {
  const last = lines(ran.stdout).at(-1)
  if (ran.code === 0 && last?.['proven'] === true) return []
  return [
    `the run did not complete: exit ${ran.code} ${JSON.stringify(last ?? null).slice(0, 300)} ${ran.stderr.slice(0, 300)}`,
  ]
}

/** However often it was begun: its task was added, once. */
function draftProblems(ground: CrashProject, { code, stderr }: Ran): string[] {
  const tasks = JSON.parse(ground.ralph(['task', 'list', '--json']).stdout) as unknown[]
  if (code === 0 && tasks.length === 1) return []
  return [`exit ${code}, ${tasks.length} tasks: ${stderr.slice(0, 300)}`]
}

/** A run that had ended is told, not done again. */
function repeatProblems(ran: Ran): string[] {
  const last = lines(ran.stdout).at(-1)
  return last?.['already'] === true ? [] : ['a run that had ended was followed by another one']
}

function recordProblems(ground: CrashProject, acknowledged: Map<string, string>): string[] {
  const problems: string[] = []
  // A run that had just ended when the engine was killed is followed by a new one: the promise was made for the first.
  const [first] = acknowledged.keys()
  const run = first?.split('.')[0]
  const rows = lines(ground.ralph(['replay', ...(run === undefined ? [] : [run]), '--json']).stdout)
  const kept = new Map(rows.map((row) => [`${String(row['run'])}.${String(row['seq'])}`, eventType(row)]))
  for (const [key, type] of acknowledged) {
    if (kept.get(key) !== type) problems.push(`row ${key} (${type}) was acknowledged and is ${kept.get(key) ?? 'gone'}`)
  }
  const iterations = rows.flatMap((row) =>
    (row['effects'] as { type: string; iteration: number; role?: string }[])
      .filter((effect) => effect.type === 'run-agent')
      .map((effect) => effect.iteration),
  )
  if (new Set(iterations).size !== iterations.length)
    problems.push(`iterations counted twice: ${iterations.join(', ')}`)
  if (iterations.some((n, i) => n !== i + 1)) problems.push(`iterations are not 1, 2, 3 …: ${iterations.join(', ')}`)
  const check = ground.ralph(['replay', '--check'])
  if (check.code !== 0) problems.push(`replay --check: ${check.stderr.slice(0, 300)}`)
  const status = ground.git(['status', '--porcelain', '--untracked-files=all'])
  if (/ralph\.db/.test(status)) problems.push('state lies in the working tree')
  return problems
}

/** Rows that the engine printed, and so promised to keep. */
function rowsIn(stdout: string): Map<string, string> {
  const rows = lines(stdout).filter((line) => typeof line['seq'] === 'number')
  return new Map(rows.map((row) => [`${String(row['run'])}.${String(row['seq'])}`, String(row['type'])]))
}

function eventType(row: Record<string, unknown>): string {
  return String((row['event'] as { type?: unknown } | undefined)?.type)
}

function lines(stdout: string): Record<string, unknown>[] {
  return stdout.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []
    } catch {
      // The last line of a killed process may be cut.
      return []
    }
  })
}

function copy(template: string, name: string): CrashProject {
  const folder = join(base, name)
  cpSync(template, folder, { recursive: true })
  return project(folder, LAID)
}

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** The command to its end, under strace or killed after so many rows. */
function run(ground: CrashProject, how: { strace?: string[]; rows?: number }): Promise<Ran> {
  const argv = [process.execPath, ground.ralphPath, ...COMMAND]
  const [program = '', ...args] = how.strace === undefined ? argv : ['strace', '-q', ...how.strace, ...argv]
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ground.root,
      env: ground.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    let rows = 0
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      rows += text.split('\n').length - 1
      if (how.rows !== undefined && rows >= how.rows) child.kill('SIGKILL')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('exit', (code) => {
      clearTimeout(timer)
      // An agent that outlived the killed engine holds the pipe; what it says no longer matters.
      setTimeout(() => resolve({ code, stdout, stderr }), 50)
    })
  })
}

if (!existsSync(join(base))) mkdirSync(base)
writeFileSync(join(base, 'README'), 'made by the crash sweep of Ralph; it is removed when the sweep ends\n')
process.exitCode = await main()
