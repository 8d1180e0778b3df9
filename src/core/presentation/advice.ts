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
import { escapeInvisible } from '../text/sanitize.ts'
import type { RunView } from './run-view.ts'

export interface SuggestedCommand {
  command: string
  why: string
}

export interface Advice extends SuggestedCommand {
  /** What to read, paste or fix first. */
  first: string[]
  others: SuggestedCommand[]
}

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
}

/** Advice for a run that a screen shows. */
export function adviceForView(
  view: Pick<RunView, 'run' | 'rules' | 'start' | 'iterations' | 'made' | 'workers'>,
  outcome: Outcome,
): Advice {
  const { run, rules, start, iterations, made, workers } = view
  // A view keeps only the newest iterations: what earlier ones did is unknown.
  const idle = made === iterations.length && iterations.every((one) => iterationMarkOf(one).is === 'nothing')
  const isInGit = Object.values(workers).every(({ branchState }) => isUnderGit(branchState))
  return adviceForEndedRun({ outcome, run, adviceContext: adviceContextOf(rules, start), undoable: isInGit && !idle })
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
    first: [...row.first, `In no commit, no more than before the run: ${which}.`],
    others: [...row.others, suggestedCommand('git status --short', 'see what is in no commit')],
  }
}

/** The documents of a draft belong to the person, and everything else was reverted: there is nothing to undo. */
function isDraft({ begin }: AdviceContext): boolean {
  return /^ralph (?:feature create|init)\b/.test(begin)
}

const UNDO = suggestedCommand('ralph undo', 'take the run back')
const DOCTOR = suggestedCommand('ralph doctor', 'see what is wrong here')
const STOP = suggestedCommand('ralph stop', 'end it')
const WATCH = suggestedCommand('ralph watch', 'look on')

type Unfinished = 'served' | 'asked' | 'paused' | 'cut-off' | 'left'

/** For a run that has not ended; `begin`: the command that starts such a run. */
export function adviceForUnfinished(is: Unfinished, begin: string): Advice {
  const giveUp = suggestedCommand(`${begin} --fresh`, 'give it up and begin anew')
  const steps: Record<Unfinished, Steps> = {
    served: [WATCH, suggestedCommand('ralph steer "…"', 'tell it something'), STOP],
    asked: [suggestedCommand('ralph steer "your answer"', 'it goes on with what you say'), WATCH, STOP],
    paused: [suggestedCommand('ralph resume', 'go on with it'), STOP],
    'cut-off': [suggestedCommand('ralph resume', 'go on where it was cut off'), giveUp],
    left: [suggestedCommand(begin, 'it is unfinished: go on with it'), giveUp],
  }
  return advice(steps[is])
}

/** For a run that was undone; `command` restores its changes. An unfinished one would be resumed, hence `--fresh`. */
export function adviceForUndoneRun({ command, ended }: { command: string; ended: boolean }, begin: string): Advice {
  return advice([
    suggestedCommand(ended ? begin : `${begin} --fresh`, 'a new run'),
    suggestedCommand(command, 'have it back'),
  ])
}

/** What happened, after the run, to the feature that it drafted or worked on. */
export interface FeatureAfterRun {
  is: 'accepted' | 'gone'
  name: string
}

