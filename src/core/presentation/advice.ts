/**
 * What to do after an end: one command that fits it, what belongs to it, and what else may help. A table with a row for every way a run
 * can end: a new one without a row does not compile. The foreground, the dashboard, `status`, the report and `--json` all print it.
 */
import { never } from '../assert-never.ts'
import type { FailureKind } from '../calls/agent.ts'
import type { RunId } from '../ids.ts'
import type { BreakerReason } from '../admission/breaker.ts'
import type { EndCause, Outcome, OutcomeName } from '../state/outcome.ts'
import { isUnderGit } from '../tree/branch-state.ts'
import { iterationMarkOf } from './iteration-mark.ts'
import { hasGates } from './outcome-text.ts'
import type { Verdict } from '../proof/evidence.ts'
import { GATE_IN_RALPHRC, gateExample } from '../proof/gate-example.ts'
import type { AllowAdvice } from '../agent-output/reply.ts'
import type { Rules } from '../state/rules.ts'
import { count } from '../text/format-amounts.ts'
import { quoteShellWord, splitCommand } from '../text/shell.ts'
import { escapeInvisible } from '../text/sanitize.ts'
import type { RunView } from './view.ts'

export interface SuggestedCommand {
  command: string
  why: string
}

export interface Advice extends SuggestedCommand {
  /** What to read, paste or mend before it. */
  first: string[]
  others: SuggestedCommand[]
}

/** What an advice depends on beside the end itself. */
export interface AdviceContext {
  gated: boolean
  /** Each with its command. */
  gates: string[]
  plan: string | null
  /** 0: there is none to lift, also where one iteration was asked for. */
  iterationsMax: number
  budget: Pick<Rules['budget'], 'usd' | 'tokens' | 'minutes'>
  /** The command that begins such a run, with what it works on: `ralph loop`, `ralph run checkout`. */
  begin: string
  /** Flags of the command that began the run and that hold for the next one too: each with its value in one word. */
  flags: string[]
}

/** `typed`: the command that began the run. */
export function adviceContextOf(rules: Rules, typed: string): AdviceContext {
  const { loop: how, budget, gates } = rules
  const { usd, tokens, minutes } = budget
  return {
    gated: hasGates(rules),
    gates: gates.slice(0, GATES_NAMED).map(({ name, run }) => `${name} (${run})`),
    plan: how.plan,
    iterationsMax: how.once === true ? 0 : how.iterationsMax,
    budget: { usd, tokens, minutes },
    ...asSet(rules, typedIn(splitCommand(typed) ?? [])),
  }
}

/** What was said during the run (`ralph set`) holds for the next one too, in place of what was typed. */
function asSet(
  { model, agent }: Partial<Pick<Rules, 'model' | 'agent'>>,
  typed: Pick<AdviceContext, 'begin' | 'flags'>,
): Pick<AdviceContext, 'begin' | 'flags'> {
  const said = { '--model-strategy': model?.strategy ?? null, '--model': agent?.model ?? null }
  return { ...typed, flags: withFlags(typed.flags, said) }
}

/** Those that were typed, with these values; null: nobody said another. */
function withFlags(typed: string[], now: Record<string, string | null>): string[] {
  return typed.map((flag) => {
    const name = flag.split('=')[0] ?? ''
    const value = now[name] ?? null
    return value === null ? flag : `${name}=${value}`
  })
}

/** The same for whoever does not keep the rules. */
export function withChangedSetting(
  adviceContext: AdviceContext,
  { key, value }: { key: string; value: string },
): AdviceContext {
  if (key === 'model.strategy')
    return { ...adviceContext, flags: withFlags(adviceContext.flags, { '--model-strategy': value }) }
  if (key !== 'agent.model') return adviceContext
  return {
    ...adviceContext,
    flags: withFlags(adviceContext.flags, { '--model': value, '--model-strategy': 'fixed' }),
  }
}

const GATES_NAMED = 3

