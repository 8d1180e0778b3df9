/** Runs the engine in the foreground, with a screen, a stream of JSON lines, or silently. */
import { focusedWorker } from '../../../../core/presentation/focused-worker.ts'
import { describeDrift } from '../../../../core/tree/branch-state.ts'
import type { DraftRequest } from '../../../../core/features/draft.ts'
import type { AskPerson } from '../../../../system/terminal/ask-person.ts'
import type { ExitCode } from '../../../../core/error.ts'
import type { RunId } from '../../../../core/ids.ts'
import { adviceForView } from '../../../../core/presentation/advice.ts'
import type { RuleKey } from '../../../../core/settings/rule-table.ts'
import type { Rules } from '../../../../core/state/rules.ts'
import type { Row } from '../../../../core/state/row.ts'
import type { TaskScope } from '../../../../core/tasks/task.ts'
import type { ProjectProgram } from '../../../../core/trust/trust.ts'
import { foldView, type RunView } from '../../../../core/presentation/run-view.ts'
import type { PreflightResult } from '../../../../engine/startup/preflight.ts'
import { runEngine } from '../../../../engine/run-engine.ts'
import type { RunResult, RunWatcher } from '../../../../engine/run/run-options.ts'
import type { WrittenReport } from '../../../../listeners/report-file.ts'
import { isGitHubActions } from '../../../plain/github-annotations.ts'
import { openKeyboard } from '../../../../system/terminal/keyboard.ts'
import { openLimitPrompt, type LimitPrompt } from '../../../plain/limit-prompt.ts'
import { openLoopScreen, type LoopScreen } from '../../../plain/loop-screen.ts'
import { VERSION } from '../../../version.ts'
import { createStartQuestion } from '../../asking/confirm-start.ts'
import { addInterviewPrompt } from '../../asking/interview.ts'
import { addInterruptPrompt } from '../../asking/interrupt.ts'
import { createPermissionPrompt } from '../../asking/permission.ts'
import type { CommonInput } from '../../framework/command.ts'
import type { Io } from '../../framework/io.ts'
import type { OpenProject } from '../../framework/open-project.ts'
import { DeclinedError, askTrust } from '../../asking/trust.ts'

/** The command line of a command that runs the engine. */
export interface ForegroundInput extends Pick<CommonInput, 'command' | 'words' | 'settings' | 'typed'> {
  flags: { json: boolean; quiet?: boolean; yes?: boolean; trust?: boolean }
}

export interface ForegroundOptions {
  project: OpenProject
  rules: Rules
  /** The rules that the command's own flags set, besides flags of settings. */
  typedRules?: readonly RuleKey[]
  input: ForegroundInput
  fresh: boolean
  resume: string | null
  /** Absent: a plain loop. */
  tasks?: TaskScope
  /** Absent: the run drafts nothing. */
  draft?: DraftRequest
  /** The agents follow a script and cost nothing: the demo. */
  simulated?: true
  /** Resumes a run of any kind; absent: only one of the kind that the command starts. */
  anyKind?: true
}

export async function runInForeground(options: ForegroundOptions, io: Io): Promise<number> {
  const { input, project } = options
  if (input.flags.json) return serveJson(options, io)
  const { values } = project.settings
  const asks = options.draft?.asks ?? canPersonAnswer(input, io)
  const screen = openLoopScreen(io, {
    asksHere: asks && io.asks,
    live: values['ui.live'],
    verbose: values['ui.verbose'],
    quiet: input.flags.quiet === true,
  })
  const closing = new AbortController()
  let result: RunResult | null = null
  try {
    const watcher = io.asks ? withQuestions(screen, closing.signal, { asks, io }) : screen
    result = await start({ ...options, askPerson: createPermissionPrompt(screen, io) }, watcher, io)
  } catch (error) {
    if (error instanceof DeclinedError) return error.exit
    throw error
  } finally {
    closing.abort()
    screen.close()
    if (result !== null && result.report !== null) await summarize(result.report, io)
  }
  return result.outcome.is === 'not_started' ? confirmAndRunAgain(options, result, io) : result.exit
}

/** Some warnings need the baseline, so they are confirmed after it. Its results are stored, so starting again costs little. */
async function confirmAndRunAgain(options: ForegroundOptions, { outcome, exit }: RunResult, io: Io): Promise<number> {
  const question = createStartQuestion(options.project.root, options.input.flags, io)
  if (question === null) return exit
  const startWarning = { cause: 'no tests', say: outcome.reason, fix: '', isSevere: true }
  const declined = await question.promptUser([startWarning])
  return declined ?? runInForeground({ ...options, resume: null }, io)
}

function withQuestions(screen: LoopScreen, closed: AbortSignal, { asks, io }: { asks: boolean; io: Io }): RunWatcher {
  const watcher = addInterruptPrompt({ watcher: withLimitPrompt(screen, io), screen, closed }, io)
  return asks ? addInterviewPrompt({ watcher, screen, closed }, io) : watcher
}

