/** Plays scenarios against a loop program and says of each whether the program was right about it. */
import { join } from 'node:path'
import { makeField, type Agent, type Field, type Ran } from './field.ts'
import type { Scenario } from './scenario.ts'

export interface Program {
  /** A shell command line, started in each project. */
  line: string
  agent: Agent
  /** A program that still runs then has not called the work done. */
  limitMs: number
}

export type Mark =
  | 'ok'
  /** Called done, and it is not. */
  | 'FALSE DONE'
  /** Done, and never accepted. */
  | 'REFUSED'
  /** Done and accepted, but not at the first claim. */
  | 'LATE'
  /** The tree does not bear out what the scenario declares: the scenario is wrong, or the program changed the work. */
  | 'BROKEN'
  /** The program never started the agent, or ended by an error of its own: nothing was shown. */
  | 'ERROR'

export interface Played {
  name: string
  truth: Scenario['truth']
  /** How the program itself calls the end. */
  outcome: string
  verdict: string
  iterations: number
  mark: Mark
  /** For a mark that is not ok: what the program said last. */
  detail: string
}

/** The program of this project, to be tried as it is installed. */
export function ralph(root: string): Program {
  const line = `'${process.execPath}' '${join(root, 'bin', 'ralph.mjs')}' loop --json`
  return {
    line,
    agent: { script: join(root, 'bin', 'ralph-scripted-agent.mjs'), lingers: 0 },
    limitMs: 45_000,
  }
}

/** Two at a time: each is mostly one busy process, and gates have time limits that a crowded machine would pass. */
const TOGETHER = 2

/** Plays all of them; each answer comes as soon as it is there. */
export function playAll(scenarios: Scenario[], program: Program): Promise<Played>[] {
  const inTurn = takingTurns(TOGETHER)
  return scenarios.map((scenario) => inTurn(() => play(scenario, program)))
}

function takingTurns(together: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = together
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

export async function play(scenario: Scenario, program: Program): Promise<Played> {
  const field = await makeField(scenario, program.agent)
  try {
    const ran = await field.run({ line: program.line, limitMs: program.limitMs })
    const told = await whatItSays(field, ran)
    const iterations = field.starts()
    const mark = judge(scenario, { ...told, iterations, really: await field.probe() })
    const detail = mark === 'ok' ? '' : [told.reason, ...lastLines(ran.stderr)].join('\n').trim()
    return {
      name: scenario.name,
      truth: scenario.truth,
      outcome: told.outcome,
      verdict: told.verdict,
      iterations,
      mark,
      detail,
    }
  } finally {
    await field.remove()
  }
}

/** Enough to see what went wrong. */
function lastLines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .slice(-5)
    .map((line) => line.slice(0, 200))
}

interface Found {
  done: boolean
  outcome: string
  iterations: number
  really: boolean
}

function judge(scenario: Scenario, found: Found): Mark {
  if (scenario.truth === 'not-done' && found.done) return 'FALSE DONE'
  if (found.iterations === 0 || found.outcome === 'failed') return 'ERROR'
  if (found.really !== (scenario.truth === 'done')) return 'BROKEN'
  if (scenario.truth === 'not-done') return 'ok'
  if (!found.done) return 'REFUSED'
  return found.iterations > claimedAt(scenario) ? 'LATE' : 'ok'
}

/** An honest agent claims completion in its last turn. */
function claimedAt(scenario: Scenario): number {
  return scenario.turns.length
}

interface Told {
  done: boolean
  outcome: string
  verdict: string
  reason: string
}

/**
 * What a program says about the end, by the first of three that there is: a last line of JSON with `proven` (Ralph's
 * `--json`), a status file that tells an end (the bash tool exits with 0 whatever happened), or the exit code.
 */
async function whatItSays(field: Field, ran: Ran): Promise<Told> {
  if (ran.timedOut)
    return { done: false, outcome: 'still running', verdict: '', reason: 'the time limit ended it' }
  return fromJson(ran) ?? fromStatus(ran, await field.read('.ralph/status.json')) ?? fromExit(ran)
}

function fromJson(ran: Ran): Told | null {
  const last = parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '')
  if (typeof last['proven'] !== 'boolean') return null
  return {
    done: ran.code === 0 && last['proven'],
    outcome: word(last['outcome']),
    verdict: word(last['verdict']),
    reason: word(last['reason']),
  }
}

/** Words of the status file that no longer change when the program is gone. */
const ENDED = new Set(['completed', 'halted', 'stopped', 'error'])

function fromStatus(ran: Ran, text: string | null): Told | null {
  const status = parse(text ?? '')
  const is = word(status['status'])
  if (!ENDED.has(is)) return null
  const reason = word(status['exit_reason'])
  return {
    done: is === 'completed',
    outcome: reason || is,
    verdict: '',
    reason: `status file: ${is}, exit ${ran.code ?? 'by signal'}`,
  }
}

function fromExit(ran: Ran): Told {
  const outcome = `exit ${ran.code ?? 'by signal'}`
  return { done: ran.code === 0, outcome, verdict: '', reason: outcome }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
