/** A gate is a command that must succeed for work to count; evidence is its result, bound to the exact tree it ran on. */
import type { Instant, Millis, TreeHash } from '../ids.ts'

export interface Gate {
  name: string
  /** A shell command line, as the user would type it in the project. */
  run: string
  timeoutMs: Millis
  /** When it must hold: for every accepted completion, or only at landing (later). */
  when: 'task' | 'completion' | 'landing'
  /** Relative to the project. */
  cwd: string
  env: Record<string, string>
}

export interface Evidence {
  gate: string
  /** Before the first iteration, on the final tree, or with the tests as they were. */
  purpose: 'baseline' | 'completion' | 'old-tests'
  command: string
  /** The tree the gate ran on and left behind. */
  tree: TreeHash
  /** Hash of the files that judge the work, at the time of the run. */
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
  unsettled: boolean
  /** Names of failing tests, as far as the output tells them; at most 30. */
  failing: string[]
}

export type Verdict =
  | 'proven'
  | 'failed'
  | 'regressed'
  | 'tampered'
  | 'baseline-broken'
  | 'flaky'
  | 'timed-out'
  | 'unproven'
