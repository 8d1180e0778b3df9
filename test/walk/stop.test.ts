/**
 * A stop is obeyed in every phase of a run, however it is asked for: the run is held where it is (by an agent, a gate or a git that
 * never ends, or by a far reset), then told to stop, and the process must be gone with all it started.
 *
 * Dialects take turns over the phases; `RALPH_STOP_ALL=1` tries every phase in each of them.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { processOf } from '../../src/system/process-table.ts'
import { DONE, garden, NOT_YET, type Garden, type GardenOptions, type Program, type Walk } from '../garden.ts'

interface Phase {
  name: string
  toml?: string
  args?: string[]
  turns: NonNullable<GardenOptions['turns']>
  /** This git is held, once that file is there; null: from the beginning. */
  git?: { sub: string; once: string | null }
  /** How it is known that the run is there: words it prints; absent: whatever holds it says so. */
  shows?: string
}

const HALF = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'Half.', fields: NOT_YET },
] as const
const ALL = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'All done.', fields: DONE },
] as const
const HANG = [{ do: 'shell', command: 'echo $PPID > ../held' }, { do: 'hang' }] as const
const LIMIT = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3 * 3_600_000 }] as const

const gate = (run: string): string => `[[gate]]\nname = "test"\nrun = "${run}"\n`
const STUCK = 'echo $$ > ../held; exec sleep 600'

const PHASES: Phase[] = [
  { name: 'the look before the first iteration', turns: [[...HALF]], git: { sub: 'write-tree', once: null } },
  {
    name: 'the guard that notes what judges',
    toml: gate('true'),
    turns: [[...HALF]],
    git: { sub: 'ls-tree', once: null },
  },
  { name: 'a gate of the baseline', toml: gate(STUCK), turns: [[...HALF]] },
  { name: 'the work of an agent', turns: [[...HANG]] },
  { name: 'the look after an agent', turns: [[...HALF]], git: { sub: 'write-tree', once: 'one.txt' } },
  {
    name: 'a commit',
    toml: '[loop]\ncommit = "iteration"\n',
    turns: [[...HALF]],
    git: { sub: 'commit', once: null },
  },
  { name: 'a usage limit', turns: [[...LIMIT]], shows: 'waits until' },
  { name: 'the quota of the hour', args: ['--calls', '1'], turns: [[...HALF]], shows: 'waits until' },
  {
    name: 'the back-off after a failure',
    toml: '[retry]\nfirst = "1h"\nmax = "1h"\n',
    turns: [[{ do: 'crash', signal: 'SIGKILL' }]],
    shows: 'trying again in',
  },
  {
    name: 'an outage',
    toml: '[retry]\nfirst = "1h"\nmax = "1h"\n',
    turns: [[{ do: 'limit', kind: 'overload' }]],
    shows: 'next try',
  },
  {
    name: 'the pause between two iterations',
    toml: '[loop]\npause = "1h"\n',
    turns: [[...HALF]],
    shows: 'completion was not claimed',
  },
  {
    name: 'the guard that looks again',
    toml: gate('true'),
    turns: [[...ALL]],
    git: { sub: 'ls-tree', once: 'one.txt' },
  },
  { name: 'a gate of the proof', toml: gate(`test ! -e one.txt || { ${STUCK}; }`), turns: [[...ALL]] },
  {
    name: 'the files that are put back',
    toml: `${gate('sh check.sh')}[proof]\non_tamper = "restore"\n`,
    turns: [[{ do: 'write', path: 'check.sh', content: 'true\n' }, ...ALL]],
    git: { sub: 'checkout-index', once: 'one.txt' },
  },
  {
    name: 'a second opinion',
    toml: `${gate('true')}[proof]\nopinion = "copilot"\n`,
    turns: [[...ALL], [...HANG]],
  },
]

const SIGNALS = [
  { by: 'SIGINT', code: 130, afterwards: 'loop' },
  { by: 'SIGTERM', code: 143, afterwards: 'status' },
  { by: 'ralph stop', code: 4, afterwards: null },
] as const

