/** The agent's text and tool calls, newest at the bottom; tools and thoughts are one line each unless unfolded. */
import { selectedIterationPosition } from '../iterations.ts'
import { toSpan, highlightMatches, type ScreenLine, type Size, type Span, type SpanTone } from '../screen-line.ts'
import type { PaneView } from '../pane.ts'
import {
  scrolledBackHint,
  focusPane,
  backToLiveHint,
  scrollPaneTo,
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
    backToLiveHint(scene),
    scrolledBackHint(scene, 'words'),
    scene.ui.search === '' ? '' : `"${scene.ui.search}"`,
    scene.ui.expanded ? 'expanded' : '',
    scene.words.gone > 0 && scene.ui.at.words === undefined ? `${scene.words.gone} lines gone` : '',
  ],
  lines: outputLines,
  keys: ['/ search', 'o unfold', '[ ] iteration', 'd diff'],
  scroll(scene, lines, size) {
    const { at, expanded } = scene.ui
    const words = scrollOutput(scene.words, at.words ?? null, { lines, ...size, expanded }) ?? undefined
    return updateViewState(scene, { at: { ...at, words } })
  },
  // Output is read from its newest line, so "next" is back.
  search(scene, { on }) {
    const { search, at } = scene.ui
    const found = findInScrollback(scene.words, search, { from: at.words?.entry ?? scene.words.next, back: on })
    if (found !== null) return scrollPaneTo(focusPane(scene, 'words'), 'words', found)
    return sceneWithNotice(scene, { text: `No ${on ? 'older' : 'newer'} line has "${search}".`, bad: true })
  },
}

function outputLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const { words, outputSource, ui } = scene
  if (!hasOutput(words)) {
    const why =
      outputSource === null
        ? selectedIterationPosition(scene) === 0
          ? 'The agent has not begun yet.'
          : `Reading iteration ${selectedIterationPosition(scene)} …`
        : outputSource.there
          ? 'The agent has said nothing yet.'
          : missing(scene)
    return [[toSpan(why, 'dim')]]
  }
  const lines: ScreenLine[] = []
  const look = { columns, expanded: ui.expanded }
  let place: ScrollPosition | null = ui.at.words ?? lastPlace(words, look)
  while (place !== null && lines.length < rows) {
    const entry = scrollbackEntryAt(words, place.entry)
    const line = entry === undefined ? undefined : linesOf(entry, look)[place.line]
    if (line !== undefined) lines.unshift(highlightMatches(line, ui.search))
    place = before(words, place, look)
  }
  if (place === null && words.gone > 0 && lines.length < rows)
    lines.unshift([toSpan(`… ${words.gone} older lines are only in the log`, 'dim')])
  return lines
}

function missing({ outputSource, view }: DashboardScene): string {
  const worker = outputSource === null || view === null ? undefined : view.workers[outputSource.worker]
  const working = worker?.activity.is === 'working' && view?.outcome === null
  if (working && worker.iteration === outputSource?.iteration) return 'The agent is being started …'
  return `The log of iteration ${outputSource?.iteration ?? 0} is not there any more (pruned, or deleted by hand).`
}

interface OutputView {
  columns: number
  expanded: boolean
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

const known = new WeakMap<ScrollbackEntry, OutputView & { lines: ScreenLine[] }>()

/** Entries do not change, so each is wrapped once per width. */
function linesOf(entry: ScrollbackEntry, look: OutputView): ScreenLine[] {
  const cached = known.get(entry)
  if (cached !== undefined && cached.columns === look.columns && cached.expanded === look.expanded) return cached.lines
  const lines = draw(entry, look)
  known.set(entry, { ...look, lines })
  return lines
}

function draw(entry: ScrollbackEntry, { columns, expanded }: OutputView): ScreenLine[] {
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

/** Folded, a call or a thought has one line; `+` shows that there is more. */
function headOf(entry: ScrollbackEntry, room: number): string[] {
  const lines = wrapText(toPrintable(entry.text), room)
  if (entry.is !== 'tool' && entry.is !== 'thought') return lines
  const [first = ''] = lines
  const more = lines.length > 1 || entry.folded.length > 0
  return more && entry.is === 'tool'
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
  mark: { lead: toSpan('─ ', 'dim'), tone: 'dim' },
  failure: { lead: toSpan('! ', 'bad'), tone: 'bad' },
}

const ENDED_TOOL = { true: toSpan('✓ ', 'good'), false: toSpan('✗ ', 'bad') }
