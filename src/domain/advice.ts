/**
 * What to do after an end: one command that fits it, what belongs to it, and what else may help. A table with a row for every way a run
 * can end: a new one without a row does not compile. The foreground, the dashboard, `status`, the report and `--json` all print it.
 */
import type { FailureKind } from './agent.ts'
import type { RunId } from './ids.ts'
import type { BreakerWhy } from './loop/breaker.ts'
import type { Cause, Outcome, OutcomeName } from './loop/outcome.ts'
import { isGated } from './outcome-words.ts'
import { gateExample } from './proof/gate-example.ts'
import type { Verdict } from './proof/evidence.ts'
import type { Allow } from './reply/reply.ts'
import type { Rules } from './rules.ts'
import { shellWord } from './shell.ts'
import { visible } from './text.ts'

export interface Step {
  command: string
  why: string
}

export interface Advice extends Step {
  /** What to read, paste or mend before it. */
  first: string[]
  others: Step[]
}

/** What of the rules an advice depends on. */
export interface Terms {
  gated: boolean
  plan: string | null
  iterationsMax: number
  budget: Pick<Rules['budget'], 'usd' | 'tokens' | 'minutes'>
}

export function termsOf(rules: Rules): Terms {
  const { loop, budget } = rules
  const { usd, tokens, minutes } = budget
  return {
    gated: isGated(rules),
    plan: loop.plan,
    iterationsMax: loop.iterationsMax,
    budget: { usd, tokens, minutes },
  }
}

export interface Ended {
  outcome: Outcome
  run: RunId
  terms: Terms
  /** The box to go on with, where somebody looked. */
  nextBox?: string | null
}

export function adviceFor(end: Ended): Advice {
  const { uncommitted } = end.outcome
  const advice = ROWS[end.outcome.is](end)
  if (uncommitted === undefined || end.outcome.verdict !== 'proven') return advice
  const { command, why, others } = advice
  return { ...commitIt(end, uncommitted), others: [{ command, why }, ...others] }
}

/** A run that has not ended. */
export function adviceMeanwhile(is: 'served' | 'paused' | 'cut-off' | 'left'): Advice {
  return MEANWHILE[is]
}

const GIVE_UP: Step = { command: 'ralph loop --fresh', why: 'give it up and begin anew' }

const MEANWHILE: Record<'served' | 'paused' | 'cut-off' | 'left', Advice> = {
  served: {
    first: [],
    command: 'ralph watch',
    why: 'look on',
    others: [
      { command: 'ralph steer "…"', why: 'tell it something' },
      { command: 'ralph stop', why: 'end it' },
    ],
  },
  paused: {
    first: [],
    command: 'ralph resume',
    why: 'go on with it',
    others: [{ command: 'ralph stop', why: 'end it' }],
  },
  'cut-off': { first: [], command: 'ralph resume', why: 'go on where it was cut off', others: [GIVE_UP] },
  left: { first: [], command: 'ralph loop', why: 'it is unfinished: go on with it', others: [GIVE_UP] },
}

const UNDO: Step = { command: 'ralph undo', why: 'take it all back' }

type Row = (end: Ended) => Advice

const complete: Row = (end) => VERDICTS[end.outcome.verdict](end)

