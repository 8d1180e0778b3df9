/** A summary of the run: what it does, why, what it costs, whether it is proven, what to do next. */
import { focusedWorker } from '../../../core/presentation/focused-worker.ts'
import {
  spendingRateOf,
  timeUntilLimits,
  type SpendingRate,
  type Rate,
  type TimeUntilLimits,
} from '../../../core/presentation/spending-rate.ts'
import { activityName } from '../../../core/presentation/activity.ts'
import { adviceForUnfinished, adviceForView, type Advice } from '../../../core/presentation/advice.ts'
import { iterationSeriesOf } from '../../../core/presentation/charts/iteration-series.ts'
import { barParts, planCountText, sparkRows, type SparkRow } from '../../../core/presentation/charts/spark-line.ts'
import { hourStart, HOUR_MS } from '../../../core/admission/quota.ts'
import { startCommandText } from '../../../core/state/start-command.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import { assertNever } from '../../../core/assert-never.ts'
import {
  outcomeDetails,
  hasGates,
  outcomeReason,
  outcomeTitle,
  outcomeTone,
} from '../../../core/presentation/outcome-text.ts'
import type { IterationView, RunView, WorkerView } from '../../../core/presentation/run-view.ts'
import {
  formatElapsed,
  plural,
  formatDollars,
  formatCompact,
  formatSpan,
  remainingWaitText,
} from '../../plain/format-values.ts'
import { clipLine, toSpan, lineWidth, type ScreenLine, type Size, type Span, type SpanTone } from '../screen-line.ts'
import { describeCurrentTask } from '../../../core/tasks/task-text.ts'
import type { PaneView } from '../pane.ts'
import { isInterrupted, isRunOver, type DashboardScene } from '../dashboard-scene.ts'
import { nextItem, planProgress } from '../plan-progress.ts'
import { wrapText } from '../text-width.ts'
import { timestampFormatter } from '../time-of-day.ts'

/** A row and its priority if there is not enough room: the highest number is dropped first. */
interface Fact {
  name: string
  value: ScreenLine
  gives: number
}

export const RUN_PANE: PaneView = { lines: runLines, keys: ['[ ] iteration'] }

function runLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const { view } = scene
  if (view === null)
    return [
      [
        toSpan(
          scene.unknown > 0 ? 'A newer version of Ralph wrote this run. Update Ralph to see it.' : 'Loading the run …',
          'dim',
        ),
      ],
    ]
  // A long sentence is wrapped only if no row has to be dropped for it.
  const whole = factsOf(scene, view, { columns, whole: true })
  const facts = whole.length <= rows ? whole : factsOf(scene, view, { columns, whole: false })
  while (facts.length > rows) {
    const last = Math.max(...facts.map((fact) => fact.gives))
    facts.splice(
      facts.findLastIndex((fact) => fact.gives === last),
      1,
    )
  }
  return facts.map(({ name, value }) => clipLine([toSpan(name.padEnd(NAME), 'dim'), ...value], columns))
}

const NAME = 9

/** The number of rows with unlimited room. */
export function runPaneHeight(scene: DashboardScene, columns: number): number {
  return scene.view === null ? 1 : factsOf(scene, scene.view, { columns, whole: true }).length
}

interface FactsLook {
  columns: number
  /** Wraps long sentences into the next row. */
  whole: boolean
}

