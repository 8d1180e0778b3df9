/**
 * Starts other programs: agents and gates (`startProcess`), and short helpers such as git (`runProgram`). Every child leads its own
 * process group, has no terminal and no shell, and gets only the environment passed to it. After `stop` no descendant lives.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve as resolvePath } from 'node:path'
import type { Env } from '../../core/trust/environment.ts'
import { RalphError } from '../../core/error.ts'
import type { Millis } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import { attempt } from '../attempt.ts'
import { buildHelperEnv } from '../environment.ts'
import type { GitContext } from './git-context.ts'
import { listFolder } from '../files/files.ts'
import { readFilePart } from '../files/read-part.ts'
import { openProcessSearch } from './find-processes.ts'
import { trackDescendants, type DescendantTracker } from './track-descendants.ts'
import { type ProcessMark, markCommandWithRlimit } from './process-mark.ts'
import { openDescendantFile, readDescendantFile, removeDescendantFile } from './descendant-file.ts'
import { findOrphans } from './orphans.ts'
import { findProcess, type Proc, countStartedProcesses } from './process-table.ts'
import { endProcesses } from './end-processes.ts'
import { startFailureOf } from './start-failure.ts'

/** Every child has this variable, so it can be found even if we died before recording its pid. */
export const MARK_VARIABLE = 'RALPH_EFFECT'

export interface StartProcessOptions {
  argv: string[]
  cwd: string
  env: Record<string, string>
  /** A text is written, then stdin closes; `'pipe'` stays open for `write`; `'none'` is empty. Never the terminal. A text that may
   *  equal one of these two words is passed as `{ text }`. */
  stdin: string | { text: string | Buffer }
  /** Records its descendants while it runs, also in this file unless null, and marks it from the start. Absent: a short helper that
   *  starts nothing. */
  follow?: { notes: string | null }
  /** A variable in its environment with a unique value. Absent: `MARK_VARIABLE`, if it is set. */
  mark?: ProcessMark
  onStdout: (chunk: Buffer) => void
  onStderr: (chunk: Buffer) => void
}

export interface StartedProcess {
  /** Also the id of its process group; 0 if it could not be started. */
  pid: number
  readonly startTime: string
  /** Only for `'pipe'`. Ignored once the program has gone. */
  write(text: string): void
  closeStdin(): void
  /** Stops reading, so the program has to wait with its output. A pause ends with the program: the rest in the pipes is delivered. */
  pause(): void
  resume(): void
  /** Resolves when the program has ended and its output was delivered; never rejects. */
  ended: Promise<ProcessEnd>
  /** Another program of ours is about to work for this one: processes with this mark end with it, recorded or not. */
  expects(mark: ProcessMark): void
  /** Records that program as a descendant, so that it ends with this one. */
  include(other: Pick<StartedProcess, 'pid' | 'startTime'>): void
  /** Ends the program and everything it started, including what still runs after its own end. */
  stop(options: { graceMs: Millis }): Promise<void>
  /** From the last `stop`: processes that work in this folder, are younger than the program and have no parent, but are not known
   *  descendants. */
  orphans(within: string): Orphan[]
}

export interface ProcessEnd {
  code: number | null
  signal: string | null
  /** Why it could not be started. */
  problem: string | null
  /** There is no such program. */
  missing: boolean
}

/** A grandchild can keep a pipe open for ever. The program's own output is in the pipe when it ends, so this is ample. */
const DRAIN_MS: Millis = 250

export function startProcess(options: StartProcessOptions): StartedProcess {
  const startedBefore = options.follow === undefined ? null : countStartedProcesses()
  const child = launch(options)
  if ('problem' in child) return neverStarted(child)
  const pid = child.pid ?? 0
  const startTime = startTimeOf(child)
  const output = flow(child, options)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lineage = options.follow === undefined ? null : lineageOf(child, startTime(), { ...options, ...options.follow })
  const marks = marksOf(options)
  let others: Proc[] = []
  feed(child, options.stdin)
  return {
    pid,
    get startTime() {
      return startTime()
    },
    write: (text) => void (child.stdin?.writable === true && child.stdin.write(text)),
    closeStdin: () => void child.stdin?.end(),
    pause: output.pause,
    resume: output.resume,
    ended: output.ended,
    expects(mark) {
      marks.push(mark)
      lineage?.addMark(notedMark(mark))
    },
    include: ({ pid: other, startTime: since }) => lineage?.include({ pid: other, startTime: since }),
    async stop({ graceMs }) {
      if (pid === 0) return
      const leader = { pid, startTime: startTime() }
      const noted = () => lineage?.members() ?? []
      const ended = await endProcesses({ leader, startedBefore, marks, noted }, { graceMs })
      others = ended.others
      if (ended.left.length === 0) lineage?.end()
      if (findProcess(pid)?.zombie === true) await exited
      output.abandon()
    },
    orphans: (within) => findOrphans(others, { since: { pid, startTime: startTime() }, within }),
  }
}

