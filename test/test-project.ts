/**
 * A test project: a small repository in a temporary folder where a walk test lets Ralph run as a user would: the real binary, real
 * git, a home of its own, and a PATH on which `claude`, `codex` … are the scripted agent playing the test project's scenario.
 * When the test is over the test project is gone, and so is every process that was started in it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, onTestFinished } from 'vitest'
import type { ScenarioStep, ScenarioTurn } from '../scripted-agent/scenario.ts'
import { readStarts, type Start } from '../scripted-agent/turn-state.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const RALPH = join(ROOT, 'bin', 'ralph.cjs')
const AGENT = join(ROOT, 'bin', 'ralph-scripted-agent.mjs')

/** Every program name that a driver looks for. */
const PROGRAMS = {
  claude: 'claude',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini',
  copilot: 'copilot',
  'cursor-agent': 'cursor',
}
export type Program = keyof typeof PROGRAMS

/** Longer than any command of a walk test takes on a busy machine; a test that needs it has failed. */
const PATIENCE_MS = 240_000

export interface TestProjectOptions {
  /** Text of `.ralph.toml`. Absent: no such file. */
  toml?: string
  /** Text of `.ralph/PROMPT.md`; null: no such file. */
  prompt?: string | null
  /** Text of `.ralph/fix_plan.md`. Absent: no such file. */
  plan?: string
  /** More files of the first commit. */
  files?: Record<string, string>
  /** What the agents do, see `scripted-agent/scenario.ts`. */
  turns?: ScriptedTurn[]
  /** Agents that play turns of their own instead, whatever the others do. Their starts are not in `starts`. */
  turnsByAgent?: Partial<Record<Program, ScriptedTurn[]>>
  /** The agents that are installed; all of them unless said otherwise. */
  agents?: Program[]
  env?: Record<string, string>
  /** How a completion is judged: by the gates alone, which is quick, or by trial in a clean room, for tests that are about proof. */
  proof?: 'quick' | 'full'
  /** False: whoever is in the test project has to say what they trust. */
  trustsProject?: boolean
  /** False: a plain folder. */
  git?: boolean
  /** Who clears up: the test that made the test project, or the caller with `remove` (a test project made in a hook). */
  until?: 'test' | 'removed'
}

/** A turn as it is written in a scenario file; a bare list of steps is a turn of nothing else. */
export type ScriptedTurn =
  | ScriptedStep[]
  | (Omit<ScenarioTurn, 'steps' | 'for'> & { steps: ScriptedStep[]; for?: string })
type ScriptedStep = Written<ScenarioStep>
type Written<S> = S extends { matches: RegExp } ? Omit<S, 'matches'> & { matches: string } : S

export interface CommandResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  /** Relative to the repository. */
  cwd?: string
  stdin?: string
}

/** A command that is still running. */
export interface RunningCommand {
  pid: number
  ended: Promise<CommandResult>
  /** Everything printed so far, both streams. */
  output(): string
  /** Until the output holds the text; fails with the output if the command ends or hangs before that. */
  waitFor(text: string | RegExp): Promise<void>
  /** Signals the command itself, as Ctrl+C and `kill` would, and waits for its end. */
  kill(signal?: NodeJS.Signals): Promise<CommandResult>
}

export interface TestProject {
  /** The repository. */
  path: string
  home: string
  /** What `ralph` and the agents in it see. */
  env: Record<string, string>
  ralph(args: string[], options?: RunOptions): Promise<CommandResult>
  start(args: string[], options?: RunOptions): RunningCommand
  write(path: string, text: string): Promise<void>
  read(path: string): Promise<string>
  has(path: string): boolean
  git(...args: string[]): Promise<string>
  /** Gives the agents another scenario and begins it anew. */
  play(turns: ScriptedTurn[]): Promise<void>
  /** The agents started so far, and how each was called. */
  starts(): Start[]
  remove(): Promise<void>
}

