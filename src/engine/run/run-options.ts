/** What a run is asked for, who is told of it on the way, and what is given back when it has ended. */
import type { Settings } from '../../config/resolve.ts'
import type { DraftSpec } from '../../core/features/draft.ts'
import type { ImportRequest } from '../../core/features/import.ts'
import type { ExitCode } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import type { Orphan } from '../../core/tree/orphan.ts'
import type { EventOf, Request } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { StartCommand } from '../../core/state/start-command.ts'
import type { Outcome } from '../../core/state/outcome.ts'
import type { RuleKey } from '../../core/settings/rule-table.ts'
import type { Rules } from '../../core/state/rules.ts'
import type { VerifyRequest } from '../../core/proof/verify-request.ts'
import type { TaskScope, TaskId } from '../../core/tasks/task.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import type { Watcher } from '../../listeners/event-bus.ts'
import type { WrittenReport } from '../../listeners/report-file.ts'
import type { StopSignal } from '../../system/signals.ts'
import type { AskPerson } from '../../system/terminal/ask-person.ts'
import type { Preflight } from '../startup/preflight.ts'

export interface RunWatcher extends Watcher {
  /** Before the first spawn of a new run. */
  ready?(facts: Preflight & { run: RunId }): void
  /** A run is resumed instead; `view` is what its record has told so far. */
  continued?(facts: { run: RunId; after: EventOf<'run-resumed'>['after']; iteration: number; view: RunView }): void
  /** The last run ended before anybody was told: that is told now, and nothing is started. */
  already?(facts: { run: RunId; view: RunView }): void
  /** How the run ended. When this returns it counts as told. */
  ended?(result: RunResult): void
  notice?(text: string): void
  /** The run is served: whoever watches may ask something of it. */
  serving?(runControl: RunControl): void
  /** The first Ctrl+C, before it stops anything. Null: nobody takes it. Else whoever watches has the run pause, and says in the end whether
   *  it goes on; the next Ctrl+C before that leaves at once. */
  interrupted?(): Promise<boolean> | null
  /** The first stop signal arrived; ending children may take a few seconds. */
  stopping?(signal: StopSignal): void
  /** Somebody should look up. */
  bell?(): void
}

/** What may be asked of a run by whoever watches it in the same process. */
export interface RunControl {
  ask: (request: Request) => void
  /** Kept with the task: the next prompt about it has it. */
  guide: (task: TaskId, text: string) => Promise<void>
}

export interface RunOptions {
  root: string
  /** Whoever begins a run has asked about the programs that the project's files name (`settings.executed`): the engine starts them. */
  settings: Settings
  rules: Rules
  /** Which of them were just said besides the flags of settings: they hold for a run that is resumed as well. */
  typedRules?: readonly RuleKey[]
  /** As typed, for whoever finds the working tree taken. */
  command: string
  /** The same, parsed, for whoever advises after its end; absent: a plain `ralph loop`. */
  start?: StartCommand
  version: string
  /** The tasks to work through; absent: the prompt, again and again. */
  tasks?: TaskScope
  /** The documents to draft; absent: none. */
  draft?: DraftSpec
  /** Only judges the tree as it is now; absent: it works. */
  verify?: VerifyRequest
  /** Only turns a document into the files of a project; absent: it works. */
  import?: ImportRequest
  /** Whether somebody answers what a draft asks. Absent: nobody does. */
  asks?: boolean
  /** Give up an unfinished run and begin a new one. */
  fresh: boolean
  /** Take up this run and no other; an error if it has ended. */
  resume: string | null
  /** That run may be of another kind than those that the command begins. */
  anyKind?: true
  /**
   * Asked before an unfinished run is resumed, with what its record would start: throws if that may not be. The record may have come
   * with the repository. Absent: nobody is asked, and whoever calls answers for the record as for the settings.
   */
  mayResume?: (run: RunId, programs: ProjectProgram[]) => Promise<void>
  /** Asked before a new run begins, with all that is known: throws if it shall not. Absent: nobody is asked. */
  mayStartRun?: (facts: Preflight) => Promise<void>
  /** Asked before each start of an agent, for a run that does not know beforehand which ones it needs. False: it may not start. */
  mayStartAgent?: (agent: string) => Promise<boolean>
  /** Asked what an agent wants to do, where the rules have a person decide. Absent: such a run is refused. */
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