function factsOf(scene: DashboardScene, view: RunView, look: FactsLook): Fact[] {
  const worker = focusedWorker(view)
  const [next = '', ...others] = nextSteps(scene, view)
  return [
    ...sentence({ name: 'state', value: stateLine(scene, view, worker), gives: 0 }, look),
    ...questionFacts(scene, look),
    ...taskFact(worker),
    ...planFact(scene, look.columns),
    ...sentence({ name: 'why', value: whyLine(view), gives: 2 }, look),
    { name: 'agent', value: agentLine(worker), gives: 7 },
    // Breaker and quota no longer matter once the run is over.
    ...(isRunOver(scene)
      ? []
      : [
          { name: 'breaker', value: breakerLine(worker), gives: isBreakerClosed(worker) ? 9 : 2 },
          { name: 'quota', value: quotaLine(scene, view), gives: 8 },
        ]),
    ...budgetFacts(scene, view, look.columns),
    ...chartFacts(view, look.columns),
    ...sentence({ name: 'proof', value: proofLine(view, worker), gives: 1 }, look),
    ...sentence({ name: 'next', value: [toSpan(next)], gives: 3 }, look),
    ...others.flatMap((text) => sentence({ name: '', value: [toSpan(text)], gives: 9 }, look)),
  ]
}

/** An agent's question waits for a person, whatever else happens. */
function questionFacts({ questions }: DashboardScene, look: FactsLook): Fact[] {
  const [newest, ...others] = questions
  if (newest === undefined) return []
  const more = others.length === 0 ? '' : ` (and ${others.length} more: ralph answer)`
  const text = `${oneLine(newest.text, ASKED_MAX)} · ralph answer ${newest.id} "…"${more}`
  return sentence({ name: 'asks', value: [toSpan(text, 'warn')], gives: 1 }, look)
}

/** How much of the plan, or of the tasks, is done. */
function planFact(scene: DashboardScene, columns: number): Fact[] {
  const counts = planProgress(scene)
  if (counts === null) return []
  const all = counts.done + counts.open
  const { full, empty } = barParts(counts.done / all, barWidth(columns))
  const text = scene.tasks === null ? planCountText(counts) : `${counts.done} of ${plural(all, 'task')} done`
  const value = [toSpan(full, 'good'), toSpan(empty, 'dim'), toSpan(` ${text}`)]
  return [{ name: scene.tasks === null ? 'plan' : 'tasks', value, gives: 1 }]
}

/** From this width on, both charts are on one row. */
const CHARTS_ABREAST = 60
const CHART_MAX = 40
const CHART_TEXT = 'cost  max $0.000 · lines  max 9.9k'.length

/** The cost and the changed lines of each iteration, up to the newest. */
function chartFacts({ iterations }: RunView, columns: number): Fact[] {
  const isAbreast = columns >= CHARTS_ABREAST
  const room = columns - NAME - (isAbreast ? CHART_TEXT : ' max $0.000'.length)
  const rows = sparkRows(
    iterationSeriesOf(iterations),
    Math.max(0, Math.min(CHART_MAX, isAbreast ? Math.floor(room / 2) : room)),
  )
  const chartOf = ({ chart, max }: SparkRow): ScreenLine => [toSpan(chart, 'head'), toSpan(` max ${max}`, 'dim')]
  if (!isAbreast) return rows.map((row) => ({ name: row.name, value: chartOf(row), gives: 5 }))
  const value = rows.flatMap((row, index) => [toSpan(`${index === 0 ? '' : ' · '}${row.name} `), ...chartOf(row)])
  return rows.length === 0 ? [] : [{ name: 'trend', value, gives: 5 }]
}

/** The current task of a run through tasks. */
function taskFact(worker: WorkerView | undefined): Fact[] {
  const task = worker?.task ?? null
  return task === null ? [] : [{ name: 'task', value: [toSpan(describeCurrentTask(task))], gives: 1 }]
}

/** Wraps the last piece of the line into aligned rows. */
function sentence(fact: Fact, { columns, whole }: FactsLook): Fact[] {
  const last = fact.value.at(-1)
  const before = fact.value.slice(0, -1)
  const room = columns - NAME
  if (!whole || last === undefined || lineWidth(fact.value) <= room) return [fact]
  const used = lineWidth(before)
  if (used >= room) return [fact]
  const rows = wrapText(`${' '.repeat(used)}${last.text}`, room)
  return rows.map((text, row) => ({
    name: row === 0 ? fact.name : '',
    value: row === 0 ? [...before, { ...last, text: text.slice(used) }] : [{ ...last, text }],
    gives: fact.gives,
  }))
}

