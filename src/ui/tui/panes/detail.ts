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
  type ScrollPosition,
} from '../dashboard-scene.ts'
import { timeOfDay } from '../time-of-day.ts'
import { toPrintable, wrapText } from '../text-width.ts'
import { matchingRow } from './output.ts'

export const DETAIL_PANE: PaneView = {
  // The names of its tabs; the current one is in brackets.
  title: ({ ui }, tone) =>
    DETAIL_PARTS.flatMap((part, index) => [
      toSpan(index === 0 ? '' : ' '),
      part === ui.part ? toSpan(`[${part}]`, tone) : toSpan(part, 'dim'),
    ]),
  notes(scene, size) {
    const n = detailIterationPosition(scene)
    const { lines } = detailText(scene, size.columns)
    return [
      n === 0 ? '' : `iteration ${iterationName(scene, n)}`,
      visibleRangeText(detailTop(scene, size), { length: lines.length, rows: size.rows }),
    ]
  },
  lines(scene, size) {
    const top = detailTop(scene, size)
    const inSight = detailText(scene, size.columns).lines.slice(top, top + size.rows)
    return inSight.map((line) => highlightMatches(line, scene.ui.search))
  },
  keys: ['←→ part', '[ ] iteration', 'm messages', '/ search'],
  keysFirst: true,
  scroll(scene, by, size) {
    const { lines, starts } = detailText(scene, size.columns)
    const top = scrollTop(detailTop(scene, size), by, { length: lines.length, rows: size.rows })
    const entry = starts.findLastIndex((start) => start <= top)
    return scrollDetailTo(scene, top === 0 ? undefined : { entry, line: top - (starts[entry] ?? 0) })
  },
  searches: (scene) => `the ${SEARCHED[scene.ui.part]} of this iteration`,
  search: searchDetail,
  press: { left: (scene) => otherPart(scene, -1), right: (scene) => otherPart(scene, 1) },
}

const SEARCHED: Record<IterationPart, string> = { diff: 'diff', gates: 'gate output', evidence: 'evidence' }

/** Text is read from its top, so "next" is down. */
function searchDetail(scene: DashboardScene, { on }: { on: boolean }, { columns }: Size): DashboardScene {
  const { search, at } = scene.ui
  const wanted = search.toLowerCase()
  const { texts, lines, starts } = detailText(scene, columns)
  const from = at.detail?.entry ?? -1
  const has = (text: string): boolean => text.toLowerCase().includes(wanted)
  const found = on
    ? texts.findIndex((text, index) => index > from && has(text))
    : texts.findLastIndex((text, index) => index < from && has(text))
  if (found === -1)
    return sceneWithNotice(scene, { text: `No line ${on ? 'below' : 'above'} has "${search}".`, bad: true })
  const rows = lines.slice(starts[found], starts[found + 1]).map(plainText)
  return scrollDetailTo(scene, { entry: found, line: matchingRow(rows, search) })
}

function scrollDetailTo(scene: DashboardScene, detail: ScrollPosition | undefined): DashboardScene {
  return updateViewState(scene, { at: { ...scene.ui.at, detail } })
}

function otherPart(scene: DashboardScene, step: 1 | -1): DashboardScene {
  const at = DETAIL_PARTS.indexOf(scene.ui.part) + step
  return showDetailPart(scene, DETAIL_PARTS[(at + DETAIL_PARTS.length) % DETAIL_PARTS.length] ?? 'diff')
}

export function showDetailPart(scene: DashboardScene, part: IterationPart): DashboardScene {
  return updateViewState(focusPane(scrollPaneTo(scene, 'detail', null), 'detail'), { part })
}

/** The first visible line. After a resize it has the same text. */
function detailTop(scene: DashboardScene, { columns, rows }: Size): number {
  const { lines, starts } = detailText(scene, columns)
  const { entry, line } = scene.ui.at.detail ?? { entry: 0, line: 0 }
  const [start = 0, next = lines.length] = starts.slice(entry, entry + 2)
  return scrollTop(Math.min(start + line, next - 1), 0, { length: lines.length, rows })
}

/** Wrapped lines, the texts they come from, and the first line of each text. */
interface DetailText {
  lines: ScreenLine[]
  texts: string[]
  starts: number[]
}

function detailText(scene: DashboardScene, columns: number): DetailText {
  const at = detailIterationPosition(scene)
  const { detail, ui } = scene
  if (at === 0) return oneLineText('No iteration has started yet.')
  if (detail === null || !isSameDetail(detail, { at, part: ui.part }))
    return oneLineText(`Loading iteration ${iterationName(scene, at)} …`)
  if (detail.is === 'none') return oneLineText(detail.why)
  return wrapped(detail, columns, scene.zone)
}

function oneLineText(text: string): DetailText {
  return { lines: [[toSpan(text, 'dim')]], texts: [text], starts: [0] }
}

const known = new WeakMap<LoadedDetail, { columns: number; text: DetailText }>()

