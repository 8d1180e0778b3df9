/** How a program says that it ended. */
import type { ScenarioProject, ProgramResult } from './scenario-project.ts'

export interface ReportedEnd {
  done: boolean
  /** How the program itself calls the end. */
  outcome: string
  verdict: string
  reason: string
  /** The files that a person is asked to accept. */
  asks: string[]
  /** What it decided about the proof, or, of a program that does not tell, its last words. */
  said: string[]
}

/**
 * By the first of three that there is: a last line of JSON with `proven` (Ralph's `--json`), a status file that tells an end
 * (the bash tool exits with 0 whatever happened), or the exit code.
 */
export async function readReportedEnd(field: ScenarioProject, ran: ProgramResult): Promise<ReportedEnd> {
  const nothing = { verdict: '', asks: [], said: lastLines(ran.stderr) }
  if (ran.timedOut)
    return {
      ...nothing,
      done: false,
      outcome: 'still running',
      reason: 'the time limit ended it',
      said: [...decisionsIn(ran.stdout), ...nothing.said],
    }
  return (
    fromJson(ran) ?? {
      ...nothing,
      ...(fromStatus(ran, await field.read('.ralph/status.json')) ?? fromExit(ran)),
    }
  )
}

function fromJson(ran: ProgramResult): ReportedEnd | null {
  const last = parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '')
  if (typeof last['proven'] !== 'boolean') return null
  return {
    done: last['proven'],
    outcome: word(last['outcome']),
    verdict: word(last['verdict']),
    reason: word(last['reason']),
    asks: list(record(last['acceptance'])['names']).map(word),
    said: [...decisionsIn(ran.stdout), ...lastLines(ran.stderr)],
  }
}

/** What was decided about the proof, in the program's own words. */
function decisionsIn(stdout: string): string[] {
  const facts = stdout.split('\n').map((line) => parse(line))
  const decisions = facts.flatMap((fact) => list(fact['decisions']).map(record))
  return decisions
    .filter(({ by }) => by === 'proof' || by === 'gates')
    .map(({ what, why }) => `${word(what)}: ${word(why)}`)
}

/** Enough to see what went wrong. */
function lastLines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .slice(-5)
    .filter((line) => line !== '')
}

type Ended = Pick<ReportedEnd, 'done' | 'outcome' | 'reason'>

/** Words of the status file that no longer change when the program is gone. */
const ENDED = new Set(['completed', 'halted', 'stopped', 'error'])

function fromStatus(ran: ProgramResult, text: string | null): Ended | null {
  const status = parse(text ?? '')
  const is = word(status['status'])
  if (!ENDED.has(is)) return null
  const reason = word(status['exit_reason'])
  return {
    done: is === 'completed',
    outcome: reason || is,
    reason: `status file: ${is}, exit ${ran.code ?? 'by signal'}`,
  }
}

function fromExit(ran: ProgramResult): Ended {
  const outcome = `exit ${ran.code ?? 'by signal'}`
  return { done: ran.code === 0, outcome, reason: outcome }
}

function parse(text: string): Record<string, unknown> {
  try {
    return record(JSON.parse(text))
  } catch {
    return {}
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