function typedIn(words: string[]): Pick<AdviceContext, 'begin' | 'flags'> {
  const flags = keptFlags(words)
  const draft = words.indexOf('feature')
  if ((draft === 0 || draft === 1) && words[draft + 1] === 'create')
    return { begin: ['ralph feature create', ...namedAt(words, draft + 2)].join(' '), flags }
  const init = words.indexOf('init')
  if (init === 0 || init === 1) return { begin: ['ralph init', ...namedAt(words, init + 1)].join(' '), flags }
  const at = words.indexOf('run')
  // Behind the name of the program, or by itself.
  if (at !== 0 && at !== 1) return { begin: 'ralph loop', flags }
  return { begin: ['ralph run', ...namedAt(words, at + 1)].join(' '), flags }
}

function namedAt(words: string[], at: number): string[] {
  const target = words[at]
  return target === undefined || target.startsWith('-') ? [] : [quoteShellWord(target)]
}

/** Who works, how and at what. Limits are the advice's own business, and how a run is shown is the person's. */
const KEPT = [
  '--agent',
  '--model',
  '--model-strategy',
  '--effort',
  '--prompt',
  '-p',
  '--allowed-tools',
  '--allow',
  '--permission',
]

function keptFlags(words: string[]): string[] {
  return words.flatMap((word, at) => {
    if (KEPT.includes(word)) return [`${word === '-p' ? '--prompt' : word}=${words[at + 1] ?? ''}`]
    return KEPT.some((name) => word.startsWith(`${name}=`)) ? [word] : []
  })
}

export interface EndForAdvice {
  outcome: Outcome
  run: RunId
  adviceContext: AdviceContext
  /** False: it changed nothing, or there is no git, so that nothing can be taken back. */
  undoable?: boolean
}

/** Of a run as a screen sees it. */
export function adviceForView(
  {
    run,
    rules,
    command,
    iterations,
    made,
    workers,
  }: Pick<RunView, 'run' | 'rules' | 'command' | 'iterations' | 'made' | 'workers'>,
  outcome: Outcome,
): Advice {
  // A view keeps the newest iterations only: what an earlier one did is not known then.
  const idle = made === iterations.length && iterations.every((one) => iterationMarkOf(one).is === 'nothing')
  const isInGit = Object.values(workers).every(({ branchState }) => isUnderGit(branchState))
  return adviceFor({
    outcome,
    run,
    adviceContext: adviceContextOf(rules, command),
    undoable: isInGit && !idle,
  })
}

/** Tasks are added, reset and taken back after an end too: where some are ready by now, going on is the first thing to do. */
export function adviceReady(
  end: Advice,
  { ready, view }: { ready: number; view: Pick<RunView, 'rules' | 'command'> },
): Advice {
  const { begin } = adviceContextOf(view.rules, view.command)
  if (ready === 0 || end.command.startsWith(begin)) return end
  const { command, why, first, others } = end
  const rest = others.filter((other) => other.command !== begin)
  const is = ready === 1 ? '1 task is ready' : `${ready} tasks are ready`
  return { command: begin, why: is, first, others: [{ command, why }, ...rest] }
}

export function adviceFor(end: EndForAdvice): Advice {
  const { uncommitted, verdict, is } = end.outcome
  // Whatever it ended by: somebody has proven it since.
  const whole = verdict === 'proven' ? VERDICTS.proven(end) : ROWS[is](end)
  const isUndoable = end.undoable !== false && !isDraft(end.adviceContext)
  const row = isUndoable ? whole : { ...whole, others: whole.others.filter((step) => step !== UNDO) }
  if (uncommitted === undefined || verdict !== 'proven') return row
  if (uncommitted.before > 0 && uncommitted.files <= uncommitted.before) return asBefore(row, uncommitted)
  const { command, why, others } = row
  return { ...commitIt(end, uncommitted), others: [{ command, why }, ...others] }
}

