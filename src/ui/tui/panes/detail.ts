/** One iteration in detail: its changes, the output of its gates, and its evidence. */
import type { IterationPart, GateOutput, LoadedIterationPart } from '../../../app/run/history.ts'
import type { IterationDetails } from '../../../app/run/run-details.ts'
import type { Evidence } from '../../../core/proof/evidence.ts'
import { hasPassed } from '../../../core/proof/verdict.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { describePurpose } from '../../../core/proof/trial.ts'
import { ranInCleanRoom, gateResultMark, gateResultText } from '../../../core/presentation/gate-result.ts'
import { formatElapsed, formatCost, plural, formatSpan } from '../../plain/format-values.ts'
import { detailIterationPosition, iterationName, isSameDetail } from '../iterations.ts'
import { highlightMatches, plainText, toSpan, type ScreenLine, type Size, type SpanTone } from '../screen-line.ts'
import { scrollTop, visibleRangeText } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import {
  focusPane,
  DETAIL_PARTS,
  scrollPaneTo,
  sceneWithNotice,
  updateViewState,
  type LoadedDetail,
  type DashboardScene,
} from '../dashboard-scene.ts'
import { timeOfDay } from '../time-of-day.ts'
import { toPrintable, wrapText } from '../text-width.ts'

export const DETAIL_PANE: PaneView = {
  // The names of its tabs; the current one is in brackets.
  title: ({ ui }, tone) =>
    DETAIL_PARTS.flatMap((part, index) => [
      toSpan(index === 0 ? '' : ' '),
      part === ui.part ? toSpan(`[${part}]`, tone) : toSpan(part, 'dim'),
    ]),
  notes(scene, size) {
    const n = detailIterationPosition(scene)
    const length = detailLines(scene, size.columns).length
    return [
      n === 0 ? '' : `iteration ${iterationName(scene, n)}`,
      visibleRangeText(detailTop(scene, size), { length, rows: size.rows }),
    ]
  },
  lines(scene, size) {
    const top = detailTop(scene, size)
    const inSight = detailLines(scene, size.columns).slice(top, top + size.rows)
    return inSight.map((line) => highlightMatches(line, scene.ui.search))
  },
  keys: ['←→ part', '[ ] iteration', 'w words', '/ search'],
  keysFirst: true,
  scroll(scene, by, size) {
    const { length } = detailLines(scene, size.columns)
    const entry = scrollTop(detailTop(scene, size), by, { length, rows: size.rows })
    return scrollPaneTo(scene, 'detail', entry === 0 ? null : entry)
  },
  search: searchDetail,
  press: { left: (scene) => otherPart(scene, -1), right: (scene) => otherPart(scene, 1) },
}

/** Text is read from its top, so "next" is down. */
function searchDetail(scene: DashboardScene, { on }: { on: boolean }, { columns }: Size): DashboardScene {
  const { search, at } = scene.ui
  const wanted = search.toLowerCase()
  const lines = detailLines(scene, columns).map((line) => plainText(line).toLowerCase())
  const from = at.detail?.entry ?? -1
  const found = on
    ? lines.findIndex((line, index) => index > from && line.includes(wanted))
    : lines.findLastIndex((line, index) => index < from && line.includes(wanted))
  if (found === -1)
    return sceneWithNotice(scene, { text: `No line ${on ? 'below' : 'above'} has "${search}".`, bad: true })
  return scrollPaneTo(scene, 'detail', found)
}

function otherPart(scene: DashboardScene, step: 1 | -1): DashboardScene {
  const at = DETAIL_PARTS.indexOf(scene.ui.part) + step
  return showDetailPart(scene, DETAIL_PARTS[(at + DETAIL_PARTS.length) % DETAIL_PARTS.length] ?? 'diff')
}

export function showDetailPart(scene: DashboardScene, part: IterationPart): DashboardScene {
  return updateViewState(focusPane(scrollPaneTo(scene, 'detail', null), 'detail'), { part })
}

/** The first visible line. */
function detailTop(scene: DashboardScene, { columns, rows }: Size): number {
  return scrollTop(scene.ui.at.detail?.entry ?? 0, 0, { length: detailLines(scene, columns).length, rows })
}

function detailLines(scene: DashboardScene, columns: number): ScreenLine[] {
  const at = detailIterationPosition(scene)
  const { detail, ui } = scene
  if (at === 0) return [[toSpan('No iteration has begun yet.', 'dim')]]
  if (detail === null || !isSameDetail(detail, { at, part: ui.part }))
    return [[toSpan(`Reading iteration ${iterationName(scene, at)} …`, 'dim')]]
  if (detail.is === 'none') return [[toSpan(detail.why, 'dim')]]
  return wrapped(detail, columns, scene.zone)
}

const known = new WeakMap<LoadedDetail, { columns: number; lines: ScreenLine[] }>()

/** A patch may have thousands of lines: they are wrapped once per width. */
function wrapped(detail: LoadedDetail & { is: 'there' }, columns: number, zone: number): ScreenLine[] {
  const cached = known.get(detail)
  if (cached?.columns === columns) return cached.lines
  const lines = PART_LINES[detail.read.part](detail.read, zone).flatMap((line) => broken(line, columns))
  known.set(detail, { columns, lines })
  return lines
}

/** Text before it is wrapped; continuation lines are aligned with the text of the first line. */
interface Said {
  lead?: string
  text: string
  tone?: SpanTone
}

function broken({ lead = '', text, tone }: Said, columns: number): ScreenLine[] {
  const room = Math.max(1, columns - lead.length)
  return wrapText(toPrintable(text), room).map((part, row) => [
    toSpan(row === 0 ? lead : ' '.repeat(lead.length)),
    toSpan(part, tone),
  ])
}

