/**
 * What to do after a run ended: one command that fits, what to do before it, and what else may help. A table with a row for every
 * outcome: a new outcome without a row does not compile. The foreground, the dashboard, `status`, the report and `--json` all print it.
 */
import type { FailureKind } from '../calls/agent-io.ts'
import type { RunId } from '../ids.ts'
import type { BreakerReason } from '../admission/breaker.ts'
import type { EndCause, Outcome, OutcomeName } from '../state/outcome.ts'
import { isUnderGit } from '../tree/branch-state.ts'
import { iterationMarkOf } from './iteration-mark.ts'
import { hasGates } from './outcome-text.ts'
import type { Verdict } from '../proof/evidence.ts'
import { RALPHRC_GATE_HINT, gateExample } from '../proof/gate-example.ts'
import type { AllowAdvice } from '../agent-output/reply.ts'
import type { Rules } from '../state/rules.ts'
import { startCommandText, type StartCommand } from '../state/start-command.ts'
import { plural } from '../text/format-amounts.ts'
import { quoteShellWord } from '../text/shell.ts'
import { escapeInvisible, oneLine } from '../text/sanitize.ts'
import { answerCommand, type OpenQuestion } from './answer-to-agent.ts'
import type { RunView } from './run-view.ts'
import { describeInstant, type ReaderClock } from './wait-text.ts'

export interface SuggestedCommand {
  command: string
  why: string
}

export interface Advice extends SuggestedCommand {
  /** What to read, paste or fix first. */
  first: string[]
  others: SuggestedCommand[]
}

type AskedQuestion = Pick<OpenQuestion, 'id' | 'text'>

/** What an advice depends on besides the outcome. */
export interface AdviceContext {
  gated: boolean
  /** Each with its command. */
  gates: string[]
  plan: string | null
  /** 0: there is no limit to lift; also with `--once`. */
  iterationsMax: number
  budget: Pick<Rules['budget'], 'usd' | 'tokens' | 'minutes'>
  /** The command that starts such a run, with its scope: `ralph loop`, `ralph run checkout`. */
  begin: string
  /** Flags of the start command that the next run keeps, each with its value in one word. */
  flags: string[]
}

/** The next run keeps the flags about the agent and its work. The advice sets limits itself, and display flags are the person's choice. */
const KEPT_FLAGS = ['agent', 'model', 'model-strategy', 'effort', 'prompt', 'allowed-tools', 'allow', 'permission']

const GATES_NAMED = 3

export function adviceContextOf(rules: Rules, start: StartCommand): AdviceContext {
  const { loop: how, budget, gates, model, agent } = rules
  const { usd, tokens, minutes } = budget
  const flags = Object.entries(start.flags).filter(([name]) => KEPT_FLAGS.includes(name))
  return {
    gated: hasGates(rules),
    gates: gates.slice(0, GATES_NAMED).map(({ name, run }) => `${name} (${run})`),
    plan: how.plan,
    iterationsMax: how.once === true ? 0 : how.iterationsMax,
    budget: { usd, tokens, minutes },
    begin: startCommandText(start),
    flags: withFlagValues(
      flags.map(([name, value]) => `--${name}=${value}`),
      { '--model-strategy': model.strategy, '--model': agent.model },
    ),
  }
}

/** A value set during the run (`ralph set`) replaces the typed one for the next run too. */
function withFlagValues(typed: string[], now: Record<string, string | null>): string[] {
  return typed.map((flag) => {
    const value = now[flagName(flag)] ?? null
    return value === null ? flag : `${flagName(flag)}=${value}`
  })
}

/** The same for a caller that does not keep the rules. */
export function adviceContextAfterSet(
  adviceContext: AdviceContext,
  { key, value }: { key: string; value: string },
): AdviceContext {
  const now: Record<string, Record<string, string>> = {
    'model.strategy': { '--model-strategy': value },
    'agent.model': { '--model': value, '--model-strategy': 'fixed' },
  }
  return { ...adviceContext, flags: withFlagValues(adviceContext.flags, now[key] ?? {}) }
}

export interface AdviceInput {
  outcome: Outcome
  run: RunId
  adviceContext: AdviceContext
  /** False: it changed nothing, or there is no git, so there is nothing to undo. */
  undoable?: boolean
  /** How many were made; absent: unknown. */
  iterations?: number
  /** Questions of agents that nobody has answered, of this run or an earlier one, newest first. */
  questions?: readonly AskedQuestion[]
  /** Absent: times are left out. */
  reader?: ReaderClock
}

