/** One line per fact: what each row of the record says to a person. Used by the live loop, by `replay` and by pipes alike. */
import { describeSavedKnowledge, describeDecision } from '../../core/presentation/narrator.ts'
import { describeSpent } from '../../core/text/format-amounts.ts'
import { driftLine } from '../../core/tree/branch-state.ts'
import { iterationMarkOf } from '../../core/presentation/iteration-mark.ts'
import { stripControl, oneLine } from '../../core/text/sanitize.ts'
import { describeOrphans, type Orphan, type Orphans } from '../../core/tree/orphan.ts'
import { isIterationEnd, type Decision } from '../../core/state/decision.ts'
import type { Row } from '../../core/state/row.ts'
import { decisionReason, type IterationView, type RunView } from '../../core/presentation/view.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { failingLines } from '../../core/proof/failing-lines.ts'
import { adviceForView } from '../../core/presentation/advice.ts'
import { DOCUMENT_FILES } from '../../core/features/documents.ts'
import {
  outcomeDetails,
  outcomeReason,
  outcomeTitle,
  outcomeTone,
} from '../../core/presentation/outcome-text.ts'
import { describeWait } from '../../core/presentation/wait-text.ts'
import { formatClock, formatCost, count, localTimestamp, formatSpan } from './format-time.ts'
import { describePurpose } from '../../core/proof/trial.ts'
import { gateResultMark, gateResultText } from './gate-result.ts'
import { nextStepsBlock } from './next-steps.ts'
import type { ScreenStyle, Paint } from './colours.ts'

/** One thing a person is told. The word is the prefix of its line in a pipe, and stable. */
export interface OutputLine {
  is: 'iteration' | 'gate' | 'proof' | 'wait' | 'run' | 'decision' | 'question' | 'finding' | 'detail'
  text: string
}

/** The lines a row gives, `view` being what was folded with it. */
export function textLinesFor(row: Row, view: RunView, p: Paint): string[] {
  return outputLinesFor(row, view, p).map(({ text }) => text)
}

export function outputLinesFor(row: Row, view: RunView, p: Paint): OutputLine[] {
  const { event } = row
  const facts: OutputLine[] = []
  for (const effect of row.effects) {
    if (effect.type === 'run-gate')
      facts.push({ is: 'gate', text: p.dim(`  gate ${effect.gate.name}: ${effect.gate.run}`) })
    if (effect.type === 'wait' && (effect.forMs === null || effect.outage !== undefined)) {
      const words = clean(describeWait(effect, { now: row.at, local: localTimestamp }))
      facts.push({ is: 'wait', text: p.warn(`  ${words}`) })
    }
  }
  if (event.type === 'gate-ended') {
    if (event.orphans !== undefined)
      facts.unshift({ is: 'gate', text: p.warn(`  ${leftText(event.orphans)}`) })
    // What was red before the run is not news to anybody.
    const told = event.evidence.purpose === 'baseline' ? [] : failingLines(event.evidence)
    facts.unshift(
      { is: 'gate', text: gateLine(event.evidence, p) },
      ...told.map((line): OutputLine => ({ is: 'gate', text: `    ${clean(line)}` })),
    )
  }
  if (event.type === 'agent-ended') facts.unshift(...toldFacts(event.reply, p))
  if (event.type === 'trial-ended' && event.orphans !== undefined)
    facts.unshift({ is: 'proof', text: p.warn(`  ${leftText(event.orphans)}`) })
  if (event.type === 'knowledge-saved') {
    const { text, tone } = describeSavedKnowledge(event)
    facts.unshift({ is: 'detail', text: (tone === 'warn' ? p.warn : p.dim)(`  ${clean(text)}`) })
  }
  if (event.type === 'run-resumed')
    facts.unshift({ is: 'run', text: p.head('  the run goes on') }, ...stillWaiting(view, p))
  const ended = iterationsEnded(row, view)
  for (const decision of row.decisions) {
    const isTold = decision.what !== 'pause' && ended.some(({ why }) => why === decisionReason(decision))
    const said = describeDecision(decision)
    if (said === null || isTold) continue
    facts.push(decisionFact(decision, said.loud ? p.warn : p.dim, p))
  }
  return [...ended.map((one): OutputLine => ({ is: 'iteration', text: iterationLine(one, p) })), ...facts]
}

