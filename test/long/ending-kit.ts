/**
 * How a run ended, as a person finds it in the morning: what the foreground, `ralph status`, the report and `--json` say comes next. And
 * that person, who does what the screens say: reads them, mends what they name, types the command as it stands there.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import {
  DONE,
  testProject,
  NOT_YET,
  type TestProject,
  type TestProjectOptions,
  type CommandResult,
  type ScriptedTurn,
} from '../test-project.ts'
import { runCommand } from '../walk/sample-run.ts'
import { install } from '../walk/setup-kit.ts'

export interface Advice {
  /** What stands above the command: what to mend, to paste, to allow. */
  lines: string[]
  command: string
}

export interface Ending {
  fixture: TestProject
  /** Null where there is no foreground to read: it was killed, or it still waits. */
  foreground: Advice | null
  status: Advice
  report: Advice
  /** `next` of `ralph status --json`. */
  next: string[]
  outcome: string | null
  /** All that each screen shows. */
  screens: { foreground: string; status: string; report: string }
  /** The report as it lies in the project, Markdown; empty before the end. */
  file: string
}

export interface EndingOptions extends TestProjectOptions {
  /** Flags of `ralph loop`. */
  args?: string[]
  /** Otherwise than by `ralph loop` and waiting for its end. */
  live?: (fixture: TestProject) => Promise<CommandResult | null>
}

const RALPH = join(dirname(dirname(import.meta.dirname)), 'bin', 'ralph.cjs')

/** One claim ends such a run: without a gate it is done and unproven, which takes no time. */
export const ONE_CLAIM = '[exit]\nconfirm = 1\n'

export const CLAIM = { do: 'status', text: 'All done.', fields: DONE } as const
export const MORE = { do: 'append', path: 'src/more.sh', content: 'true\n' } as const
/** Work, and not the last of it. */
export const STEP: ScriptedTurn = [MORE, { do: 'status', text: 'One step.', fields: NOT_YET }]
/** Work that is the last of it. */
export const LAST: ScriptedTurn = [MORE, CLAIM]
export const THINKS = { do: 'status', text: 'Thinking.', fields: NOT_YET } as const

/** A project in which `ralph` can be typed, and an agent that plays its turns. */
export async function project(options: TestProjectOptions): Promise<TestProject> {
  const fixture = await testProject({ toml: ONE_CLAIM, ...options })
  await install(fixture, 'ralph', `exec '${process.execPath}' '${RALPH}' "$@"`)
  return fixture
}

