/** The types of the proof: the step it is at, its input, the answer to a step and the next move. The rules are in `proof-steps.ts` and `steps/`. */
import type { Millis } from '../ids.ts'
import type { Base } from './base.ts'
import type { Gate, TrialPurpose, Verdict } from './evidence.ts'
import type { Range, ChangeSearch } from './needed-changes-search.ts'
import type { TrialLayout, ClassifiedChangesSummary, TrialResult } from './trial.ts'

export interface ProofProgress {
  proofStep: ProofStep
  classification: ClassifiedChangesSummary | null
  /** Changes of the protected files that the work needs. Null: not known yet. */
  needed: NeededChanges | null
  /** Gates that tell how many tests they run. */
  countingGates: string[]
  /** How long each gate took on the completion as it stands. */
  gateMs: Record<string, Millis>
  /** Tests that ran at the base; null: unknown. */
  testsAtBase: number | null
  /** Tests that ran on the completion as it stands; null: no gate tells, or not tried yet. */
  tests: number | null
  /** The results of the steps so far. */
  stepResults: ProofStepResult[]
  /** Spent on trials of the current step that decided nothing yet. */
  pendingMs: Millis
}

export type ProofStep =
  | { is: 'sort' }
  | { is: 'room'; tries: number }
  | { is: 'ignored'; red: GateFailure }
  | { is: 'base' }
  | { is: 'original-tests'; tries: number }
  | { is: 'needed'; search: ChangeSearch; red: GateFailure }
  /** `first`: the source fails before its own statements, not after them: a program may end itself. */
  | { is: 'source-loaded'; on: ProtectedVersion; first: boolean }
  | { is: 'mutation'; on: ProtectedVersion; tried: ProtectedVersion[] }
  /** `isConfirmed`: the gates were green with wrong expectations; do they run these tests at all? */
  | { is: 'expects'; on: ProtectedVersion; isConfirmed: boolean }
  | { is: 'final-tree' }

/** The protected files as they were, or the completion's own. */
export type ProtectedVersion = 'original-tests' | 'final'

export interface NeededChanges {
  changes: Range[]
  /** False: the search was cut short, so it is one or more of these. */
  exact: boolean
  /** How the gates fail without them. */
  red: GateFailure | null
  /** Why the gates prove nothing even with them; absent: they do. */
  proofGap?: string
}

/** As much of a failed gate as a person or an agent wants to read. */
export interface GateFailure {
  why: string
  lines: string
}

/** The result of one step, as screens print it behind its mark. */
export interface ProofStepResult {
  proofStep: ProofStepName
  mark: ProofStepMark
  /** One line with the name of the step: `original tests: pass`. */
  said: string
  /** 0: the step needed no trial. */
  durationMs: Millis
}

/** `good`: the step passed, also where the gates had to fail; `warning`: a person should look at it. */
export type ProofStepMark = 'good' | 'bad' | 'skipped' | 'warning'

export type ProofStepName = Exclude<ProofStep['is'], 'sort'>

/** What stays the same during a proof. */
export interface ProofInput {
  gates: Gate[]
  base: Base
  /** Tests that ran in the clean room at this very base; null: not counted. */
  testsAtBase: number | null
  /** Files that the gates overwrite at the base. */
  writtenAtBase: string[]
  /** How often a failed trial is retried. */
  reruns: number
  /** Runs that the search for needed changes may take. */
  trials: number
  about: ProofSubject
}

/** New work; or only the tree as it is, which may be proven already unless a person changed it since. */
export type ProofSubject = 'work' | 'state' | 'changed-state'

export type ProofStepAnswer =
  | { is: 'sorted'; classification: ClassifiedChangesSummary }
  | { is: 'tried'; trial: TrialResult }
  | { is: 'looked'; changed: string[] }

export type ProofMove = { progress: ProofProgress; say: string | null } & (
  | { is: 'sort' }
  | { is: 'try'; trialLayout: TrialLayout; gates: Gate[]; purpose: TrialPurpose }
  | { is: 'look' }
  | { is: 'proven'; why: string }
  /** Done, if a person accepts these. `ignored`: they are files that git ignores. `tell`: what the agent could do about it first. */
  | { is: 'accept'; why: string; needed: NeededChanges; ignored: string[]; tell: string | null }
  /** `tell`: for the agent; `lines`: for a person, what the gates said or which files and checkboxes are concerned. */
  | { is: 'refused'; verdict: Verdict; why: string; tell: string; lines: string[] }
  /** The gates passed and prove nothing. `tell`: what the agent could do about it; null: nothing. */
  | { is: 'unproven'; why: string; tell: string | null }
  | { is: 'room-failed'; why: string }
)

export function requireClassification({ classification }: ProofProgress): ClassifiedChangesSummary {
  if (classification === null) throw new Error('the changes are classified before the first proof step')
  return classification
}