export async function testProject(options: TestProjectOptions = {}): Promise<TestProject> {
  // The true path: macOS reaches its temporary folder through a link, and Ralph prints where it really is.
  const base = await realpath(await mkdtemp(join(tmpdir(), 'ralph-garden-')))
  const path = join(base, 'project')
  const home = join(base, 'home')
  const tmp = join(base, 'tmp')
  const scenario = join(base, 'scenario.json')
  const state = `${scenario}.state`
  const walks = new Set<ChildProcess>()

  const files = filesOf(options)
  await plant(path, { files, git: options.git !== false })
  await Promise.all([
    mkdir(home),
    mkdir(tmp),
    installAgents(join(base, 'bin'), options.agents ?? allPrograms(), (program) =>
      options.turnsByAgent?.[program] === undefined ? scenario : join(base, `${program}.json`),
    ),
    ...Object.entries(options.turnsByAgent ?? {}).map(([program, turns]) =>
      writeFile(join(base, `${program}.json`), scenarioText(turns)),
    ),
  ])
  const env = {
    PATH: [join(base, 'bin'), ...cleanPath()].join(delimiter),
    // What Ralph remembers and the rooms in which it tries claims lie in the test project too, and go with it.
    HOME: home,
    XDG_STATE_HOME: join(home, '.local', 'state'),
    TMPDIR: tmp,
    NO_COLOR: '1',
    ...(options.proof === 'full' ? {} : { RALPH_PROOF_LEVEL: 'quick' }),
    ...(options.trustsProject === false ? {} : { RALPH_TRUST: '1' }),
    ...options.env,
  }

  const start = (args: string[], run: RunOptions = {}): RunningCommand => {
    if (!existsSync(RALPH) || !existsSync(join(ROOT, 'dist'))) throw new Error('build Ralph first: npm run build')
    return walk([process.execPath, RALPH, ...args], {
      cwd: join(path, run.cwd ?? '.'),
      env: { ...env, ...run.env },
      run,
      walks,
    })
  }
  const made: TestProject = {
    path,
    home,
    env,
    start,
    ralph: (args, run) => patiently(start(args, run), args),
    write: async (file, text) => {
      await mkdir(dirname(join(path, file)), { recursive: true })
      await writeFile(join(path, file), text)
    },
    read: (file) => readFile(join(path, file), 'utf8'),
    has: (file) => existsSync(join(path, file)),
    git: (...args) => git(path, args),
    play: async (turns) => {
      await rm(state, { force: true })
      await writeFile(scenario, scenarioText(turns))
    },
    starts: () => (existsSync(state) ? readStarts(state) : []),
    remove: async () => {
      await Promise.all([...walks].map(endWithGroup))
      await sweep(base)
      await rm(base, { recursive: true, force: true, maxRetries: 3 })
    },
  }
  if (options.turns !== undefined) await made.play(options.turns)
  if (options.until !== 'removed') onTestFinished(() => made.remove())
  return made
}

/** The keys of a status block that most tests mean when they say "done" and "not yet". */
export const DONE = {
  STATUS: 'COMPLETE',
  EXIT_SIGNAL: true,
  TESTS_STATUS: 'PASSING',
  WORK_TYPE: 'IMPLEMENTATION',
}
export const NOT_YET = { STATUS: 'IN_PROGRESS', EXIT_SIGNAL: false, WORK_TYPE: 'IMPLEMENTATION' }

/** The agent works until the test writes this file: however long the commands beside it take, it has not ended. */
export const MAY_END = '../may-end'
export const UNTIL_IT_MAY_END = {
  do: 'shell',
  command: `until [ -e ${MAY_END} ]; do sleep 0.1; done`,
} as const

const PROMPT = '# Work\n\nDo what the plan says.\n'

function filesOf(options: TestProjectOptions): Record<string, string> {
  const files: Record<string, string> = { ...options.files }
  if (options.prompt !== null) files['.ralph/PROMPT.md'] = options.prompt ?? PROMPT
  if (options.plan !== undefined) files['.ralph/fix_plan.md'] = options.plan
  if (options.toml !== undefined) files['.ralph.toml'] = options.toml
  return files
}

/** The folder with its files, committed; the repository itself is a copy, because `git init` is the slow part. */
async function plant(path: string, options: { files: Record<string, string>; git: boolean }): Promise<void> {
  if (options.git) await cp(await template(), path, { recursive: true })
  else await mkdir(path)
  for (const [file, text] of Object.entries(options.files)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), text)
  }
  if (!options.git || Object.keys(options.files).length === 0) return
  await git(path, ['add', '-A', '-f'])
  await git(path, ['commit', '-q', '--amend', '--no-edit'])
}

let planted: Promise<string> | null = null

afterAll(async () => {
  if (planted !== null) await rm(await planted, { recursive: true, force: true })
  planted = null
})

/** A repository with one commit, made once per test file. */
function template(): Promise<string> {
  planted ??= (async () => {
    const path = await mkdtemp(join(tmpdir(), 'ralph-template-'))
    await git(path, ['init', '-q', '-b', 'main', '--template='])
    await git(path, ['config', 'user.name', 'Gardener'])
    await git(path, ['config', 'user.email', 'gardener@localhost'])
    await git(path, ['config', 'commit.gpgSign', 'false'])
    await writeFile(join(path, 'README.md'), '# A garden\n')
    await git(path, ['add', '-A'])
    await git(path, ['commit', '-q', '-m', 'first'])
    return path
  })()
  return planted
}

