/**
 * Events: everything that can happen to a run. Shapes only grow, because old records are read for ever.
 * An event that answers an effect names it; a late or second answer is a remark, never a second decision.
 */
import type { ProjectAgents, Usage } from '../calls/agent-io.ts'
import type { CheckboxCounts, Change, Snapshot } from '../tree/change.ts'
import type { Effect } from './effect.ts'
import type { EffectId, Instant, Millis, RunId, TreeHash, WorkerId } from '../ids.ts'
import type { Breaker } from '../admission/breaker.ts'
import type { Conversation } from '../calls/conversation.ts'
import type { Outcome } from './outcome.ts'
import type { Orphans } from '../tree/orphan.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { Base, BaseChanges } from '../proof/base.ts'
import type { DraftRequest } from '../features/draft.ts'
import type { ImportRequest } from '../features/import-job.ts'
import type { DocumentKind } from '../features/documents.ts'
import type { VerifyRequest } from '../proof/verify-request.ts'
import type { CleanRoomCheckResult } from '../proof/clean-room-check.ts'
import type { SharedToolsLevel, ClassifiedChangesSummary, TrialResult } from '../proof/trial.ts'
import type { Denial, Reply } from '../agent-output/reply.ts'
import type { Rules } from './rules.ts'
import type { StartCommand } from './start-command.ts'
import type { DerivedChange, ClaimedTask, NothingReady, TaskScope, TaskId, TaskStatus } from '../tasks/task.ts'

interface Answer {
  worker: WorkerId
  effect: EffectId
}

