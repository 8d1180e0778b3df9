/** A run, or one iteration of it, on a screen. */
import type { IterationDetails, RunDetails } from '../../../app/run/run-details.ts'
import { hasPassed } from '../../../core/proof/verdict.ts'
import { emptyAgentReport } from '../../../core/agent-output/agent-report.ts'
import { areFromOneWorker, iterationName } from '../../../core/presentation/iteration-text.ts'
import type { IterationMark } from '../../../core/presentation/iteration-mark.ts'
import { gateFailureLines } from '../../../core/proof/gate-failure-lines.ts'
import { oneLine, stripControl, escapeInvisible } from '../../../core/text/sanitize.ts'
import { decisionReason, type IterationView } from '../../../core/presentation/run-view.ts'
import { formatElapsed, formatCost, plural, formatSpan } from '../format-values.ts'
import { describePurpose } from '../../../core/proof/trial.ts'
import { ranInCleanRoom, gateResultMark, gateResultText } from '../../../core/presentation/gate-result.ts'
import { iterationLine } from '../row-lines.ts'
import { paintPatchLine, type ScreenStyle, type Paint } from '../colours.ts'
import { reportBlock } from './report.ts'
import { wrapIndented, wrapPainted } from '../wrap.ts'

export function runScreen({ entry, report, iterations }: RunDetails, { p, columns }: ScreenStyle): string {
  const lines = iterationLines(iterations, areFromOneWorker(iterations), { p, columns })
  const more =
    entry.iterations > iterations.length ? [p.dim(`  (${entry.iterations - iterations.length} earlier ones)`)] : []
  const style = [
    p.dim(`  one iteration: ralph show ${entry.id} ${areFromOneWorker(iterations) ? 'N' : 'wWORKER:N'}`),
    p.dim(`  its output: ralph logs ${entry.id} --iteration N`),
  ]
  return [reportBlock(report, p, { columns, own: `ralph show ${entry.id}` }), ...more, ...lines, '', ...style, ''].join(
    '\n',
  )
}

/** A list of iterations, the text of each wrapped below its beginning. */
export function iterationLines(
  iterations: readonly IterationView[],
  isAlone: boolean,
  { p, columns }: ScreenStyle,
): string[] {
  return iterations.flatMap((one) => {
    const name = iterationName(one, isAlone)
    return wrapPainted(`  ${iterationLine(one, p, name)}`, { columns, indent: 6 + name.length })
  })
}

/** Enough for an overview; the flags print everything. */
const PROMPT_LINES = 12
const PATCH_LINES = 60

export function iterationScreen(shown: IterationDetails, { p, columns }: ScreenStyle): string {
  const { run, name, agent, reply, mark } = shown
  const took =
    reply === null
      ? ['running']
      : [
          MARKS[mark.is],
          mark.word,
          formatElapsed(reply.durationMs),
          formatCost(reply.usage),
          plural(reply.tools, 'tool'),
        ].filter((part) => part !== null)
  const head = `${mark.glyph} ${p.bold(`Iteration ${name}`)} of run ${p.head(run)} · ${[escapeInvisible(agent), ...took].join(' · ')}`
  return [
    ...wrapPainted(head, { columns, indent: 2 }),
    ...part('Prompt', promptLines(shown, p), p),
    ...part('Reply', replyLines(shown), p),
    ...part('Told', toldLines(shown, columns - 2), p),
    ...part('Change', changeLines(shown, p), p),
    ...part('Evidence', evidenceLines(shown, p), p),
    ...part(
      'Decided',
      shown.decisions.flatMap((one) =>
        wrapIndented(`${one.by} ${one.what}: ${oneLine(decisionReason(one), 300)}`, columns - 2),
      ),
      p,
    ),
    '',
  ].join('\n')
}

const MARKS: Record<IterationMark['is'], string> = {
  going: 'running',
  moved: 'made changes',
  nothing: 'no changes',
  refused: 'rejected',
}

function part(title: string, lines: string[], p: Paint): string[] {
  return lines.length === 0 ? [] : ['', p.head(title), ...lines.map((line) => `  ${line}`)]
}