/** No more lies loose than before the run (the settings that `ralph init` wrote, say): worth a word, not the first one. */
function asBefore(row: Advice, { files, paths }: NonNullable<Outcome['uncommitted']>): Advice {
  const which = paths === undefined ? count(files, 'file') : paths.map(quoteShellWord).join(', ')
  const look = { command: 'git status --short', why: 'see what is in no commit' }
  return {
    ...row,
    first: [...row.first, `In no commit, no more than before the run: ${which}.`],
    others: [...row.others, look],
  }
}

/** Its documents are files of the person's, and all else was reverted: nothing is left to take back. */
function isDraft({ begin }: AdviceContext): boolean {
  return /^ralph (?:feature create|init)\b/.test(begin)
}

type Meanwhile = 'served' | 'asked' | 'paused' | 'cut-off' | 'left'

/** A run that has not ended; `typed`: the command that began it. */
export function adviceForUnfinished(is: Meanwhile, typed: string): Advice {
  return meanwhile(is, typedIn(splitCommand(typed) ?? []).begin)
}

const STOP: SuggestedCommand = { command: 'ralph stop', why: 'end it' }

function meanwhile(is: Meanwhile, begin: string): Advice {
  const giveUp: SuggestedCommand = { command: `${begin} --fresh`, why: 'give it up and begin anew' }
  switch (is) {
    case 'served':
      return advice(
        'ralph watch',
        'look on',
        [],
        [{ command: 'ralph steer "…"', why: 'tell it something' }, STOP],
      )
    case 'asked':
      return advice(
        'ralph steer "your answer"',
        'it goes on with what you say',
        [],
        [{ command: 'ralph watch', why: 'look on' }, STOP],
      )
    case 'paused':
      return advice('ralph resume', 'go on with it', [], [STOP])
    case 'cut-off':
      return advice('ralph resume', 'go on where it was cut off', [], [giveUp])
    case 'left':
      return advice(begin, 'it is unfinished: go on with it', [], [giveUp])
    default:
      return never(is)
  }
}

/** A run that was taken back; `command` brings it back. One that has not ended would be gone on with. */
export function adviceUndone({ command, ended }: { command: string; ended: boolean }, typed: string): Advice {
  const back: SuggestedCommand = { command, why: 'have it back' }
  const { begin } = typedIn(splitCommand(typed) ?? [])
  return advice(ended ? begin : `${begin} --fresh`, 'a new run', [], [back])
}

/** What became of the feature that a run drafted or worked through, after its end. */
export interface FeatureAfterRun {
  is: 'accepted' | 'gone'
  name: string
}

export function adviceForFeature({ is, name }: FeatureAfterRun, run: RunId): Advice {
  switch (is) {
    case 'accepted':
      return advice(`ralph run ${name}`, 'have its tasks done', [], [look({ run })])
    case 'gone':
      return advice(
        'ralph feature list',
        `${name} is not there any more: which features there are`,
        [],
        [look({ run })],
      )
    default:
      return never(is)
  }
}

const UNDO: SuggestedCommand = { command: 'ralph undo', why: 'take the run back' }
const DOCTOR: SuggestedCommand = { command: 'ralph doctor', why: 'see what is wrong here' }

type Row = (end: EndForAdvice) => Advice

const complete: Row = (end) => VERDICTS[end.outcome.verdict](end)
const onward: Row = (end) => goOn(end)