/** What the screen knows besides the run. */
export type AdviceFacts = Pick<AdviceInput, 'questions' | 'reader'>

/** Advice for a run that a screen shows. */
export function adviceForView(
  view: Pick<RunView, 'run' | 'rules' | 'start' | 'iterations' | 'made' | 'workers'>,
  outcome: Outcome,
  facts: AdviceFacts = {},
): Advice {
  const { run, rules, start, iterations, made, workers } = view
  // A view keeps only the newest iterations: what earlier ones did is unknown.
  const idle = made === iterations.length && iterations.every((one) => iterationMarkOf(one).is === 'nothing')
  const isInGit = Object.values(workers).every(({ branchState }) => isUnderGit(branchState))
  const adviceContext = adviceContextOf(rules, start)
  return adviceForEndedRun({ outcome, run, adviceContext, undoable: isInGit && !idle, iterations: made, ...facts })
}

/** Tasks may be added or reset after a run ended: if some are ready now, the first advice is to continue with them. */
export function adviceWhenTasksReady(end: Advice, { ready, begin }: { ready: number; begin: string }): Advice {
  if (ready === 0 || end.command.startsWith(begin)) return end
  const { command, why, first, others } = end
  const rest = others.filter((other) => other.command !== begin)
  const is = ready === 1 ? '1 task is ready' : `${ready} tasks are ready`
  return { command: begin, why: is, first, others: [{ command, why }, ...rest] }
}

export function adviceForEndedRun(end: AdviceInput): Advice {
  return adviceWithQuestions(adviceForOutcome(end), end.questions ?? [])
}

/** An open question comes right after the first command: the next run gets the answer. */
export function adviceWithQuestions(row: Advice, questions: readonly AskedQuestion[]): Advice {
  const [newest] = questions
  if (newest === undefined) return row
  const answer =
    questions.length === 1
      ? suggestedCommand(answerCommand(newest), `an agent asks: ${oneLine(newest.text, QUESTION_SHOWN)}`)
      : suggestedCommand('ralph answer', `${questions.length} questions from agents are open`)
  return { ...row, others: [answer, ...row.others] }
}

const QUESTION_SHOWN = 100

/** For a screen that is itself one of the commands: it does not advise itself. */
export function adviceWithout(own: string, row: Advice): Advice {
  const steps = [{ command: row.command, why: row.why }, ...row.others].filter(({ command }) => command !== own)
  const [next, ...others] = steps
  return next === undefined ? row : { first: row.first, ...next, others }
}

function adviceForOutcome(end: AdviceInput): Advice {
  const { uncommitted, verdict, is } = end.outcome
  // The verdict counts more than the outcome: `ralph verify` may have proven it since.
  const whole = verdict === 'proven' ? VERDICTS.proven(end) : ROWS[is](end)
  const isUndoable = end.undoable !== false && !isDraft(end.adviceContext)
  const row = isUndoable ? whole : { ...whole, others: whole.others.filter((other) => other !== UNDO) }
  if (uncommitted === undefined || verdict !== 'proven') return row
  if (uncommitted.before > 0 && uncommitted.files <= uncommitted.before) return addUncommittedNote(row, uncommitted)
  const { command, why, others } = row
  return { ...commitIt(end, uncommitted), others: [{ command, why }, ...others] }
}

/** No more files are uncommitted than before the run (for example the settings that `ralph init` wrote): worth a line, not the first one. */
function addUncommittedNote(row: Advice, { files, paths }: NonNullable<Outcome['uncommitted']>): Advice {
  const which = paths === undefined ? plural(files, 'file') : paths.map(quoteShellWord).join(', ')
  return {
    ...row,
    first: [...row.first, `Still uncommitted (as before the run): ${which}`],
    others: [...row.others, suggestedCommand('git status --short', 'list uncommitted files')],
  }
}

/** The documents of a draft belong to the person, and everything else was reverted: there is nothing to undo. */
function isDraft({ begin }: AdviceContext): boolean {
  return /^ralph (?:feature create|init)\b/.test(begin)
}

const UNDO = suggestedCommand('ralph undo', 'revert this run')
const DOCTOR = suggestedCommand('ralph doctor', 'check the setup')
const STOP = suggestedCommand('ralph stop', 'stop the run')
const WATCH = suggestedCommand('ralph watch', 'follow the run')

