/**
 * Effects: what the core wants done, as plain data. Each is asked once, performed by a handler of the engine, and answered by
 * exactly one event that names it. `admit-iteration`, `claim-task`, `settle-task`, `end-run` and `leave-run` touch only our database and
 * are answered in the very transaction that asks them.
 */
import type { AgentTimeLimits, Usage } from '../calls/agent-io.ts'
import type { Role } from '../calls/role.ts'
import type { DraftCall } from '../features/draft.ts'
import type { ImportRequest } from '../features/import-job.ts'
import type { DocumentKind } from '../features/documents.ts'
import type { EffectId, Instant, Millis, TreeHash, WorkerId } from '../ids.ts'
import type { Outcome } from './outcome.ts'
import type { PromptContext } from '../prompt/loop-prompt.ts'
import type { Gate } from '../proof/evidence.ts'
import type { Base } from '../proof/base.ts'
import type { TrialPurpose } from '../proof/evidence.ts'
import type { TrialLayout, SharedToolsLevel, ClassifiedChangesSummary } from '../proof/trial.ts'
import type { ReportedKnowledge } from '../agent-output/agent-report.ts'
import type { AgentRules, QuotaRules } from './rules.ts'
import type { SnapshotRef } from '../tree/own-change.ts'
import type { TaskScope, ClaimEnd, TaskId, AgentTaskSummary } from '../tasks/task.ts'

interface Asked {
  id: EffectId
  worker: WorkerId
}

export type Effect =
  | (Asked & {
      type: 'snapshot'
      /** `check`: whether an agent that may only read changed anything; `verify`: leaves no snapshot ref. */
      for: 'start' | 'before' | 'after' | 'check' | 'verify'
      iteration: number
      since: TreeHash | null
      sinceHead: string | null
      /** The time limit of a snapshot in a run that is about to stop. */
      withinMs?: Millis
      /** See `draftWritablePaths`; absent: it is no draft. */
      writes?: string[]
    })
  /** One call of an agent; `role` absent: work. */
  | (Asked & {
      type: 'admit-call'
      role?: Role
      iteration: number
      quota: QuotaRules
      reserveUsd: number
    })
  | (Asked & RunAgentEffect)
  | (Asked & {
      type: 'run-gate'
      gate: Gate
      iteration: number
      tree: TreeHash | null
      purpose: 'baseline' | 'completion'
    })
  /** Finds the base at the start, or moves it by what a person changed between two iterations. */
  | (Asked & {
      type: 'resolve-base'
      /** Null: the one that is remembered from earlier runs. */
      base: Base | null
      /** The last snapshot and the new one: the difference is a person's. Null: its author is unknown. */
      since: TreeAndPlan | null
      now: TreeAndPlan
      gates: Gate[]
      /** For a verification: the base as it is remembered, or the tree of a commit. Absent: for work. */
      verify?: { since: string | null }
    })
  /** What a completion changed since the base, and which of it is source. */
  | (Asked & {
      type: 'classify-changes'
      iteration: number
      base: Base
      tree: TreeHash
      gates: Gate[]
      /** Globs of tests that the task may change. */
      tests?: string[]
    })
  /** Arranges files in the clean room and runs the gates there; without gates the clean room is only made ready. */
  | (Asked & {
      type: 'run-trial'
      iteration: number
      purpose: TrialPurpose
      trialLayout: TrialLayout
      base: Base
      classification: Pick<ClassifiedChangesSummary, 'file' | 'hash' | 'final'> | null
      gates: Gate[]
      sharedTools: SharedToolsLevel
      /** Run all gates, also after one is red. */
      all: boolean
    })
  /** Is the working tree still the one that was tried? */
  | (Asked & { type: 'check-final-tree'; final: TreeHash })
  /** `own`: only files that differ between these two trees; absent: all that is in no commit. */
  | (Asked & {
      type: 'commit'
      iteration: number
      message: string
      own?: { from: TreeHash; to: TreeHash }
      /** As of a look. */
      withinMs?: Millis
    })
  /** Fires at a wall-clock instant (announced resets, full hours) or after awake time (back-off, pauses): whichever is given. */
  | (Asked & { type: 'wait'; until: Instant; forMs: Millis | null; why: string; outage?: OutageWait })
  /** Ends whatever another effect does. That one is still answered, if only by `effect-lost`; this one by `aborted`. */
  | (Asked & { type: 'abort'; target: EffectId; why: 'stop' | 'budget'; now: boolean })
  /** The first task that is ready becomes this worker's, for as long as the engine renews it. */
  | (Asked & { type: 'claim-task'; scope: TaskScope; leaseMs: Millis })
  /** The worker's result for its task; it counts only while this claim is held. */
  | (Asked & {
      type: 'finish-task'
      task: TaskId
      attempt: number
      as: ClaimEnd
      why: string
      /** Visits beyond the first. */
      retries: number
      /** The verdict of the proof; null: there was none. */
      verification: 'passed' | 'failed' | null
      /** Where its commits begin and end. */
      from: string | null
      to: string | null
      /** What the last iteration on it said; absent: nothing. */
      summary?: AgentTaskSummary
      /** Where the run would take its next task from; absent: not asked. */
      scope?: TaskScope
    })
  /** Failed work is reverted, and saved under a ref. */
  | (Asked & {
      type: 'revert'
      /** Null: not a task's, but what a draft changed beside its documents, or a reviewer changed. */
      task: TaskId | null
      attempt: number
      iteration: number
      /** How it was before the task. */
      before: SnapshotRef
      /** The last snapshot, if a person may have edited files since; null: every change is the task's. */
      since: SnapshotRef | null
      /** See `draftWritablePaths`; absent: it is no draft. */
      writes?: string[]
      /** The reviewer whose changes these are; absent: not a reviewer's. */
      reader?: string
    })
  /** Saves what the agent learnt in the project; idempotent. */
  | (Asked & {
      type: 'save-knowledge'
      iteration: number
      said: ReportedKnowledge[]
      /** Learnt at this task; absent: in a loop. */
      task?: TaskId
    })
  /** Saves the conversation of a draft's turn and checks its document; idempotent. */
  | (Asked & {
      type: 'check-document'
      iteration: number
      document: DocumentKind
      folder: string
      said: string
      /** Before the agent is called for it, or called again. */
      first?: true
      /** The end of the turn is unknown. */
      cut?: true
      /** What it is made from: documents that must be there before it. */
      from?: DocumentKind[]
    })
  /** Whether the agent of an import left all of its files in this folder. */
  | (Asked & { type: 'check-import'; folder: string })
  /** `unheard`: questions whose answers were only in prompts of unfinished calls. */
  | (Asked & { type: 'end-run'; outcome: Outcome; unheard?: string[] })
  /** The process ends and the run stays unfinished. */
  | (Asked & { type: 'suspend-run'; outcome: Outcome })

