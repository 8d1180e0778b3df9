/** The agent's text and tool calls, newest at the bottom; tools and thoughts are one line each unless unfolded. */
import { lastIterationPosition, selectedIterationPosition } from '../iterations.ts'
import {
  plainText,
  toSpan,
  highlightMatches,
  type ScreenLine,
  type Size,
  type Span,
  type SpanTone,
} from '../screen-line.ts'
import type { PaneView } from '../pane.ts'
import {
  scrolledBackHint,
  focusPane,
  backToLiveHint,
  sceneWithNotice,
  updateViewState,
  type ScrollPosition,
  type DashboardScene,
} from '../dashboard-scene.ts'
import { scrollbackEntryAt, findInScrollback, hasOutput, type ScrollbackEntry, type Scrollback } from '../scrollback.ts'
import { toPrintable, wrapText } from '../text-width.ts'

export const OUTPUT_PANE: PaneView = {
  notes: (scene) => [
    scene.outputSource === null ? '' : `iteration ${scene.outputSource.iteration}`,
    scene.ui.search === '' ? '' : `"${scene.ui.search}" in all iterations`,
    backToLiveHint(scene),
    scrolledBackHint(scene, 'messages'),
    scene.ui.expanded ? 'unfolded' : '',
    scene.words.gone > 0 && scene.ui.at.messages === undefined ? `${scene.words.gone} older lines dropped` : '',
  ],
  lines: outputLines,
  keys: ['/ search', 'o unfold', '[ ] iteration', 'd diff'],
  scroll(scene, lines, size) {
    const { at, expanded, found } = scene.ui
    const by = { lines, ...size, expanded, found }
    const messages = scrollOutput(scene.words, lastVisible(scene, size), by) ?? undefined
    return updateViewState(scene, { at: { ...at, messages }, found: messages === undefined ? null : found })
  },
  searches: () => 'messages of all iterations',
  search: searchOutput,
}

/** Output is read from its newest line, so "next" is back. */
function searchOutput(scene: DashboardScene, { on }: { on: boolean }): DashboardScene {
  const { search, at, found } = scene.ui
  const next = findInScrollback(scene.words, search, {
    from: found ?? at.messages?.entry ?? scene.words.next,
    back: on,
  })
  if (next !== null) return showMatch(scene, next)
  const from = selectedIterationPosition(scene)
  const isEnd = on ? from <= 1 : from >= lastIterationPosition(scene)
  if (!isEnd) return updateViewState(scene, { seeking: { from, back: on } })
  return sceneWithNotice(scene, { text: noMatchText(scene, on), bad: true })
}

export function noMatchText({ ui }: DashboardScene, back: boolean): string {
  return `No ${back ? 'older' : 'newer'} message has "${ui.search}".`
}

export function showMatch(scene: DashboardScene, found: number): DashboardScene {
  const at = { ...scene.ui.at, messages: undefined }
  return updateViewState(focusPane(scene, 'messages'), { found, seeking: null, at })
}

function outputLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const { words, outputSource, ui } = scene
  if (!hasOutput(words)) {
    const why =
      outputSource === null
        ? selectedIterationPosition(scene) === 0
          ? 'No agent has started yet.'
          : `Loading iteration ${selectedIterationPosition(scene)} …`
        : outputSource.there
          ? 'No messages yet.'
          : missing(scene)
    return [[toSpan(why, 'dim')]]
  }
  const lines: ScreenLine[] = []
  const look = { columns, expanded: ui.expanded, found: ui.found }
  let place = lastVisible(scene, { columns, rows })
  while (place !== null && lines.length < rows) {
    const entry = scrollbackEntryAt(words, place.entry)
    const line = entry === undefined ? undefined : linesOf(entry, look)[place.line]
    if (line !== undefined) lines.unshift(highlightMatches(line, ui.search))
    place = before(words, place, look)
  }
  if (place === null && words.gone > 0 && lines.length < rows)
    lines.unshift([toSpan(`… the log has ${words.gone} older lines`, 'dim')])
  return lines
}

function missing({ outputSource, view }: DashboardScene): string {
  const worker = outputSource === null || view === null ? undefined : view.workers[outputSource.worker]
  const working = worker?.activity.is === 'working' && view?.outcome === null
  if (working && worker.iteration === outputSource?.iteration) return 'Starting the agent …'
  return `The log of iteration ${outputSource?.iteration ?? 0} is gone (pruned or deleted).`
}

interface OutputView {
  columns: number
  expanded: boolean
  /** This message is unfolded: the match may be in a line that is hidden otherwise. */
  found: number | null
}

/** The line at the bottom of the pane: where the user scrolled to, some lines below a match, or the newest. */
function lastVisible({ words, ui }: DashboardScene, { columns, rows }: Size): ScrollPosition | null {
  const look = { columns, rows, expanded: ui.expanded, found: ui.found }
  const scrolled = ui.at.messages
  const entry = scrollbackEntryAt(words, scrolled?.entry ?? ui.found ?? -1)
  if (entry === undefined) return scrolled ?? lastPlace(words, look)
  const lines = linesOf(entry, look)
  // A narrower pane had more lines of it.
  if (scrolled !== undefined) return { ...scrolled, line: Math.min(scrolled.line, lines.length - 1) }
  let place: ScrollPosition = { entry: entry.id, line: matchingRow(lines.map(plainText), ui.search) }
  for (let below = 0; below < Math.floor(rows / 2); below += 1) place = after(words, place, look) ?? place
  return notAboveTop(words, place, look)
}