type Unfinished = 'served' | 'asked' | 'paused' | 'cut-off' | 'left'

/** For a run that has not ended; `begin`: the command that starts such a run. */
export function adviceForUnfinished(is: Unfinished, begin: string): Advice {
  const giveUp = suggestedCommand(`${begin} --fresh`, 'abandon it and start a new run')
  const steps: Record<Unfinished, Steps> = {
    served: [WATCH, suggestedCommand('ralph steer "…"', 'give the agent guidance'), STOP],
    asked: [suggestedCommand('ralph steer "your answer"', 'answer the agent, and it continues'), WATCH, STOP],
    paused: [suggestedCommand('ralph resume', 'continue the run'), STOP],
    'cut-off': [suggestedCommand('ralph resume', 'continue where it stopped'), giveUp],
    left: [suggestedCommand(begin, 'resume the unfinished run'), giveUp],
  }
  return advice(steps[is])
}

/** For a run that was undone; `command` restores its changes. An unfinished one would be resumed, hence `--fresh`. */
export function adviceForUndoneRun({ command, ended }: { command: string; ended: boolean }, begin: string): Advice {
  return advice([
    suggestedCommand(ended ? begin : `${begin} --fresh`, 'start a new run'),
    suggestedCommand(command, 'restore the changes'),
  ])
}

/** What happened, after the run, to the feature that it drafted or worked on. */
export interface FeatureAfterRun {
  is: 'accepted' | 'gone'
  name: string
}

export function adviceForFeature({ is, name }: FeatureAfterRun, run: RunId): Advice {
  const now =
    is === 'accepted'
      ? suggestedCommand(`ralph run ${name}`, 'run its tasks')
      : suggestedCommand('ralph feature list', `list the features; ${name} no longer exists`)
  return advice([now, showRunCommand({ run })])
}

type Row = (end: AdviceInput) => Advice

const complete: Row = (end) => VERDICTS[end.outcome.verdict](end)

const ROWS: Record<OutcomeName, Row> = {
  plan_complete: complete,
  project_complete: complete,
  completion_signals: complete,
  needs_acceptance: accept,
  room_failed: (end) =>
    advice([suggestedCommand('ralph verify', 'fix the cause, then finish the proof'), showRunCommand(end), UNDO]),
  cannot_prove: rejectedAdvice,
  test_saturation: (end) =>
    advice([
      suggestedCommand('ralph verify', 'the agent only ran tests: check whether the work is done'),
      startAgainCommand(end),
      UNDO,
    ]),
  safety_stop: (end) => {
    const plan = suggestedCommand('ralph inspect plan', 'tick the finished items, or add what is missing to the prompt')
    return advice([plan, startAgainCommand(end, 'then continue'), showRunCommand(end), UNDO], openCheckboxes(end))
  },
  permission_denied: (end) =>
    permissionAdvice(end, end.outcome.cause?.is === 'denied' ? end.outcome.cause.allow : undefined),
  breaker: breakerAdvice,
  iteration_limit: (end) => {
    const lifted = startAgainCommand(end, 'continue without this limit', { more: ['--max-iterations=0'] })
    return advice([startAgainCommand(end), ...(end.adviceContext.iterationsMax > 0 ? [lifted] : []), UNDO])
  },
  cost_limit: (end) => raise(end, '--budget-usd', end.adviceContext.budget.usd, 'budget'),
  token_limit: (end) => raise(end, '--budget-tokens', end.adviceContext.budget.tokens, 'number of tokens'),
  time_limit: (end) => raise(end, '--minutes', end.adviceContext.budget.minutes, 'time'),
  agent_unusable: agentUnusableAdvice,
  program_missing: (end) => {
    const { cause } = end.outcome
    const fix =
      cause?.is === 'missing' ? [`Install ${cause.program}, or correct gate ${cause.gate} in the settings.`] : []
    return advice([startAgainCommand(end, 'start again once it is installed'), DOCTOR], fix)
  },
  not_started: ({ adviceContext: { begin } }) =>
    advice(
      [suggestedCommand(`${begin} --yes`, 'start anyway'), suggestedCommand('ralph config', 'show the gates')],
      ['Write a test for the gate to run, or let the agent write the first one.'],
    ),
  outage: ({ adviceContext }) => adviceForUnfinished('left', adviceContext.begin),
  api_limit_exit: (end) => continueAdvice(end, waitsForLimit(end) ?? 'continue'),
  files_deleted: (end) =>
    continueAdvice(end, 'start again with a new agent session', [
      'Ralph restored the files. Tell the agent in the prompt not to delete them.',
    ]),
  tasks_complete: complete,
  tasks_failed: failedTasksAdvice,
  tasks_blocked: (end) =>
    advice([suggestedCommand('ralph task', 'see what blocks them'), startAgainCommand(end), UNDO]),
  no_plan: (end) =>
    advice([
      suggestedCommand('ralph task add "what to do"', 'add a task'),
      startAgainCommand(end, 'then run it'),
      suggestedCommand('ralph task', 'show all tasks'),
    ]),
  drafted: (end) => advice([afterDraftCommand(end), showRunCommand(end)]),
  verified: (end) => advice([suggestedCommand('ralph verify', 'check again'), showRunCommand(end)]),
  not_drafted: (end) =>
    advice(
      [startAgainCommand(end, 'continue with the documents written so far'), logsCommand(end)],
      ['Edit the file yourself, or give the agent more detail.'],
    ),
  stopped: (end) => continueAdvice(end, waitsForLimit(end)),
  abandoned: (end) => advice([suggestedCommand('ralph runs', 'list the runs'), showRunCommand(end)]),
  failed: (end) => advice([DOCTOR, startAgainCommand(end, 'continue once it is fixed'), UNDO]),
}