const ROWS: Record<OutcomeName, Row> = {
  plan_complete: complete,
  project_complete: complete,
  completion_signals: complete,
  needs_acceptance: accept,
  room_failed: (end) =>
    advice('ralph verify', 'complete the proof, once that is cured', [], [look(end), UNDO]),
  cannot_prove: refused,
  test_saturation: (end) =>
    advice('ralph verify', 'it only ran tests: see whether the work is done', [], [next(end), UNDO]),
  safety_stop: (end) =>
    advice(
      'ralph inspect plan',
      'tick what is done, or say in the prompt what is missing',
      openCheckboxes(end),
      [next(end, 'go on then'), look(end), UNDO],
    ),
  permission_denied: (end) =>
    allowed(end, end.outcome.cause?.is === 'denied' ? end.outcome.cause.allow : undefined),
  breaker: stuck,
  iteration_limit: (end) => {
    const lifted = { command: loop(end, ['--max-iterations=0']), why: 'without this limit' }
    return { ...goOn(end), others: end.adviceContext.iterationsMax > 0 ? [lifted, UNDO] : [UNDO] }
  },
  cost_limit: (end) => raise(end, '--budget-usd', end.adviceContext.budget.usd, 'money'),
  token_limit: (end) => raise(end, '--budget-tokens', end.adviceContext.budget.tokens, 'number of tokens'),
  time_limit: (end) => raise(end, '--minutes', end.adviceContext.budget.minutes, 'time'),
  agent_unusable: unusable,
  program_missing: (end) => {
    const { cause } = end.outcome
    const fix =
      cause?.is === 'missing'
        ? [`Install ${cause.program}, or correct the gate ${cause.gate} in the settings.`]
        : []
    return { ...goOn(end, 'begin, once it is there', fix), others: [DOCTOR] }
  },
  not_started: (end) =>
    advice(
      `${end.adviceContext.begin} --yes`,
      'begin all the same',
      ['Write a test that the gate runs, or let the agent write the first one.'],
      [{ command: 'ralph config', why: 'which gates there are' }],
    ),
  outage: ({ adviceContext }) => meanwhile('left', adviceContext.begin),
  api_limit_exit: (end) => goOn(end, 'it waits for the reset by itself'),
  files_deleted: (end) =>
    goOn(end, 'begin again, in a fresh conversation', [
      'They were put back. Say in the prompt that they are to be left alone.',
    ]),
  tasks_complete: complete,
  tasks_failed: (end) =>
    advice(
      'ralph task list --status failed',
      'see which failed',
      [],
      [
        { command: 'ralph task show ID', why: 'see why' },
        { command: 'ralph task reset ID', why: 'have one tried again, then go on' },
        next(end),
        UNDO,
      ],
    ),
  tasks_blocked: (end) => advice('ralph task', 'see what waits for what', [], [next(end), UNDO]),
  no_plan: (end) =>
    advice(
      'ralph task add "what to do"',
      'then begin',
      [],
      [next(end), { command: 'ralph task', why: 'all tasks' }],
    ),
  drafted: (end) => advice(...draftTaken(end.adviceContext.begin), [], [look(end)]),
  verified: (end) => advice('ralph verify', 'run the check again', [], [look(end)]),
  not_drafted: (end) =>
    advice(
      loop(end),
      'go on from what is there',
      ['What is there is kept: mend it by hand, or say more.'],
      [{ command: `ralph logs ${end.run}`, why: 'what the agent said' }],
    ),
  stopped: onward,
  abandoned: (end) => advice('ralph runs', 'which runs there are', [], [look(end)]),
  failed: (end) => advice(DOCTOR.command, DOCTOR.why, [], [next(end, 'go on, once it is cured'), UNDO]),
}

/** What is drafted is looked at, and then worked through. */
function draftTaken(begin: string): [command: string, why: string] {
  const accept = begin.replace(/^(ralph feature) create /, '$1 accept ')
  return accept === begin ? ['ralph loop', 'begin with it'] : [accept, 'look at the tasks and add them']
}

/** Of an end that claims completion. Those that refuse a completion come to `cannot_prove`, and only then. */
const VERDICTS: Record<Verdict, Row> = {
  proven: (end) => (isIdle(end) ? nothingToDo(end) : advice(look(end).command, look(end).why, [], [UNDO])),
  'gates-passed': (end) =>
    // Where the settings ask for gates only, this asks for more.
    advice('RALPH_PROOF_LEVEL=full ralph verify', 'have it proven, in a clean room', [], [look(end), UNDO]),
  'needs-review': accept,
  unproven: (end) => {
    if (isIdle(end)) return nothingToDo(end)
    return end.adviceContext.gated ? proofGap(end) : withoutGate(end)
  },
  failed: refused,
  regressed: refused,
  'baseline-failed': refused,
  'timed-out': refused,
  flaky: refused,
  tampered: refused,
}

