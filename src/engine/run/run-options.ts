/** The options of a run, its watcher, and its result. */
import type { Settings } from '../../config/resolve.ts'
import type { DraftRequest } from '../../core/features/draft.ts'
import type { ImportRequest } from '../../core/features/import-job.ts'
import type { ExitCode } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { EventOf, PersonRequest } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { StartCommand } from '../../core/state/start-command.ts'
import type { Outcome } from '../../core/state/outcome.ts'
import type { RuleKey } from '../../core/settings/rule-table.ts'
import type { Rules } from '../../core/state/rules.ts'
import type { VerifyRequest } from '../../core/proof/verify-request.ts'
import type { TaskScope, TaskId } from '../../core/tasks/task.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import type { Listener } from '../../listeners/event-bus.ts'
import type { WrittenReport } from '../../listeners/report-file.ts'
import type { StopSignal } from '../../system/signals.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import type { PreflightResult } from '../startup/preflight.ts'

export interface RunWatcher extends Listener {
  /** Before the first call of a new run. */
  ready?(facts: PreflightResult & { run: RunId }): void
  /** A run is resumed instead; `view` is the view of its record so far. */
  continued?(facts: { run: RunId; after: EventOf<'run-resumed'>['after']; iteration: number; view: RunView }): void
  /** The end of the last run was not reported: it is reported now, and nothing is started. */
  already?(facts: { run: RunId; view: RunView }): void
  /** Reports the end of the run. When this returns, the end counts as reported. */
  ended?(result: RunResult): void
  notice?(text: string): void
  /** The run has started: the watcher may send requests. */
  serving?(runControl: RunControl): void
  /** The first Ctrl+C, before it stops anything. Null: the watcher does not handle it. Otherwise the watcher pauses the run and resolves
   *  to whether it continues; a second Ctrl+C before that exits at once. */
  interrupted?(): Promise<boolean> | null
  /** The first stop signal arrived; ending children may take a few seconds. */
  stopping?(signal: StopSignal): void
  /** Rings the terminal bell. */
  bell?(): void
}

/** Requests from a watcher in the same process. */
export interface RunControl {
  ask: (request: PersonRequest) => void
  /** Saves guidance with the task: the next prompt about it contains the text. */
  guide: (task: TaskId, text: string) => Promise<void>
}

export interface RunOptions {
  root: string
  /** The caller has asked for trust in the programs that the project's files name (`settings.executed`): the engine starts them. */
  settings: Settings
  rules: Rules
  /** Rules set on the command line besides the settings flags: they apply to a resumed run too. */
  typedRules?: readonly RuleKey[]
  /** As typed, for the message to a process that finds the working tree locked. */
  command: string
  /** The same, parsed, for advice after the end of the run; absent: a plain `ralph loop`. */
  start?: StartCommand
  version: string
  /** The tasks to work on; absent: a plain loop. */
  tasks?: TaskScope
  /** The documents to draft; absent: none. */
  draft?: DraftRequest
  /** Only verify the current tree; absent: no verification. */
  verify?: VerifyRequest
  /** Only turn a document into files of a project; absent: no import. */
  import?: ImportRequest
  /** Whether a person answers the questions of a draft. Absent: nobody does. */
  asks?: boolean
  /** The agents follow a script and cost nothing: the demo. */
  simulated?: true
  /** Abandon an unfinished run and begin a new one. */
  fresh: boolean
  /** Resume this run and no other; an error if it has ended. */
  resume: string | null
  /** The resumed run may be of another kind than the command starts. */
  anyKind?: true
  /**
   * Called before an unfinished run is resumed, with the programs of its record: throws if they may not start. The record may have come
   * with the repository. Absent: nobody is asked, and the caller vouches for the record as for the settings.
   */
  mayResume?: (run: RunId, programs: ProjectProgram[]) => Promise<void>
  /** Called before a new run begins: throws if it must not. Absent: nobody is asked. */
  mayStartRun?: (facts: PreflightResult) => Promise<void>
  /** Called before each start of an agent, for runs that do not know their agents beforehand. False: it may not start. */
  mayStartAgent?: (agent: string) => Promise<boolean>
  /** Asks a person about an agent's actions, if the rules want that. Absent: such a run is refused. */
  askPerson?: AskPerson
  watcher: RunWatcher
}

export interface RunResult {
  run: RunId
  outcome: Outcome
  exit: ExitCode
  /** Null: it could not be written. */
  report: WrittenReport | null
  /** Orphans of its iterations that still run. */
  left: Orphan[]
  state: RunState
  /** It had ended before this command, which started nothing. */
  already: boolean
}