/** The next step after a draft: review and accept the task file, or start the loop. */
function afterDraftCommand({ adviceContext: { begin } }: AdviceInput): SuggestedCommand {
  const accept = begin.replace(/^(ralph feature) create /, '$1 accept ')
  return accept === begin
    ? suggestedCommand('ralph loop', 'start on it')
    : suggestedCommand(accept, 'review the tasks and add them')
}

/** Rows for outcomes that claim completion. The verdicts that reject one lead to `cannot_prove`. */
const VERDICTS: Record<Verdict, Row> = {
  proven: (end) => (isIdle(end) ? nothingToDo(end) : handOver(end)),
  'gates-passed': (end) =>
    // Overrides settings that ask for gates only.
    advice([
      suggestedCommand('RALPH_PROOF_LEVEL=full ralph verify', 'prove it in the clean room'),
      showRunCommand(end),
      UNDO,
    ]),
  'needs-review': accept,
  unproven: (end) => {
    if (isIdle(end)) return nothingToDo(end)
    return end.adviceContext.gated ? proofGap(end) : withoutGate(end)
  },
  failed: rejectedAdvice,
  regressed: rejectedAdvice,
  'baseline-failed': rejectedAdvice,
  'timed-out': rejectedAdvice,
  flaky: rejectedAdvice,
  tampered: rejectedAdvice,
}

// The rows

function accept(end: AdviceInput): Advice {
  // A person has rejected it since, or it is too late to answer.
  if (end.outcome.verdict !== 'needs-review') return continueAdvice(end, 'the agent gets the reason for the rejection')
  return advice([suggestedCommand('ralph accept', 'review each change and decide'), showRunCommand(end), UNDO])
}

/** The gates passed and prove nothing. Where no gate can prove it, only a person can check. */
function proofGap(end: AdviceInput): Advice {
  const { cause } = end.outcome
  if (cause?.is !== 'blind')
    return advice([suggestedCommand('ralph verify', 'run the full proof'), showRunCommand(end), UNDO])
  if (cause.mend === null) return advice([showRunCommand(end, 'review it yourself; no gate can check it'), UNDO])
  const gates = end.adviceContext.gates.map((gate) => `gate ${gate}`).join(', ')
  const where = `Checked by ${gates}. Gates are set in .ralph.toml (see ralph config).`
  return advice(
    [suggestedCommand('ralph verify', 'fix that, then check again'), showRunCommand(end), UNDO],
    [cause.mend, where],
  )
}

function withoutGate(end: AdviceInput): Advice {
  return advice(
    [
      suggestedCommand('ralph verify', 'check it with the new gate'),
      suggestedCommand('ralph init', 'or let Ralph look for gates'),
      showRunCommand(end),
      UNDO,
    ],
    gateToPaste(),
  )
}

function gateToPaste(): string[] {
  const paste = `No gate checks the work. Paste this into .ralph.toml, with your test command (${RALPHRC_GATE_HINT}):`
  return [paste, ...gateExample('npm test').split('\n')]
}