function stateLine(scene: DashboardScene, view: RunView, worker: WorkerView | undefined): ScreenLine {
  const { outcome } = view
  if (outcome !== null) {
    return [toSpan(outcomeText(view), outcomeTone(outcome)), toSpan(` · ${plural(view.made, 'iteration')}`)]
  }
  if (isInterrupted(scene)) return [toSpan('interrupted', 'bad'), toSpan(' (not running)')]
  // The reason of a wait matters more than the iteration before it.
  const iteration = worker?.activity.is === 'waiting' ? '' : iterationWords(view, worker)
  return [...doingWords(scene, view, worker), ...(iteration === '' ? [] : [toSpan(` · ${iteration}`)])]
}

export function outcomeText({ outcome }: RunView): string {
  return outcome === null ? '' : outcomeTitle(outcome).toUpperCase()
}

function iterationWords(view: RunView, worker: WorkerView | undefined): string {
  if (worker === undefined || worker.iteration === 0) return ''
  const max = view.rules.loop.iterationsMax
  return `iteration ${worker.iteration}${max > 0 ? ` of ${max}` : ''}`
}

/** The transcript has the rest. */
const ASKED_MAX = 120

function doingWords(scene: DashboardScene, view: RunView, worker: WorkerView | undefined): ScreenLine {
  if (worker === undefined) return [toSpan('starting')]
  const { activity } = worker
  const { now, zone } = scene
  const since = formatElapsed(now - activity.since)
  // A run that gets a request to stop or pause first finishes its work; show both.
  const asked: Span[] =
    view.is === 'stopping' && activity.is !== 'stopping' ? [toSpan('stopping', 'warn'), toSpan(', ')] : []
  switch (activity.is) {
    case 'working':
    case 'measuring':
    case 'comparing':
    case 'committing':
    case 'inspecting':
    case 'claiming-task':
    case 'idle':
    case 'starting':
      return [...asked, toSpan(activityName(activity), 'good'), toSpan(` ${since}`)]
    case 'reverting':
      return [...asked, toSpan(activityName(activity), 'warn'), toSpan(` ${since}`)]
    case 'running-trial':
    case 'proving':
      return [...asked, toSpan(activityName(activity), 'head'), toSpan(` ${since}`)]
    case 'waiting':
      return [...asked, toSpan(remainingWaitText(activity, { now, local: timestampFormatter(zone) }), 'warn')]
    case 'asking':
      return [...asked, toSpan(`asks: ${oneLine(activity.question, ASKED_MAX)}`, 'warn')]
    case 'paused':
    case 'stopping':
      return [toSpan(activityName(activity), 'warn')]
    case 'ended':
      return [toSpan(activityName(activity))]
    default:
      return assertNever(activity)
  }
}

function whyLine(view: RunView): ScreenLine {
  if (view.outcome !== null) return [toSpan(outcomeReason(view.outcome))]
  return [toSpan(view.why ?? 'the first iteration')]
}

/** As much of a conversation's ID as distinguishes two of them. */
const CONVERSATION = 8

function agentLine(worker: WorkerView | undefined): ScreenLine {
  if (worker?.agent === null || worker === undefined) return [toSpan('–')]
  const parts = [
    worker.agent,
    worker.model,
    worker.conversation === null ? null : `conversation ${worker.conversation.slice(0, CONVERSATION)}`,
    worker.chosen,
  ]
  return [toSpan(parts.filter((part) => part !== null).join(' · '))]
}

function isBreakerClosed(worker: WorkerView | undefined): boolean {
  return (worker?.breaker ?? 'closed') === 'closed'
}

function breakerLine(worker: WorkerView | undefined): ScreenLine {
  const breaker = worker?.breaker ?? 'closed'
  return [toSpan(breaker, breaker === 'closed' ? 'good' : breaker === 'open' ? 'bad' : 'warn')]
}