const ROWS: Record<OutcomeName, Row> = {
  plan_complete: complete,
  project_complete: complete,
  completion_signals: complete,
  needs_acceptance: (end) => {
    const { verdict } = end.outcome
    // Somebody has answered since, or the moment to do so is gone.
    if (verdict === 'proven') return complete(end)
    if (verdict !== 'needs-acceptance')
      return { ...goOn(end, 'the agent hears why it does not count'), first: [], others: [look(end), UNDO] }
    return advice('ralph accept', 'see each change and decide', [], [look(end), UNDO])
  },
  room_failed: (end) =>
    advice('ralph verify', 'complete the proof, once the cause is gone', [], [look(end), UNDO]),
  cannot_prove: refused,
  test_saturation: (end) =>
    advice('ralph verify', 'it only ran tests: see whether the work is done', [], [goOn(end), UNDO]),
  safety_stop: (end) => ({
    ...goOn(end),
    first: openBoxes(end),
    others: [{ command: 'ralph verify', why: 'judge what is there' }, look(end), UNDO],
  }),
  permission_denied: denied,
  breaker: stuck,
  iteration_limit: ({ terms: { iterationsMax }, nextBox }) =>
    advice(
      'ralph loop',
      onWith(nextBox),
      [],
      [
        ...(iterationsMax > 0
          ? [{ command: 'ralph loop --max-iterations 0', why: 'without this limit' }]
          : []),
        UNDO,
      ],
    ),
  cost_limit: (end) => raise(end, '--budget-usd', end.terms.budget.usd, 'money'),
  token_limit: (end) => raise(end, '--budget-tokens', end.terms.budget.tokens, 'tokens'),
  time_limit: (end) => raise(end, '--minutes', end.terms.budget.minutes, 'time'),
  agent_unusable: unusable,
  program_missing: () =>
    advice(
      'ralph doctor',
      'see what is missing here',
      [],
      [{ command: 'ralph loop', why: 'begin, once it is there' }],
    ),
  not_started: () =>
    advice(
      'ralph loop --yes',
      'begin all the same',
      ['Write a test that the gate runs, or let the agent write the first one.'],
      [{ command: 'ralph config', why: 'which gates there are' }],
    ),
  outage: () => MEANWHILE.left,
  api_limit_exit: (end) => ({
    ...goOn(end, 'it waits for the reset by itself'),
    first: [],
    others: [look(end), UNDO],
  }),
  files_deleted: (end) => ({
    ...goOn(end, 'begin again, in a fresh conversation'),
    first: ['They were put back. Say in the prompt that they are to be left alone.'],
    others: [look(end), UNDO],
  }),
  stopped: (end) => ({ ...goOn(end), first: [], others: [look(end), UNDO] }),
  abandoned: (end) => ({
    command: 'ralph runs',
    why: 'which runs there are',
    first: [],
    others: [look(end)],
  }),
  failed: (end) =>
    advice('ralph doctor', 'see what is wrong here', [], [goOn(end, 'go on, once it is cured'), UNDO]),
}

/** Of an end that claims completion. Those that refuse a claim come to `cannot_prove`, and only then. */
const VERDICTS: Record<Verdict, Row> = {
  proven: (end) => (isIdle(end) ? nothingToDo(end) : advice(look(end).command, look(end).why, [], [UNDO])),
  'gates-passed': (end) =>
    // Where the settings ask for gates only, this asks for more.
    advice('RALPH_PROOF_LEVEL=full ralph verify', 'have it proven, in a clean room', [], [look(end), UNDO]),
  'needs-acceptance': (end) => ROWS.needs_acceptance(end),
  unproven: (end) => {
    if (isIdle(end)) return nothingToDo(end)
    if (end.terms.gated)
      return advice('ralph verify', 'judge it again, once the reason is gone', [], [look(end), UNDO])
    return advice(
      'ralph verify',
      'have it judged by what you pasted',
      ['Nothing proves this yet. Paste into .ralph.toml, with the command that runs your tests:', ...PASTE],
      [{ command: 'ralph init', why: 'or let it look for gates' }, look(end), UNDO],
    )
  },
  failed: refused,
  regressed: refused,
  'baseline-broken': refused,
  'timed-out': refused,
  flaky: refused,
  tampered: refused,
}

const PASTE = gateExample('npm test').split('\n')

function advice(command: string, why: string, first: string[], others: Step[]): Advice {
  return { command, why, first, others }
}

function look({ run }: Pick<Ended, 'run'>): Step {
  return { command: `ralph show ${run}`, why: 'look at what was done' }
}

function goOn({ nextBox }: Ended, why = onWith(nextBox)): Step {
  return { command: 'ralph loop', why }
}

function onWith(nextBox: string | null | undefined): string {
  return nextBox === null || nextBox === undefined ? 'go on' : `go on with: ${visible(nextBox)}`
}

function isIdle({ outcome }: Ended): boolean {
  return outcome.cause?.is === 'nothing-to-do'
}

function nothingToDo({ terms, run }: Ended): Advice {
  const where = terms.plan ?? 'the plan'
  return advice(
    'ralph loop',
    'once there is something to do',
    [`Every box of ${where} is ticked. Add what comes next there:`, '- [ ] what to do'],
    [look({ run })],
  )
}

function openBoxes({ terms, nextBox }: Ended): string[] {
  if (terms.plan === null) return []
  const next = nextBox === null || nextBox === undefined ? '' : `, the first is: ${visible(nextBox)}`
  return [`The agent says that it is done, and ${terms.plan} has open boxes${next}.`]
}

/** The work is done and lies there loose. What was loose before is for its owner to sort out. */
function commitIt({ run }: Ended, { files, before }: NonNullable<Outcome['uncommitted']>): Advice {
  const many = files === 1 ? 'One file is' : `${files} files are`
  if (before > 0) {
    const first = [`${many} in no commit; ${before} were so before the run.`]
    return advice('git status --short', 'see which, and commit what belongs to the work', first, [])
  }
  return advice(
    `git add -A && git commit -m "Work of run ${run}"`,
    'commit what the agent left',
    [`${many} in no commit, although the agent was to commit.`],
    [],
  )
}