/** The work is proven and committed: what follows is up to the person. */
function handOver(end: AdviceInput): Advice {
  if (end.undoable === false) return advice([showRunCommand(end), startAgainCommand(end, 'once there is more to do')])
  return advice([reviewCommand(end.outcome), showRunCommand(end), UNDO])
}

/** `ralph verify` proved it later, perhaps with changes of the person that are in no commit yet. */
function reviewCommand({ is }: Outcome): SuggestedCommand {
  return is === 'cannot_prove' || is === 'room_failed'
    ? suggestedCommand('git status --short', 'commit the remaining changes, then push or open a pull request')
    : suggestedCommand('git show', 'review it, then push or open a pull request')
}

function nothingToDo(end: AdviceInput): Advice {
  if (end.outcome.is === 'tasks_complete')
    return advice([suggestedCommand('ralph task add "what to do"', 'add the next task'), showRunCommand(end)])
  const where = end.adviceContext.plan ?? 'the plan'
  return advice(
    [suggestedCommand('ralph loop', 'then start again'), showRunCommand(end)],
    [`Every item in ${where} is ticked. Add the next one there:`, '- [ ] what to do'],
  )
}

/** Never just another run first: it would be rejected for the same reason. */
function rejectedAdvice(end: AdviceInput): Advice {
  const { cause, verdict } = end.outcome
  if (cause?.is === 'objected')
    return advice(
      [showRunCommand(end, 'see whether the reviewer is right'), ...tryDifferently(end), UNDO],
      [`The reviewer objects: ${cause.says}`],
    )
  const { gate, lines } = cause?.is === 'refused' ? cause : { gate: null, lines: [] }
  const verify = suggestedCommand('ralph verify', REFUSED[verdict] ?? 'fix it, then check again')
  const output = gate === null ? [] : [suggestedCommand(`ralph logs ${end.run} --gate`, `all output of gate ${gate}`)]
  return advice([verify, ...tryDifferently(end), ...output, showRunCommand(end), UNDO], lines)
}

/** Between runs only a loop takes guidance; a task has notes of its own. */
function tryDifferently(end: AdviceInput): SuggestedCommand[] {
  const again = startAgainCommand(end, 'let the agent try again')
  if (!end.adviceContext.begin.startsWith('ralph loop')) return [again]
  return [suggestedCommand('ralph steer "…"', 'or tell the agent what to do differently'), again]
}

const REFUSED: Partial<Record<Verdict, string>> = {
  'baseline-failed': 'fix it, then check again; it failed before the run, too',
  'timed-out': 'make the gate faster or raise its timeout, then check again',
  flaky: 'fix the test or quarantine it (proof.quarantine), then check again',
  tampered: 'restore these files, then check again',
}

function failedTasksAdvice(end: AdviceInput): Advice {
  const { cause } = end.outcome
  if (cause?.is === 'task-failed')
    return advice([
      suggestedCommand(`ralph task show ${cause.task}`, 'see why it failed'),
      suggestedCommand(`ralph task reset ${cause.task}`, 'retry it'),
      startAgainCommand(end, 'then continue'),
      UNDO,
    ])
  return advice([
    suggestedCommand('ralph task list --status failed', 'list the failed tasks'),
    suggestedCommand('ralph task show ID', 'see why one failed'),
    suggestedCommand('ralph task reset ID', 'retry one'),
    startAgainCommand(end, 'then continue'),
    UNDO,
  ])
}

/** The work is proven but not committed. Files that were uncommitted before the run are left to the person. */
function commitIt(
  { run, outcome: { edited = [] } }: AdviceInput,
  { files, before, paths }: NonNullable<Outcome['uncommitted']>,
): Advice {
  const said = `The agent left ${plural(files, 'file')} uncommitted.`
  const mixed =
    before === 0 ? [] : [`${before} of ${files} ${before === 1 ? 'was' : 'were'} uncommitted before the run.`]
  if (before > 0 || paths === undefined)
    return advice(
      [suggestedCommand('git status --short', 'list them, and commit what belongs to the work')],
      [said, ...mixed],
    )
  // Commits by name: other files, staged or not, are not the run's. Edited settings are left out: the next run would use them.
  const isSettings = (path: string): boolean => edited.includes(path)
  const work = paths.filter((path) => !isSettings(path)).map(quoteShellWord)
  const settings = paths.filter(isSettings).map(quoteShellWord)
  const see = `git diff -- ${settings.join(' ')}`
  if (work.length === 0)
    return advice([suggestedCommand(see, 'the run edited settings: review them before you commit')], [said])
  const names = work.join(' ')
  const command = `git add -- ${names} && git commit -m 'Work of run ${run}' -- ${names}`
  const left = `This leaves out ${settings.join(', ')}: the run edited settings. Review the edits first (${see}).`
  return advice([suggestedCommand(command, 'commit the work')], settings.length === 0 ? [said] : [said, left])
}