// The rows

function accept(end: EndForAdvice): Advice {
  const { verdict } = end.outcome
  // Somebody has said no since, or the moment to answer is gone.
  if (verdict !== 'needs-review') return goOn(end, 'the agent hears why it does not count')
  return advice('ralph accept', 'see each change and decide', [], [look(end), UNDO])
}

/** The gates passed and prove nothing. Where no gate could, there is nothing to do but look. */
function proofGap(end: EndForAdvice): Advice {
  const { cause } = end.outcome
  if (cause?.is !== 'blind') return advice('ralph verify', 'have it judged as a whole', [], [look(end), UNDO])
  if (cause.mend === null)
    return advice(look(end).command, 'look yourself: no gate could tell more', [], [UNDO])
  const gates = end.adviceContext.gates.map((gate) => `gate ${gate}`).join(', ')
  const where = `What judges it is ${gates}, in .ralph.toml or where ralph config says.`
  const first = [cause.mend, where]
  return advice('ralph verify', 'judge it again, once that is mended', first, [look(end), UNDO])
}

function withoutGate(end: EndForAdvice): Advice {
  return advice(
    'ralph verify',
    'have it judged by what you pasted',
    [
      `Nothing proves this yet. Paste into .ralph.toml, with the command that runs your tests (${GATE_IN_RALPHRC}):`,
      ...PASTE,
    ],
    [{ command: 'ralph init', why: 'or let it look for gates' }, look(end), UNDO],
  )
}

const PASTE = gateExample('npm test').split('\n')

function nothingToDo(end: EndForAdvice): Advice {
  const { adviceContext, run } = end
  if (end.outcome.is === 'tasks_complete')
    return advice('ralph task add "what to do"', 'then begin again', [], [look({ run })])
  const where = adviceContext.plan ?? 'the plan'
  return advice(
    'ralph loop',
    'once there is something to do',
    [`Every box of ${where} is ticked. Add what comes next there:`, '- [ ] what to do'],
    [look({ run })],
  )
}

/** Never simply another run: it would be refused for the same reason. */
function refused(end: EndForAdvice): Advice {
  const { cause, verdict } = end.outcome
  if (cause?.is === 'objected')
    return advice(
      look(end).command,
      'see whether it is right',
      [`A second agent objects: ${cause.says}`],
      [UNDO],
    )
  const { gate, lines } = cause?.is === 'refused' ? cause : { gate: null, lines: [] }
  const all = { command: `ralph logs ${end.run} --gate`, why: `all that gate ${gate ?? ''} said` }
  const others = [...(gate === null ? [] : [all]), look(end), UNDO]
  return advice('ralph verify', REFUSED[verdict] ?? 'judge it again, once this is mended', lines, others)
}

const REFUSED: Partial<Record<Verdict, string>> = {
  'baseline-failed': 'judge it again, once this is mended: it was red before the run',
  'timed-out': 'judge it again, once the gate ends in time or has more of it (timeout)',
  flaky: 'judge it again, once the test is steady or in quarantine (proof.quarantine)',
  tampered: 'judge it again, once the work leaves these files alone',
}

/** The work is done and lies there loose. What was loose before is for its owner to sort out. */
function commitIt(
  { run, outcome: { edited = [] } }: EndForAdvice,
  { files, before, paths }: NonNullable<Outcome['uncommitted']>,
): Advice {
  const said = `${files === 1 ? 'One file is' : `${files} files are`} in no commit, although the agent was to commit.`
  const mixed = `${before} ${before === 1 ? 'was' : 'were'} so before the run.`
  if (before > 0 || paths === undefined) {
    const first = before > 0 ? [said, mixed] : [said]
    return advice('git status --short', 'see which, and commit what belongs to the work', first, [])
  }
  // By name: whatever else lies there by now, staged or not, is not the run's. Nor are the settings: the next run would go by them.
  const work = paths.filter((path) => !edited.includes(path))
  const names = work.map(quoteShellWord).join(' ')
  const command = `git add -- ${names} && git commit -m 'Work of run ${run}' -- ${names}`
  if (work.length === paths.length) return advice(command, 'commit what the agent left', [said], [])
  const settings = paths.filter((path) => edited.includes(path)).map(quoteShellWord)
  const see = `git diff -- ${settings.join(' ')}`
  if (work.length === 0)
    return advice(see, 'settings were edited during the run: look before you commit', [said], [])
  const left = `${settings.join(', ')} ${settings.length === 1 ? 'is' : 'are'} left out, because settings were edited during the run: look at ${settings.length === 1 ? 'it' : 'them'} first (${see}).`
  return advice(command, 'commit what the agent left', [said, left], [])
}