function promptLines({ prompt, run, name }: IterationDetails, p: Paint): string[] {
  if (prompt === null) return [p.warn('the prompt file was pruned or deleted')]
  const altered = prompt.intact ? [] : [p.warn('the prompt file was edited later: this is not what was sent')]
  return [
    ...altered,
    ...cut(stripControl(prompt.text).trimEnd().split('\n'), PROMPT_LINES, `ralph show ${run} ${name} --prompt`, p),
  ]
}

function replyLines({ reply }: IterationDetails): string[] {
  if (reply === null) return []
  const failure =
    reply.failure === null ? [] : [`failed: ${reply.failure.kind}, ${oneLine(reply.failure.message, 300)}`]
  return [
    ...failure,
    ...stripControl(reply.lastMessage)
      .trim()
      .split('\n')
      .filter((line) => line !== ''),
  ]
}

const TOLD_SHOWN = 300

/** What the agent reported by tool calls or tags, apart from its last message. */
function toldLines({ reply }: IterationDetails, columns: number): string[] {
  const told = reply?.told ?? emptyAgentReport()
  const { review, why } = told
  const each = (name: string, said: readonly (string | null)[]): string[] =>
    said.flatMap((words) => (words === null ? [] : wrapIndented(`${name}: ${oneLine(words, TOLD_SHOWN)}`, columns)))
  return [
    ...each('task done', told.done),
    ...each(
      'task failed',
      told.failed.map((id) => (why === undefined ? id : `${id}, ${why}`)),
    ),
    ...each('promise', [told.promise]),
    ...each('review', [review?.is === 'fail' ? `fail, ${review.why}` : (review?.is ?? null)]),
    ...each('phase complete', [told.phase]),
    ...each('next model', [told.nextModel]),
    ...each('progress', [told.progress]),
    ...each('note', told.notes),
    ...each('finding', told.findings),
    ...each(
      'question',
      told.asks.map(({ id, text }) => `${text} (ralph answer ${id} "…")`),
    ),
    ...each(
      'knowledge',
      told.knowledge.map(({ title, tags }) => `${title} (${tags.join(', ')})`),
    ),
    ...each('problem', told.problems),
  ]
}

function changeLines({ change, patch, trees, run, name }: IterationDetails, p: Paint): string[] {
  if (change === null) return []
  if (change.files === 0 && change.commits.length === 0) return ['nothing changed']
  const commits = change.commits.map(({ sha, subject }) => `${sha.slice(0, 9)} ${oneLine(subject, 120)}`)
  if (change.files === 0) return commits
  if (patch === null) {
    const why = trees === null ? 'Ralph has no snapshots of this iteration' : 'their snapshots were pruned'
    return [
      `${plural(change.files, 'file')} +${change.added} −${change.removed}`,
      ...commits,
      p.warn(`no patch: ${why}`),
    ]
  }
  const lines = stripControl(patch.patch)
    .trimEnd()
    .split('\n')
    .map((line) => paintPatchLine(line, p))
  return [
    ...commits,
    ...stripControl(patch.stat).split('\n'),
    '',
    ...cut(lines, PATCH_LINES, `ralph show ${run} ${name} --patch`, p),
  ]
}

function evidenceLines({ evidence }: IterationDetails, p: Paint): string[] {
  return evidence.flatMap((one) => {
    const ok = hasPassed(one)
    const tree = ranInCleanRoom(one.purpose) ? null : `tree ${one.tree.slice(0, 10)}`
    const why = one.purpose === 'completion' ? null : describePurpose(one.purpose)
    const where = [tree, why].filter((part) => part !== null).join(' · ')
    const mark = gateResultMark(one)
    const head = `${p[mark.tone](mark.glyph)} ${gateResultText(one)}${ok ? ` (${one.command})` : ''} · ${formatSpan(one.durationMs)} · ${where}`
    return ok ? [head] : [head, ...gateFailureLines(one).map((line) => `    ${line}`)]
  })
}

function cut(lines: string[], max: number, all: string, p: Paint): string[] {
  return lines.length <= max
    ? lines
    : [...lines.slice(0, max), p.dim(`… ${plural(lines.length - max, 'more line')}: ${all}`)]
}