/** A working tree and its plan: the snapshot's hash, and that of the plan's text. */
export interface TreeAndPlan {
  tree: TreeHash
  plan: string | null
}

/** No agent can be reached: since when, and when the run is left for later. The end of the wait is the next try. */
export interface OutageWait {
  since: Instant
  outageDeadline: Instant
}

export interface RunAgentEffect {
  type: 'run-agent'
  iteration: number
  agent: string
  role: Role
  /** Extra to the prompt file: what changed, what to correct. The text sent is kept in a file, by its hash in `agent-began`. */
  context: PromptContext
  /** What it is to work on or to judge; absent: the prompt file says it. The handler reads the task and all that belongs to it. */
  task?: TaskCall
  /** What it says about the model of the next visit counts, so it is told how; absent: it would not. */
  hints?: true
  /** The document it is to write; absent: it writes none. The handler reads what belongs to it. */
  draft?: DraftCall
  /** Where it finds its prompt and works, outside the project; absent: it imports nothing. */
  import?: ImportRequest
  /** Requests whose words this prompt carries; absent: none. */
  steered?: number[]
  /** Questions whose answers it carries; absent: none. */
  answered?: string[]
  /** The prompt file, relative to the project; its text is read when the agent is started. */
  prompt: string
  how: Pick<AgentRules, 'model' | 'effort' | 'tools' | 'maxTurns' | 'output' | 'format'> & {
    /** Null: it may only read. */
    permission: string | null
  }
  resume: string | null
  /** Totals of that conversation so far, for vendors that only tell totals. */
  resumeUsage: Usage | null
  /** Length of the reply before, for the decline rule of text mode. */
  previousLength: number | null
  limits: AgentTimeLimits
  /** Money that may still be spent in flight; null: no limit or unknown cost. */
  remainingUsd: number | null
  remainingTokens: number | null
}

/** `visit`: how often the work of this claim was begun, `of` how often it may be. */
export interface TaskCall {
  id: TaskId
  attempt: number
  visit: number
  of: number
}

export type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>
