/** The verdict on the results of all gates. Only `proven` completes a run; without a gate the verdict is `unproven`. */
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
  if (missing !== undefined) return { verdict: 'unproven', why: `${missing.name} did not run` }
  const trees = new Set(evidence.map((one) => one.tree))
  if (trees.size > 1)
    return { verdict: 'failed', why: 'a gate changed the tree, so the gates did not run on the same files' }
  return { verdict: 'proven', why: describePassedGates(gates) }
}

/** Compares a failed gate with the baseline: it passed before the run, or it failed in the same way already. */
function failedGateVerdict(bad: Evidence, baseline: Baseline): VerdictWithReason {
  const why = describeGateFailure(bad)
  if (bad.timedOut) return { verdict: 'timed-out', why }
  const before = baseline[bad.gate]
  if (before === undefined) return { verdict: 'failed', why }
  if (before.passed) return { verdict: 'regressed', why: `${why}; it passed before this run` }
  const same = before.failing.length > 0 && sameNames(before.failing, bad.failing)
  return same ? { verdict: 'baseline-failed', why: `${why}, as before this run` } : { verdict: 'failed', why }
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

/** `tests failed (exit 1)`. */
export function describeGateFailure(evidence: Evidence): string {
  return `${evidence.gate} ${gateFailureReason(evidence)}`
}

/** The same without the gate's name, where the line has it already. */
export function gateFailureReason({ missing, timedOut, unstable, exit, signal, summary }: Evidence): string {
  if (missing) return `could not start: ${summary || 'command not found'}`
  if (timedOut) return 'timed out'
  if (unstable) return 'keeps changing the files it checks'
  if (exit === null) return `was killed by ${signal ?? 'a signal'}`
  return `failed (exit ${exit})`
}

/** A command that does not fit into a sentence is named by its gate. */
const COMMAND_MAX = 30

/** `npm test passes`, `lint and tests pass`. */
export function describePassedGates(gates: Gate[]): string {
  const [first, ...others] = gates
  if (first !== undefined && others.length === 0)
    return `${first.run.length > COMMAND_MAX ? first.name : first.run} passes`
  const names = gates.map(({ name }) => name)
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} pass`
}
