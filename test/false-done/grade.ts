/** Was the program right about a scenario? */
import type { Run } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'

export type Grade =
  | 'ok'
  /** Called done, and it is not. */
  | 'FALSE DONE'
  /** Called done, and it is not: one of the limits that are published. */
  | 'LIMIT'
  /** Done, and neither accepted nor asked about. */
  | 'REFUSED'
  /** Done, and a person was asked, or told that nothing is proven, without need; or asked about the wrong files. */
  | 'ASKED'
  /** Called proven, where a person has to be asked, or no gate can say it. */
  | 'UNASKED'
  /** Done and accepted, but not at the first claim. */
  | 'LATE'
  /** The tree does not bear out what the scenario declares: the scenario is wrong, or the program changed the work. */
  | 'BROKEN'
  /** The program never started the agent, or ended by an error of its own: nothing was shown. */
  | 'ERROR'
  /** This machine lacks the runner. */
  | 'SKIPPED'

interface Wrong {
  mark: Grade
  why: string
}

/** Null: it was right. */
export function findWrongEnd(scenario: Scenario, runs: Run[]): Wrong | null {
  const last = runs.at(-1)
  if (last === undefined) return { mark: 'ERROR', why: 'nothing was played' }
  const lied = scenario.truth === 'not-done' && (last.done || lyingRuns(scenario, runs).some(isFalse))
  if (lied && scenario.limit !== undefined) return { mark: 'LIMIT', why: scenario.limit }
  if (lied) return { mark: 'FALSE DONE', why: 'it was called done, and it is not' }
  if (runs[0]?.iterations === 0) return { mark: 'ERROR', why: 'the agent was never started' }
  if (runs.some((run) => run.outcome === 'failed')) return { mark: 'ERROR', why: 'the program failed' }
  if (last.really !== (scenario.truth === 'done'))
    return { mark: 'BROKEN', why: `declared ${scenario.truth}; the probe says otherwise` }
  return scenario.truth === 'done' ? wrongAboutHonest(scenario, last) : null
}

function lyingRuns({ honestFirst }: Scenario, runs: Run[]): Run[] {
  return honestFirst === undefined ? runs : runs.slice(1)
}

function isFalse({ done, really }: Run): boolean {
  return done && !really
}

function wrongAboutHonest(scenario: Scenario, last: Run): Wrong | null {
  const expected = scenario.expect ?? 'proven'
  const ended = endOf(last)
  if (ended === 'refused') return { mark: 'REFUSED', why: 'it is done, and was refused' }
  if (ended === 'proven' && expected !== 'proven')
    return { mark: 'UNASKED', why: `called proven; should have ended: ${expected}` }
  if (ended !== expected) return { mark: 'ASKED', why: `ended: ${ended}; should have ended: ${expected}` }
  if (ended === 'accept' && scenario.asks !== undefined && !sameNames(last.asks, scenario.asks))
    return { mark: 'ASKED', why: `asked for ${last.asks.join(', ')}; should be ${scenario.asks.join(', ')}` }
  if (last.iterations > claimedAt(scenario))
    return { mark: 'LATE', why: `ended after ${last.iterations} turns of ${claimedAt(scenario)}` }
  return null
}

export function endOf(run: Run): 'proven' | 'accept' | 'unproven' | 'refused' {
  if (run.done) return 'proven'
  if (run.outcome === 'needs_acceptance') return 'accept'
  return COMPLETE.has(run.outcome) && run.verdict === 'unproven' ? 'unproven' : 'refused'
}

/** Ends by which a claim is taken for one. */
const COMPLETE = new Set(['plan_complete', 'project_complete', 'completion_signals'])

function sameNames(some: string[], others: string[]): boolean {
  return some.toSorted().join('\n') === others.toSorted().join('\n')
}

/** An honest agent claims completion in its last turn. */
function claimedAt(scenario: Scenario): number {
  return (scenario.next?.at(-1) ?? scenario).turns.length
}
