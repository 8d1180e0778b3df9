/** The result of `ralph inspect` for a person: the facts, each with its reason. */
import type { SimulatedBreakerStep } from '../../../app/doctor/simulate-breaker.ts'
import type {
  InspectedEvidence,
  ReplyExitEvaluation,
  InspectedPlan,
  InspectedReply,
  InspectedSnapshot,
} from '../../../app/doctor/inspect.ts'
import type { Breaker, BreakerInput } from '../../../core/admission/breaker.ts'
import { describeDenial } from '../../../core/calls/denial.ts'
import type { ReplySignals } from '../../../core/agent-output/reply.ts'
import type { AgentReport } from '../../../core/agent-output/agent-report.ts'
import { oneLine, escapeInvisible } from '../../../core/text/sanitize.ts'
import { describePurpose } from '../../../core/proof/trial.ts'
import { ranInCleanRoom, gateResultMark, gateResultText } from '../../../core/presentation/gate-result.ts'
import { formatCost, plural, formatCompact, formatSpan } from '../format-values.ts'
import type { Paint } from '../colours.ts'

const LINE_MAX = 100

export function inspectedReplyScreen({ file, bytes, mode, read, reply, signals }: InspectedReply, p: Paint): string {
  const how = read.by === 'agent' ? `as ${read.as} output` : `as ${read.as} (guessed from its shape)`
  const shape = read.shape === null ? 'empty' : SHAPES[read.shape]
  const words = mode === 'text' ? 'signals from any text' : 'signals only from a status block'
  return page([
    `${p.bold(oneLine(file, LINE_MAX))} · ${formatCompact(bytes)} bytes · read ${how}: ${shape} · ${words}`,
    '',
    ...replyLines(reply, p),
    ...signalLines(signals, p),
    ...toldLines(reply.told, p),
  ])
}

const SHAPES: Record<NonNullable<InspectedReply['read']['shape']>, string> = {
  lines: 'lines of events',
  'stream-json': 'stream-json',
  'cli-array': 'an array of events',
  'cli-object': 'a result object',
  json: 'a plain JSON object',
  text: 'plain text',
}

function replyLines(reply: InspectedReply['reply'], p: Paint): string[] {
  const failure = reply.failure === null ? '' : `: ${reply.failure.kind}, ${oneLine(reply.failure.message, LINE_MAX)}`
  return [
    fact(p, 'end', `${reply.end === 'success' ? p.good(reply.end) : p.bad(reply.end)}${failure}`),
    ...(reply.limit === null ? [] : [fact(p, 'limit', reply.limit)]),
    ...reply.denials.map((denial) => fact(p, 'denied', oneLine(describeDenial(denial), LINE_MAX))),
    fact(
      p,
      'usage',
      `${formatCost(reply.usage)} · ${plural(reply.tools, 'tool call')} · ${formatCompact(reply.textLength)} characters`,
    ),
    fact(p, 'model', oneLine(reply.model ?? 'not reported', LINE_MAX)),
    fact(p, 'conversation', oneLine(reply.conversation ?? 'not reported', LINE_MAX)),
    ...(reply.remarks === 0 ? [] : [fact(p, 'remarks', `${plural(reply.remarks, 'line')} that Ralph could not parse`)]),
  ]
}

const JUDGED = ['from', 'exitSignal', 'complete', 'testOnly', 'noWork', 'confidence', 'questions'] as const

function signalLines(signals: ReplySignals, p: Paint): string[] {
  return [
    ...JUDGED.map((key) => {
      const value = signals[key]
      const why = signals.because[key] ?? ''
      return fact(p, key, `${String(value ?? 'none').padEnd(8)}${p.dim(oneLine(why, LINE_MAX))}`)
    }),
    ...Object.entries(signals.block ?? {}).map(([key, value]) =>
      fact(p, `block ${key}`, oneLine(String(value), LINE_MAX)),
    ),
    ...signals.errors.map((error) => fact(p, 'error', oneLine(error, LINE_MAX))),
    fact(p, 'summary', oneLine(signals.summary, LINE_MAX) || p.dim('none')),
  ]
}

const LAST = 'in its last message'
const ANY = 'in one of its messages'

/** What the agent reported by tags; the problems say why something is missing. */
function toldLines(told: AgentReport, p: Paint): string[] {
  const { promise, nextModel, phase, review } = told
  const verdict = (name: string, value: string) => fact(p, name, `${oneLine(value, LINE_MAX).padEnd(8)} ${p.dim(LAST)}`)
  const lines = [
    ...told.done.map((id) => verdict('says done', id)),
    ...told.failed.map((id) => verdict('says failed', id)),
    ...(promise === null ? [] : [verdict('promises', promise)]),
    ...(nextModel === null ? [] : [verdict('next model', nextModel)]),
    ...(phase === null ? [] : [verdict('phase complete', phase)]),
    ...(told.tasksCreated ? [verdict('tasks created', 'yes')] : []),
    ...(review === undefined ? [] : [verdict('review', review.is === 'fail' ? review.why : review.is)]),
    ...told.notes.map((note) => fact(p, 'note', `${oneLine(note, LINE_MAX)} ${p.dim(ANY)}`)),
    ...told.knowledge.map(({ title, tags }) =>
      fact(p, 'knowledge', `${oneLine(`${title} (${tags.join(', ')})`, LINE_MAX)} ${p.dim(ANY)}`),
    ),
    ...told.problems.map((problem) => fact(p, 'problem', p.warn(oneLine(problem, 2 * LINE_MAX)))),
  ]
  return lines.length > 0 ? lines : [fact(p, 'tags', p.dim('none; tags in code or quotes do not count'))]
}

