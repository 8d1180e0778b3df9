/**
 * A field: one scenario's project in a temporary folder, with a home of its own and the scripted agent as `claude`. A program
 * is let loose in it, once or several times, with a limit of time; whatever it remembers it keeps in this folder. Afterwards
 * the folder is gone, and so is every process that was started in it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readStarts } from '../../scripted-agent/turn-state.ts'
import { installRunners, missingOf, toolChains } from './runners.ts'
import type { Project, Runner, Scenario } from './scenario.ts'

export interface ScenarioProject {
  /** The project's folder. */
  path: string
  run(command: Command): Promise<ProgramResult>
  /** What a person does before the next run, and what the agent plays in it. */
  goOn(next: NonNullable<Scenario['next']>[number]): Promise<void>
  /** Whether the work is done, found out in the final tree. */
  probe(): Promise<boolean>
  /** How often the agent was started in this run. */
  starts(): number
  read(file: string): Promise<string | null>
  remove(): Promise<void>
}

/** A shell command line, and how long it may take. */
export interface Command {
  line: string
  limitMs: number
}

export interface ProgramResult {
  /** Null: a signal or the time limit ended it. */
  code: number | null
  stdout: string
  stderr: string
  timedOut: boolean
}

export interface Agent {
  /** The scripted agent's script. */
  script: string
  /** Some programs take an agent that is done within a second for one that failed to start. */
  lingers: number
}

