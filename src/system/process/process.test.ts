import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomId, systemClock } from '../clock.ts'
import { newAbortController } from './git-context.ts'
import { makeTempFolder } from '../files/files.ts'
import { identifyProcess } from './process-identity.ts'
import { isRunning, findProcess } from './process-table.ts'
import { endProcessTree, sendSignal } from './kill.ts'
import { buildHelperEnv } from '../environment.ts'
import {
  MARK_VARIABLE,
  type StartProcessOptions,
  type StartedProcess,
  endMarkedProcesses,
  findMarkedPids,
  runProgram,
  runProgramForBytes,
  startProcess,
  findProgram,
} from './process.ts'

const clock = systemClock()
/** Nobody else's tests shall find our processes. */
const MINE = randomId(10)
let folder = ''
const begun: StartedProcess[] = []

beforeEach(() => {
  folder = makeTempFolder('ralph-process-')
})
afterEach(async () => {
  await Promise.all(begun.splice(0).map((child) => child.stop({ graceMs: 0 })))
  rmSync(folder, { recursive: true, force: true })
})

const FINE = { code: 0, signal: null, problem: null, missing: false }

describe('the end of a program', () => {
  test('its output, its code and nothing else', async () => {
    const child = begin(sh('echo out; echo err >&2; exit 3'))
    expect(await child.ended).toEqual({ ...FINE, code: 3 })
    expect(child.said()).toEqual({ stdout: 'out\n', stderr: 'err\n' })
  })

  test('the signal that ended it', async () => {
    expect(await begin(sh('kill -9 $$')).ended).toEqual({ ...FINE, code: null, signal: 'SIGKILL' })
  })

  test('all that it wrote is there, however much', async () => {
    const child = begin(
      node(`process.stdout.write('x'.repeat(5_000_000)); process.stderr.write('y'.repeat(3_000_000))`),
    )
    expect(await child.ended).toEqual(FINE)
    expect(child.bytes()).toEqual({ stdout: 5_000_000, stderr: 3_000_000 })
  })

  test('a grandchild that keeps the pipe open does not keep us', async () => {
    // It sleeps for longer than a test may take.
    const child = begin(sh('echo first; sleep 60 & echo last'))
    expect(await child.ended).toEqual(FINE)
    expect(child.said().stdout).toBe('first\nlast\n')
  })

  test('after the end nothing more is delivered', async () => {
    const child = begin(sh('(trap "" PIPE; while :; do echo again; sleep 0.02; done) & echo mine'))
    await child.ended
    const said = child.bytes().stdout
    await child.stop({ graceMs: 0 })
    expect(child.bytes().stdout).toBe(said)
  })

  test('a pause ends with the program: what is left in the pipe is delivered', async () => {
    const child = begin(sh('echo early'))
    child.pause()
    await child.ended
    expect(child.said().stdout).toBe('early\n')
  })

  test('a paused program has to wait, while others go on', async () => {
    const child = begin(node(`process.stdout.write('x'.repeat(50_000_000), () => process.exit())`))
    await child.firstOutput
    child.pause()
    const before = child.bytes().stdout
    await begin(node(`process.stdout.write('y'.repeat(5_000_000))`)).ended
    const during = child.bytes().stdout
    child.resume()
    await child.ended
    expect([during - before, child.bytes().stdout]).toEqual([0, 50_000_000])
  })
})

