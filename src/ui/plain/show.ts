/** A run, or one iteration of it, on a screen. */
import type { ShownIteration, ShownRun } from '../../desk/show.ts'
import { passed } from '../../domain/proof/verdict.ts'
import { oneLine, stripControl } from '../../domain/text.ts'
import { clockTime, cost, count, span } from './format.ts'
import { isTrial, purposeWords, resultMark, resultWords } from './evidence.ts'
import { iterationLine } from './lines.ts'
import type { Paint } from './paint.ts'
import { reportBlock } from './report.ts'

export function runScreen({ entry, report, iterations }: ShownRun, p: Paint): string {
  const lines = iterations.map((one) => `  ${iterationLine(one, p)}`)
  const more =
    entry.iterations > iterations.length
      ? [p.dim(`  (${entry.iterations - iterations.length} earlier ones)`)]
      : []
  const look = p.dim(
    `  one of them: ralph show ${entry.id} N · its words: ralph logs ${entry.id} --iteration N`,
  )
  return [reportBlock(report, p), ...more, ...lines, '', look, ''].join('\n')
}

/** Enough to see what it is about; the flags print all of it. */
const PROMPT_LINES = 12
const PATCH_LINES = 60

export function iterationScreen(shown: ShownIteration, p: Paint): string {
  const { run, iteration, agent, reply } = shown
  const took =
    reply === null
      ? 'has not ended'
      : `${reply.end} after ${clockTime(reply.durationMs)} · ${cost(reply.usage)} · ${count(reply.tools, 'tool')}`
  return [
    `${p.bold(`Iteration ${iteration}`)} of run ${p.head(run)} · ${agent} · ${took}`,
    ...part('Prompt', promptLines(shown, p), p),
    ...part('Reply', replyLines(shown), p),
    ...part('Change', changeLines(shown, p), p),
    ...part('Evidence', evidenceLines(shown, p), p),
    ...part(
      'Decided',
      shown.decisions.map(({ by, what, why }) => `${by} ${what}: ${oneLine(why, 300)}`),
      p,
    ),
    '',
  ].join('\n')
}

function part(title: string, lines: string[], p: Paint): string[] {
  return lines.length === 0 ? [] : ['', p.head(title), ...lines.map((line) => `  ${line}`)]
}

function promptLines({ prompt, run, iteration }: ShownIteration, p: Paint): string[] {
  if (prompt === null) return [p.warn('its file is gone: pruned, or deleted by hand')]
  const altered = prompt.intact ? [] : [p.warn('this file was changed since: it is not what was sent')]
  return [
    ...altered,
    ...cut(
      stripControl(prompt.text).trimEnd().split('\n'),
      PROMPT_LINES,
      `ralph show ${run} ${iteration} --prompt`,
      p,
    ),
  ]
}

function replyLines({ reply }: ShownIteration): string[] {
  if (reply === null) return []
  const failure =
    reply.failure === null ? [] : [`failed: ${reply.failure.kind}, ${oneLine(reply.failure.message, 300)}`]
  return [
    ...failure,
    ...stripControl(reply.lastWords)
      .trim()
      .split('\n')
      .filter((line) => line !== ''),
  ]
}

function changeLines({ change, patch, trees, run, iteration }: ShownIteration, p: Paint): string[] {
  if (change === null) return []
  if (change.files === 0 && change.commits.length === 0) return ['nothing changed']
  const commits = change.commits.map(({ sha, subject }) => `${sha.slice(0, 9)} ${oneLine(subject, 120)}`)
  if (change.files === 0) return commits
  if (patch === null) {
    const why = trees === null ? 'the trees are not known' : 'the trees are gone: their snapshots were pruned'
    return [
      `${count(change.files, 'file')} +${change.added} −${change.removed}`,
      ...commits,
      p.warn(`no patch: ${why}`),
    ]
  }
  const lines = stripControl(patch.patch)
    .trimEnd()
    .split('\n')
    .map((line) => painted(line, p))
  return [
    ...commits,
    ...stripControl(patch.stat).split('\n'),
    '',
    ...cut(lines, PATCH_LINES, `ralph show ${run} ${iteration} --patch`, p),
  ]
}

function painted(line: string, p: Paint): string {
  if (line.startsWith('+')) return p.good(line)
  if (line.startsWith('-')) return p.bad(line)
  return line.startsWith('@@') || line.startsWith('diff ') ? p.dim(line) : line
}

function evidenceLines({ evidence }: ShownIteration, p: Paint): string[] {
  return evidence.flatMap((one) => {
    const ok = passed(one)
    const tree = isTrial(one.purpose) ? null : `tree ${one.tree.slice(0, 10)}`
    const why = one.purpose === 'completion' ? null : purposeWords(one.purpose)
    const where = [tree, why].filter((part) => part !== null).join(' · ')
    const head = `${resultMark(one, p)} ${resultWords(one)}${ok ? ` (${one.command})` : ''} · ${span(one.durationMs)} · ${where}`
    return ok
      ? [head]
      : [
          head,
          ...stripControl(one.summary)
            .split('\n')
            .slice(0, 10)
            .map((line) => `    ${line}`),
        ]
  })
}

function cut(lines: string[], max: number, all: string, p: Paint): string[] {
  return lines.length <= max
    ? lines
    : [...lines.slice(0, max), p.dim(`… ${count(lines.length - max, 'more line')}: ${all}`)]
}