/** Starts recording its descendants; null: it has not started, or the system does not tell parents (Windows). */
function lineageOf(
  child: ChildProcess,
  startTime: string,
  { notes, ...options }: Pick<StartProcessOptions, 'env' | 'mark'> & NonNullable<StartProcessOptions['follow']>,
): DescendantTracker | null {
  const { pid } = child
  if (pid === undefined || process.platform === 'win32') return null
  const [mark = null] = marksOf(options)
  const lineage = trackDescendants(
    { pid, startTime },
    notes === null ? null : openDescendantFile(notes, mark === null ? '' : notedMark(mark)),
  )
  child.once('exit', () => lineage.look())
  return lineage
}

/** Few start errors are thrown: most arrive later, as an event. */
function launch(options: StartProcessOptions): ChildProcess | ProcessEnd {
  const { cwd, env, stdin } = options
  const [program, ...args] = options.follow === undefined ? options.argv : markedFirst(options)
  if (program === undefined) throw new RalphError('bug', 'no program to start was named')
  try {
    const stdio = [stdin === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const
    return spawn(program, args, { cwd, env, detached: true, windowsHide: true, stdio: [...stdio] })
  } catch (thrown) {
    return failure(thrown, options)
  }
}

/** A program that cannot be started stays unwrapped, so that the error is about the program itself. */
function markedFirst({ argv, cwd, env, mark }: StartProcessOptions): string[] {
  const [program = ''] = argv
  const file = findProgram(isPath(program) ? resolvePath(cwd, program) : program, env)
  const [first = null] = marksOf({ env, ...(mark === undefined ? {} : { mark }) })
  return file === null || first === null || !isFolder(cwd) || !isWhole(file) ? argv : markCommandWithRlimit(argv, first)
}

/** The kernel does not read longer first lines either. */
const FIRST_LINE_MAX = 256

/** Whether the interpreter in a script's first line exists. An executable file that cannot be read is no script. */
function isWhole(file: string): boolean {
  const begins = attempt(() => readFilePart(file, { from: 0, max: FIRST_LINE_MAX }), null)?.bytes
  const interpreter = /^#!\s*(\S+)/.exec(begins?.toString('latin1') ?? '')?.[1]
  return interpreter === undefined || isProgram(interpreter)
}

function neverStarted(end: ProcessEnd): StartedProcess {
  const nothing = () => {}
  return {
    pid: 0,
    startTime: '',
    write: nothing,
    closeStdin: nothing,
    pause: nothing,
    resume: nothing,
    ended: Promise.resolve(end),
    expects: nothing,
    include: nothing,
    stop: () => Promise.resolve(),
    orphans: () => [],
  }
}

/** Without /proc this takes a `ps` call, which a short helper should not cost: there it is read on demand. Once the child is gone its
 *  pid may be reused, so then it stays unknown. */
function startTimeOf(child: ChildProcess): () => string {
  const read = () => findProcess(child.pid ?? 0)?.startTime ?? ''
  let known = process.platform === 'linux' ? read() : null
  child.once('exit', () => (known ??= ''))
  return () => (known ??= read())
}

function feed({ stdin: pipe }: ChildProcess, stdin: StartProcessOptions['stdin']): void {
  pipe?.on('error', () => {}) // EPIPE: it ended, or closed its input, without reading all of it
  if (stdin === 'pipe') return
  pipe?.end(typeof stdin === 'string' ? stdin : stdin.text)
}

/** Delivers the output, and resolves when the program has ended and its own output is read. */
function flow(child: ChildProcess, options: StartProcessOptions) {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null && pipe !== undefined)
  child.stdout?.on('data', options.onStdout)
  child.stderr?.on('data', options.onStderr)
  for (const pipe of pipes) pipe.on('error', () => {})

  let end: ProcessEnd | null = null
  let drain: NodeJS.Timeout | undefined
  let settle: (end: ProcessEnd) => void = () => {}
  const ended = new Promise<ProcessEnd>((resolve) => (settle = resolve))

  const finish = (how: ProcessEnd) => {
    clearTimeout(drain)
    for (const pipe of [child.stdin, ...pipes]) pipe?.destroy()
    settle(how)
  }
  const resume = () => {
    for (const pipe of pipes) pipe.resume()
  }

  child.once('error', (thrown) => {
    if (child.pid === undefined) finish(failure(thrown, options))
  })
  child.once('exit', (code, signal) => {
    const how = { code, signal, problem: null, missing: false }
    end = how
    resume()
    // After a timer the pipes are read once more before an immediate runs: a busy loop loses no output.
    drain = setTimeout(() => setImmediate(() => finish(how)), DRAIN_MS)
  })
  child.once('close', () => {
    if (end !== null) finish(end)
  })

  return {
    ended,
    /** A process that hangs in the kernel survives even a kill; nothing may wait for it. */
    abandon: () => {
      if (end !== null) return
      child.unref()
      finish({ code: null, signal: 'SIGKILL', problem: null, missing: false })
    },
    pause: () => {
      if (end !== null) return
      for (const pipe of pipes) pipe.pause()
    },
    resume,
  }
}

