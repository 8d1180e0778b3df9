/**
 * The state of a run after its last row: small (at most 64 KB as JSON in each of its parts), because it is written with every row
 * and is all that recovery reads. Lists and histories live in the store's tables.
 */
import type { DraftTurnResult } from '../features/draft.ts'
import type { Effect } from './effect.ts'
import type { SnapshotRef } from '../tree/own-change.ts'
import type { BranchState } from '../tree/branch-state.ts'
import type { AwakeMs, EffectId, Instant, RunId, TreeHash, WorkerId } from '../ids.ts'
import type { BudgetState } from '../admission/budget.ts'
import type { EndCause, Outcome, OutcomeName } from './outcome.ts'
import type { Cooldowns } from '../admission/cooldown.ts'
import type { Role } from '../calls/role.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { CleanRoomCheckInput } from '../proof/clean-room-check.ts'
import type { ProofProgress } from '../proof/proof-types.ts'
import type { Review } from '../proof/review.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { IterationResult } from '../calls/iteration-result.ts'
import type { Rules } from './rules.ts'
import type { Tier } from '../models/model-strategy.ts'
import type { TaskScope } from '../tasks/task.ts'
import type { JobState } from './job.ts'
import type { TaskFinish } from '../pipeline/request-task-finish.ts'

/** A changed shape brings a step in `upgrade.ts`, shown on the states in `test/records`. */
export interface RunState {
  run: Run
  workers: Record<WorkerId, Worker>
}

export interface Run {
  id: RunId
  /** `leaving`: no agent can be reached, and active workers finish first; `left`: unfinished, and no process drives it. */
  is: 'going' | 'pausing' | 'paused' | 'leaving' | 'left' | 'stopping' | 'ended'
  rules: Rules
  startedAt: Instant
  startedAwakeMs: AwakeMs
  /** The next effect's number: ids come from here, so a replay gives the same ones. */
  next: number
  /** Asked and not yet answered. */
  open: Record<EffectId, Effect>
  budget: BudgetState
  /** Agents that are not asked for a while, and why. */
  cooldowns: Cooldowns
  /** Agents that cannot be used, with the reason; never called again in this run. */
  unusable: Record<string, string>
  outcome: Outcome | null
  /** Why it is pausing, leaving or stopping. */
  why: string | null
  /** The tasks it works through; null: it is a plain loop. */
  tasks: RunTaskCounts | null
  /** What a stop is called in the end. */
  stopOutcome: 'stopped' | 'api_limit_exit'
}

/** The task counts of a run. The tasks themselves are in the store. */
export interface RunTaskCounts {
  scope: TaskScope
  done: number
  failed: number
  /** Done, but not proven. */
  unproven: number
  /** Failed since the last one that was done. */
  consecutiveFailures: number
}

export interface LastSnapshot {
  tree: TreeHash
  head: string | null
  fresh: boolean
  plan: string | null
  /** Uncommitted files, now and when the run began; absent: not counted. */
  uncommitted?: number
  uncommittedAtStart?: number
  /** Their names, if they are few. */
  uncommittedPaths?: string[]
  /** Settings files that were edited during the run; absent: none. */
  edited?: string[]
}

export interface SteeringMessage {
  request: number | null
  text: string
  /** The question that this answers. */
  answers?: string
  /** It stood in a prompt already. */
  told?: true
}

export interface Worker extends JobState {
  id: WorkerId
  phase: WorkerPhase
  /** Number of the last iteration started; never used twice. */
  iteration: number
  /** An order to this worker alone; null: it follows the run's order. */
  told: { is: 'pause' | 'stop'; why: string } | null
  /** Guidance of people that no agent has worked with yet. */
  steering: SteeringMessage[]
  /** Iterations that count against the limit: those ended by a usage limit, an outage or an unusable agent do not. */
  counted: number
  /** Failures of the agent in a row, for the back-off. */
  failures: number
  /** Jobs done in a row without one failed visit; in a plain loop iterations that got further. */
  smoothJobs: number
  /** The model tier that its last agent asks for; null: none, or one that does not exist. */
  nextModel: Tier | null
  /** The last choice of the model strategy; null: no strategy is set. */
  tier: Tier | null
  /** The tree as Ralph last saw it; null: something else may have run since, so look again before the next iteration. */
  seen: LastSnapshot | null
  /** Null before the first look. */
  branchState: BranchState | null
  /** Times in a row that git was found busy. */
  busy: number
  /** Looks at the tree in a row that failed. */
  failedSnapshots: number
  /** A snapshot was taken after the last agent; until then the author of a change is unknown. */
  measured: boolean
  /** A process of unknown origin runs in the project, so any change may be its own. */
  hasOrphans: boolean
}