export function adviceForFeature({ is, name }: FeatureAfterRun, run: RunId): Advice {
  const gone = `${name} is not there any more: which features there are`
  const now =
    is === 'accepted'
      ? suggestedCommand(`ralph run ${name}`, 'have its tasks done')
      : suggestedCommand('ralph feature list', gone)
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
    advice([suggestedCommand('ralph verify', 'complete the proof, once that is cured'), showRunCommand(end), UNDO]),
  cannot_prove: rejectedAdvice,
  test_saturation: (end) =>
    advice([
      suggestedCommand('ralph verify', 'it only ran tests: see whether the work is done'),
      startAgainCommand(end),
      UNDO,
    ]),
  safety_stop: (end) => {
    const plan = suggestedCommand('ralph inspect plan', 'tick what is done, or say in the prompt what is missing')
    return advice([plan, startAgainCommand(end, 'go on then'), showRunCommand(end), UNDO], openCheckboxes(end))
  },
  permission_denied: (end) =>
    permissionAdvice(end, end.outcome.cause?.is === 'denied' ? end.outcome.cause.allow : undefined),
  breaker: breakerAdvice,
  iteration_limit: (end) => {
    const lifted = startAgainCommand(end, 'without this limit', { more: ['--max-iterations=0'] })
    return advice([startAgainCommand(end), ...(end.adviceContext.iterationsMax > 0 ? [lifted] : []), UNDO])
  },
  cost_limit: (end) => raise(end, '--budget-usd', end.adviceContext.budget.usd, 'money'),
  token_limit: (end) => raise(end, '--budget-tokens', end.adviceContext.budget.tokens, 'number of tokens'),
  time_limit: (end) => raise(end, '--minutes', end.adviceContext.budget.minutes, 'time'),
  agent_unusable: agentUnusableAdvice,
  program_missing: (end) => {
    const { cause } = end.outcome
    const fix =
      cause?.is === 'missing' ? [`Install ${cause.program}, or correct the gate ${cause.gate} in the settings.`] : []
    return advice([startAgainCommand(end, 'begin, once it is there'), DOCTOR], fix)
  },
  not_started: ({ adviceContext: { begin } }) =>
    advice(
      [
        suggestedCommand(`${begin} --yes`, 'begin all the same'),
        suggestedCommand('ralph config', 'which gates there are'),
      ],
      ['Write a test that the gate runs, or let the agent write the first one.'],
    ),
  outage: ({ adviceContext }) => adviceForUnfinished('left', adviceContext.begin),
  api_limit_exit: (end) => continueAdvice(end, 'it waits for the reset by itself'),
  files_deleted: (end) =>
    continueAdvice(end, 'begin again, in a fresh conversation', [
      'They were put back. Say in the prompt that they are to be left alone.',
    ]),
  tasks_complete: complete,
  tasks_failed: (end) =>
    advice([
      suggestedCommand('ralph task list --status failed', 'see which failed'),
      suggestedCommand('ralph task show ID', 'see why'),
      suggestedCommand('ralph task reset ID', 'have one tried again, then go on'),
      startAgainCommand(end),
      UNDO,
    ]),
  tasks_blocked: (end) =>
    advice([suggestedCommand('ralph task', 'see what waits for what'), startAgainCommand(end), UNDO]),
  no_plan: (end) =>
    advice([
      suggestedCommand('ralph task add "what to do"', 'then begin'),
      startAgainCommand(end),
      suggestedCommand('ralph task', 'all tasks'),
    ]),
  drafted: (end) => advice([afterDraftCommand(end), showRunCommand(end)]),
  verified: (end) => advice([suggestedCommand('ralph verify', 'run the check again'), showRunCommand(end)]),
  not_drafted: (end) =>
    advice(
      [startAgainCommand(end, 'go on from what is there'), logsCommand(end)],
      ['What is there is kept: mend it by hand, or say more.'],
    ),
  stopped: (end) => continueAdvice(end),
  abandoned: (end) => advice([suggestedCommand('ralph runs', 'which runs there are'), showRunCommand(end)]),
  failed: (end) => advice([DOCTOR, startAgainCommand(end, 'go on, once it is cured'), UNDO]),
}

/** The next step after a draft: review and accept the task file, or start the loop. */
function afterDraftCommand({ adviceContext: { begin } }: AdviceInput): SuggestedCommand {
  const accept = begin.replace(/^(ralph feature) create /, '$1 accept ')
  return accept === begin
    ? suggestedCommand('ralph loop', 'begin with it')
    : suggestedCommand(accept, 'look at the tasks and add them')
}