const DIALECTS: Program[] = ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'cursor-agent']

const cases = PHASES.flatMap((phase, i) =>
  (process.env['RALPH_STOP_ALL'] === undefined ? [DIALECTS[i % DIALECTS.length] ?? 'claude'] : DIALECTS).map(
    (agent) => ({ phase, agent }),
  ),
)

describe('a stop is obeyed during', () => {
  test.each(cases)('$phase.name ($agent)', async ({ phase, agent }) => {
    await Promise.all(SIGNALS.map((signal) => stopped(phase, agent, signal)))
  })
})

async function stopped(phase: Phase, agent: Program, signal: (typeof SIGNALS)[number]): Promise<void> {
  const { place, walk } = await held(phase, agent)
  const [ran, code] = await endBy(place, walk, signal)
  expect(ran.code, `${signal.by}\n${walk.output()}`).toBe(code)
  expect(walk.output()).toMatch(/NOT DONE +stopped/)
  expect(await leftOf(place)).toEqual([])
  if (signal.afterwards === 'status') await saysStopped(place)
  if (signal.afterwards === 'loop' && phase.shows === undefined) await beginsAnew(place, agent)
}

/** An engine that is too slow for `ralph stop` is sent a signal; on a machine with many others that is no fault. */
async function endBy(
  place: Garden,
  walk: Walk,
  signal: (typeof SIGNALS)[number],
): Promise<[Awaited<Walk['ended']>, number]> {
  if (signal.by !== 'ralph stop') return [await walk.kill(signal.by), signal.code]
  const { how } = JSON.parse((await place.ralph(['stop', '--json'])).stdout) as { how: string }
  return [await walk.ended, how === 'asked' ? signal.code : 143]
}

describe('a second Ctrl+C ends everything at once during', () => {
  const deaf = { sub: 'write-tree', once: null }
  test.each([
    { name: 'a look', turns: [[...HALF]], git: deaf },
    {
      name: 'a commit',
      toml: '[loop]\ncommit = "iteration"\n',
      turns: [[...HALF]],
      git: { sub: 'commit', once: null },
    },
    { name: 'a guard', toml: gate('true'), turns: [[...HALF]], git: { sub: 'ls-tree', once: null } },
    { name: 'a gate', toml: gate(`trap '' TERM; ${STUCK}`), turns: [[...HALF]] },
    {
      name: 'the work of an agent',
      toml: '[agent]\nstop_grace = "10m"\n',
      turns: [[{ do: 'ignore-term' as const }, ...HANG]],
    },
  ] satisfies Phase[])('$name', async (phase) => {
    const { place, walk } = await held(phase, 'claude', { deaf: true })
    process.kill(walk.pid, 'SIGINT')
    await walk.waitFor('Once more: at once.')
    // Another signal, because the same one would be taken for the echo of the first.
    const ran = await walk.kill('SIGTERM')
    expect(ran.code).toBe(143)
    expect(await leftOf(place)).toEqual([])
  })
})

test('a signal while a finished run is tidied up cuts that short', async () => {
  const phase: Phase = {
    name: 'clean-up',
    toml: gate('true'),
    turns: [[...ALL]],
    git: { sub: 'for-each-ref', once: 'one.txt' },
  }
  const { place, walk } = await held(phase, 'claude')
  const ran = await walk.kill('SIGINT')
  expect([ran.code, walk.output()]).toEqual([130, expect.stringContaining('PROVEN')])
  expect(await leftOf(place)).toEqual([])
})

test('git that a killed Ralph left running is ended by the next start', async () => {
  const phase = PHASES[0]
  if (phase === undefined) throw new Error('there is no first phase')
  const { place, walk } = await held(phase, 'claude')
  await walk.kill('SIGKILL')
  const pid = await heldBy(place)
  expect(lives(pid)).toBe(true)
  await release(place)
  await place.play([[...ALL], [...ALL]])
  expect((await place.ralph(['loop'])).stdout).toContain('taken up again')
  expect(lives(pid)).toBe(false)
})