/** One small script per agent: it speaks as the vendor does and knows the scenario, whatever environment it is given. */
async function installAgents(
  bin: string,
  programs: Program[],
  scenarioOf: (program: Program) => string,
): Promise<void> {
  await mkdir(bin)
  // Both are called by their names, and the folder they live in may not be on the cleaned PATH.
  await symlink(process.execPath, join(bin, 'node'))
  await symlink(whereGitIs(), join(bin, 'git'))
  for (const program of programs) {
    const play = `'${process.execPath}' '${AGENT}' --scenario '${scenarioOf(program)}' --dialect ${PROGRAMS[program]}`
    await writeFile(join(bin, program), `#!/bin/sh\nexec ${play} "$@"\n`)
    await chmod(join(bin, program), 0o755)
  }
}

function allPrograms(): Program[] {
  return Object.keys(PROGRAMS) as Program[]
}

function whereGitIs(): string {
  const folder = ourPath().find((each) => existsSync(join(each, 'git')))
  if (folder === undefined) throw new Error('walk tests need git on PATH')
  return join(folder, 'git')
}

/** Our PATH without the folders that hold a real agent: a walk test must never start one. */
function cleanPath(): string[] {
  return ourPath().filter((folder) => !readdirSync(folder).some((name) => Object.hasOwn(PROGRAMS, name)))
}

function ourPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => existsSync(folder))
}

function scenarioText(turns: ScriptedTurn[]): string {
  return JSON.stringify({ turns: turns.map((turn) => (Array.isArray(turn) ? { steps: turn } : turn)) }, null, 2)
}

interface Walking {
  cwd: string
  env: Record<string, string>
  run: RunOptions
  walks: Set<ChildProcess>
}

function walk([program = '', ...args]: string[], { cwd, env, run, walks }: Walking): RunningCommand {
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  walks.add(child)
  let stdout = ''
  let stderr = ''
  let both = ''
  const listeners = new Set<() => void>()
  const heard = (text: string): void => {
    both += text
    for (const listener of listeners) listener()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), heard(text)))
  child.stderr.setEncoding('utf8').on('data', (text: string) => ((stderr += text), heard(text)))
  child.stdin.on('error', () => {})
  child.stdin.end(run.stdin ?? '')
  const ended = new Promise<CommandResult>((done, failed) => {
    child.once('error', failed)
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  const gone = new Promise<CommandResult>((done) => {
    child.once('exit', (code, signal) => done({ code, signal, stdout, stderr }))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => both,
    waitFor: (text) =>
      new Promise((done, failed) => {
        const settle = (end: () => void): void => {
          clearTimeout(timer)
          listeners.delete(look)
          end()
        }
        const look = (): void => {
          if (typeof text === 'string' ? both.includes(text) : text.test(both)) settle(done)
        }
        const giveUp = (why: string): void =>
          settle(() => failed(new Error(`${why} before it printed ${text}:\n${both}`)))
        const timer = setTimeout(() => giveUp(`${PATIENCE_MS} ms passed`), PATIENCE_MS)
        listeners.add(look)
        look()
        void ended.then((ran) => giveUp(`the command ended (${ran.code ?? ran.signal})`), failed)
      }),
    kill: (signal = 'SIGTERM') => {
      child.kill(signal)
      // What is killed outright may leave an agent behind with the pipes in its hand: nobody waits for that one's words.
      return signal === 'SIGKILL' ? gone : ended
    },
  }
}

async function patiently(walked: RunningCommand, args: string[]): Promise<CommandResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, failed) => {
    const say = (): void =>
      failed(new Error(`ralph ${args.join(' ')} still runs after ${PATIENCE_MS} ms:\n${walked.output()}`))
    timer = setTimeout(say, PATIENCE_MS)
  })
  return Promise.race([walked.ended, late]).finally(() => clearTimeout(timer))
}

/** Each command leads a process group of its own, so what it left behind in it goes with it. */
async function endWithGroup(child: ChildProcess): Promise<void> {
  const over = child.exitCode !== null || child.signalCode !== null
  const closed = over ? Promise.resolve() : new Promise((done) => child.once('exit', done))
  end(-(child.pid ?? 0))
  await closed
}

/** Agents lead groups of their own; every one of them names the test project's folder on its command line. */
async function sweep(base: string): Promise<void> {
  const { stdout } = await execute('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 16_000_000 })
  for (const row of stdout.split('\n')) {
    if (row.includes(base)) end(Number.parseInt(row, 10))
  }
}

function end(pid: number): void {
  if (pid === 0) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

const execute = promisify(execFile)

async function git(cwd: string, args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  const { stdout } = await execute('git', args, { cwd, env })
  return stdout.trimEnd()
}