/** What the agent told a person by calls: nobody was there when it asked, and what it found belongs to no task. */
function toldFacts({ told }: Reply, p: Paint): OutputLine[] {
  const { asks, findings } = told
  return [
    ...asks.map(({ id, text }): OutputLine => {
      const words = `the agent asks: ${oneLine(text, TOLD_SHOWN)} · answer it: ralph answer ${id} "…"`
      return { is: 'question', text: p.warn(`  ${clean(words)}`) }
    }),
    ...findings.map((text): OutputLine => ({
      is: 'finding',
      text: `  the agent found: ${clean(oneLine(text, TOLD_SHOWN))}`,
    })),
  ]
}

const TOLD_SHOWN = 300

/** What a proof step of the proof showed is a fact of its own; failing lines stay lines. */
function decisionFact({ by, what, why }: Decision, colour: Paint['dim'], p: Paint): OutputLine {
  if (what === 'proof-step') return { is: 'proof', text: `  ${p.dim('·')} ${clean(why)}` }
  if (by === 'proof' && what === 'refuse')
    return { is: 'decision', text: `  ${p.bad('✗')} ${colour(`${by}: ${clean(why)}`)}` }
  if (by === 'loop' && what === 'pause')
    return { is: 'decision', text: colour(`  ${by}: ${clean(why)}; go on: ralph resume`) }
  const [first = '', ...more] = stripControl(why).split('\n')
  const text =
    what === 'clean-room-unusable' ? [first, ...more.map((line) => `    ${line}`)].join('\n') : clean(why)
  return { is: 'decision', text: colour(`  ${by}: ${text}`) }
}

/** A wait that a restart found is not asked for again, but whoever looks at this screen has not been told of it. */
function stillWaiting({ workers, at }: RunView, p: Paint): OutputLine[] {
  return Object.values(workers).flatMap(({ activity }) =>
    activity.is === 'waiting'
      ? [
          {
            is: 'wait' as const,
            text: p.warn(`  ${clean(describeWait(activity, { now: at, local: localTimestamp }))}`),
          },
        ]
      : [],
  )
}

/** What `--verbose` says beyond that: who was started, where its words go, and the decisions that usually go without saying. */
export function verboseLinesFor(row: Row, p: Paint): OutputLine[] {
  const say = (text: string): OutputLine => ({ is: 'detail', text: p.dim(`  · ${clean(text)}`) })
  const { event } = row
  const details: OutputLine[] = []
  for (const effect of row.effects) {
    if (effect.type !== 'run-agent') continue
    const { agent, iteration, role, resume, context } = effect
    details.push(
      say(
        `iteration ${iteration}: ${agent} ${role === 'review' ? 'is asked for its opinion' : resume === null ? 'begins afresh' : 'goes on with its conversation'}`,
      ),
    )
    for (const text of context.corrections) details.push(say(`it is told: ${oneLine(text, 160)}`))
  }
  if (event.type === 'agent-started') details.push(say(`process ${event.pid}, words in ${event.log}`))
  if (event.type === 'conversation-known')
    details.push(
      say(`conversation ${event.conversation}${event.model === null ? '' : `, model ${event.model}`}`),
    )
  if (event.type === 'agent-denied')
    details.push(say(`denied: ${event.denial.tool} ${event.denial.command ?? ''}`))
  if (event.type === 'admitted') details.push(say(`call ${event.callsThisHour} of this hour`))
  if (event.type === 'gate-ended') details.push(say(`output in ${event.evidence.log}`))
  if (event.type === 'trial-ended' && event.trial.is === 'ran')
    for (const one of event.trial.results)
      details.push(say(`${describePurpose(one.purpose)}: ${gateResultText(one)}, output in ${one.log}`))
  if (event.type === 'committed' && event.sha !== null)
    details.push(say(`commit ${event.sha.slice(0, 10)}, ${count(event.files, 'file')}`))
  if (event.type === 'clock-jumped')
    details.push(say(`the clock jumped by ${formatSpan(Math.abs(event.by))}`))
  if (event.type === 'remark') details.push(say(`${event.about}: ${event.text}`))
  for (const decision of row.decisions)
    if (describeDecision(decision) === null) details.push(say(`${decision.by}: ${decision.why}`))
  return details
}

/** An iteration is reported once, in the row that ends it. A turn of a draft that ended well is reported by what becomes of its document. */
function iterationsEnded({ decisions }: Row, { iterations }: RunView): IterationView[] {
  const ended = decisions
    .filter(isIterationEnd)
    .filter(({ by, outcome }) => by === 'iteration' || outcome !== 'progress')
  return ended.flatMap(
    ({ worker, n }) => iterations.findLast((one) => one.worker === worker && one.n === n) ?? [],
  )
}

