/** One iteration in the timeline of a report page: its result, what the agent said, why it ended so, and its diff. */
import type { PageIteration } from '../../app/report-page/load-page.ts'
import { formatCost } from '../../core/calls/spending.ts'
import type { RunId } from '../../core/ids.ts'
import { iterationMarkOf, MARK_TONES } from '../../core/presentation/iteration-mark.ts'
import { iterationChangeText, iterationReasons, orphansText } from '../../core/presentation/iteration-text.ts'
import { formatElapsed, plural } from '../../core/text/format-amounts.ts'
import { diffHtml } from './diff-html.ts'
import { escapeHtml, escapeHtmlWithin } from './html-text.ts'

export interface IterationContext {
  run: RunId
  /** As `ralph show` accepts it. */
  name: string
  /** When it began. */
  time: string
  /** How much HTML of its diff fits on the page. */
  diffBytes: number
}

/** Bytes of a sentence of an agent or a gate. */
const SENTENCE_BYTES = 300

export function iterationHtml(one: PageIteration, context: IterationContext): string {
  const { is, glyph, word } = iterationMarkOf(one)
  const ended = [iterationChangeText(one), formatElapsed(one.durationMs ?? 0), formatCost(one.usage)]
  const facts = [context.time, one.agent, ...(is === 'going' ? ['has not ended'] : ended)]
  const title = [`Iteration ${context.name}`, one.task ?? null].filter((part) => part !== null).join(' · ')
  const state = word === null ? '' : ` <span class="warn">${escapeHtml(word)}</span>`
  return [
    `<li><h3><span class="mark ${MARK_TONES[is]}">${glyph}</span><span>${escapeHtml(title)}</span>${state}</h3>`,
    `<p class="facts-line">${escapeHtml(facts.join(' · '))}</p>`,
    one.summary === '' ? null : `<p>“${sentence(one.summary)}”</p>`,
    ...iterationReasons(one).map(
      (reason) => `<p class="${reason === one.rejection ? 'bad' : 'dim'}">${sentence(reason)}</p>`,
    ),
    ...one.drift.map((text) => `<p class="warn">${sentence(text)}</p>`),
    one.orphans === null ? null : `<p class="warn">${sentence(orphansText(one.orphans))}</p>`,
    diffPart(one, context),
    '</li>',
  ]
    .filter((part) => part !== null)
    .join('\n')
}

function sentence(text: string): string {
  return escapeHtmlWithin(text, SENTENCE_BYTES)
}

function diffPart({ change, diff }: PageIteration, { run, name, diffBytes }: IterationContext): string | null {
  if (change === null || change.files === 0) return null
  if (diff === null) return '<p class="dim">No diff: its snapshots were deleted.</p>'
  const { html, cut } = diffHtml(diff, diffBytes)
  const command = `<code>ralph show ${escapeHtml(run)} ${escapeHtml(name)} --patch</code>`
  const all = `<p class="dim">${cut ? 'Cut here. The complete diff' : 'As a patch'}: ${command}</p>`
  return `<details><summary>Diff of ${plural(change.files, 'file')}</summary><pre>${html}</pre>${all}</details>`
}