function failure(thrown: unknown, { argv: [program = ''], cwd, env }: StartProcessOptions): ProcessEnd {
  const file = isPath(program) ? resolvePath(cwd, program) : program
  const found = { program: findProgram(file, env) !== null, cwd: isFolder(cwd) }
  return { code: null, signal: null, ...startFailureOf(thrown, { program, cwd, found }) }
}

export interface ProgramOptions {
  cwd: string
  /** Default: Ralph's own, by the allow-list of `buildHelperEnv`. */
  env?: Env
  input?: string | Buffer
  timeoutMs?: Millis
  /** How much of stdout is kept: 16 MiB by default. */
  maxBytes?: number
  /** The helper carries its mark, and ends, or does not even start, when it is aborted. */
  gitContext?: GitContext
}

export interface ProgramResult<Output = string> {
  code: number | null
  signal: string | null
  stdout: Output
  /** Also contains why the program could not be started. */
  stderr: string
  timedOut: boolean
  missing: boolean
}

const MAX_STDOUT = 16 * 1024 * 1024
const MAX_STDERR = 1024 * 1024
/** git removes its lock files when it receives SIGTERM; a second is more than that takes. */
const RUN_GRACE_MS: Millis = 1000

/** Runs a short helper program to its end. Never throws: errors are in the result. */
export async function runProgram(argv: string[], options: ProgramOptions): Promise<ProgramResult> {
  const result = await runProgramForBytes(argv, options)
  return { ...result, stdout: result.stdout.toString('utf8') }
}

/** Like `runProgram`, for output that is not text. */
export async function runProgramForBytes(argv: string[], options: ProgramOptions): Promise<ProgramResult<Buffer>> {
  const { cwd, input, timeoutMs, maxBytes = MAX_STDOUT, gitContext } = options
  const calledOff = (): boolean => gitContext?.signal.aborted === true
  if (calledOff()) return CALLED_OFF
  const env = {
    ...(options.env ?? buildHelperEnv({ pass: [], add: {} })),
    ...(gitContext === undefined ? {} : { [MARK_VARIABLE]: gitContext.mark }),
  }
  const stdin = input === undefined ? 'none' : { text: input }
  const stdout = keeper(maxBytes)
  const stderr = keeper(MAX_STDERR)
  const child = startProcess({ argv, cwd, env, stdin, onStdout: stdout.add, onStderr: stderr.add })

  const stops: Promise<void>[] = []
  const stop = () => void stops.push(child.stop({ graceMs: RUN_GRACE_MS }))
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs)
  gitContext?.signal.addEventListener('abort', stop)
  const { code, signal, problem, missing } = await child.ended
  clearTimeout(timer)
  gitContext?.signal.removeEventListener('abort', stop)
  const timedOut = stops.length > 0 && !calledOff()
  await Promise.all(stops) // its own children are gone as well
  const said = problem ?? stderr.bytes().toString('utf8')
  return { code, signal, stdout: stdout.bytes(), stderr: said, timedOut, missing }
}