export function iterationLine(one: IterationView, p: Paint): string {
  const { is, word } = iterationMarkOf(one)
  const head = `${iterationGlyph(one, p)} ${p.bold(String(one.n))}`
  const task = one.task === undefined ? null : clean(one.task)
  if (is === 'going')
    return `${head}  ${task === null ? '' : `${task} · `}${clean(one.agent)} · ${p.warn('has not ended')}`
  const parts = [
    task,
    is === 'refused' ? p.bad('refused') : null,
    word === null ? null : p.warn(word),
    changed(one),
    one.summary === '' ? null : `"${oneLine(clean(one.summary), 60)}"`,
    one.failure === null || saysIt(one.why, one.failure) ? null : p.bad(oneLine(clean(one.failure), 80)),
    ...one.drift.map((words) => p.warn(clean(words))),
    one.checkboxes === null
      ? null
      : `${one.checkboxes.done}/${one.checkboxes.done + one.checkboxes.open} boxes`,
    one.orphans === null ? null : p.warn(leftText(one.orphans)),
    formatCost(one.usage),
    one.why === null ? null : p.dim(clean(one.why)),
    one.rejection === null || one.rejection === one.why ? null : p.dim(clean(one.rejection)),
  ].filter((part) => part !== null)
  return `${head}  ${formatClock(one.durationMs ?? 0)}  ${parts.join(' · ')}`
}

/** The reason repeats the failure in other words around it. */
function saysIt(why: string | null, failure: string): boolean {
  return why?.includes(failure.slice(0, 40)) === true
}

/** ✓ moved, · nothing, ✗ refused, ▸ has not ended. */
export function iterationGlyph(one: IterationView, p: Paint): string {
  const { is, glyph } = iterationMarkOf(one)
  return p[GLYPH_COLOURS[is]](glyph)
}

const GLYPH_COLOURS = { going: 'head', moved: 'good', nothing: 'dim', refused: 'bad' } as const

function leftText(orphans: Orphans): string {
  return `left running, not ours to end: ${clean(describeOrphans(orphans))}`
}

function changed({ change, document }: IterationView): string {
  if (document !== undefined) return `${DOCUMENT_FILES[document]} written`
  if (change === null || (change.files === 0 && change.commits.length === 0)) return 'nothing changed'
  const commits = change.commits.length === 0 ? '' : `, ${count(change.commits.length, 'commit')}`
  return `${count(change.files, 'file')} +${change.added} −${change.removed}${commits}`
}

function gateLine(evidence: Evidence, p: Paint): string {
  return `  ${gateResultMark(evidence, p)} ${gateResultText(evidence)} (${formatSpan(evidence.durationMs)}) ${p.dim(`tree ${evidence.tree.slice(0, 10)}`)}`
}

/** The last lines of a run: what it came to, what it cost, what to do next. */
export function resultBlock(view: RunView, { p, columns }: ScreenStyle): string {
  const { outcome } = view
  if (outcome === null) return ''
  const title = p[outcomeTone(outcome)](outcomeTitle(outcome).toUpperCase())
  const spent = [
    count(view.made, 'iteration'),
    formatClock(view.up - view.startedAwakeMs),
    ...describeSpent(view.spent),
  ]
  return [
    '',
    `${title}  ${clean(outcomeReason(outcome))}`,
    ...outcomeDetails(outcome).map((line) => `  ${clean(line)}`),
    p.dim(`${spent.join(' · ')} · run ${view.run}`),
    ...driftLines(view, p),
    ...nextStepsBlock(adviceForView(view, outcome), { p, columns }),
    '',
  ].join('\n')
}

function driftLines({ workers }: RunView, p: Paint): string[] {
  const lines = Object.values(workers).map(({ branchState }) => driftLine(branchState))
  return lines.filter((line) => line !== null).map((line) => p.warn(clean(line)))
}

/** Said at the end and by `ralph stop`: who is still there. Empty: nobody. */
export function orphansBlock(left: Orphan[]): string {
  if (left.length === 0) return ''
  const them = left.map(({ pid, command }) => `  ${pid}  ${clean(command)}`)
  return [
    'Still running in the project; nobody saw an agent start it, so it was not ended:',
    ...them,
    '',
  ].join('\n')
}

function clean(text: string): string {
  return stripControl(text).replaceAll('\n', ' ')
}