describe('what a program is given', () => {
  test('a text on stdin, then its end', async () => {
    const child = begin({ ...sh('cat'), stdin: 'prompt' })
    await child.ended
    expect(child.said().stdout).toBe('prompt')
  })

  test.each(['pipe', 'none', ''])('the text %j is a text when it is called one', async (text) => {
    const child = begin({ ...sh('cat'), stdin: { text } })
    await child.ended
    expect(child.said().stdout).toBe(text)
  })

  test('none: stdin is empty', async () => {
    const child = begin({ ...sh('cat; echo end'), stdin: 'none' })
    await child.ended
    expect(child.said().stdout).toBe('end\n')
  })

  test('a pipe that stays open until we close it', async () => {
    const child = begin({ ...sh('read a; echo "got $a"; cat'), stdin: 'pipe' })
    child.write('one\n')
    await child.firstOutput
    child.write('two')
    child.closeStdin()
    child.write('too late')
    await child.ended
    expect(child.said().stdout).toBe('got one\ntwo')
  })

  test('a program that never reads its 1 MB of prompt ends as usual', async () => {
    expect(await begin({ ...sh('exit 0'), stdin: 'p'.repeat(1_000_000) }).ended).toEqual(FINE)
  })

  test('a program that hangs with 1 MB of prompt unread can be stopped', async () => {
    const child = begin({ ...sh('exec sleep 60'), stdin: 'p'.repeat(1_000_000) })
    await child.stop({ graceMs: 2000 })
    expect(await child.ended).toEqual({ ...FINE, code: null, signal: 'SIGTERM' })
  })

  test('a process group and a session of its own, without our terminal', async () => {
    const child = begin(sh('(: </dev/tty) 2>/dev/null && echo terminal; ps -o pgid= -p $$'))
    await child.ended
    expect(child.said().stdout.trim()).toBe(String(child.pid))
  })

  test('only the environment that it is given, in the folder that it is given', async () => {
    const child = begin({ ...sh('env; pwd -P'), env: { PATH: process.env['PATH'] ?? '', A: 'b c' } })
    await child.ended
    const lines = child.said().stdout.split('\n')
    expect(lines).toContain('A=b c')
    expect(lines).toContain(folder)
    expect(lines.some((line) => line.startsWith('HOME='))).toBe(false)
  })

  test('its start time is that of its identity', () => {
    const child = begin(sh('exec sleep 60'))
    expect(child.startTime).toBe(identifyProcess(child.pid)?.startTime)
  })

  test('a program that ends at once still has a start time', () => {
    expect(begin(sh('exit 0')).startTime).not.toBe('')
  })
})

describe('a program that cannot be started', () => {
  const failed = { code: null, signal: null, missing: false }

  test('there is none of that name', async () => {
    const child = begin({ ...sh(''), argv: ['ralph-no-such-program'] })
    expect(child.pid).toBe(0)
    expect(await child.ended).toEqual({
      ...failed,
      problem: 'there is no program ralph-no-such-program',
      missing: true,
    })
    child.write('x')
    child.closeStdin()
    await child.stop({ graceMs: 100 })
  })

  test('there is no such folder', async () => {
    const cwd = join(folder, 'none')
    expect(await begin({ ...sh(''), cwd }).ended).toEqual({
      ...failed,
      problem: `could not start sh: there is no folder ${cwd}`,
    })
  })

  test('it is not executable', async () => {
    const program = file('plain', '#!/bin/sh\n', 0o644)
    expect(await begin({ ...sh(''), argv: [program] }).ended).toEqual({
      ...failed,
      problem: `could not start ${program}: it is not executable, or you have no access to ${folder}`,
    })
  })

  test.each(['absolute', 'relative'])('its interpreter is missing (%s path)', async (how) => {
    const path = file('script', '#!/no/such/interpreter\n', 0o755)
    const program = how === 'absolute' ? path : './script'
    expect(await begin({ ...sh(''), argv: [program] }).ended).toEqual({
      ...failed,
      problem: `could not start ${program}: the interpreter in its first line does not exist`,
    })
  })

  test('why is told of a followed one too, which is started by another', async () => {
    const broken = file('broken', '#!/no/such/interpreter\n', 0o755)
    const plain = file('unmarked', '#!/bin/sh\n', 0o644)
    const why = async (argv: string[], cwd = folder) => {
      const env = { ...process.env, [MARK_VARIABLE]: 'p.r.e1' } as Record<string, string>
      return (await begin({ ...sh(''), argv, cwd, env, follow: { notes: null } }).ended).problem
    }
    expect(await why(['ralph-no-such-program'])).toBe('there is no program ralph-no-such-program')
    expect(await why([broken])).toContain('the interpreter in its first line does not exist')
    expect(await why([plain])).toContain('it is not executable')
    expect(await why(['sh'], join(folder, 'none'))).toContain('there is no folder')
  })

  test('an argument is too long, or has a NUL in it', async () => {
    const long = await begin({ ...sh(''), argv: ['echo', 'x'.repeat(5_000_000)] }).ended
    const nul = await begin({ ...sh(''), argv: ['echo', 'a\0b'] }).ended
    expect(long).toEqual({
      ...failed,
      problem: 'could not start echo: its arguments and environment are too long',
    })
    expect(nul).toEqual({ ...failed, problem: nul.problem })
    expect(nul.problem).toMatch(/^could not start echo: .*null bytes/)
  })
})