/** A patch may have thousands of lines: they are wrapped once per width. */
function wrapped(detail: LoadedDetail & { is: 'there' }, columns: number, zone: number): DetailText {
  const cached = known.get(detail)
  if (cached?.columns === columns) return cached.text
  const said = PART_LINES[detail.read.part](detail.read, zone)
  const text: DetailText = { lines: [], texts: said.map(({ lead = '', text }) => `${lead}${text}`), starts: [] }
  for (const one of said) {
    text.starts.push(text.lines.length)
    text.lines.push(...broken(one, columns))
  }
  known.set(detail, { columns, text })
  return text
}

/** Text before it is wrapped; continuation lines are aligned with the text of the first line. */
interface DetailLine {
  lead?: string
  text: string
  tone?: SpanTone
}

function broken({ lead = '', text, tone }: DetailLine, columns: number): ScreenLine[] {
  const room = Math.max(1, columns - lead.length)
  return wrapText(toPrintable(text), room).map((part, row) => [
    toSpan(row === 0 ? lead : ' '.repeat(lead.length)),
    toSpan(part, tone),
  ])
}

const PART_LINES: Record<IterationPart, (read: LoadedIterationPart, zone: number) => DetailLine[]> = {
  diff: ({ shown }) => diffLines(shown),
  gates: gateLines,
  evidence: ({ shown }, zone) => evidenceLines(shown, zone),
}

function diffLines({ change, patch, trees, reply, run, name }: IterationDetails): DetailLine[] {
  if (reply === null) return [{ text: 'The diff appears when the agent has finished.', tone: 'dim' }]
  if (change === null) return [{ text: 'Ralph has no record of what changed.', tone: 'dim' }]
  if (change.files === 0 && change.commits.length === 0) return [{ text: 'No files changed.', tone: 'dim' }]
  const head: DetailLine[] = [
    { text: `${plural(change.files, 'file')} +${change.added} −${change.removed}`, tone: 'bold' },
    ...change.commits.map(({ sha, subject }) => ({ lead: `${sha.slice(0, 9)} `, text: subject })),
  ]
  if (patch === null) {
    if (change.files === 0) return head
    const why =
      trees === null
        ? 'Ralph has no snapshots of this iteration'
        : 'the snapshots were pruned, or this is not a git repository'
    return [...head, { text: `No diff: ${why}.`, tone: 'warn' }]
  }
  const more: DetailLine[] = patch.cut ? [{ text: `… the rest: ralph show ${run} ${name} --patch`, tone: 'dim' }] : []
  return [...head, ...patchLines(patch.patch), ...more]
}

/** Of each file's header only its name matters, and whether the file is new or deleted. */
function patchLines(patch: string): DetailLine[] {
  const said: DetailLine[] = []
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

function gateLines({ outputs, shown: { reply } }: LoadedIterationPart): DetailLine[] {
  if (outputs.length === 0) return [{ text: noGate(reply), tone: 'dim' }]
  return outputs.flatMap((output, index) => [...(index === 0 ? [] : [{ text: '' }]), ...outputLines(output)])
}

function noGate(reply: IterationDetails['reply']): string {
  return reply === null
    ? 'No gate has run yet: the agent is still working.'
    : "No gate ran: the agent didn't say it was done."
}

function outputLines({ evidence, text, before }: GateOutput): DetailLine[] {
  const head = resultLine(evidence)
  if (text === null) return [head, { text: 'The log is gone (pruned or deleted).', tone: 'dim' }]
  const cut: DetailLine[] =
    before > 0 ? [{ text: `… the first ${before} bytes are in ${evidence.log}`, tone: 'dim' }] : []
  const lines = stripControl(text).trimEnd().split('\n')
  const said = lines.length === 1 && lines[0] === '' ? ['(no output)'] : lines
  return [head, ...cut, ...said.map((line) => ({ lead: '  ', text: line }))]
}

function resultLine(evidence: Evidence): DetailLine {
  const { glyph, tone } = gateResultMark(evidence)
  const command = hasPassed(evidence) ? ` (${evidence.command})` : ''
  const where = describePurpose(evidence.purpose)
  return {
    lead: `${glyph} `,
    text: `${gateResultText(evidence)}${command} · ${where} · ${formatSpan(evidence.durationMs)}`,
    tone: tone === 'warn' ? 'bold' : tone,
  }
}

function evidenceLines({ reply, evidence, decisions, agent }: IterationDetails, zone: number): DetailLine[] {
  const took: DetailLine =
    reply === null
      ? { text: `${agent} is still working.` }
      : {
          text: `${agent} · ${reply.end === 'success' ? 'ended' : reply.end} after ${formatElapsed(reply.durationMs)} · ${formatCost(reply.usage)} · ${plural(reply.tools, 'tool')}`,
        }
  const said: DetailLine[] =
    reply === null || reply.signals.summary === '' ? [] : [{ text: `“${reply.signals.summary}”` }]
  return [
    took,
    ...said,
    ...titled('Gates', evidence.flatMap(evidenceOf)),
    ...titled(
      'Decisions',
      decisions.map(({ at, by, why }) => ({ lead: `${timeOfDay(at, zone)} `, text: `${by}: ${why}` })),
    ),
  ]
}

function evidenceOf(evidence: Evidence): DetailLine[] {
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

function titled(title: string, lines: DetailLine[]): DetailLine[] {
  return lines.length === 0 ? [] : [{ text: '' }, { text: title, tone: 'bold' }, ...lines]
}