/** Another number where a number ended it: the same again, so that as much more can be done. */
function raise(end: Ended, flag: string, limit: number | null, what: string): Advice {
  const others = [look(end), UNDO]
  if (limit === null) return { ...goOn(end), first: [], others }
  return advice(`ralph loop ${flag} ${limit}`, `go on with as much ${what} again`, [], others)
}

function denied(end: Ended): Advice {
  const { cause } = end.outcome
  const allow = cause?.is === 'denied' ? cause.allow : undefined
  return allowed(end, allow, [])
}

/** `more`: further flags of the command. */
function allowed(end: Ended, allow: Allow | undefined, more: string[]): Advice {
  const others = [look(end), UNDO]
  const words = [...(allow?.args ?? []).map(shellWord), ...more]
  const command = ['ralph loop', ...words].join(' ')
  if (allow === undefined) {
    const first = ['Allow it: agent.tools and agent.permission in the settings, or in those of the agent.']
    return advice(command, 'once it is allowed', first, others)
  }
  const why = allow.args.length === 0 ? 'once it is allowed' : 'allow it and go on'
  return advice(command, why, [visible(allow.say)], others)
}

const RESET = '--auto-reset-circuit'

function stuck(end: Ended): Advice {
  const cause = end.outcome.cause?.is === 'stuck' ? end.outcome.cause : null
  if (cause === null) return again(end, [])
  return BREAKERS[cause.why](end, cause)
}

const BREAKERS: Record<BreakerWhy, (end: Ended, cause: Extract<Cause, { is: 'stuck' }>) => Advice> = {
  'no-progress': (end) =>
    again(end, ['Nothing moved: say in the prompt or the plan what to do differently.']),
  'same-error': (end, { said }) => again(end, said === '' ? [] : [`The error: ${visible(said)}`]),
  denials: (end, { allow }) => allowed(end, allow, [RESET]),
  'output-decline': (end) => again(end, ['The agent says less and less: a smaller next box may help.']),
}

function again(end: Ended, first: string[]): Advice {
  return advice(`ralph loop ${RESET}`, 'close the breaker and try again', first, [
    { command: `ralph logs ${end.run}`, why: 'what the agent said' },
    { command: 'ralph circuit', why: 'when it closes by itself' },
    UNDO,
  ])
}

function unusable(end: Ended): Advice {
  const { cause } = end.outcome
  if (cause?.is !== 'agent')
    return advice('ralph agents', 'which agents can be used here', [], [goOn(end, 'go on, once one can')])
  return FAILURES[cause.kind]?.(end, cause) ?? whenCured(end, cause)
}

type Failed = Extract<Cause, { is: 'agent' }>

/** Those that waiting does not cure and that have a command of their own. */
const FAILURES: Partial<Record<FailureKind, (end: Ended, cause: Failed) => Advice>> = {
  authentication: byCommand,
  missing: byCommand,
  model: (end, { cure }) =>
    advice('ralph config get agent.model', 'the model that was asked for', cure === null ? [] : [cure], [
      goOn(end, 'go on, with another one'),
    ]),
}

function byCommand(end: Ended, cause: Failed): Advice {
  const { command, cure, agent } = cause
  if (command === null) return whenCured(end, cause)
  const first = cure === null || cure.endsWith(command) ? [] : [cure]
  return advice(command, `${agent} cannot be used without it`, first, [goOn(end, 'go on then')])
}

function whenCured(end: Ended, { cure }: Failed): Advice {
  return { ...goOn(end, 'go on, once it is cured'), first: cure === null ? [] : [cure], others: [look(end)] }
}

/** Never simply another run: it would be refused for the same reason. */
function refused(end: Ended): Advice {
  const { cause, verdict } = end.outcome
  const { gate, lines } = cause?.is === 'refused' ? cause : { gate: null, lines: [] }
  const others = [
    ...(gate === null
      ? []
      : [{ command: `ralph logs ${end.run} --gate`, why: `all that gate ${gate} said` }]),
    look(end),
    UNDO,
  ]
  return advice(
    'ralph verify',
    REFUSED[verdict] ?? 'judge it again, once this is mended',
    lines.map(visible),
    others,
  )
}

const REFUSED: Partial<Record<Verdict, string>> = {
  'baseline-broken': 'judge it again, once this is mended: it was red before the run',
  'timed-out': 'judge it again, once the gate ends in time or has more of it (timeout)',
  flaky: 'judge it again, once the test is steady or in quarantine (proof.quarantine)',
  tampered: 'judge it again, once the work leaves these files alone',
}
