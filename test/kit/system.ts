/** Real processes with bad manners, for tests that look at how they are found and ended. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/system/clock.ts'
import { buildHelperEnv } from '../../src/system/environment.ts'
import type { ProcessMark } from '../../src/system/process/process-mark.ts'
import { readDescendantFile } from '../../src/system/process/descendant-file.ts'
import { findProcess } from '../../src/system/process/process-table.ts'
import {
  type StartProcessOptions,
  type StartedProcess,
  MARK_VARIABLE,
  startProcess,
  findProgram,
} from '../../src/system/process/process.ts'

export function isProcessAlive(pid: number): boolean {
  const proc = findProcess(pid)
  return proc !== null && !proc.zombie
}

/** The test's own time limit ends a wait for what never comes. */
export async function until(condition: () => boolean): Promise<void> {
  const clock = systemClock()
  while (!condition()) await new Promise<void>((resolve) => clock.after(5, resolve))
}

export type ShellChild = StartedProcess & {
  /** Numbers it printed so far, one a line. */
  numbers(): number[]
  /** Those that were noted to descend from it. */
  noted(): number[]
}

/** A followed child that does what it is told, a line of shell at a time. `mark` null: it carries none. */
export function startShellChild(options: {
  cwd: string
  notes: string
  mark: string | ProcessMark | null
}): ShellChild {
  const { cwd, notes } = options
  const mark = typeof options.mark === 'string' ? { name: MARK_VARIABLE, value: options.mark } : options.mark
  let said = ''
  const wanted: StartProcessOptions = {
    argv: ['sh', '-c', 'while read -r line; do eval "$line"; done'],
    cwd,
    env: buildHelperEnv({ pass: [], add: mark === null ? {} : { [mark.name]: mark.value } }),
    ...(mark === null ? {} : { mark }),
    stdin: 'pipe',
    follow: { notes },
    onStdout: (chunk) => (said += chunk.toString()),
    onStderr: (chunk) => (said += chunk.toString()),
  }
  const child = startProcess(wanted)
  onTestFinished(() => child.stop({ graceMs: 0 }))
  return Object.assign(child, {
    numbers: () => said.split('\n').slice(0, -1).map(Number),
    noted: () => (existsSync(notes) ? readDescendantFile(notes).seen.map(({ pid }) => pid) : []),
  })
}

/** Goes on for ever in a session of its own with nothing in its environment. It starts another like itself
 *  at SIGUSR2, which it hears as soon as there is a file of its name and pid. */
const SLEEPER = `
  const more = () => require('node:child_process').spawn(process.execPath, [__filename], { detached: true, stdio: 'ignore', env: {} })
  if (process.argv[2] === 'first') { console.log(more().pid); console.log(process.pid) }
  process.on('SIGUSR2', more)
  require('node:fs').writeFileSync(__filename + '.' + process.pid, '')
  setInterval(() => {}, 1000)
`

/** Shell that starts a parent and its sleeper, and prints the pids of both: the sleeper's, then the parent's. */
export function detachedParentScript(folder: string): string {
  const script = join(folder, 'sleeper.cjs')
  writeFileSync(script, SLEEPER)
  return `'${process.execPath}' '${script}' first &\n`
}

/** A process of the user's own: nobody's child by now, without a terminal, started by this test and not by a child of it. */
export async function startUnrelatedProcess(cwd: string): Promise<number> {
  const script = `const s = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'my server'], { detached: true, stdio: 'ignore' }); console.log(s.pid); s.unref()`
  const parent = spawn(process.execPath, ['-e', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  parent.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await new Promise((resolve) => parent.once('close', resolve))
  const pid = Number(said)
  onTestFinished(() => {
    if (isProcessAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  return pid
}

export const HAS_SETSID = findProgram('setsid') !== null
/** Where a limit can be set from outside, what cleared its environment is found though nobody saw it. */
export const HAS_PRLIMIT = process.platform === 'linux' && findProgram('prlimit') !== null

/** The number was written: what it starts from now on carries it. */
export function hasMarkLimit(pid: number): boolean {
  return /^Max file locks +\d/m.test(readFileSync(`/proc/${pid}/limits`, 'utf8'))
}