/** Lets the user quit instead of waiting for the reset of a usage limit. */
function withLimitPrompt(screen: RunWatcher, io: Io): RunWatcher {
  let prompt: LimitPrompt | null = null
  return {
    ...screen,
    serving: (runControl) => (prompt = openLimitPrompt(io, openKeyboard(), runControl.ask)),
    rows(rows) {
      screen.rows?.(rows)
      prompt?.rows(rows)
    },
  }
}

/** GitHub shows this page under the step. A failed write does not fail the run. */
async function summarize({ report }: WrittenReport, io: Io): Promise<void> {
  const file = io.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (!isGitHubActions(io.env) || file === '') return
  const { appendStepSummary } = await import('../../../../app/run/github-summary.ts')
  const problem = appendStepSummary(file, report)
  if (problem !== null) io.err(`The step summary was not written: ${problem}\n`)
}

async function serveJson(options: ForegroundOptions, io: Io): Promise<number> {
  let view: RunView | null = null
  const line = (body: object): void => io.out(`${JSON.stringify(body)}\n`)
  const result = await start(
    options,
    {
      continued: (facts) => void (view = facts.view),
      already: (facts) => void (view = facts.view),
      ended: (how) => line({ type: 'result', ...summary(how, view) }),
      rows(rows) {
        for (const row of rows) {
          view = foldView(view, row)
          line(fact(row))
        }
      },
      notice: (text) => line({ type: 'notice', text }),
    },
    io,
  )
  if (result.report !== null) await summarize(result.report, io)
  return result.exit
}

interface Starting extends ForegroundOptions {
  /** Undefined: there is nobody to ask for an agent's permissions. */
  askPerson?: AskPerson | undefined
}

function start(
  { project, rules, typedRules = [], input, fresh, resume, tasks, draft, simulated, anyKind, askPerson }: Starting,
  watcher: RunWatcher,
  io: Io,
): Promise<RunResult> {
  const { root, settings } = project
  const orDecline = async (answer: Promise<ExitCode | null>): Promise<void> => {
    const exit = await answer
    if (exit !== null) throw new DeclinedError(exit)
  }
  const mayResume = (record: RunId, programs: ProjectProgram[]): Promise<void> =>
    orDecline(askTrust({ root, programs, record, input }, io))
  const question = createStartQuestion(root, input.flags, io)
  const about = {
    ...(tasks === undefined ? {} : { tasks }),
    ...(askPerson === undefined ? {} : { askPerson }),
    ...(draft === undefined ? {} : { draft }),
    ...(simulated === undefined ? {} : { simulated }),
    ...(anyKind === undefined ? {} : { anyKind }),
    asks: draft?.asks ?? canPersonAnswer(input, io),
  }
  const how = {
    command: input.typed,
    start: { name: input.command, target: input.words[0] ?? null, flags: input.settings },
    version: VERSION,
    typedRules,
    fresh,
    resume,
    mayResume,
    watcher,
    ...about,
  }
  if (question === null) return runEngine({ root, settings, rules, ...how })
  // A user is there and has not confirmed it yet: refuse the start when the gates run no test, so that the user is asked.
  const proof = question.isOpen('no tests') ? { ...rules.proof, noTests: 'refuse' as const } : rules.proof
  const mayStartRun = ({ startWarnings }: PreflightResult): Promise<void> =>
    orDecline(question.promptUser(startWarnings))
  return runEngine({ root, settings, rules: { ...rules, proof }, ...how, mayStartRun })
}

/** Whether a person answers the questions of a draft: one is at the terminal and did not pass `--yes`. */
export function canPersonAnswer({ flags }: Pick<ForegroundInput, 'flags'>, io: Io): boolean {
  return io.asks && !flags.json && flags.yes !== true
}

/** A row as JSON: the event and the decisions. Effects are internal. */
function fact(row: Row): object {
  const { run, seq, at, event, decisions } = row
  return { ...event, run, seq, at, decisions }
}

/** The recommended commands, most useful first. */
function nextOf({ outcome, report }: RunResult, view: RunView | null): string[] {
  if (view === null) return []
  const { command, others } = adviceForView(view, outcome, { questions: report?.report.questions ?? [] })
  return [command, ...others.map((step) => step.command)]
}

function summary(result: RunResult, view: RunView | null): object {
  const { run, outcome } = result
  return {
    run,
    outcome: outcome.is,
    reason: outcome.reason,
    proven: outcome.verdict === 'proven',
    verdict: outcome.verdict,
    exit: result.exit,
    acceptance: outcome.acceptance ?? null,
    next: nextOf(result, view),
    iterations: view?.made ?? 0,
    durationMs: view === null ? 0 : view.up - view.startedAwakeMs,
    usage: view === null ? null : view.spent,
    drift: describeDrift(focusedWorker(view)?.branchState ?? null),
    report: result.report?.path ?? null,
    left: result.left,
    already: result.already,
  }
}