/** The row in which the match is, or begins if it continues in the next one. */
export function matchingRow(rows: string[], search: string): number {
  const wanted = search.toLowerCase()
  const has = (text: string): boolean => text.toLowerCase().includes(wanted)
  const inside = rows.findIndex(has)
  const across = rows.findIndex((row, at) => has(`${row} ${(rows[at + 1] ?? '').trimStart()}`))
  return Math.max(0, inside === -1 ? across : inside)
}

function lastPlace(words: Scrollback, look: OutputView): ScrollPosition | null {
  const last = words.entries.at(-1)
  return last === undefined ? null : { entry: last.id, line: linesOf(last, look).length - 1 }
}

/** The line above; null at the top. A line that was dropped meanwhile counts as the top. */
function before(words: Scrollback, place: ScrollPosition, look: OutputView): ScrollPosition | null {
  if (place.line > 0) return { ...place, line: place.line - 1 }
  const entry = scrollbackEntryAt(words, place.entry - 1)
  return entry === undefined ? null : { entry: entry.id, line: linesOf(entry, look).length - 1 }
}

function after(words: Scrollback, place: ScrollPosition, look: OutputView): ScrollPosition | null {
  const here = scrollbackEntryAt(words, place.entry)
  if (here !== undefined && place.line < linesOf(here, look).length - 1) return { ...place, line: place.line + 1 }
  return scrollbackEntryAt(words, place.entry + 1) === undefined ? null : { entry: place.entry + 1, line: 0 }
}

/** Moves this many lines up (negative) or down; null: at the newest, following again. `rows`: at the top a full pane stays filled. */
function scrollOutput(
  words: Scrollback,
  from: ScrollPosition | null,
  by: { lines: number; rows: number } & OutputView,
): ScrollPosition | null {
  let place = from ?? lastPlace(words, by)
  if (place === null) return null
  if (scrollbackEntryAt(words, place.entry) === undefined) place = { entry: words.entries[0]?.id ?? 0, line: 0 }
  for (let step = 0; step < Math.abs(by.lines); step += 1) {
    const next: ScrollPosition | null = by.lines < 0 ? before(words, place, by) : after(words, place, by)
    if (next === null) break
    place = next
  }
  if (by.lines < 0) place = notAboveTop(words, place, by)
  return after(words, place, by) === null ? null : place
}

function notAboveTop(words: Scrollback, place: ScrollPosition, look: OutputView & { rows: number }): ScrollPosition {
  let top: ScrollPosition | null = place
  let above = 0
  while (above < look.rows - 1 && (top = before(words, top, look)) !== null) above += 1
  let bottom = place
  for (; above < look.rows - 1; above += 1) {
    const next = after(words, bottom, look)
    if (next === null) break
    bottom = next
  }
  return bottom
}

interface DrawnEntry {
  columns: number
  expanded: boolean
  lines: ScreenLine[]
}

const known = new WeakMap<ScrollbackEntry, DrawnEntry>()

/** Entries do not change, so each is wrapped once per width. */
function linesOf(entry: ScrollbackEntry, look: OutputView): ScreenLine[] {
  const { columns } = look
  const expanded = look.expanded || look.found === entry.id
  const cached = known.get(entry)
  if (cached?.columns === columns && cached.expanded === expanded) return cached.lines
  const lines = draw(entry, { columns, expanded })
  known.set(entry, { columns, expanded, lines })
  return lines
}

function draw(entry: ScrollbackEntry, { columns, expanded }: Omit<DrawnEntry, 'lines'>): ScreenLine[] {
  const { lead, tone } = LEADS[entry.is]
  const first = entry.ok === null ? lead : ENDED_TOOL[`${entry.ok}`]
  const room = Math.max(1, columns - 2)
  const whole = expanded ? wrapText(toPrintable(entry.text), room) : headOf(entry, room)
  const lines = whole.map((text, index): ScreenLine => [index === 0 ? first : toSpan('  '), toSpan(text, tone)])
  if (expanded)
    for (const text of entry.folded)
      for (const part of wrapText(toPrintable(text), room)) lines.push([toSpan('  '), toSpan(part, 'dim')])
  return lines
}

/** Folded, a call, a thought or a status block has one line; `+` shows that there is more. */
function headOf(entry: ScrollbackEntry, room: number): string[] {
  const lines = wrapText(toPrintable(entry.text), room)
  if (entry.is !== 'tool' && entry.is !== 'thought' && entry.is !== 'status') return lines
  const [first = ''] = lines
  const more = lines.length > 1 || entry.folded.length > 0
  return more && entry.is !== 'thought'
    ? [`${wrapText(toPrintable(entry.text), Math.max(1, room - 2))[0] ?? ''} +`]
    : more
      ? [`${wrapText(first, Math.max(1, room - 2))[0] ?? ''} …`]
      : [first]
}

/** The prefix of an entry and the tone of its text. */
const LEADS: Record<ScrollbackEntry['is'], { lead: Span; tone?: SpanTone }> = {
  text: { lead: toSpan('  ') },
  thought: { lead: toSpan('· ', 'dim'), tone: 'dim' },
  tool: { lead: toSpan('▸ ', 'head'), tone: 'head' },
  status: { lead: toSpan('· ', 'dim') },
  mark: { lead: toSpan('─ ', 'dim'), tone: 'dim' },
  failure: { lead: toSpan('! ', 'bad'), tone: 'bad' },
}

const ENDED_TOOL = { true: toSpan('✓ ', 'good'), false: toSpan('✗ ', 'bad') }
