/** A gate is a command that must succeed for work to count; evidence is its result, bound to the exact tree it ran on. */
import type { Instant, Millis, TreeHash } from '../ids.ts'

export interface Gate {
  name: string
  /** A shell command line, as the user would type it in the project. */
  run: string
  timeoutMs: Millis
  /** Both mean: for every accepted completion, of a task too. */
  when: 'task' | 'completion'
  /** Relative to the project. */
  cwd: string
  env: Record<string, string>
}

export interface Evidence {
  gate: string
  purpose: GateRunPurpose
  command: string
  /** The tree the gate ran on and left behind. */
  tree: TreeHash
  /** In the clean room: hash of the protected files it ran with and of the changed source. Empty: in the working tree. */
  guarded: string
  /** Null when a signal or the time limit ended it, or when it could not be started. */
  exit: number | null
  signal: string | null
  timedOut: boolean
  /** The command could not be found or started at all. */
  missing: boolean
  durationMs: Millis
  at: Instant
  log: string
  /** First failing tests or last lines, at most 1,500 characters, for the next prompt. */
  summary: string
  /** The gate changed the tree and the tree would not settle. */
  unstable: boolean
  /** Names of failing tests, as far as the output tells them; at most 30. */
  failing: string[]
  /** Tests that ran, as far as the output tells; null: it does not. */
  tests: number | null
}

/**
 * Why a gate was run: in the working tree before the first iteration or on a completion, or in the clean room for a step of the proof.
 */
export type GateRunPurpose = 'baseline' | 'completion' | TrialPurpose

export type TrialPurpose =
  | 'clean-room-check'
  | 'room'
  | 'base'
  | 'ignored'
  | 'original-tests'
  | 'needed'
  | 'source-loaded'
  | 'mutation'
  | 'expects'

export type Verdict =
  | 'proven'
  /** Green in the working tree, and nothing more was asked (`proof.level = quick`). */
  | 'gates-passed'
  /** Done, if a person accepts the changed protected files that the work needs. */
  | 'needs-review'
  | 'failed'
  | 'regressed'
  | 'tampered'
  | 'baseline-failed'
  | 'flaky'
  | 'timed-out'
  | 'unproven'