/** A limit ended the run: suggests the same amount again, or ten times of a limit that was too small to start. */
function raise(end: AdviceInput, flag: string, limit: number | null, what: string): Advice {
  if (limit === null) return continueAdvice(end)
  const isTooSmall = end.outcome.cause?.is === 'too-small'
  const raised = isTooSmall
    ? startAgainCommand(end, `start with ten times the ${what}`, { more: [`${flag}=${limit * 10}`] })
    : startAgainCommand(end, `continue with the same ${what} again`, { more: [`${flag}=${limit}`] })
  return advice(
    [raised, showRunCommand(end), UNDO],
    isTooSmall ? ['The limit was reached before the first iteration.'] : [],
  )
}

/** This flag adds to what the settings allow. */
const ADDS = '--allow'

function permissionAdvice(end: AdviceInput, allow: AllowAdvice | undefined, more: string[] = []): Advice {
  const [flag, value = ''] = allow?.args ?? []
  // Keeps what the same flag allowed before.
  const before = end.adviceContext.flags.find((kept) => flag === ADDS && flagName(kept) === ADDS)
  const all = before === undefined ? value : `${before.slice(ADDS.length + 1)},${value}`
  const why = flag === undefined ? 'continue once it is allowed' : 'allow it and continue'
  const now = startAgainCommand(end, why, { more: [...(flag === undefined ? [] : [`${flag}=${all}`]), ...more] })
  const where = 'Allow it in the settings (agent.tools, agent.permission) or in the settings of the agent.'
  return advice([now, showRunCommand(end), UNDO], [allow?.say ?? where])
}

const RESET = '--auto-reset-circuit'

function breakerAdvice(end: AdviceInput): Advice {
  const { cause } = end.outcome
  return cause?.is === 'stuck' ? BREAKERS[cause.why](end, cause) : tryAgain(end, [])
}

const BREAKERS: Record<BreakerReason, (end: AdviceInput, cause: Extract<EndCause, { is: 'stuck' }>) => Advice> = {
  'no-progress': (end) => {
    const { nextCheckbox } = end.outcome
    const open = nextCheckbox === undefined ? [] : [`Next item in the plan: ${nextCheckbox}`]
    return tryAgain(end, [
      'The agent made no progress. Change the prompt or the plan so that it tries something else.',
      ...open,
    ])
  },
  'same-error': (end, { said }) => tryAgain(end, said === '' ? [] : [`The error: ${said}`]),
  denials: (end, { allow, said }) => {
    const row = permissionAdvice(end, allow, [RESET])
    return { ...row, first: [...(said === '' ? [] : [escapeInvisible(`Denied: ${said}`)]), ...row.first] }
  },
  'output-decline': (end) => tryAgain(end, ['The agent prints less and less. A smaller next item may help.']),
}

function tryAgain(end: AdviceInput, first: string[]): Advice {
  const close = startAgainCommand(end, 'close the circuit breaker and try again', { more: [RESET] })
  // No agent has printed anything where the breaker was open from the beginning.
  const logs = end.iterations === 0 ? [] : [logsCommand(end)]
  return advice([close, ...logs, suggestedCommand('ralph circuit', 'see when it closes by itself'), UNDO], first)
}

type Failed = Extract<EndCause, { is: 'agent' }>

function agentUnusableAdvice(end: AdviceInput): Advice {
  const { cause } = end.outcome
  if (cause?.is === 'unheard') return reviewerFailedAdvice(end, cause)
  if (cause?.is !== 'agent')
    return advice([
      suggestedCommand('ralph agents', 'see which agents work here'),
      startAgainCommand(end, 'continue once one works'),
    ])
  return FAILURES[cause.kind]?.(end, cause) ?? whenCured(end, cause)
}