function quotaLine(scene: DashboardScene, view: RunView): ScreenLine {
  const { callsPerHour, tokensPerHour } = view.rules.quota
  const { calls, tokens } = view.quota
  const parts = [
    callsPerHour > 0 ? `${calls} of ${plural(callsPerHour, 'call')}` : `${plural(calls, 'call')}, no limit`,
    tokensPerHour > 0 ? `${formatCompact(tokens)} of ${formatCompact(tokensPerHour)} tokens` : null,
    `resets in ${formatElapsed(hourStart(scene.now) + HOUR_MS - scene.now)}`,
  ]
  return [toSpan(parts.filter((part) => part !== null).join(' · '))]
}

/** The spending so far, a bar for each limit, and how long it lasts at this rate. */
function budgetFacts(scene: DashboardScene, view: RunView, columns: number): Fact[] {
  const { budget } = view.rules
  const { usd, tokens, unknown } = view.spent
  const over = isRunOver(scene) || isInterrupted(scene)
  const upMs = view.up - view.startedAwakeMs + (over ? 0 : Math.max(0, scene.now - view.at))
  const unrecorded = usd === 0 && unknown > 0
  const plain = [
    budget.minutes === null ? formatElapsed(upMs) : null,
    budget.usd === null && usd > 0 ? formatDollars(usd, view.spent) : null,
    unrecorded ? 'cost unknown' : null,
    budget.tokens === null && tokens > 0 ? `${formatCompact(tokens)} tokens` : null,
    !unrecorded && unknown > 0 ? `${plural(unknown, 'cost')} unknown` : null,
  ].filter((part) => part !== null)
  const bars: Fact[] = []
  const limit = (used: number, max: number | null, words: string): void => {
    if (max !== null)
      bars.push({ name: 'budget', value: [...limitBar(used / max, columns), toSpan(` ${words}`)], gives: 4 })
  }
  limit(usd, budget.usd, `${formatDollars(usd, view.spent)} of ${formatDollars(budget.usd ?? 0)}`)
  limit(tokens, budget.tokens, `${formatCompact(tokens)} of ${formatCompact(budget.tokens ?? 0)} tokens`)
  limit(
    upMs,
    budget.minutes === null ? null : budget.minutes * 60_000,
    `${formatElapsed(upMs)} of ${formatSpan((budget.minutes ?? 0) * 60_000)}`,
  )
  const spendingRate = spendingRateOf(view.iterations)
  const words = over
    ? ''
    : paceLine(spendingRate, timeUntilLimits(spendingRate, { spent: view.spent, spentMs: upMs, budget }))
  return [
    ...(plain.length === 0
      ? []
      : [{ name: 'spent', value: [toSpan(plain.join(' · '))], gives: bars.length === 0 ? 4 : 6 }]),
    ...bars,
    ...(words === '' ? [] : [{ name: 'pace', value: [toSpan(words)], gives: 5 }]),
  ]
}

/** `$3.10/h · money for 1.5 h`: shows the limit that is reached first. */
function paceLine({ usd, tokens }: SpendingRate, left: TimeUntilLimits): string {
  const tokenWords = (n: number): string => `${formatCompact(Math.round(n))} tokens`
  const rate = usd !== null ? rateWords(usd, formatDollars) : tokens !== null ? rateWords(tokens, tokenWords) : null
  const limits = [
    { what: 'money', left: left.usd },
    { what: 'tokens', left: left.tokens },
    { what: 'time', left: left.minutes },
  ]
  const known = limits.flatMap(({ what, left: one }) => (one === null ? [] : [{ what, ...one }]))
  const [first] = known.toSorted((a, b) => a.ms - b.ms)
  const lasts =
    first === undefined
      ? null
      : `${first.what} for ${first.atMost && first.ms >= 60_000 ? 'under ' : ''}${lengthWords(first.ms)}`
  return [rate, lasts].filter((part) => part !== null).join(' · ')
}