/** A proof in progress: the gates in the working tree, then the proof steps. */
export interface ProofState {
  /** Results on the final tree, the last of each gate. */
  evidence: Evidence[]
  /** Gates that failed first and then passed twice. */
  flaky: string[]
  at: ProofPhase
}

export type ProofPhase =
  /** `left`: gates still to come, the first one runs now; `tries`: how it did so far. */
  | { is: 'gates'; left: string[]; tries: boolean[] }
  | { is: 'proofSteps'; progress: ProofProgress }
  /** Of a verification: the tree is looked at first; after the gates the base is found and the clean room tried there. */
  | { is: 'look' | 'base' | 'room' }

/** A claim that the work is complete. */
export interface CompletionClaim {
  is: OutcomeName
  why: string
  cause?: EndCause
}

/** How far the review of a completion has come. The completion itself is what the stage was entered with. */
export interface ReviewProgress {
  /** The tree that was proven; null: there was no gate, and the reviewer reads the tree as it is. */
  tree: TreeHash | null
  /** The snapshot before the reviewer began; absent: unknown. */
  look?: SnapshotRef
  /** Failed calls of one reviewer in a row. */
  failures: number
  /** Reviewers that failed too often and are not called again; absent: none. */
  unheard?: string[]
}

/** The review of a second agent; that it is called again when an agent is free; or how it failed. */
export type ReviewOutcome =
  | { is: 'review'; review: Exclude<Review, { is: 'none' }> }
  | { is: 'again' }
  | { is: 'failed'; why: string }

export type WorkerPhase =
  /** Without a job: what is ready is asked for and answered at once, so nobody ever meets a worker that is claiming. */
  | { is: 'claiming'; effect: EffectId }
  /** No task is ready; that may change when other workers finish theirs. */
  | { is: 'idle' }
  /** Its task failed: the tree is brought to where it was, and then the store is told. */
  | { is: 'reverting'; effect: EffectId; finishTask: TaskFinish }
  /** The store is told what became of its task; answered at once as well. */
  | { is: 'finishing-task'; effect: EffectId }
  | { is: 'taking-snapshot'; effect: EffectId; for: 'start' | 'before' }
  | { is: 'admitting'; effect: EffectId; agent: string; role: Role }
  | { is: 'waiting'; effect: EffectId; until: Instant; why: string }
  | { is: 'working'; effect: EffectId; agent: string; aborting: 'stop' | 'budget' | null }
  | { is: 'measuring'; effect: EffectId; agent: string; reply: Reply }
  /** What it changed is committed, and what the agent learnt is written down; then the iteration is weighed. */
  | ({ is: 'committing' | 'saving-knowledge'; effect: EffectId } & IterationResult)
  /** What completions are judged against is found, or moved by what a person did. */
  | { is: 'resolving-base'; effect: EffectId; for: 'start' | 'before' }
  /** Before the first iteration: what is red already, and whether the clean room shows the same. */
  | ({ is: 'running-baseline'; effect: EffectId; left: string[] } & CleanRoomCheckInput)
  | ({ is: 'checking-clean-room'; effect: EffectId } & CleanRoomCheckInput)
  | { is: 'proving'; effect: EffectId; completion: CompletionClaim; proof: ProofState }
  /** A reviewer reads. */
  | { is: 'reviewing'; effect: EffectId; agent: string; aborting: 'stop' | 'budget' | null }
  /** Checks that the reviewer changed nothing. */
  | { is: 'checking'; effect: EffectId; agent: string; heard: ReviewOutcome }
  /** The reviewer changed files: they are reverted. */
  | { is: 'reverting-reviewer'; effect: EffectId; agent: string; heard: ReviewOutcome }
  /** A turn of a draft is over: what it changed beside its document is reverted, and then the document is looked at. */
  | { is: 'reverting-draft' | 'checking-document'; effect: EffectId; turn: DraftTurnResult }
  /** A person is to answer; nothing runs. */
  | { is: 'asking'; question: string }
  | { is: 'paused'; why: string }
  | { is: 'finished'; outcome: Outcome }
