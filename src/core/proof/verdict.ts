/** What the evidence amounts to. Only `proven` completes a run; with no gate at all the outcome is `unproven`, and says so. */
import { matchesGlob } from '../text/glob.ts'
import type { Evidence, Gate, Verdict } from './evidence.ts'

export interface VerdictWithReason {
  verdict: Verdict
  why: string
}

/** How each gate did before the first iteration. */
export type Baseline = Record<string, { passed: boolean; failing: string[]; exit: number | null }>

export function decideVerdict(
  gates: Gate[],
  evidence: Evidence[],
  known: { baseline?: Baseline; quarantine?: string[] } = {},
): VerdictWithReason {
  if (gates.length === 0) return { verdict: 'unproven', why: 'no gate is configured, so nothing was checked' }
  const { baseline = {}, quarantine = [] } = known
  const bad = evidence.find((one) => !passesExceptQuarantined(one, quarantine))
  if (bad !== undefined) return failedGateVerdict(bad, baseline)
  const missing = gates.find((gate) => !evidence.some((one) => one.gate === gate.name))
  if (missing !== undefined) return { verdict: 'unproven', why: `gate ${missing.name} was not run` }
  const trees = new Set(evidence.map((one) => one.tree))
  if (trees.size > 1)
    return { verdict: 'failed', why: 'the gates changed the tree under each other, so no tree passed them all' }
  return { verdict: 'proven', why: `${list(evidence.map((one) => one.gate))} passed on the final tree` }
}

/** Whose fault a red gate is: it was green before the run, or red in the same way already. */
function failedGateVerdict(bad: Evidence, baseline: Baseline): VerdictWithReason {
  const why = describeGateFailure(bad)
  if (bad.timedOut) return { verdict: 'timed-out', why }
  const before = baseline[bad.gate]
  if (before === undefined) return { verdict: 'failed', why }
  if (before.passed) return { verdict: 'regressed', why: `${why}, and it passed before this run` }
  const same = before.failing.length > 0 && sameNames(before.failing, bad.failing)
  return same
    ? { verdict: 'baseline-failed', why: `${why}, with the same failures as before this run` }
    : { verdict: 'failed', why }
}

export function sameNames(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name))
}

export function hasPassed(evidence: Evidence): boolean {
  return evidence.exit === 0 && !evidence.timedOut && !evidence.missing && !evidence.unstable
}

/** Passed, or failed only by tests that are known to be flaky. */
export function passesExceptQuarantined(evidence: Evidence, quarantine: string[]): boolean {
  if (hasPassed(evidence)) return true
  const { timedOut, missing, unstable, exit, failing } = evidence
  if (timedOut || missing || unstable || exit === null || failing.length === 0) return false
  return failing.every((name) => quarantine.some((glob) => name === glob || matchesGlob(name, glob)))
}

export function describeGateFailure(evidence: Evidence): string {
  const gate = `gate ${evidence.gate} (${evidence.command})`
  if (evidence.missing) return `${gate} could not be run: ${evidence.summary || 'command not found'}`
  if (evidence.timedOut) return `${gate} did not end within its time limit`
  if (evidence.unstable) return `${gate} keeps changing the tree it judges`
  if (evidence.exit === null) return `${gate} was ended by ${evidence.signal ?? 'a signal'}`
  return `${gate} failed with exit ${evidence.exit}`
}

function list(names: string[]): string {
  return names.length === 1 ? `gate ${names[0] ?? ''}` : `gates ${names.join(', ')}`
}