/** Another number where a number ended it: the same again, so that as much more can be done. */
function raise(end: EndForAdvice, flag: string, limit: number | null, what: string): Advice {
  if (limit === null) return goOn(end)
  const others = [look(end), UNDO]
  if (end.outcome.cause?.is !== 'too-small')
    return advice(loop(end, [`${flag}=${limit}`]), `go on with the same ${what} again`, [], others)
  const first = ['It was over before the first iteration.']
  return advice(loop(end, [`${flag}=${limit * TEN}`]), `with ten times the ${what}`, first, others)
}

const TEN = 10

/** It adds to what the settings allow. */
const ADDS = '--allow'

function allowed(end: EndForAdvice, allow: AllowAdvice | undefined, more: string[] = []): Advice {
  const others = [look(end), UNDO]
  const [flag, value = ''] = allow?.args ?? []
  // What was allowed before by the same flag stays allowed.
  const before = end.adviceContext.flags.find((kept) => flag === ADDS && kept.startsWith(`${ADDS}=`))
  const all = before === undefined ? value : `${before.slice(ADDS.length + 1)},${value}`
  const command = loop(end, [...(flag === undefined ? [] : [`${flag}=${all}`]), ...more])
  if (allow === undefined) {
    const first = ['Allow it: agent.tools and agent.permission in the settings, or in those of the agent.']
    return advice(command, 'once it is allowed', first, others)
  }
  return advice(
    command,
    flag === undefined ? 'once it is allowed' : 'allow it and go on',
    [allow.say],
    others,
  )
}

const RESET = '--auto-reset-circuit'

function stuck(end: EndForAdvice): Advice {
  const { cause } = end.outcome
  return cause?.is === 'stuck' ? BREAKERS[cause.why](end, cause) : again(end, [])
}

const BREAKERS: Record<
  BreakerReason,
  (end: EndForAdvice, cause: Extract<EndCause, { is: 'stuck' }>) => Advice
> = {
  'no-progress': (end) =>
    again(end, [
      'Nothing moved: say in the prompt or the plan what to do differently.',
      ...checkboxLine(end),
    ]),
  'same-error': (end, { said }) => again(end, said === '' ? [] : [`The error: ${said}`]),
  denials: (end, { allow, said }) => {
    const row = allowed(end, allow, [RESET])
    return { ...row, first: [...(said === '' ? [] : [`Denied: ${said}`]), ...row.first] }
  },
  'output-decline': (end) => again(end, ['The agent says less and less: a smaller next box may help.']),
}

function again(end: EndForAdvice, first: string[]): Advice {
  return advice(loop(end, [RESET]), 'close the breaker and try again', first, [
    { command: `ralph logs ${end.run}`, why: 'what the agent said' },
    { command: 'ralph circuit', why: 'when it closes by itself' },
    UNDO,
  ])
}

type Failed = Extract<EndCause, { is: 'agent' }>

function unusable(end: EndForAdvice): Advice {
  const { cause } = end.outcome
  if (cause?.is === 'unheard') return unheard(end, cause)
  if (cause?.is !== 'agent')
    return advice('ralph agents', 'which agents can be used here', [], [next(end, 'go on, once one can')])
  return FAILURES[cause.kind]?.(end, cause) ?? whenCured(end, cause)
}