export function replyExitsScreen(decided: ReplyExitEvaluation[], p: Paint): string {
  const lines = decided.flatMap(({ file, signals, exitCounts, exit, claimed, refused }, index) => {
    const { testOnly, done, indicators, claims } = exitCounts
    const counts = `claims ${claims}, exit signals ${indicators}, done signals ${done}, test-only iterations ${testOnly}`
    const decision =
      exit === null
        ? (refused ?? (claimed ? 'continues: more completion claims are needed' : 'continues'))
        : `${exit.is}: ${exit.why}`
    return [
      `${p.bold(String(index + 1))}  ${oneLine(file, LINE_MAX)}`,
      `   ${p.dim(`exit signal ${String(signals.exitSignal ?? 'none')} · in a row: ${counts}`)}`,
      `   ${exit === null ? decision : p.warn(decision)}`,
    ]
  })
  return page([...lines, '', p.dim('This preview ignores the plan. In a run, the gates verify each completion claim.')])
}

export function simulatedBreakerScreen(moves: SimulatedBreakerStep[], p: Paint): string {
  if (moves.length === 0) return page(['The file is empty: the breaker is closed.'])
  return page(
    moves.map(
      ({ line, moved, breaker }) =>
        `${String(line).padStart(4)}  ${sayMove(moved).padEnd(28)}${sayBreaker(breaker, p)}`,
    ),
  )
}

function sayMove(moved: BreakerInput | null): string {
  if (moved === null) return 'time passes'
  const said = Object.entries(moved).filter(([, is]) => is)
  return said.length === 0 ? 'nothing' : said.map(([key]) => key).join(', ')
}

function sayBreaker(breaker: Breaker, p: Paint): string {
  const { idle, failed, denied, declined } = breaker.counts
  const counts = p.dim(`idle ${idle}, failed ${failed}, denied ${denied}, declined ${declined}`)
  if (breaker.is === 'closed') return `${p.good('closed'.padEnd(11))}${counts}`
  const is = breaker.is.padEnd(11)
  return `${breaker.is === 'open' ? p.bad(is) : p.warn(is)}${counts}  ${breaker.reason}`
}

export function evidenceScreen({ run, standing, evidence, present }: InspectedEvidence, p: Paint): string {
  const head = [`Run ${p.head(run.id)} · ${standing}`, p.dim(`current tree: ${present}`), '']
  if (evidence.length === 0) return page([...head, 'No gate ran.'])
  return page([
    ...head,
    ...evidence.flatMap(({ iteration, evidence: one, passed, isPresent }) => {
      const mark = gateResultMark(one)
      const what = `${gateResultText(one)}${passed ? ` (${one.command})` : ''}`
      const stale = ranInCleanRoom(one.purpose)
        ? describePurpose(one.purpose)
        : isPresent
          ? 'current tree'
          : `older tree ${one.tree.slice(0, 10)}`
      return [
        `${p[mark.tone](mark.glyph)} ${String(iteration).padStart(3)}  ${oneLine(what, LINE_MAX)} · ${formatSpan(one.durationMs)} · ${stale}`,
        p.dim(`       ${one.log}`),
      ]
    }),
  ])
}

export function snapshotScreen({ root, snapshot, manifest }: InspectedSnapshot, p: Paint): string {
  const nested = Object.entries(manifest.nested).map(([folder, { tree }]) =>
    fact(p, 'inside', `${oneLine(folder, LINE_MAX)} ${p.dim(tree)}`),
  )
  return page([
    p.bold(root),
    '',
    fact(p, 'tree', snapshot.tree),
    fact(p, 'head', snapshot.head ?? 'none'),
    fact(p, 'branch', escapeInvisible(snapshot.branch ?? 'none')),
    fact(p, 'busy', snapshot.busy === null ? 'no' : p.warn(snapshot.busy)),
    ...nested,
    fact(p, 'left out', snapshot.unstored.length === 0 ? 'only ignored files and .ralph' : 'hashed, not stored:'),
    ...snapshot.unstored.map((name) => fact(p, '', oneLine(name, LINE_MAX))),
  ])
}

export function planScreen({ file, open, done, next, items }: InspectedPlan, p: Paint): string {
  return page([
    `${p.bold(file)} · ${done} of ${plural(done + open, 'item')} done`,
    '',
    ...items.map((item) => {
      const checkbox = item.done ? p.good('[x]') : '[ ]'
      const note = item.optional ? p.dim(' (optional, not counted)') : ''
      return `  ${p.dim(String(item.line).padStart(4))}  ${checkbox} ${oneLine(item.text, LINE_MAX)}${note}`
    }),
    ...(items.length === 0 ? ['  No line begins with `- [ ]` or `- [x]`.'] : []),
    '',
    next === null ? 'next: nothing left' : `next: ${oneLine(next, LINE_MAX)}`,
  ])
}

function fact(p: Paint, name: string, value: string): string {
  return `  ${p.dim(name.padEnd(22))}${value}`
}

function page(lines: string[]): string {
  return `${lines.join('\n')}\n`
}
