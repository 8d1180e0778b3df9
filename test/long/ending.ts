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
  garden,
  NOT_YET,
  type Garden,
  type GardenOptions,
  type Ran,
  type ScriptedTurn,
} from '../garden.ts'
import { ask } from '../walk/night.ts'
import { install } from '../walk/set-up-kit.ts'

export interface Advice {
  /** What stands above the command: what to mend, to paste, to allow. */
  lines: string[]
  command: string
}

export interface Ending {
  place: Garden
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

export interface Plot extends GardenOptions {
  /** Flags of `ralph loop`. */
  args?: string[]
  /** Otherwise than by `ralph loop` and waiting for its end. */
  live?: (place: Garden) => Promise<Ran | null>
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
export async function project(options: GardenOptions): Promise<Garden> {
  const place = await garden({ toml: ONE_CLAIM, ...options })
  await install(place, 'ralph', `exec '${process.execPath}' '${RALPH}' "$@"`)
  return place
}

/** As a shell in the project takes it. Nobody sits at a terminal, so nothing is asked. */
export function type(place: Garden, line: string): Promise<Ran> {
  return new Promise((done) => {
    const options = { cwd: place.path, env: place.env, timeout: 45_000 }
    const child = execFile('/bin/sh', ['-c', line], options, (_, stdout, stderr) =>
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

/** The plot lived through to its end, and read on every screen. */
export async function endOf({ args = [], live, ...options }: Plot): Promise<Ending> {
  const place = await project(options)
  const ran = live === undefined ? await place.ralph(['loop', ...args]) : await live(place)
  return read(place, ran)
}

/** What the screens say now; null: nothing was printed that could be read. */
export async function read(place: Garden, ran: Ran | null): Promise<Ending> {
  const foreground = ran?.stdout ?? ''
  const [status, report, json] = [
    (await ask(place, 'status')).out,
    (await ask(place, 'report')).out,
    (await ask(place, 'status', '--json')).out,
  ]
  const facts = JSON.parse(json) as { next: string[]; outcome: { is: string } | null }
  return {
    place,
    foreground: ran === null ? null : inForeground(foreground),
    status: inStatus(status),
    report: inReport(report),
    next: facts.next,
    outcome: facts.outcome?.is ?? null,
    screens: { foreground, status, report },
    file: await reportFile(place),
  }
}

async function reportFile(place: Garden): Promise<string> {
  const folder = join(place.path, '.ralph', 'reports')
  const files = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.md')) : []
  return files[0] === undefined ? '' : readFile(join(folder, files[0]), 'utf8')
}

/** Lived through once, for several tests that only read its screens: its project is gone with the first of them. */
export function once<T>(live: () => Promise<T>): () => Promise<T> {
  let lived: Promise<T> | null = null
  return () => (lived ??= live())
}

/** Ends of a completion that was refused: sent round again as it is, it would only be refused again, for more money. */
const REFUSED = new Set(['cannot_prove', 'needs_acceptance', 'room_failed'])

/** All four say the same, and this. The run's own name may stand for RUN. */
export function advises(ending: Ending, outcome: string | null, command: string): void {
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
  if (REFUSED.has(ending.outcome ?? '')) expect(next).not.toContain('ralph loop')
  expect(next.filter((line) => /\brm\b|--hard|git (clean|push|checkout|stash)/.test(line))).toEqual([])
}

/**
 * Types the command that is advised. Meanwhile the person works in the same folder, on two files that are nobody else's: whatever is
 * advised neither deletes nor commits them.
 */
export async function follow({ place, next }: Ending): Promise<Ran> {
  await place.write('mine.txt', 'mine\n')
  await place.write('staged.txt', 'mine, for the next commit\n')
  await place.git('add', 'staged.txt')
  const head = await place.git('rev-parse', 'HEAD')
  const ran = await type(place, next[0] ?? 'false')
  expect(await place.git('status', '--short', '--', 'mine.txt', 'staged.txt')).toBe(
    'A  staged.txt\n?? mine.txt',
  )
  expect([await place.read('mine.txt'), await place.read('staged.txt')]).toEqual([
    'mine\n',
    'mine, for the next commit\n',
  ])
  await place.git('merge-base', '--is-ancestor', head, 'HEAD')
  return ran
}

/** The advised command started the agent again, and the work came to its end. */
export async function goesOn(ending: Ending): Promise<Ran> {
  const before = ending.place.starts().length
  const ran = await follow(ending)
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^result +(DONE|PROVEN|GATES)/m)])
  expect(ending.place.starts().length).toBeGreaterThan(before)
  return ran
}

/** The same plot, told to a program: the result line of `ralph loop --json`. */
export async function toldToPrograms({
  args = [],
  ...options
}: Plot): Promise<{ run: string; next: string[] }> {
  const place = await project(options)
  const { stdout } = await place.ralph(['loop', '--json', ...args])
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