/** The reviewer could not be called: the work itself was not rejected. */
function reviewerFailedAdvice(end: AdviceInput, { agent }: Extract<EndCause, { is: 'unheard' }>): Advice {
  return advice(
    [
      suggestedCommand('ralph agents', `see whether ${agent} works here`),
      suggestedCommand(`ralph logs ${end.run} --agent`, `output of ${agent}`),
      startAgainCommand(end, 'continue once it works'),
      showRunCommand(end),
    ],
    [
      'The work stays as it is; only the review is missing.',
      'Choose another reviewer or none (proof.reviewer in the settings). For tasks, --no-verify skips the review.',
    ],
  )
}

/** Failures that do not pass with time and have a command of their own. */
const FAILURES: Partial<Record<FailureKind, (end: AdviceInput, cause: Failed) => Advice>> = {
  authentication: byCommand,
  missing: byCommand,
  model: (end) =>
    advice(
      [
        startAgainCommand(end, 'continue with the model from the settings', { without: '--model' }),
        suggestedCommand('ralph config get agent.model', 'see where the model is set'),
        showRunCommand(end),
      ],
      ['Correct the model in the settings (agent.model, [models] or [agents.NAME]), or choose one: --model NAME'],
    ),
}

function byCommand(end: AdviceInput, cause: Failed): Advice {
  const { command, fix, agent } = cause
  if (command === null) return whenCured(end, cause)
  const first = fix === null || fix.endsWith(command) ? [] : [fix]
  return advice([suggestedCommand(command, `${agent} needs this`), startAgainCommand(end, 'then continue')], first)
}

function whenCured(end: AdviceInput, { fix }: Failed): Advice {
  return continueAdvice(end, 'continue once it is fixed', fix === null ? [] : [fix])
}

// The building blocks of a row. Foreign text enters only here, and is escaped here.

/** The first command, then what else may help. */
type Steps = [SuggestedCommand, ...SuggestedCommand[]]

function advice([{ command, why }, ...others]: Steps, first: string[] = []): Advice {
  return { command, why, first: first.map(escapeInvisible), others }
}

function suggestedCommand(command: string, why: string): SuggestedCommand {
  return { command: escapeInvisible(command), why: escapeInvisible(why) }
}

function continueAdvice(end: AdviceInput, why?: string, first: string[] = []): Advice {
  return advice([startAgainCommand(end, why), showRunCommand(end), UNDO], first)
}

function showRunCommand({ run }: Pick<AdviceInput, 'run'>, why = 'show what the run did'): SuggestedCommand {
  return suggestedCommand(`ralph show ${run}`, why)
}

function logsCommand({ run }: AdviceInput): SuggestedCommand {
  return suggestedCommand(`ralph logs ${run}`, 'what the agent printed')
}

/** Starts such a run again with the flags of the one that ended, except those replaced by `more` or dropped by `without`. */
function startAgainCommand(
  { adviceContext: { begin, flags }, outcome: { nextCheckbox } }: AdviceInput,
  why = nextCheckbox === undefined ? 'continue' : `continue with: ${nextCheckbox}`,
  { more = [], without = '' }: { more?: string[]; without?: string } = {},
): SuggestedCommand {
  const gone = [...more.map(flagName), without]
  const kept = flags.filter((flag) => !gone.includes(flagName(flag)))
  return suggestedCommand([begin, ...[...kept, ...more].map(flagWords)].join(' '), why)
}

function flagName(flag: string): string {
  return flag.split('=')[0] ?? ''
}

/** `--flag value` reads better than `--flag=value`. */
function flagWords(flag: string): string {
  const at = flag.indexOf('=')
  return at < 0 ? flag : `${flag.slice(0, at)} ${quoteShellWord(flag.slice(at + 1))}`
}

function openCheckboxes({ adviceContext, outcome: { nextCheckbox } }: AdviceInput): string[] {
  if (adviceContext.plan === null) return []
  const first = nextCheckbox === undefined ? '' : `. The first: ${nextCheckbox}`
  return [`The agent says it is done, but ${adviceContext.plan} has open items${first}`]
}

function isIdle({ outcome }: AdviceInput): boolean {
  return outcome.cause?.is === 'nothing-to-do'
}

/** A usage limit still holds, so the next run waits too; undefined: none does. */
function waitsForLimit({ outcome: { cause }, reader }: AdviceInput): string | undefined {
  if (cause?.is !== 'not-now') return undefined
  if (reader === undefined) return 'continue; it waits until the limit resets'
  return cause.until > reader.now ? `continue; it waits until ${describeInstant(cause.until, reader)}` : undefined
}
