/**
 * A stage for one vendor's real program: a fresh home with fake keys, the scripted model, and a small repository for every
 * question. `ask` talks to the program as the engine does; `loop` and `run` run the real `ralph` on it.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startAgent } from '../../src/agents/transport/agent-process.ts'
import type { AgentExit } from '../../src/agents/transport/transport.ts'
import { driverFor } from '../../src/agents/registry.ts'
import type { AgentEvent, AgentTimeLimits, AgentRequest } from '../../src/core/calls/agent-io.ts'
import type { AskPerson } from '../../src/system/terminal/ask-person.ts'
import { createReplyFold } from '../../src/core/agent-output/reply-fold.ts'
import type { Reply } from '../../src/core/agent-output/reply.ts'
import { systemClock } from '../../src/system/clock.ts'
import type { Turn } from './model/script.ts'
import { startModel, type Model } from './model/server.ts'
import type { Vendor } from './vendors.ts'
import { createMasker } from '../../src/system/mask/mask.ts'

const HERE = import.meta.dirname
const RALPH = join(HERE, '..', '..', 'bin', 'ralph.cjs')
const BIN = join(HERE, 'node_modules', '.bin')

/** Codex makes no sandbox for a home below the system's temporary folder. */
const HOMES = existsSync('/var/tmp') ? '/var/tmp' : dirname(HERE)

/** Cases wait for events. The one limit is the test's own, in `vitest.config.ts`. */
const LIMITS: AgentTimeLimits = { idleMs: 0, wallMs: 0, completionGraceMs: 0, stopGraceMs: 3_000, handshakeMs: 0 }

export interface VendorFixture {
  model: Model
  /** A repository with one commit. */
  project(files?: Record<string, string>): Promise<string>
  ask(question: Question): Promise<AgentAnswer>
  /** `ralph loop` to its end, or until it is told to stop because the model was asked. */
  loop(project: string, turns: Turn[], until?: 'end' | 'asked'): Promise<LoopResult>
  /** `ralph run` to its end. */
  run(project: string, turns: Turn[]): Promise<LoopResult>
  /** Processes of this stage that live. */
  living(): Promise<string[]>
  close(): Promise<void>
}

export interface Question {
  project: string
  turns: Turn[]
  prompt?: string
  request?: Partial<AgentRequest>
  /** Stops the program as the engine would as soon as it says so, instead of waiting for its end. */
  stopAt?: (event: AgentEvent) => boolean
  limits?: Partial<AgentTimeLimits>
  askPerson?: AskPerson
}

export interface AgentAnswer {
  events: AgentEvent[]
  reply: Reply
  end: AgentExit
}

export interface LoopResult {
  code: number | null
  output: string
}

