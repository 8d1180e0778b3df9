/**
 * A run that is held in a phase, by an agent, a gate, a set-up or a git that never ends, so that a test can stop or kill it there and
 * look at what is left.
 */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { findProcess } from '../../src/system/process/process-table.ts'
import {
  testProject,
  type TestProject,
  type TestProjectOptions,
  type Program,
  type RunningCommand,
} from '../test-project.ts'
import { install } from './setup-kit.ts'

export interface Phase {
  name: string
  toml?: string
  args?: string[]
  turns: NonNullable<TestProjectOptions['turns']>
  /** This git is held, once that file is there; null: from the beginning. */
  git?: { sub: string; once: string | null }
  /** What the gate `check` does in the shell; where it says `hold`, it never ends. */
  check?: string
  /** How it is known that the run is there: words it prints; absent: whatever holds it says so. */
  shows?: string
  /** Completions are judged by trial. */
  proof?: 'full'
}

/** For gates and set-ups of the settings: never ends, and says by whom. */
export const STUCK = 'echo $$ > ../held; exec sleep 600'

export function gate(run: string): string {
  return `[[gate]]\nname = "test"\nrun = "${run}"\n`
}

/** A run that has come to the phase and stays there. */
export async function startStuckRun(
  phase: Phase,
  agent: Program,
  { deaf = false } = {},
): Promise<{ fixture: TestProject; walk: RunningCommand }> {
  const fixture = await makeStuckProject(phase, { deaf })
  const walk = fixture.start(['loop', '--agent', agent, ...(phase.args ?? [])])
  if (phase.shows === undefined) await stuckPidOf(fixture, walk)
  else await walk.waitFor(phase.shows)
  return { fixture, walk }
}

/** The project of a phase, in which nothing runs yet. */
export async function makeStuckProject(phase: Phase, { deaf = false } = {}): Promise<TestProject> {
  const fixture = await testProject({
    toml: phase.toml ?? '',
    files: FILES,
    turns: phase.turns,
    ...(phase.proof === undefined ? {} : { proof: phase.proof }),
  })
  await writeFile(join(dirname(fixture.path), 'holds'), '')
  if (phase.check !== undefined) await install(fixture, 'check', checkScript(fixture, phase.check, deaf))
  if (phase.git !== undefined) await holdGit(fixture, { ...phase.git, deaf })
  return fixture
}

const FILES = { 'src/one.sh': 'echo 3\n', 'test/one.sh': 'echo old\n', 'test/two.sh': 'echo old\n' }

/** What holds has a child, so that a test sees whether only the one in front was ended. */
function checkScript(fixture: TestProject, check: string, deaf: boolean): string {
  const base = dirname(fixture.path)
  return [
    `in_room() { [ "$PWD" != '${fixture.path}' ]; }`,
    'new() { grep -q new "$1"; }',
    'hold() {',
    `  [ -e '${base}/holds' ] || return 0`,
    `  ${deaf ? "trap '' TERM;" : ''} sleep 600 & echo $$ > '${base}/held'; exec sleep 600`,
    '}',
    `flag() { : > '${base}/flag'; }`,
    check,
  ].join('\n')
}

/** In the place of git on the PATH: git itself, but for one of its commands, which never ends. */
async function holdGit(
  fixture: TestProject,
  { sub, once, deaf }: { sub: string; once: string | null; deaf: boolean },
): Promise<void> {
  const base = dirname(fixture.path)
  const git = join(base, 'bin', 'git')
  const real = await readlink(git)
  await rm(git)
  const when = once === null ? '' : `[ -e '${join(fixture.path, once)}' ] && `
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

export async function release(fixture: TestProject): Promise<void> {
  for (const name of ['holds', 'held']) await rm(join(dirname(fixture.path), name), { force: true })
}

/** The pid of whatever holds the run; waits until it is there. */
export async function stuckPidOf(fixture: TestProject, walk?: RunningCommand): Promise<number> {
  const file = join(dirname(fixture.path), 'held')
  for (let i = 0; i < 24_000; i++) {
    const pid = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
    if (pid > 0) return pid
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  throw new Error(`it never came to that:\n${walk?.output() ?? ''}`)
}

export function isProcessAlive(pid: number): boolean {
  const process = findProcess(pid)
  return process !== null && !process.zombie
}

/** Processes that still live, and files of ours or locks of our git that are left in the repository. */
export async function leftoversOf(fixture: TestProject): Promise<string[]> {
  const file = join(dirname(fixture.path), 'held')
  const pid = existsSync(file) ? Number(await readFile(file, 'utf8')) : 0
  const files = await readdir(join(fixture.path, '.git'), { recursive: true })
  return [
    ...(pid > 0 && isProcessAlive(pid) ? [`process ${pid}`] : []),
    ...workingIn(dirname(fixture.path)),
    ...files.filter((name) => /ralph-(index|hashes|restore)-|\.lock$/.test(name)),
  ]
}

/** Where the system tells in which folder a process works: those of the test project, its clean rooms included. */
function workingIn(base: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(base) && isProcessAlive(Number(pid))
    } catch {
      // It is gone, or somebody else's.
      return false
    }
  })
}

export const SIGNALS = [
  { by: 'SIGINT', code: 130, afterwards: 'loop' },
  { by: 'SIGTERM', code: 143, afterwards: 'status' },
  { by: 'ralph stop', code: 4, afterwards: null },
] as const

/** Held in the phase, told to stop: it is gone with all it started, and says so. */
export async function stopStuckRun(
  phase: Phase,
  agent: Program,
  signal: (typeof SIGNALS)[number],
): Promise<TestProject> {
  const { fixture, walk } = await startStuckRun(phase, agent)
  const [ran, code] = await endBy(fixture, walk, signal)
  expect(ran.code, `${signal.by}\n${walk.output()}`).toBe(code)
  expect(walk.output()).toMatch(/NOT DONE: stopped/)
  expect(await leftoversOf(fixture)).toEqual([])
  if (signal.afterwards === 'status') await saysStopped(fixture)
  return fixture
}

/** An engine that is too slow for `ralph stop` is sent a signal; on a machine with many others that is no fault. */
async function endBy(
  fixture: TestProject,
  walk: RunningCommand,
  signal: (typeof SIGNALS)[number],
): Promise<[Awaited<RunningCommand['ended']>, number]> {
  if (signal.by !== 'ralph stop') return [await walk.kill(signal.by), signal.code]
  const { how } = JSON.parse((await fixture.ralph(['stop', '--json'])).stdout) as { how: string }
  return [await walk.ended, how === 'asked' ? signal.code : 143]
}

async function saysStopped(fixture: TestProject): Promise<void> {
  const status = JSON.parse((await fixture.ralph(['status', '--json'])).stdout) as { outcome: { is: string } }
  expect(status.outcome.is).toBe('stopped')
}

/** Another signal the second time, because the same one would be taken for the echo of the first. */
export async function stopStuckRunTwice(phase: Phase): Promise<void> {
  const { fixture, walk } = await startStuckRun(phase, 'claude', { deaf: true })
  process.kill(walk.pid, 'SIGINT')
  await walk.waitFor('press Ctrl+C again to force quit')
  const ran = await walk.kill('SIGTERM')
  expect(ran.code).toBe(143)
  expect(await leftoversOf(fixture)).toEqual([])
}