function rateWords({ perHour, atLeast }: Rate, words: (n: number) => string): string {
  return `${atLeast ? 'over ' : ''}${words(perHour)}/h`
}

/** A forecast needs no seconds. */
function lengthWords(ms: number): string {
  return ms < 60_000 ? 'under a minute' : formatSpan(Math.round(ms / 60_000) * 60_000)
}

function barWidth(columns: number): number {
  return Math.max(6, Math.min(20, Math.floor(columns / 4)))
}

/** A bar for the used share of a limit, with the percentage as text. */
function limitBar(share: number, columns: number): ScreenLine {
  const { full, empty } = barParts(share, barWidth(columns))
  const used = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 1
  const tone: SpanTone = used >= 0.9 ? 'bad' : used >= 0.7 ? 'warn' : 'good'
  return [toSpan(full, tone), toSpan(empty, 'dim'), toSpan(` ${Math.floor(used * 100)}%`)]
}

function proofLine(view: RunView, worker: WorkerView | undefined): ScreenLine {
  const { outcome } = view
  const names = view.rules.gates.map((gate) => gate.name).join(', ')
  if (!hasGates(view.rules)) return [toSpan('none: no gate is configured', 'warn')]
  if (outcome?.verdict === 'proven') return [toSpan('✓ proven', 'good'), toSpan(`: ${names} passed in the clean room`)]
  if (outcome?.verdict === 'gates-passed') return [toSpan(`${names} passed, but not in a clean room`, 'warn')]
  if (outcome?.acceptance !== undefined)
    return [
      toSpan(
        outcomeDetails(outcome)
          .map((line) => line.trim())
          .join(' · '),
        'warn',
      ),
    ]
  if (worker?.activity.is === 'proving' || worker?.activity.is === 'running-trial')
    return [toSpan(activityName(worker.activity), 'head')]
  const proofStep = view.decisions.findLast(({ by, what }) => by === 'proof' && PROOF_RUNNING.has(what))
  if (proofStep?.what === 'proof-step') return [toSpan(proofStep.why)]
  const last = view.iterations.findLast((one) => one.gates.length > 0)
  if (last !== undefined) return [...gateWords(last), toSpan(` after iteration ${last.n}`, 'dim')]
  return [toSpan(outcome === null ? `${names}: runs when the agent says it's done` : `none: ${names} never ran`)]
}

/** The start of a proof, and the result of each proof step. */
const PROOF_RUNNING = new Set(['check', 'proof-step'])

function gateWords({ gates }: IterationView): ScreenLine {
  const newest = new Map(gates.map((gate) => [gate.name, gate]))
  return [...newest.values()].flatMap((gate, index) => [
    toSpan(index === 0 ? '' : ' · '),
    toSpan(gate.passed ? `✓ ${gate.name} passed` : `✗ ${gate.name} failed`, gate.passed ? 'good' : 'bad'),
  ])
}

function nextSteps(scene: DashboardScene, view: RunView): string[] {
  const begin = startCommandText(view.start)
  if (view.is === 'left') return adviceLines(adviceForUnfinished('left', begin))
  if (view.outcome !== null) return adviceLines(adviceForView(view, view.outcome, { questions: scene.questions }))
  if (isInterrupted(scene)) return adviceLines(adviceForUnfinished('cut-off', begin))
  if (view.is === 'paused') return ['r: resume · x: stop']
  if (focusedWorker(view)?.activity.is === 'asking') return ['s: answer · x: stop']
  return [nextItem(scene) ?? nothingNext(scene)]
}

function nothingNext({ tasks, plan }: DashboardScene): string {
  if (tasks !== null) return 'no other task is ready'
  return plan === null ? '–' : 'every item of the plan is done'
}

/** The explanation of the command, then the commands, one per line. */
function adviceLines({ first, command, why, others }: Advice): string[] {
  return [...first, ...[{ command, why }, ...others].map((step) => `${step.command} (${step.why})`)]
}
