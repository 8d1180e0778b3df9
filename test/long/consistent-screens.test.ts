/** After each kind of end every screen tells the same: how it ended, who worked, what it cost, the breaker and the quota. */
import { describe, expect, test } from 'vitest'
import type { CircuitStatus } from '../../src/app/steer/breaker-and-conversation.ts'
import type { ListedRun } from '../../src/app/run/run-list.ts'
import type { RunDetails } from '../../src/app/run/run-details.ts'
import type { Report } from '../../src/core/presentation/report.ts'
import type { RunView } from '../../src/core/presentation/run-view.ts'
import type { TestProject } from '../test-project.ts'
import { collapseSpaces } from '../run-in-process.ts'
import { playEnding, RUN_ENDINGS } from '../walk/run-endings.ts'
import { runCommand } from '../walk/sample-run.ts'

interface Told extends Pick<RunView, 'run' | 'spent' | 'outcome'> {
  is: string
  iteration: number
  durationMs: number
  agentsUsed: RunView['agents']
  breaker: string
  quota: { calls: number }
}

async function json<T>(made: TestProject, ...argv: string[]): Promise<T> {
  return JSON.parse((await runCommand(made, ...argv, '--json')).out) as T
}

describe.each(Object.entries(RUN_ENDINGS))('%s', (_, end) => {
  test('is the same on every screen', async () => {
    const made = await playEnding(end)
    const told = {
      status: await json<Told>(made, 'status'),
      circuit: await json<CircuitStatus>(made, 'circuit'),
      runs: await json<ListedRun[]>(made, 'runs'),
      show: await json<RunDetails>(made, 'show'),
      report: await json<Report>(made, 'report'),
    }
    const [listed] = told.runs
    expect(told.status.outcome?.is ?? null).toBe(end.is)
    expect({ runs: outcomeIn(listed), show: told.show.report.outcome, report: told.report.outcome }).toEqual({
      runs: end.is === null || end.is === 'outage' ? null : plain(told.status.outcome),
      show: told.status.outcome,
      report: told.status.outcome,
    })
    expect(told.circuit.breaker.is).toBe(told.status.breaker)
    expect(told.circuit.run).toBe(told.status.run)
    expect(told.status.quota.calls).toBe(made.starts().length + apartStarts(end.options))
    expect({ runs: listed?.agents, report: told.report.agents.map(({ agent }) => agent).toSorted() }).toEqual({
      runs: told.status.agentsUsed.map(({ agent }) => agent),
      report: answered(told.status.agentsUsed, told.report),
    })
    expect([listed?.iterations, told.report.iterations.made, told.show.iterations.length]).toEqual([
      told.status.iteration,
      told.status.iteration,
      told.status.iteration,
    ])
    expect([listed?.durationMs, told.report.durationMs]).toEqual([told.status.durationMs, told.status.durationMs])
    expect([told.report.spent, listed?.usage.usd ?? 0]).toEqual([told.status.spent, told.status.spent.usd])
    await sameWords(made, told.status.run)
  })
})

/** On document: one title, one price, one breaker. */
async function sameWords(made: TestProject, run: string): Promise<void> {
  const screen = async (...argv: string[]): Promise<string> => collapseSpaces((await runCommand(made, ...argv)).out)
  const [status, circuit, runs, report, show, evidence] = [
    await screen('status'),
    await screen('circuit'),
    await screen('runs'),
    await screen('report'),
    await screen('show'),
    await screen('inspect', 'evidence'),
  ]
  const breaker = / state (closed|(?:open|half-open): .+?) counts /.exec(circuit)?.[1]
  expect(status).toContain(` breaker ${breaker} quota `)
  const title = new RegExp(`^Run ${run}:? (.+?) (?:Result|Interrupted|Done)`).exec(report)?.[1] ?? 'no title'
  expect(show.startsWith(`Run ${run}`) && show.includes(title)).toBe(true)
  expect([runs, evidence]).toEqual([expect.stringContaining(title), expect.stringContaining(title)])
  // Of a run that was killed, the report says "not finished" and the status "interrupted".
  if (title !== 'not finished') expect(status).toContain(` state ${title} · `)
  const price = /~?<?\$\d+\.\d+/.exec(/ spent (.*?) gates /.exec(status)?.[1] ?? '')?.[0]
  if (price !== undefined) expect([runs, report].every((text) => text.includes(price))).toBe(true)
  expect([status, runs, report, show].join(' ')).not.toMatch(/\b[a-z]+_[a-z]+: /)
}

function outcomeIn(listed: ListedRun | undefined): unknown {
  const { end = null } = listed ?? {}
  return end === null ? null : { is: end.outcome, reason: end.reason, verdict: end.verdict, exit: end.exit }
}

function plain(outcome: Told['outcome']): unknown {
  if (outcome === null) return null
  const { is, reason, verdict, exit } = outcome
  return { is, reason, verdict, exit }
}

/** One whose call was cut off by a crash has answered nothing, and stands in no bill. */
function answered(used: Told['agentsUsed'], report: Report): string[] {
  const names = used.map(({ agent }) => agent)
  return names.filter((name) => report.agents.some(({ agent }) => agent === name)).toSorted()
}

/** An agent with turns of its own is not among the test project's starts; here it is asked once. */
function apartStarts({ turnsByAgent }: { turnsByAgent?: object }): number {
  return Object.keys(turnsByAgent ?? {}).length
}