/** Why this machine cannot play the vendor, or null. */
export function skipReason({ package: name, program }: Vendor): string | null {
  const { optionalDependencies } = readJson(join(HERE, 'package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const wanted = optionalDependencies[name] ?? 'no version'
  const file = join(HERE, 'node_modules', name, 'package.json')
  if (!existsSync(file) || !existsSync(join(BIN, program))) return `${name} ${wanted} could not be installed here`
  const { version } = readJson(file) as { version: string }
  if (version !== wanted) return `${name} is ${version} here, not ${wanted}`
  const { status, stderr } = started(join(BIN, program))
  return status === 0 ? null : `${name} does not start here: ${stderr.trim().split('\n')[0] ?? ''}`
}

/** A package may be there without its part for this machine. */
function started(program: string): { status: number | null; stderr: string } {
  const home = mkdtempSync(join(HOMES, 'ralph-agents-'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, GEMINI_CLI_NO_RELAUNCH: 'true' }
  try {
    return spawnSync(program, ['--version'], { env, cwd: home, encoding: 'utf8', input: '' })
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export async function openVendorFixture(vendor: Vendor): Promise<VendorFixture> {
  const base = mkdtempSync(join(HOMES, 'ralph-agents-'))
  const home = join(base, 'home')
  const model = await startModel()
  putFiles(home, vendor.home(model.url))
  const tmp = join(base, 'tmp')
  mkdirSync(tmp)
  const env = environment(vendor, { home, tmp, url: model.url })
  become(env)
  let count = 0

  async function project(files: Record<string, string> = {}): Promise<string> {
    count += 1
    const path = join(base, `project-${count}`)
    putFiles(path, { 'README.md': '# A project\n', ...files })
    await git(path, 'init', '-q', '-b', 'main', '--template=')
    await git(path, 'config', 'user.name', 'Gardener')
    await git(path, 'config', 'user.email', 'gardener@localhost')
    await git(path, 'config', 'commit.gpgSign', 'false')
    await git(path, 'add', '-A')
    await git(path, 'commit', '-q', '-m', 'first')
    return path
  }

  return {
    model,
    project,
    ask: (question) => ask(vendor, { base, model, question }),
    async loop(path, turns, until = 'end') {
      model.play(turns, { folder: path, habits: vendor.habits })
      const stop = until === 'asked' ? model.nextAsked() : null
      return runRalph(['loop', '--agent', vendor.agent], { cwd: path, env, stop })
    },
    run(path, turns) {
      model.play(turns, { folder: path, habits: vendor.habits })
      return runRalph(['run', '--agent', vendor.agent], { cwd: path, env, stop: null })
    },
    living: () => living(base),
    async close() {
      await model.close()
      const left = await living(base)
      for (const row of left) endProcess(Number.parseInt(row, 10))
      rmSync(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function ask(
  vendor: Vendor,
  { base, model, question }: { base: string; model: Model; question: Question },
): Promise<AgentAnswer> {
  const { project, turns, prompt = 'Do what the script says.', stopAt } = question
  const driver = driverFor(vendor.agent, {})
  const scratch = mkdtempSync(join(base, 'scratch-'))
  const log = join(scratch, 'agent.log')
  const events: AgentEvent[] = []
  const fold = createReplyFold({})
  model.play(turns, { folder: project, habits: vendor.habits })
  const talk = startAgent({
    driver,
    request: {
      cwd: project,
      prompt,
      extraDirs: [join(project, '.git')],
      env: {},
      scratch,
      ...question.request,
    },
    limits: { ...LIMITS, ...question.limits },
    log,
    effect: `agents.${scratch}`,
    runId: 'agents',
    clock: systemClock(),
    envPolicy: { mode: 'filtered', pass: [] },
    mask: createMasker([]),
    ...(question.askPerson === undefined ? {} : { askPerson: question.askPerson }),
    onEvent(event) {
      events.push(event)
      fold.take(event)
      if (stopAt?.(event) === true) void talk.stop({ now: false })
    },
    onBegan: () => {},
  })
  const end = await talk.ended
  const reply = fold.finish({ ...end, log: { path: log, bytes: end.bytes } })
  return { events, reply, end }
}

function environment(
  vendor: Vendor,
  { home, tmp, url }: { home: string; tmp: string; url: string },
): Record<string, string> {
  return {
    ...vendor.env(url),
    PATH: [BIN, dirname(process.execPath), ...(process.env['PATH'] ?? '').split(delimiter)].join(delimiter),
    HOME: home,
    // Beside the home folder, never above it. Reports of crashes go here.
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    RALPH_TRUST: '1',
    // Whatever is not for the model meets a closed door instead of the network.
    HTTPS_PROXY: url,
    NO_PROXY: '127.0.0.1,localhost',
  }
}

/** Drivers choose from this process's environment, so it must hold nothing of the machine's own. */
function become(env: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!name.startsWith('VITEST')) delete process.env[name]
  Object.assign(process.env, env)
}

function runRalph(
  args: string[],
  { cwd, env, stop }: { cwd: string; env: Record<string, string>; stop: Promise<void> | null },
): Promise<LoopResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [RALPH, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    void stop?.then(() => child.kill('SIGTERM'))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** Every process below the stage carries its home folder in its environment, whoever started it and whatever it was told. */
async function living(base: string): Promise<string[]> {
  if (existsSync('/proc/self/environ')) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    return pids
      .filter((pid) => readGently(`/proc/${pid}/environ`).includes(`HOME=${base}/`))
      .map((pid) => `${pid} ${readGently(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`)
  }
  const { stdout } = await execute('ps', ['-axwwE', '-o', 'pid=,command='], { maxBuffer: 64_000_000 })
  const rows = stdout.split('\n').map((row) => row.trim())
  return rows.filter((row) => row.includes(`HOME=${base}/`) && Number.parseInt(row, 10) !== process.pid)
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

function readGently(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function putFiles(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

const execute = promisify(execFile)

export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute('git', args, { cwd, env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1' } })
  return stdout.trimEnd()
}

/** Every file below a folder, git's own included, by the hash of its bytes. */
export function readAllFiles(folder: string, except: string[] = []): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name)
    if (!lstatSync(path).isFile() || except.includes(name)) continue
    found[name] = createHash('sha256').update(readFileSync(path)).digest('hex')
  }
  return found
}