/** The work waits for a reader: nothing is wrong with it, as far as anybody knows. */
function unheard(end: EndForAdvice, { agent }: Extract<EndCause, { is: 'unheard' }>): Advice {
  const first = [
    'What was done is kept and was not refused: only the second opinion is missing.',
    'Name another reader (proof.reviewer in the settings), or have none: without proof.reviewer, and for tasks with --no-verify.',
  ]
  const said = { command: `ralph logs ${end.run} --agent`, why: `what ${agent} said` }
  const others = [said, next(end, 'go on, once one can be heard'), look(end)]
  return advice('ralph agents', `see whether ${agent} can be used here`, first, others)
}

/** Those that waiting does not cure and that have a command of their own. */
const FAILURES: Partial<Record<FailureKind, (end: EndForAdvice, cause: Failed) => Advice>> = {
  authentication: byCommand,
  missing: byCommand,
  model: (end) =>
    advice(
      loop(end, [], ['--model']),
      'go on with the model of the settings',
      [
        'Correct agent.model, [models] or models of [agents.NAME] in the settings if it stands there, or name another one: --model NAME',
      ],
      [{ command: 'ralph config', why: 'where it was said' }, look(end)],
    ),
}

function byCommand(end: EndForAdvice, cause: Failed): Advice {
  const { command, fix, agent } = cause
  if (command === null) return whenCured(end, cause)
  const first = fix === null || fix.endsWith(command) ? [] : [fix]
  return advice(command, `without it, ${agent} cannot be used`, first, [next(end, 'go on then')])
}

function whenCured(end: EndForAdvice, { fix }: Failed): Advice {
  return goOn(end, 'go on, once it is cured', fix === null ? [] : [fix])
}

// What they are made of. Foreign words come in here alone, and become visible here.

function advice(command: string, why: string, first: string[], others: SuggestedCommand[]): Advice {
  return {
    command: escapeInvisible(command),
    why: escapeInvisible(why),
    first: first.map(escapeInvisible),
    others,
  }
}

function goOn(end: EndForAdvice, why = onWith(end), first: string[] = []): Advice {
  return advice(loop(end), why, first, [look(end), UNDO])
}

function next(end: EndForAdvice, why = onWith(end)): SuggestedCommand {
  return { command: loop(end), why: escapeInvisible(why) }
}

function look({ run }: Pick<EndForAdvice, 'run'>): SuggestedCommand {
  return { command: `ralph show ${run}`, why: 'look at what was done' }
}

/** With the flags of the run that ended, but for those that are given anew or left out. */
function loop({ adviceContext }: EndForAdvice, more: string[] = [], without: string[] = []): string {
  const nameOf = (flag: string): string => flag.split('=')[0] ?? ''
  const gone = new Set([...more.map(nameOf), ...without])
  const kept = adviceContext.flags.filter((flag) => !gone.has(nameOf(flag)))
  return [adviceContext.begin, ...[...kept, ...more].map(flagWords)].join(' ')
}

/** `--flag value` reads better than `--flag=value`. */
function flagWords(flag: string): string {
  const at = flag.indexOf('=')
  return at < 0 ? flag : `${flag.slice(0, at)} ${quoteShellWord(flag.slice(at + 1))}`
}

function onWith({ outcome: { nextCheckbox } }: EndForAdvice): string {
  return nextCheckbox === undefined ? 'go on' : `go on with: ${nextCheckbox}`
}

function checkboxLine({ outcome: { nextCheckbox } }: EndForAdvice): string[] {
  return nextCheckbox === undefined ? [] : [`The box that is open: ${nextCheckbox}`]
}

function openCheckboxes({ adviceContext, outcome: { nextCheckbox } }: EndForAdvice): string[] {
  if (adviceContext.plan === null) return []
  const first = nextCheckbox === undefined ? '' : `, the first is: ${nextCheckbox}`
  return [`The agent says that it is done, and ${adviceContext.plan} has open boxes${first}`]
}

function isIdle({ outcome }: EndForAdvice): boolean {
  return outcome.cause?.is === 'nothing-to-do'
}