const PART_LINES: Record<IterationPart, (read: LoadedIterationPart, zone: number) => Said[]> = {
  diff: ({ shown }) => diffLines(shown),
  gates: gateLines,
  evidence: ({ shown }, zone) => evidenceLines(shown, zone),
}

function diffLines({ change, patch, trees, reply, run, name }: IterationDetails): Said[] {
  if (reply === null) return [{ text: 'What it changes is measured when its agent has ended.', tone: 'dim' }]
  if (change === null) return [{ text: 'What it changed was never measured.', tone: 'dim' }]
  if (change.files === 0 && change.commits.length === 0) return [{ text: 'No file of the work changed.', tone: 'dim' }]
  const head: Said[] = [
    { text: `${plural(change.files, 'file')} +${change.added} −${change.removed}`, tone: 'bold' },
    ...change.commits.map(({ sha, subject }) => ({ lead: `${sha.slice(0, 9)} `, text: subject })),
  ]
  if (patch === null) {
    if (change.files === 0) return head
    const why = trees === null ? 'its trees are not known' : 'its snapshots were pruned, or there is no git'
    return [...head, { text: `There is no diff: ${why}.`, tone: 'warn' }]
  }
  const more: Said[] = patch.cut ? [{ text: `… and more: ralph show ${run} ${name} --patch`, tone: 'dim' }] : []
  return [...head, ...patchLines(patch.patch), ...more]
}

/** Of each file's header only its name matters, and whether the file is new or deleted. */
function patchLines(patch: string): Said[] {
  const said: Said[] = []
  let inHead = false
  for (const line of stripControl(patch).trimEnd().split('\n')) {
    const file = /^diff --git a\/.* b\/(.*)$/.exec(line)
    if (file !== null) {
      inHead = true
      said.push({ text: '' }, { text: file[1] ?? '', tone: 'bold' })
    } else if (line.startsWith('@@')) {
      inHead = false
      said.push({ text: line, tone: 'dim' })
    } else if (!inHead) {
      const tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : null
      said.push({ lead: line.slice(0, 1), text: line.slice(1), ...(tone === null ? {} : { tone }) })
    } else if (/^(new|deleted) file|^Binary|^(old|new) mode/.test(line)) {
      said.push({ text: line, tone: 'dim' })
    }
  }
  return said
}

function gateLines({ outputs, shown: { reply } }: LoadedIterationPart): Said[] {
  if (outputs.length === 0) return [{ text: noGate(reply), tone: 'dim' }]
  return outputs.flatMap((output, index) => [...(index === 0 ? [] : [{ text: '' }]), ...outputLines(output)])
}

function noGate(reply: IterationDetails['reply']): string {
  return reply === null
    ? 'No gate has run yet: its agent is still at work.'
    : 'No gate ran after it: it did not claim to be done.'
}

function outputLines({ evidence, text, before }: GateOutput): Said[] {
  const head = resultLine(evidence)
  if (text === null) return [head, { text: 'Its log is not there any more (pruned, or deleted by hand).', tone: 'dim' }]
  const cut: Said[] =
    before > 0 ? [{ text: `… ${before} bytes before this are only in ${evidence.log}`, tone: 'dim' }] : []
  const lines = stripControl(text).trimEnd().split('\n')
  const said = lines.length === 1 && lines[0] === '' ? ['(it printed nothing)'] : lines
  return [head, ...cut, ...said.map((line) => ({ lead: '  ', text: line }))]
}

function resultLine(evidence: Evidence): Said {
  const { glyph, tone } = gateResultMark(evidence)
  const command = hasPassed(evidence) ? ` (${evidence.command})` : ''
  const where = describePurpose(evidence.purpose)
  return {
    lead: `${glyph} `,
    text: `${gateResultText(evidence)}${command} · ${where} · ${formatSpan(evidence.durationMs)}`,
    tone: tone === 'warn' ? 'bold' : tone,
  }
}

function evidenceLines({ reply, evidence, decisions, agent }: IterationDetails, zone: number): Said[] {
  const took: Said =
    reply === null
      ? { text: `${agent} is still at work.` }
      : {
          text: `${agent} · ${reply.end === 'success' ? 'ended' : reply.end} after ${formatElapsed(reply.durationMs)} · ${formatCost(reply.usage)} · ${plural(reply.tools, 'tool')}`,
        }
  const said: Said[] = reply === null || reply.signals.summary === '' ? [] : [{ text: `“${reply.signals.summary}”` }]
  return [
    took,
    ...said,
    ...titled('Gates', evidence.flatMap(evidenceOf)),
    ...titled(
      'Decided',
      decisions.map(({ at, by, why }) => ({ lead: `${timeOfDay(at, zone)} `, text: `${by}: ${why}` })),
    ),
  ]
}

function evidenceOf(evidence: Evidence): Said[] {
  const tests = evidence.tests == null ? null : `${plural(evidence.tests, 'test')} ran`
  const tree = ranInCleanRoom(evidence.purpose) ? null : `tree ${evidence.tree.slice(0, 10)}`
  const facts = [tests, tree].filter((fact) => fact !== null).join(' · ')
  const lines = hasPassed(evidence) ? [] : stripControl(evidence.summary).split('\n').slice(0, SUMMARY_LINES)
  return [
    resultLine(evidence),
    ...(facts === '' ? [] : [{ lead: '  ', text: facts, tone: 'dim' as const }]),
    ...lines.filter((line) => line.trim() !== '').map((line) => ({ lead: '    ', text: line })),
  ]
}

/** As in `ralph show`; the tab of the gates has all of it. */
const SUMMARY_LINES = 10

function titled(title: string, lines: Said[]): Said[] {
  return lines.length === 0 ? [] : [{ text: '' }, { text: title, tone: 'bold' }, ...lines]
}