export type Event =
  /** Carries everything that existed before, so that a record is complete in itself. */
  | {
      type: 'run-started'
      run: RunId
      rules: Rules
      /** How many workers it has; a loop has one. */
      workers: number
      project: string
      /** The whole line as typed. */
      command: string
      /** The same, parsed; absent: a plain `ralph loop`. */
      start?: StartCommand
      breaker: Breaker | null
      conversation: Conversation | null
      /** Agents that are known to be limited, and until when. */
      limited: Record<string, Instant>
      pid: number
      version: string
      /** What files of the project said to start when it began; a later edit of them changes nothing. */
      programs: ProjectAgents
      /** The tasks it works through; absent: it is a plain loop. */
      tasks?: TaskScope
      /** The documents it drafts; absent: it drafts none. */
      draft?: DraftRequest
      /** What it verifies; absent: it is no verification. */
      verify?: VerifyRequest
      /** Where it turns a document into a project, and nothing else; absent: it is no import. */
      import?: ImportRequest
    }
  /** Another process took the run up again after a crash, a pause or an outage that was too long to wait out. */
  | {
      type: 'run-resumed'
      pid: number
      after: 'crash' | 'pause' | 'outage'
      version: string
      /** Of a draft: whether a person answers questions from now on. Absent: as before. */
      asks?: boolean
    }
  | (Answer & {
      type: 'snapshot-taken'
      snapshot: Snapshot
      change: Change | null
      checkboxes: CheckboxCounts | null
      nextCheckbox: string | null
      /** Hash of the plan's text, which the tree archive keeps; absent: not requested. */
      plan?: string | null
      /** Boxes that were ticked, or opened again, since the look before: at most 50 each. Absent: none. */
      ticks?: { done: string[]; undone: string[] }
      /** Control files (prompt, plan, settings) that had been deleted and were reverted from Ralph's own copy. */
      deleted?: string[]
      /** Settings files that are not as they were at the look before. */
      edited?: string[]
      /** A lock that a dead git had left on the index was taken away. */
      unlocked?: true
    })
  | (Answer & { type: 'admitted'; callsThisHour: number; tokensThisHour: number })
  | (Answer & { type: 'call-deferred'; until: Instant; why: string })
  | (Answer & { type: 'agent-started'; pid: number; startTime: string; promptHash: string; log: string })
  | (Answer & { type: 'conversation-known'; conversation: string; model: string | null })
  | (Answer & { type: 'agent-denied'; denial: Denial })
  /** Each tenth of the allowance that an agent in flight passes. */
  | (Answer & { type: 'spend-threshold-crossed'; usage: Usage; tenth: number })
  /** `orphans`: processes that were left in the project and are not Ralph's to end. */
  | (Answer & { type: 'agent-ended'; reply: Reply; orphans?: Orphans })
  | (Answer & { type: 'gate-ended'; evidence: Evidence; orphans?: Orphans })
  /** `cleanRoomCheck`: as an earlier run found it for the same set-up, lock files and gates (`room`); null: not tried.
   *  `sharedTools`: where to begin then. `now`: the tree as it is, which the baseline shows. */
  | (Answer & {
      type: 'base-resolved'
      base: Base
      news: BaseChanges
      cleanRoomCheck: CleanRoomCheckResult | null
      room: string
      sharedTools: SharedToolsLevel
      now: TreeHash
      /** Of a verification: whether the clean room has its tools already, and which commit stands in for a base; absent: for work. */
      verify?: { ready: boolean; commit: 'last' | 'named' | null }
    })
  | (Answer & { type: 'changes-classified'; classification: ClassifiedChangesSummary })
  | (Answer & { type: 'trial-ended'; trial: TrialResult; orphans?: Orphans })
  | (Answer & { type: 'final-tree-checked'; changed: string[] })
  | (Answer & { type: 'committed'; sha: string | null; files: number; problem: string | null })
  | (Answer & { type: 'wait-ended' })
  | (Answer & { type: 'aborted' })
  | (Answer & { type: 'task-claimed'; task: ClaimedTask })
  | (Answer & { type: 'nothing-ready'; nothing: NothingReady })
  /** `held` false: another worker had the claim by then, and nothing changed. */
  /** `next`: another task is ready for the run; absent: not asked. */
  | (Answer & { type: 'task-finished'; held: boolean; changes: DerivedChange[]; next?: boolean })
  /** Found at a renewal of the claim: a person decided about the task, or its lease ran out and another worker has it. `status`: of the task, as
   *  the store has it; null: there is no such task any more. */
  | { type: 'claim-lost'; worker: WorkerId; task: TaskId; attempt: number; status: TaskStatus | null }
  | (Answer & { type: 'reverted' } & RevertResult)
  /** `kept`: files of the project; also those that said it already. `refused`: each with its reason. */
  | (Answer & { type: 'knowledge-saved'; kept: string[]; refused: string[] })
  /** `problems`: in words to the agent; none: it is complete. `first`: before the first turn. `back`: what the turn deleted or
   *  changed beside its document; `instead`: where the replaced version is saved. `gone`: a missing document that this one is made from. */
  | (Answer & {
      type: 'document-checked'
      document: DocumentKind
      first?: true
      there: boolean
      bytes: number
      problems: string[]
      back?: string[]
      instead?: string
      gone?: DocumentKind
    })
  /** `problem`: what is wrong with the files, in words; null: they are complete. */
  | (Answer & { type: 'import-checked'; problem: string | null })
  | (Answer & { type: 'run-ended'; outcome: Outcome })
  /** No process drives it any more, but it has not ended. */
  | (Answer & { type: 'run-suspended'; outcome: Outcome })
  /** A handler could not do its job at all. An error is reported by this event, never thrown through the engine. */
  | (Answer & { type: 'effect-failed'; problem: string; hint: string | null })
  /** Interrupted by a crash or an abort: the result of this effect is unknown. */
  | (Answer & { type: 'effect-lost' })
  | { type: 'request-received'; request: PersonRequest }
  | { type: 'clock-jumped'; by: Millis }
  | { type: 'remark'; about: string; text: string }

/** What became of the work on a task that failed. */
export type RevertResult =
  | {
      is: 'back'
      /** As it is now. */
      snapshot: Snapshot
      checkboxes: CheckboxCounts | null
      nextCheckbox: string | null
      plan?: string | null
      /** The ref that keeps what was there. */
      kept: string
      /** The one that keeps what it was reverted to; absent: it was no task's work, and `kept` shows both. */
      began?: string
      /** Files that changed, and commits that went. */
      files: number
      commits: number
      /** The first of these files, from the top of the working tree. */
      paths: string[]
      /** Files that stay, because one of their versions is not stored: at most 20. */
      left: string[]
    }
  /** Nothing was changed. */
  | { is: 'stays'; why: string }