export async function makeScenarioProject(scenario: Scenario, agent: Agent, stock: string): Promise<ScenarioProject> {
  // The name says nothing of us: rooms are made in here, and nothing in one may tell that it is one.
  const base = await realpath(await mkdtemp(join(tmpdir(), 'field-')))
  const { project } = scenario
  // What an agent puts beside the project lies on no way up from a room.
  const path = join(base, 'work', 'project')
  const bin = join(base, 'bin')
  const play = join(base, 'scenario.json')
  await Promise.all(['bin', 'home', 'tmp', 'work'].map((name) => mkdir(join(base, name))))
  await writeTurns(play, scenario.turns)
  await installAgent(bin, {
    play: `'${process.execPath}' '${agent.script}' --scenario '${play}' --dialect claude`,
    lingers: agent.lingers,
  })
  const env = {
    ...environment(base),
    PATH: [...(project.path ?? []).map((folder) => join(path, folder)), bin, ...cleanPath()].join(delimiter),
    NO_COLOR: '1',
    // One word without blanks: some loop programs take it for the name of a file.
    CLAUDE_CODE_CMD: join(bin, 'claude'),
  }
  const inShell = async (commands: string | undefined): Promise<void> => {
    if (commands !== undefined) await execute('sh', ['-c', commands], { cwd: path, env })
  }
  await plant(path, project)
  await installRunners(path, scenario.runners ?? [], stock)
  await inShell(project.prepare)
  return {
    path,
    run: (command) => letLoose(command, { cwd: path, env }),
    goOn: async ({ person, turns }) => {
      await inShell(person)
      await rm(`${play}.state`, { force: true })
      await writeTurns(play, turns)
    },
    probe: () => probe(scenario.probe, path),
    starts: () => (existsSync(`${play}.state`) ? readStarts(`${play}.state`).length : 0),
    read: (file) => readFile(join(path, file), 'utf8').catch(() => null),
    remove: async () => {
      await sweep(base)
      await rm(base, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Whatever a program keeps, it keeps in the field. */
function environment(base: string): Record<string, string> {
  return {
    ...toolChains(),
    HOME: join(base, 'home'),
    TMPDIR: join(base, 'tmp'),
    XDG_STATE_HOME: join(base, 'home', '.local', 'state'),
  }
}

/** The runners that this machine lacks. */
export function missingHere(runners: Runner[], stock: string): Promise<Runner[]> {
  const env = { ...environment(tmpdir()), PATH: cleanPath().join(delimiter) }
  return missingOf(runners, { stock, env })
}

function writeTurns(file: string, turns: Scenario['turns']): Promise<void> {
  const written = turns.map((turn) => (Array.isArray(turn) ? { steps: turn } : turn))
  return writeFile(file, JSON.stringify({ turns: written }))
}

/** The agent stands on the PATH as well, for programs that look there. */
async function installAgent(bin: string, { play, lingers }: { play: string; lingers: number }): Promise<void> {
  const claude = join(bin, 'claude')
  const script = [
    '#!/bin/sh',
    // Asked for before every run: a shell answers faster than Node starts.
    `test "$1" = --version && echo '${VERSION}' && exit 0`,
    ...(lingers > 0 ? [`sleep ${lingers}`] : []),
    // Programs that want one document instead of a stream get the last event, as from Claude itself.
    `case " $* " in *' --output-format json '*) out=$(${play} "$@"); code=$?; printf '%s\\n' "$out" | tail -n 1; exit $code;; esac`,
    `exec ${play} "$@"`,
  ]
  await writeFile(claude, `${script.join('\n')}\n`)
  await chmod(claude, 0o755)
  await symlink(process.execPath, join(bin, 'node'))
}

/** As the scripted agent says it in Claude's dialect. */
const VERSION = '2.1.197 (Claude Code)'

/** Our PATH without the folders that hold a real Claude: no scenario may start one. */
function cleanPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => existsSync(folder))
  return folders.filter((folder) => !readdirSync(folder).includes('claude'))
}

async function plant(path: string, project: Project): Promise<void> {
  if (project.git === false) await mkdir(path)
  else await cp(await template(), path, { recursive: true })
  for (const [file, text] of Object.entries(filesOf(project))) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }
  if (project.git === false) return
  await git(path, ['add', '-A'])
  await git(path, ['commit', '-q', '-m', 'first'])
}

/** What every project has: settings for Ralph, and what the bash tool wants to find, so that both take the same project. */
function filesOf(project: Project): Record<string, string> {
  const gates = Object.values(project.gates)
  return {
    'README.md': '# A small project\n',
    '.ralph/PROMPT.md': project.prompt ?? '# Work\n\nWrite the function in `src/add.mjs`, so that the tests pass.\n',
    '.ralph/AGENT.md': `# How to check the work\n\n${gates.map((run) => `    ${run}`).join('\n')}\n`,
    '.ralph/fix_plan.md': project.plan ?? '# Plan\n\nWrite the function.\n',
    '.ralphrc': 'PROJECT_NAME="adding"\nCLAUDE_AUTO_UPDATE="false"\n',
    '.ralph.toml': tomlOf(project),
    ...project.files,
  }
}

function tomlOf(project: Project): string {
  const timeout = project.gateTimeout === undefined ? [] : [`timeout = ${JSON.stringify(project.gateTimeout)}`]
  const gates = Object.entries(project.gates).flatMap(([name, run]) => [
    '',
    '[[gate]]',
    `name = ${JSON.stringify(name)}`,
    `run = ${JSON.stringify(run)}`,
    ...timeout,
  ])
  return [
    `loop.max_iterations = ${project.iterations ?? 2}`,
    `proof.rejections = ${project.rejections ?? 1}`,
    'retry.first = "50ms"',
    ...(project.settings ?? []),
    ...gates,
    '',
  ].join('\n')
}

let planted: Promise<string> | null = null

/** An empty repository, made once: `git init` is the slow part. */
function template(): Promise<string> {
  planted ??= (async () => {
    const path = await mkdtemp(join(tmpdir(), 'field-template-'))
    await git(path, ['init', '-q', '-b', 'main', '--template='])
    await git(path, ['config', 'user.name', 'Gardener'])
    await git(path, ['config', 'user.email', 'gardener@localhost'])
    await git(path, ['config', 'commit.gpgSign', 'false'])
    return path
  })()
  return planted
}

/** When all scenarios are over. */
export async function removeTemplate(): Promise<void> {
  if (planted !== null) await rm(await planted, { recursive: true, force: true })
  planted = null
}

/** Most of what a program prints is of no interest; the last line may be. */
const KEEP = 200_000

async function letLoose(command: Command, at: { cwd: string; env: Record<string, string> }): Promise<ProgramResult> {
  const child = spawn('sh', ['-c', command.line], {
    ...at,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr, timedOut] = ['', '', false]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-KEEP)))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-KEEP)))
  const timer = setTimeout(() => {
    timedOut = true
    endGroup(child)
  }, command.limitMs)
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed)
    // Not `close`: something that was left behind may hold the pipes for ever.
    child.once('exit', (exit) => done(exit))
  })
  clearTimeout(timer)
  // What was written before the end is in the pipe; it is read in the next turn of the event loop.
  await Promise.race([new Promise((done) => child.once('close', done)), new Promise((done) => setTimeout(done, 500))])
  endGroup(child)
  return { code: timedOut ? null : code, stdout, stderr, timedOut }
}

/** The probe is a file of ours outside the project, run by the Node that runs us. */
async function probe(module: string, cwd: string): Promise<boolean> {
  try {
    await execute(process.execPath, ['--input-type=module', '-e', module], { cwd, timeout: PROBE_MS })
    return true
  } catch {
    return false
  }
}

/** A function that hangs is not done; some probes have to compile something first. */
const PROBE_MS = 10_000

function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) end(-child.pid)
}

/** Agents and gates lead groups of their own; those that a program forgot name the field on their command line or work there. */
async function sweep(base: string): Promise<void> {
  const { stdout } = await execute('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 16_000_000 })
  for (const row of stdout.split('\n')) {
    const pid = Number.parseInt(row, 10)
    if (row.includes(base) || folderOf(pid).startsWith(base)) end(pid)
  }
}

/** Where a process works, on systems that say so. */
function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

const execute = promisify(execFile)

async function git(cwd: string, args: string[]): Promise<void> {
  await execute('git', args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
  })
}