describe('stop', () => {
  test('a program that obeys gets its time to tidy up', async () => {
    const child = begin(sh(`trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.01; done`))
    await child.firstOutput
    await child.stop({ graceMs: 5000 })
    expect([await child.ended, child.said().stdout]).toEqual([{ ...FINE, code: 7 }, 'ready\ntidy\n'])
  })

  test('a program that ignores SIGTERM is killed after its grace', async () => {
    const child = begin(node(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')`))
    await child.firstOutput
    await child.stop({ graceMs: 100 })
    expect(await child.ended).toEqual({ ...FINE, code: null, signal: 'SIGKILL' })
  })

  test('a stopped program hears SIGTERM', async () => {
    const child = begin(sh('kill -STOP $$; sleep 60'))
    await until(() => stateOf(child.pid).startsWith('T'))
    await child.stop({ graceMs: 5000 })
    expect(await child.ended).toEqual({ ...FINE, code: null, signal: 'SIGTERM' })
  })

  test('a whole family is gone: children, ignorers, and those in sessions of their own', async () => {
    const child = begin({ ...node(FAMILY, 'setInterval(() => {}, 1000)'), env: marked(`${MINE}.family`) })
    const pids = await child.numbers(4)
    await child.stop({ graceMs: 100 })
    expect(pids.filter(lives)).toEqual([])
  })

  test('without a mark, a session of its own is no hiding place from a living parent', async () => {
    const child = begin(node(DETACHED, 'setInterval(() => {}, 1000)'))
    const pids = await child.numbers(1)
    await child.stop({ graceMs: 100 })
    expect(pids.filter(lives)).toEqual([])
  })

  test('what a program left behind in its group is found after its own end without any mark', async () => {
    const child = begin(sh('sleep 60 & echo $!'))
    const pids = await child.numbers(1)
    await child.ended
    await child.stop({ graceMs: 0 })
    expect(pids.filter(lives)).toEqual([])
  })

  test('what a program left behind is found after its own end by the mark it carries', async () => {
    const child = begin({ ...node(FAMILY, 'process.exit(0)'), env: marked(`${MINE}.left`) })
    const pids = await child.numbers(4)
    expect(await child.ended).toEqual(FINE)
    expect(pids.filter(lives).length).toBeGreaterThan(0)
    await child.stop({ graceMs: 0 })
    expect(pids.filter(lives)).toEqual([])
  })

  test('stopping twice at once, and again later, is fine; the second may be harder than the first', async () => {
    const child = begin(node(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')`))
    await child.firstOutput
    // The first alone would take longer than a test may.
    await Promise.all([child.stop({ graceMs: 60_000 }), child.stop({ graceMs: 0 })])
    await child.stop({ graceMs: 0 })
    expect(lives(child.pid)).toBe(false)
  })

  test('a paused program can be stopped, and its end is told', async () => {
    const child = begin(node(`process.stdout.write('x'.repeat(5_000_000)); setInterval(() => {}, 1000)`))
    await child.firstOutput
    child.pause()
    await child.stop({ graceMs: 2000 })
    expect(await child.ended).toEqual({ ...FINE, code: null, signal: 'SIGTERM' })
  })

  test('strangers are spared: another group of ours lives on', async () => {
    const other = begin(sh('exec sleep 60'))
    const child = begin(sh('exec sleep 60'))
    await child.stop({ graceMs: 1000 })
    expect([lives(child.pid), lives(other.pid)]).toEqual([false, true])
  })
})

describe('a process by its pid', () => {
  test('is ended with its descendants, wherever they have gone', async () => {
    const child = begin(node(DETACHED, 'setInterval(() => {}, 1000)'))
    const pids = [child.pid, ...(await child.numbers(1))]
    await endProcessTree(child.pid, { graceMs: 2000 })
    expect(pids.filter(lives)).toEqual([])
    await endProcessTree(child.pid, { graceMs: 0 })
  })

  test('gets a signal; nobody and our own group do not', async () => {
    const child = begin(sh('exec sleep 60'))
    sendSignal(child.pid, 'SIGINT')
    expect(await child.ended).toEqual({ ...FINE, code: null, signal: 'SIGINT' })
    for (const nobody of [child.pid, 0, Number.NaN]) sendSignal(nobody, 'SIGTERM')
  })
})

describe('marks', () => {
  test('marked processes are found by their whole mark and ended, others are not', async () => {
    const one = begin({ ...sh('exec sleep 60'), env: marked(`${MINE}.e1`) })
    const two = begin({ ...sh('exec sleep 60'), env: marked(`${MINE}.e12`) })
    expect(await findMarkedPids(`${MINE}.e1`)).toEqual([one.pid])
    expect(await endMarkedProcesses(`${MINE}.e1`, { graceMs: 1000 })).toBe(1)
    expect([lives(one.pid), lives(two.pid), await findMarkedPids(`${MINE}.e1`)]).toEqual([false, true, []])
  })

  test('a mark that nobody carries ends nobody', async () => {
    expect(await endMarkedProcesses(`${MINE}.none`, { graceMs: 1000 })).toBe(0)
  })
})

describe('run', () => {
  const done = { code: 0, signal: null, stdout: '', stderr: '', timedOut: false, missing: false }

  test('gives what the program said', async () => {
    const result = await runProgram(['sh', '-c', 'cat; echo err >&2; exit 4'], { cwd: folder, input: 'né' })
    expect(result).toEqual({ ...done, code: 4, stdout: 'né', stderr: 'err\n' })
  })

  test('bytes stay bytes', async () => {
    const result = await runProgramForBytes(['printf', '\\377\\000'], { cwd: folder })
    expect(result).toEqual({ ...done, stdout: Buffer.from([0xff, 0]) })
  })

  test('a missing program is told, not thrown', async () => {
    const result = await runProgram(['ralph-no-such-program'], { cwd: folder })
    expect(result).toEqual({
      ...done,
      code: null,
      missing: true,
      stderr: 'there is no program ralph-no-such-program',
    })
  })

  test('after the time given it is ended, with what it had started', async () => {
    for (const timeoutMs of [150, 1_500, 15_000]) {
      const result = await runProgram(['sh', '-c', 'sleep 60 & echo $!; wait'], { cwd: folder, timeoutMs })
      expect(result).toEqual({
        ...done,
        code: null,
        signal: 'SIGTERM',
        timedOut: true,
        stdout: result.stdout,
      })
      // A busy machine may need longer to begin than that.
      if (result.stdout === '' && timeoutMs < 15_000) continue
      return expect(lives(Number(result.stdout))).toBe(false)
    }
  })

  test('when its errand is called off it is ended, with what it had started; another is not even begun', async () => {
    const controller = newAbortController()
    const gitContext = { mark: `${MINE}.errand`, signal: controller.signal }
    const begun = join(folder, 'begun')
    const running = runProgram(['sh', '-c', `sleep 60 & echo $!; touch '${begun}'; wait`], {
      cwd: folder,
      gitContext,
    })
    await until(() => existsSync(begun))
    expect(await findMarkedPids(gitContext.mark)).toHaveLength(2)
    controller.abort()
    const result = await running
    expect(result).toEqual({ ...done, code: null, signal: 'SIGTERM', stdout: result.stdout })
    expect([lives(Number(result.stdout)), await findMarkedPids(gitContext.mark)]).toEqual([false, []])
    const never = await runProgram(['touch', join(folder, 'never')], { cwd: folder, gitContext })
    expect([never.code, existsSync(join(folder, 'never'))]).toEqual([null, false])
  })

  test('output beyond the limit is let go, and that is told', async () => {
    const exact = await runProgram(['printf', 'abc'], { cwd: folder, maxBytes: 3 })
    const more = await runProgram(['printf', 'abcd'], { cwd: folder, maxBytes: 3 })
    expect([exact, more]).toEqual([
      { ...done, stdout: 'abc' },
      { ...done, stdout: 'abc' },
    ])
  })

  test('by default it gets the built environment, not ours', async () => {
    process.env['RALPH_TEST_SECRET'] = 'secret'
    const { stdout } = await runProgram(['env'], { cwd: folder })
    delete process.env['RALPH_TEST_SECRET']
    expect([stdout.includes('PATH='), stdout.includes('secret')]).toEqual([true, false])
  })
})

describe('whereIs', () => {
  test('finds the first executable file on PATH, and no folder, plain file or empty entry', () => {
    const tool = file('tool', '', 0o755)
    file('plain', '', 0o644)
    const env = { PATH: `::/no/such/folder:${folder}` }
    expect(
      ['tool', 'plain', 'none', tool, join(folder, 'plain'), folder].map((name) => findProgram(name, env)),
    ).toEqual([tool, null, null, tool, null, null])
  })
})

/** Starts a plain child, one that ignores SIGTERM, one in a session of its own, and a grandchild whose parent is gone. */
const FAMILY = `
  const { spawn } = require('node:child_process')
  const sleeper = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)"
  const parent = 'require("node:child_process").spawn(process.execPath, ["-e", ' + JSON.stringify(sleeper) + '], { stdio: "inherit", detached: true })' +
    '.once("spawn", () => process.exit())'
  const begin = (script, options) => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  let seen = 0
  const family = [begin('console.log(process.pid); setInterval(() => {}, 1000)'), begin(sleeper), begin(sleeper, { detached: true }), begin(parent)]
  for (const member of family) member.stdout.on('data', (pid) => process.stdout.write(pid, () => (seen += 1) === 4 && last()))
`

const DETACHED = `
  const sleeper = "console.log(process.pid); setInterval(() => {}, 1000)"
  require('node:child_process').spawn(process.execPath, ['-e', sleeper], { stdio: 'inherit', detached: true })
  last()
`

type Told = StartedProcess & {
  firstOutput: Promise<void>
  said(): { stdout: string; stderr: string }
  bytes(): { stdout: number; stderr: number }
  /** The first numbers that it prints, one a line. */
  numbers(count: number): Promise<number[]>
}

function begin(options: Omit<StartProcessOptions, 'onStdout' | 'onStderr'>): Told {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  let heard = () => {}
  const firstOutput = new Promise<void>((resolve) => (heard = resolve))
  const onStdout = (chunk: Buffer) => {
    stdout.push(chunk)
    heard()
  }
  const child = startProcess({ ...options, onStdout, onStderr: (chunk) => stderr.push(chunk) })
  begun.push(child)
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString()
  const size = (chunks: Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const lines = () => text(stdout).split('\n').slice(0, -1)
  return Object.assign(child, {
    firstOutput,
    said: () => ({ stdout: text(stdout), stderr: text(stderr) }),
    bytes: () => ({ stdout: size(stdout), stderr: size(stderr) }),
    numbers: async (count: number) => {
      await until(() => lines().length >= count)
      return lines().map(Number)
    },
  })
}

function sh(script: string) {
  return {
    argv: ['sh', '-c', script],
    cwd: folder,
    env: buildHelperEnv({ pass: [], add: {} }),
    stdin: 'none',
  }
}

/** `last` is what the script does in the end. */
function node(script: string, last = '') {
  const whole = `const last = () => { ${last} }; ${script}`
  const env = buildHelperEnv({ pass: [], add: {} })
  return { argv: [process.execPath, '-e', whole], cwd: folder, env, stdin: 'none' }
}

function marked(mark: string): Record<string, string> {
  return buildHelperEnv({ pass: [], add: { [MARK_VARIABLE]: mark } })
}

function file(name: string, content: string, mode: number): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

function lives(pid: number): boolean {
  const proc = findProcess(pid)
  return proc !== null && isRunning(proc)
}

function stateOf(pid: number): string {
  return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}

/** The test's own time limit ends a wait for what never comes. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => clock.after(5, resolve))
}
