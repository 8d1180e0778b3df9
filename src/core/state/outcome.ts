/** How a run ended. Each way has a name for scripts, a sentence for people and an exit code. */
import { EXIT, type ExitCode } from '../error.ts'
import type { AcceptanceRequest } from '../proof/acceptance.ts'
import type { FailureKind } from '../calls/agent-io.ts'
import type { Instant } from '../ids.ts'
import type { Verdict } from '../proof/evidence.ts'
import type { AllowAdvice } from '../agent-output/reply.ts'
import type { TaskId } from '../tasks/task.ts'
import type { BreakerReason } from '../admission/breaker.ts'

export type OutcomeName =
  | 'plan_complete'
  | 'project_complete'
  | 'completion_signals'
  | 'test_saturation'
  | 'safety_stop'
  | 'permission_denied'
  | 'breaker'
  | 'iteration_limit'
  | 'time_limit'
  | 'token_limit'
  | 'cost_limit'
  | 'agent_unusable'
  /** A gate needs a program that is not there. */
  | 'program_missing'
  /** A person must confirm the start first. */
  | 'not_started'
  /** No agent could be reached for too long. The run stays unfinished, and the same command resumes it. */
  | 'outage'
  | 'api_limit_exit'
  | 'cannot_prove'
  /** Done, if a person accepts the changed protected files that the work needs. */
  | 'needs_acceptance'
  /** The clean room could not be made or set up: the work is kept, and `ralph verify` completes the proof. */
  | 'room_failed'
  | 'files_deleted'
  /** Every task in the scope of the run is done. */
  | 'tasks_complete'
  | 'tasks_failed'
  /** Tasks are left, and each waits for one that is not being worked on. */
  | 'tasks_blocked'
  /** There is no task at all. */
  | 'no_plan'
  /** Every document that was asked for is written. */
  | 'drafted'
  /** A document stayed incomplete. */
  | 'not_drafted'
  /** The tree was verified; the verdict says how. */
  | 'verified'
  | 'stopped'
  | 'abandoned'
  | 'failed'

export interface Outcome {
  is: OutcomeName
  /** One sentence for a person. */
  reason: string
  verdict: Verdict
  exit: ExitCode
  /** What a person is asked about. */
  acceptance?: AcceptanceRequest
  /** Absent: the name says all. */
  cause?: EndCause
  /** The checkbox to go on with. */
  nextCheckbox?: string
  /** Uncommitted work although the agent should commit; absent: none, or unknown. */
  uncommitted?: UncommittedFiles
  /** Settings files that were edited during the run; absent: none. */
  edited?: string[]
}

/** The cause of an end, as far as the advice to a person depends on it. */
export type EndCause =
  /** `what`: the tools and commands. */
  | { is: 'denied'; what: string; allow: AllowAdvice }
  /** The breaker opened. `said`: the error; `allow`: where denied tools opened it. */
  | { is: 'stuck'; why: BreakerReason; said: string; allow?: AllowAdvice }
  /** `fix`: a sentence; `command`: the vendor's own way. */
  | { is: 'agent'; agent: string; kind: FailureKind; fix: string | null; command: string | null }
  /** A completion that was refused too often. `lines`: what the gate said, or which files are concerned. */
  | { is: 'refused'; gate: string | null; lines: string[] }
  /** The gates passed and prove nothing. `mend`: what would help; null: nothing. */
  | { is: 'blind'; mend: string | null }
  /** A reviewer objects. */
  | { is: 'objected'; says: string }
  /** No reviewer gave a review. `says`: how the last one failed. */
  | { is: 'unheard'; agent: string; says: string }
  /** A gate needs a program. */
  | { is: 'missing'; gate: string; program: string }
  /** The run ended while every agent was cooling down: the next one waits until then, too. */
  | { is: 'not-now'; until: Instant }
  /** A single task failed. */
  | { is: 'task-failed'; task: TaskId }
  /** A limit was over before the first iteration. */
  | { is: 'too-small' }
  /** The plan was complete before the first iteration. */
  | { is: 'nothing-to-do' }

/** Counted in files. `before`: as many were so when the run began. `paths`: all of them, where they are few. */
export interface UncommittedFiles {
  files: number
  before: number
  paths?: string[]
}

const COMPLETE: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  'plan_complete',
  'project_complete',
  'completion_signals',
  'tasks_complete',
])

export function isCompleteOutcome(name: OutcomeName): boolean {
  return COMPLETE.has(name)
}

/** A person asked for the end. */
export function isStopOutcome(name: OutcomeName): boolean {
  return name === 'stopped' || name === 'api_limit_exit'
}

/** The exit code of an outcome; the code of a signal (130, 143) is chosen where it is caught. */
export function exitCodeOf(name: OutcomeName, proof: { verdict: Verdict; required: boolean }): ExitCode {
  if (name === 'drafted') return EXIT.done
  if (name === 'verified') return verifiedExit(proof.verdict)
  if (isCompleteOutcome(name)) return proof.verdict !== 'proven' && proof.required ? EXIT.unproven : EXIT.done
  if (name === 'agent_unusable' || name === 'program_missing') return EXIT.agent
  if (name === 'not_started') return EXIT.usage
  if (name === 'needs_acceptance' || name === 'room_failed') return EXIT.unproven
  if (name === 'failed') return EXIT.error
  if (name === 'no_plan') return EXIT.nothing
  return EXIT.incomplete
}

/** As a completion would end: unproven, or waiting for a person, is neither done nor incomplete. */
function verifiedExit(verdict: Verdict): ExitCode {
  if (verdict === 'proven' || verdict === 'gates-passed') return EXIT.done
  return verdict === 'unproven' || verdict === 'needs-review' ? EXIT.unproven : EXIT.incomplete
}