/** What a person asks of a running engine, from another process, a signal or a key. */
export type PersonRequest = {
  id: number | null
  from: string
  /** Absent: the run and all of its workers. */
  to?: RequestTarget
} &
  /** `because` a usage limit is not worth waiting for: the run ends under another name. */
  (
    | { do: 'stop'; now: boolean; because?: 'limit' }
    /** `now`: running effects are ended, and a task is ready again. */
    | { do: 'pause'; now?: true }
    /** Of a task: it fails without another try. */
    | { do: 'skip' }
    | { do: 'resume' }
    /** `answers`: the question of an agent that these words answer. */
    | { do: 'steer'; text: string; answers?: string }
    | { do: 'set'; key: string; value: string }
    /** A new run was started while this one was unfinished. */
    | { do: 'abandon' }
  )

/** One of its workers, by its number or by the task it is at. */
export type RequestTarget = { worker: WorkerId } | { task: string }

export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>

/** An event that names an effect. */
export type EffectEvent = Extract<Event, { effect: EffectId }>

/** What each of them answers; those that answer nothing only report on it. */
const ANSWERS = {
  'snapshot-taken': ['snapshot'],
  admitted: ['admit-call'],
  'call-deferred': ['admit-call'],
  'agent-started': [],
  'conversation-known': [],
  'agent-denied': [],
  'spend-threshold-crossed': [],
  'agent-ended': ['run-agent'],
  'gate-ended': ['run-gate'],
  'base-resolved': ['resolve-base'],
  'changes-classified': ['classify-changes'],
  // A completion may be rejected before the clean room is used, also because the tree changed.
  'trial-ended': ['run-trial', 'classify-changes', 'check-final-tree'],
  'final-tree-checked': ['check-final-tree', 'classify-changes'],
  committed: ['commit'],
  'wait-ended': ['wait'],
  aborted: ['abort'],
  'task-claimed': ['claim-task'],
  'nothing-ready': ['claim-task'],
  'task-finished': ['finish-task'],
  reverted: ['revert'],
  'knowledge-saved': ['save-knowledge'],
  'document-checked': ['check-document'],
  'import-checked': ['check-import'],
  'run-ended': ['end-run'],
  'run-suspended': ['suspend-run'],
  'effect-failed': 'any',
  'effect-lost': 'any',
} as const satisfies Record<EffectEvent['type'], readonly Effect['type'][] | 'any'>

/** Events that name no effect. */
const OTHERS: Record<Exclude<Event['type'], EffectEvent['type']>, true> = {
  'run-started': true,
  'run-resumed': true,
  'claim-lost': true,
  'request-received': true,
  'clock-jumped': true,
  remark: true,
}

/** False for an event type of a newer version. */
export function isKnownEventType(type: string): boolean {
  return Object.hasOwn(ANSWERS, type) || Object.hasOwn(OTHERS, type)
}

type Answers = typeof ANSWERS

/** Events that only report on an effect under way. */
type Report = { [K in keyof Answers]: Answers[K] extends readonly [] ? K : never }[keyof Answers]

type Closing<T extends Effect['type']> = {
  [K in keyof Answers]: Answers[K] extends 'any'
    ? K
    : Answers[K] extends readonly (infer E)[]
      ? T extends E
        ? K
        : never
      : never
}[keyof Answers]

/** Every event that the handler of such an effect may report. */
export type EventsFor<T extends Effect['type']> = EventOf<Closing<T> | Report>

/** Whether it closes the effect that it names; false for an event type of a newer version. */
export function isEffectAnswer(event: Event): event is EffectEvent {
  if (!('effect' in event)) return false
  const answered: readonly string[] | 'any' | undefined = ANSWERS[event.type]
  return answered !== undefined && answered.length > 0
}

export function canAnswerEffect(event: EffectEvent, effect: Effect): boolean {
  const answered: readonly string[] | 'any' = ANSWERS[event.type]
  return answered === 'any' || answered.includes(effect.type)
}