test('Ctrl+C ends the gates of `ralph verify`', async () => {
  const place = await garden({ toml: gate(STUCK) })
  const walk = place.start(['verify'])
  const pid = await heldBy(place)
  const ran = await walk.kill('SIGINT')
  expect([ran.code, lives(pid)]).toEqual([130, false])
  expect(await leftOf(place)).toEqual([])
})

/** A run that has come to the phase and stays there. */
async function held(
  phase: Phase,
  agent: Program,
  { deaf = false } = {},
): Promise<{ place: Garden; walk: Walk }> {
  const place = await garden({
    toml: phase.toml ?? '',
    files: { 'check.sh': 'test -e one.txt || true\n' },
    turns: phase.turns,
  })
  if (phase.git !== undefined) await holdGit(place, { ...phase.git, deaf })
  const walk = place.start(['loop', '--agent', agent, ...(phase.args ?? [])])
  if (phase.shows === undefined) await heldBy(place, walk)
  else await walk.waitFor(phase.shows)
  return { place, walk }
}

/** In the place of git on the PATH: git itself, but for one of its commands, which never ends. */
async function holdGit(
  place: Garden,
  { sub, once, deaf }: { sub: string; once: string | null; deaf: boolean },
): Promise<void> {
  const base = dirname(place.path)
  const git = join(base, 'bin', 'git')
  const real = await realGit(git)
  const when = once === null ? '' : `[ -e '${join(place.path, once)}' ] && `
  await writeFile(join(base, 'holds'), '')
  await writeFile(
    git,
    [
      '#!/bin/sh',
      `if [ -e '${base}/holds' ]; then for word in "$@"; do`,
      `  if ${when}[ "$word" = ${sub} ]; then`,
      `    ${deaf ? "trap '' TERM; " : ''}echo $$ > '${base}/held'; exec sleep 600`,
      '  fi',
      'done; fi',
      `exec '${real}' "$@"`,
      '',
    ].join('\n'),
    { mode: 0o755 },
  )
}

/** The link that the garden planted leads there. */
async function realGit(link: string): Promise<string> {
  const real = await readlink(link)
  await rm(link)
  return real
}

async function release(place: Garden): Promise<void> {
  for (const name of ['holds', 'held']) await rm(join(dirname(place.path), name), { force: true })
}

/** The pid of whatever holds the run; waits until it is there. */
async function heldBy(place: Garden, walk?: Walk): Promise<number> {
  const file = join(dirname(place.path), 'held')
  for (let i = 0; i < 4_000; i++) {
    const pid = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
    if (pid > 0) return pid
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error(`it never came to that:\n${walk?.output() ?? ''}`)
}

function lives(pid: number): boolean {
  const process = processOf(pid)
  return process !== null && !process.zombie
}

/** Processes that still live, and files of ours or locks of our git that are left in the repository. */
async function leftOf(place: Garden): Promise<string[]> {
  const file = join(dirname(place.path), 'held')
  const pid = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
  const files = await readdir(join(place.path, '.git'), { recursive: true })
  return [
    ...(pid > 0 && lives(pid) ? [`process ${pid}`] : []),
    ...files.filter((name) => /ralph-(index|hashes|restore)-|\.lock$/.test(name)),
  ]
}

async function saysStopped(place: Garden): Promise<void> {
  const status = JSON.parse((await place.ralph(['status', '--json'])).stdout) as { outcome: { is: string } }
  expect(status.outcome.is).toBe('stopped')
}

/** What was cut off is not in the way of what comes next. */
async function beginsAnew(place: Garden, agent: Program): Promise<void> {
  await release(place)
  await rm(join(place.path, 'one.txt'), { force: true })
  await place.write('.ralph.toml', gate('true'))
  await place.play([[...ALL]])
  const ran = await place.ralph(['loop', '--agent', agent])
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('PROVEN')])
}