/** As a shell in the project takes it. Nobody sits at a terminal, so nothing is asked. */
export function type(fixture: TestProject, line: string): Promise<CommandResult> {
  return new Promise((done) => {
    const options = { cwd: fixture.path, env: fixture.env, timeout: 45_000 }
    const child = execFile('/bin/sh', ['-c', line], options, (_, stdout, stderr) =>
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

/** The plot lived through to its end, and read on every screen. */
export async function runToEnding({ args = [], live, ...options }: EndingOptions): Promise<Ending> {
  const fixture = await project(options)
  const ran = live === undefined ? await fixture.ralph(['loop', ...args]) : await live(fixture)
  return read(fixture, ran)
}

/** What the screens say now; null: nothing was printed that could be read. */
export async function read(fixture: TestProject, ran: CommandResult | null): Promise<Ending> {
  const foreground = ran?.stdout ?? ''
  const [status, report, json] = [
    (await runCommand(fixture, 'status')).out,
    (await runCommand(fixture, 'report')).out,
    (await runCommand(fixture, 'status', '--json')).out,
  ]
  const facts = JSON.parse(json) as { next: string[]; outcome: { is: string } | null }
  return {
    fixture,
    foreground: ran === null ? null : inForeground(foreground),
    status: inStatus(status),
    report: inReport(report),
    next: facts.next,
    outcome: facts.outcome?.is ?? null,
    screens: { foreground, status, report },
    file: await reportFile(fixture),
  }
}

async function reportFile(fixture: TestProject): Promise<string> {
  const folder = join(fixture.path, '.ralph', 'reports')
  const files = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.md')) : []
  return files[0] === undefined ? '' : readFile(join(folder, files[0]), 'utf8')
}

/** Lived through once, for several tests that only read its screens: its project is gone with the first of them. */
export function once<T>(live: () => Promise<T>): () => Promise<T> {
  let lived: Promise<T> | null = null
  return () => (lived ??= live())
}

/** Ends of a rejected completion: just another run would be rejected again, for more money, so it is not the first advice. */
const REFUSED = new Set(['cannot_prove', 'needs_acceptance', 'room_failed'])

/** All four say the same, and this. The run's own name may stand for RUN. */
export function expectAdvice(ending: Ending, outcome: string | null, command: string): void {
  const { foreground, status, report, next } = ending
  const said = {
    foreground: foreground?.command,
    status: status.command,
    report: report.command,
    json: next[0],
  }
  const run = /· run (\w+)/.exec(ending.screens.status)?.[1] ?? ''
  const each = command.replaceAll('RUN', run)
  expect([ending.outcome, said]).toEqual([
    outcome,
    { foreground: foreground === null ? undefined : each, status: each, report: each, json: each },
  ])
  expect(report.lines).toEqual(status.lines)
  if (foreground !== null) expect(foreground.lines).toEqual(status.lines)
  if (REFUSED.has(ending.outcome ?? '')) expect(next[0]).not.toBe('ralph loop')
  expect(next.filter((line) => /\brm\b|--hard|git (clean|push|checkout|stash)/.test(line))).toEqual([])
}

/**
 * Types the command that is advised. Meanwhile the person works in the same folder, on two files that are nobody else's: whatever is
 * advised neither deletes nor commits them.
 */
export async function followAdvice({ fixture, next }: Ending): Promise<CommandResult> {
  await fixture.write('mine.txt', 'mine\n')
  await fixture.write('staged.txt', 'mine, for the next commit\n')
  await fixture.git('add', 'staged.txt')
  const head = await fixture.git('rev-parse', 'HEAD')
  const ran = await type(fixture, next[0] ?? 'false')
  expect(await fixture.git('status', '--short', '--', 'mine.txt', 'staged.txt')).toBe('A  staged.txt\n?? mine.txt')
  expect([await fixture.read('mine.txt'), await fixture.read('staged.txt')]).toEqual([
    'mine\n',
    'mine, for the next commit\n',
  ])
  await fixture.git('merge-base', '--is-ancestor', head, 'HEAD')
  return ran
}

/** The advised command started the agent again, and the work came to its end. */
export async function expectContinues(ending: Ending): Promise<CommandResult> {
  const before = ending.fixture.starts().length
  const ran = await followAdvice(ending)
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^result +(DONE|PROVEN|GATES)/m)])
  expect(ending.fixture.starts().length).toBeGreaterThan(before)
  return ran
}

/** The same plot, told to a program: the result line of `ralph loop --json`. */
export async function jsonResultOf({ args = [], ...options }: EndingOptions): Promise<{ run: string; next: string[] }> {
  const fixture = await project(options)
  const { stdout } = await fixture.ralph(['loop', '--json', ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { run: string; next: string[] }
}

/** Below the line with the costs, up to the command. */
function inForeground(screen: string): Advice {
  const lines = screen.split('\n').flatMap((line) => /^result {5}(.*)$/.exec(line)?.[1] ?? [])
  const costs = lines.findIndex((line) => / · run \w+$/.test(line))
  return adviceIn(lines.slice(costs + 1), screen)
}

/** The last paragraph. */
function inStatus(screen: string): Advice {
  return adviceIn((screen.trim().split(/\n\n+/).at(-1) ?? '').split('\n'), screen)
}

function adviceIn(lines: string[], screen: string): Advice {
  const at = lines.findIndex((line) => line.trimStart().startsWith('Next: '))
  if (at === -1) throw new Error(`nothing is advised:\n${screen}`)
  // What it is for stands behind it, after two blanks.
  const command = (lines[at] ?? '').trim().slice('Next: '.length).split('  ')[0] ?? ''
  return { lines: lines.slice(0, at).map((line) => line.trim()), command }
}

/** The section Next: the lines, then commands with what they are for in brackets. */
function inReport(screen: string): Advice {
  const lines = screen.slice(screen.search(/^ {2}Next {2}/m) + '  Next'.length).split('\n')
  const said = lines.map((line) => line.trim())
  const at = said.findIndex((line) => / \([^()]+\)$/.test(line))
  if (at === -1) throw new Error(`nothing is advised:\n${screen}`)
  return { lines: said.slice(0, at), command: (said[at] ?? '').replace(/ \([^()]+\)$/, '') }
}