const CALLED_OFF: ProgramResult<Buffer> = {
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: 'cancelled before it started',
  timedOut: false,
  missing: false,
}

/** Keeps the first bytes of a stream and drops the rest. */
function keeper(maxBytes: number) {
  const chunks: Buffer[] = []
  let room = maxBytes
  return {
    add: (chunk: Buffer) => {
      if (room > 0) chunks.push(chunk.subarray(0, room))
      room = Math.max(0, room - chunk.length)
    },
    bytes: () => Buffer.concat(chunks),
  }
}

/** The processes that were started with this mark, and their descendants, without this process. */
export async function findMarkedPids(mark: string | ProcessMark): Promise<number[]> {
  const hunt = openProcessSearch({ leader: null, marks: [asMark(mark)], noted: () => [] })
  hunt.look(() => {})
  return hunt.alive().map((proc) => proc.pid)
}

/** Ends them and their descendants, and the processes in the notes; resolves with their number. A text is a value of `MARK_VARIABLE`. */
export async function endMarkedProcesses(
  mark: string | ProcessMark,
  { graceMs, notes = null }: { graceMs: Millis; notes?: string | null },
): Promise<number> {
  return endProcessesByMarks([{ mark, notes }], { graceMs })
}

export interface MarkedTarget {
  /** A text is a value of `MARK_VARIABLE`. */
  mark: string | ProcessMark
  /** The file that lists its descendants; null: none. */
  notes: string | null
}

/** The same for many at once, in one sweep: all are signalled, awaited and killed together. */
export async function endProcessesByMarks(all: MarkedTarget[], { graceMs }: { graceMs: Millis }): Promise<number> {
  if (all.length === 0) return 0
  const notes = all.flatMap((one) => (one.notes === null ? [] : [one.notes]))
  const noted = notes.map(readDescendantFile)
  const seen = noted.flatMap((one) => one.seen)
  const marks = [...all.map(({ mark }) => asMark(mark)), ...noted.flatMap((one) => one.marks.map(readNotedMark))]
  // Long after its leader's end a group id may belong to another group, so groups are not used here.
  const wanted = { leader: null, marks, noted: () => seen }
  const { count, left } = await endProcesses(wanted, { graceMs })
  if (left.length === 0) notes.forEach(removeDescendantFile)
  return count
}

/** Ends all processes listed in the notes of a folder, after an engine died with its children running. */
export async function endRecordedProcesses(folder: string, options: { graceMs: Millis }): Promise<number> {
  const all = listFolder(folder).flatMap((name): MarkedTarget[] => {
    const notes = join(folder, name)
    const [mark] = readDescendantFile(notes).marks
    return mark === undefined ? [] : [{ mark: readNotedMark(mark), notes }]
  })
  return endProcessesByMarks(all, options)
}

function marksOf({ env, mark }: Pick<StartProcessOptions, 'env' | 'mark'>): ProcessMark[] {
  const value = env[MARK_VARIABLE]
  return mark !== undefined ? [mark] : value === undefined ? [] : [asMark(value)]
}

/** Notes contain the value of a default mark alone, and any other mark as `NAME=value`. */
function notedMark({ name, value }: ProcessMark): string {
  return name === MARK_VARIABLE ? value : `${name}=${value}`
}

function readNotedMark(text: string): ProcessMark {
  const [, name = MARK_VARIABLE, value = text] = /^([A-Z_]+)=(.*)$/.exec(text) ?? []
  return { name, value }
}

function asMark(mark: string | ProcessMark): ProcessMark {
  return typeof mark === 'string' ? { name: MARK_VARIABLE, value: mark } : mark
}

/** The file that this program name resolves to, as the system resolves it but without a shell. */
export function findProgram(program: string, env: Record<string, string | undefined> = process.env): string | null {
  const endings = process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  const folders = isPath(program) ? [''] : searchPath(env)
  for (const folder of folders) {
    for (const ending of endings) {
      const file = resolvePath(folder, program + ending)
      if (isProgram(file)) return file
    }
  }
  return null
}

/** An empty entry means the current folder, where a foreign repository may have placed a program of that name. */
function searchPath(env: Record<string, string | undefined>): string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '')
}

function isPath(program: string): boolean {
  return program.includes('/') || (process.platform === 'win32' && program.includes('\\'))
}

function isProgram(file: string): boolean {
  return attempt(() => {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  }, false)
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path).isDirectory(), false)
}