/** Rows for outcomes that claim completion. The verdicts that reject one lead to `cannot_prove`. */
const VERDICTS: Record<Verdict, Row> = {
  proven: (end) => (isIdle(end) ? nothingToDo(end) : advice([showRunCommand(end), UNDO])),
  'gates-passed': (end) =>
    // Overrides settings that ask for gates only.
    advice([
      suggestedCommand('RALPH_PROOF_LEVEL=full ralph verify', 'have it proven, in a clean room'),
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
  if (end.outcome.verdict !== 'needs-review') return continueAdvice(end, 'the agent hears why it does not count')
  return advice([suggestedCommand('ralph accept', 'see each change and decide'), showRunCommand(end), UNDO])
}

/** The gates passed and prove nothing. Where no gate can prove it, only a person can check. */
function proofGap(end: AdviceInput): Advice {
  const { cause } = end.outcome
  if (cause?.is !== 'blind')
    return advice([suggestedCommand('ralph verify', 'have it judged as a whole'), showRunCommand(end), UNDO])
  if (cause.mend === null) return advice([showRunCommand(end, 'look yourself: no gate could tell more'), UNDO])
  const gates = end.adviceContext.gates.map((gate) => `gate ${gate}`).join(', ')
  const where = `What judges it is ${gates}, in .ralph.toml or where ralph config says.`
  return advice(
    [suggestedCommand('ralph verify', 'judge it again, once that is mended'), showRunCommand(end), UNDO],
    [cause.mend, where],
  )
}

function withoutGate(end: AdviceInput): Advice {
  const paste = `Nothing proves this yet. Paste into .ralph.toml, with the command that runs your tests (${RALPHRC_GATE_HINT}):`
  return advice(
    [
      suggestedCommand('ralph verify', 'have it judged by what you pasted'),
      suggestedCommand('ralph init', 'or let it look for gates'),
      showRunCommand(end),
      UNDO,
    ],
    [paste, ...gateExample('npm test').split('\n')],
  )
}

function nothingToDo(end: AdviceInput): Advice {
  if (end.outcome.is === 'tasks_complete')
    return advice([suggestedCommand('ralph task add "what to do"', 'then begin again'), showRunCommand(end)])
  const where = end.adviceContext.plan ?? 'the plan'
  return advice(
    [suggestedCommand('ralph loop', 'once there is something to do'), showRunCommand(end)],
    [`Every box of ${where} is ticked. Add what comes next there:`, '- [ ] what to do'],
  )
}

/** Never just another run: it would be rejected for the same reason. */
function rejectedAdvice(end: AdviceInput): Advice {
  const { cause, verdict } = end.outcome
  if (cause?.is === 'objected')
    return advice([showRunCommand(end, 'see whether it is right'), UNDO], [`A second agent objects: ${cause.says}`])
  const { gate, lines } = cause?.is === 'refused' ? cause : { gate: null, lines: [] }
  const verify = suggestedCommand('ralph verify', REFUSED[verdict] ?? 'judge it again, once this is mended')
  const said = gate === null ? [] : [suggestedCommand(`ralph logs ${end.run} --gate`, `all that gate ${gate} said`)]
  return advice([verify, ...said, showRunCommand(end), UNDO], lines)
}

const REFUSED: Partial<Record<Verdict, string>> = {
  'baseline-failed': 'judge it again, once this is mended: it was red before the run',
  'timed-out': 'judge it again, once the gate ends in time or has more of it (timeout)',
  flaky: 'judge it again, once the test is steady or in quarantine (proof.quarantine)',
  tampered: 'judge it again, once the work leaves these files alone',
}

/** The work is proven but not committed. Files that were uncommitted before the run are left to the person. */
function commitIt(
  { run, outcome: { edited = [] } }: AdviceInput,
  { files, before, paths }: NonNullable<Outcome['uncommitted']>,
): Advice {
  const said = `${files === 1 ? 'One file is' : `${files} files are`} in no commit, although the agent was to commit.`
  const mixed = before === 0 ? [] : [`${before} ${before === 1 ? 'was' : 'were'} so before the run.`]
  if (before > 0 || paths === undefined)
    return advice(
      [suggestedCommand('git status --short', 'see which, and commit what belongs to the work')],
      [said, ...mixed],
    )
  // Commits by name: other files, staged or not, are not the run's. Edited settings are left out: the next run would use them.
  const isSettings = (path: string): boolean => edited.includes(path)
  const work = paths.filter((path) => !isSettings(path)).map(quoteShellWord)
  const settings = paths.filter(isSettings).map(quoteShellWord)
  const see = `git diff -- ${settings.join(' ')}`
  if (work.length === 0)
    return advice([suggestedCommand(see, 'settings were edited during the run: look before you commit')], [said])
  const names = work.join(' ')
  const command = `git add -- ${names} && git commit -m 'Work of run ${run}' -- ${names}`
  const [is, them] = settings.length === 1 ? ['is', 'it'] : ['are', 'them']
  const left = `${settings.join(', ')} ${is} left out, because settings were edited during the run: look at ${them} first (${see}).`
  return advice(
    [suggestedCommand(command, 'commit what the agent left')],
    settings.length === 0 ? [said] : [said, left],
  )
}

/** A limit ended the run: suggests the same amount again, or ten times of a limit that was too small to start. */
function raise(end: AdviceInput, flag: string, limit: number | null, what: string): Advice {
  if (limit === null) return continueAdvice(end)
  const isTooSmall = end.outcome.cause?.is === 'too-small'
  const raised = isTooSmall
    ? startAgainCommand(end, `with ten times the ${what}`, { more: [`${flag}=${limit * 10}`] })
    : startAgainCommand(end, `go on with the same ${what} again`, { more: [`${flag}=${limit}`] })
  return advice([raised, showRunCommand(end), UNDO], isTooSmall ? ['It was over before the first iteration.'] : [])
}

/** This flag adds to what the settings allow. */
const ADDS = '--allow'

function permissionAdvice(end: AdviceInput, allow: AllowAdvice | undefined, more: string[] = []): Advice {
  const [flag, value = ''] = allow?.args ?? []
  // Keeps what the same flag allowed before.
  const before = end.adviceContext.flags.find((kept) => flag === ADDS && flagName(kept) === ADDS)
  const all = before === undefined ? value : `${before.slice(ADDS.length + 1)},${value}`
  const why = flag === undefined ? 'once it is allowed' : 'allow it and go on'
  const now = startAgainCommand(end, why, { more: [...(flag === undefined ? [] : [`${flag}=${all}`]), ...more] })
  const where = 'Allow it: agent.tools and agent.permission in the settings, or in those of the agent.'
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
    const open = nextCheckbox === undefined ? [] : [`The box that is open: ${nextCheckbox}`]
    return tryAgain(end, ['Nothing moved: say in the prompt or the plan what to do differently.', ...open])
  },
  'same-error': (end, { said }) => tryAgain(end, said === '' ? [] : [`The error: ${said}`]),
  denials: (end, { allow, said }) => {
    const row = permissionAdvice(end, allow, [RESET])
    return { ...row, first: [...(said === '' ? [] : [escapeInvisible(`Denied: ${said}`)]), ...row.first] }
  },
  'output-decline': (end) => tryAgain(end, ['The agent says less and less: a smaller next box may help.']),
}

function tryAgain(end: AdviceInput, first: string[]): Advice {
  const close = startAgainCommand(end, 'close the breaker and try again', { more: [RESET] })
  return advice([close, logsCommand(end), suggestedCommand('ralph circuit', 'when it closes by itself'), UNDO], first)
}

type Failed = Extract<EndCause, { is: 'agent' }>

function agentUnusableAdvice(end: AdviceInput): Advice {
  const { cause } = end.outcome
  if (cause?.is === 'unheard') return reviewerFailedAdvice(end, cause)
  if (cause?.is !== 'agent')
    return advice([
      suggestedCommand('ralph agents', 'which agents can be used here'),
      startAgainCommand(end, 'go on, once one can'),
    ])
  return FAILURES[cause.kind]?.(end, cause) ?? whenCured(end, cause)
}

/** The reviewer could not be called: the work itself was not rejected. */
function reviewerFailedAdvice(end: AdviceInput, { agent }: Extract<EndCause, { is: 'unheard' }>): Advice {
  return advice(
    [
      suggestedCommand('ralph agents', `see whether ${agent} can be used here`),
      suggestedCommand(`ralph logs ${end.run} --agent`, `what ${agent} said`),
      startAgainCommand(end, 'go on, once one can be heard'),
      showRunCommand(end),
    ],
    [
      'What was done is kept and was not refused: only the second opinion is missing.',
      'Name another reader (proof.reviewer in the settings), or have none: without proof.reviewer, and for tasks with --no-verify.',
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
        startAgainCommand(end, 'go on with the model of the settings', { without: '--model' }),
        suggestedCommand('ralph config', 'where it was said'),
        showRunCommand(end),
      ],
      [
        'Correct agent.model, [models] or models of [agents.NAME] in the settings if it stands there, or name another one: --model NAME',
      ],
    ),
}

function byCommand(end: AdviceInput, cause: Failed): Advice {
  const { command, fix, agent } = cause
  if (command === null) return whenCured(end, cause)
  const first = fix === null || fix.endsWith(command) ? [] : [fix]
  return advice(
    [suggestedCommand(command, `without it, ${agent} cannot be used`), startAgainCommand(end, 'go on then')],
    first,
  )
}

function whenCured(end: AdviceInput, { fix }: Failed): Advice {
  return continueAdvice(end, 'go on, once it is cured', fix === null ? [] : [fix])
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

function showRunCommand({ run }: Pick<AdviceInput, 'run'>, why = 'look at what was done'): SuggestedCommand {
  return suggestedCommand(`ralph show ${run}`, why)
}

function logsCommand({ run }: AdviceInput): SuggestedCommand {
  return suggestedCommand(`ralph logs ${run}`, 'what the agent said')
}

/** Starts such a run again with the flags of the one that ended, except those replaced by `more` or dropped by `without`. */
function startAgainCommand(
  { adviceContext: { begin, flags }, outcome: { nextCheckbox } }: AdviceInput,
  why = nextCheckbox === undefined ? 'go on' : `go on with: ${nextCheckbox}`,
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
  const first = nextCheckbox === undefined ? '' : `, the first is: ${nextCheckbox}`
  return [`The agent says that it is done, and ${adviceContext.plan} has open boxes${first}`]
}

function isIdle({ outcome }: AdviceInput): boolean {
  return outcome.cause?.is === 'nothing-to-do'
}
