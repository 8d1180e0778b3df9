/** The agent's words and tool calls, newest at the bottom; tools and thoughts are one line each unless unfolded. */
import { selected } from '../iterations.ts'
import { say, markFound, type ScreenLine, type Size, type Span } from '../line.ts'
import type { Spot, Scene } from '../scene.ts'
import { entryAt, hasWords, type ScrollbackEntry, type Scrollback } from '../scrollback.ts'
import { shown, wrap } from '../width.ts'

export function wordsPane(scene: Scene, { columns, rows }: Size): ScreenLine[] {
  const { words, hearing, ui } = scene
  if (!hasWords(words)) {
    const why =
      hearing === null
        ? selected(scene) === 0
          ? 'The agent has not begun yet.'
          : `Reading iteration ${selected(scene)} …`
        : hearing.there
          ? 'The agent has said nothing yet.'
          : missing(scene)
    return [[say(why, 'dim')]]
  }
  const lines: ScreenLine[] = []
  const look = { columns, unfolded: ui.unfolded }
  let place: Spot | null = ui.at.words ?? lastPlace(words, look)
  while (place !== null && lines.length < rows) {
    const entry = entryAt(words, place.entry)
    const line = entry === undefined ? undefined : linesOf(entry, look)[place.line]
    if (line !== undefined) lines.unshift(markFound(line, ui.search))
    place = before(words, place, look)
  }
  if (place === null && words.gone > 0 && lines.length < rows)
    lines.unshift([say(`… ${words.gone} older lines are only in the log`, 'dim')])
  return lines
}

function missing({ hearing, view }: Scene): string {
  const worker = hearing === null || view === null ? undefined : view.workers[hearing.worker]
  const working = worker?.doing.is === 'working' && view?.outcome === null
  if (working && worker.iteration === hearing?.iteration) return 'The agent is being started …'
  return `The log of iteration ${hearing?.iteration ?? 0} is not there any more (pruned, or deleted by hand).`
}

export interface WordsLook {
  columns: number
  unfolded: boolean
}

function lastPlace(words: Scrollback, look: WordsLook): Spot | null {
  const last = words.entries.at(-1)
  return last === undefined ? null : { entry: last.id, line: linesOf(last, look).length - 1 }
}

/** The line above; null at the top. A place that was forgotten meanwhile is the top. */
function before(words: Scrollback, place: Spot, look: WordsLook): Spot | null {
  if (place.line > 0) return { ...place, line: place.line - 1 }
  const entry = entryAt(words, place.entry - 1)
  return entry === undefined ? null : { entry: entry.id, line: linesOf(entry, look).length - 1 }
}

function after(words: Scrollback, place: Spot, look: WordsLook): Spot | null {
  const here = entryAt(words, place.entry)
  if (here !== undefined && place.line < linesOf(here, look).length - 1)
    return { ...place, line: place.line + 1 }
  return entryAt(words, place.entry + 1) === undefined ? null : { entry: place.entry + 1, line: 0 }
}

/** So many lines up (negative) or down; null: at the newest, following again. `rows`: at the top a whole pane stays filled. */
export function move(
  words: Scrollback,
  from: Spot | null,
  by: { lines: number; rows: number } & WordsLook,
): Spot | null {
  let place = from ?? lastPlace(words, by)
  if (place === null) return null
  if (entryAt(words, place.entry) === undefined) place = { entry: words.entries[0]?.id ?? 0, line: 0 }
  for (let step = 0; step < Math.abs(by.lines); step += 1) {
    const next: Spot | null = by.lines < 0 ? before(words, place, by) : after(words, place, by)
    if (next === null) break
    place = next
  }
  if (by.lines < 0) place = notAboveTop(words, place, by)
  return after(words, place, by) === null ? null : place
}

function notAboveTop(words: Scrollback, place: Spot, look: WordsLook & { rows: number }): Spot {
  let top: Spot | null = place
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

const known = new WeakMap<ScrollbackEntry, WordsLook & { lines: ScreenLine[] }>()

/** Entries do not change, so each is wrapped once for a width. */
function linesOf(entry: ScrollbackEntry, look: WordsLook): ScreenLine[] {
  const cached = known.get(entry)
  if (cached !== undefined && cached.columns === look.columns && cached.unfolded === look.unfolded)
    return cached.lines
  const lines = draw(entry, look)
  known.set(entry, { ...look, lines })
  return lines
}

function draw(entry: ScrollbackEntry, { columns, unfolded }: WordsLook): ScreenLine[] {
  const [lead, tone] = leadOf(entry)
  const room = Math.max(1, columns - 2)
  const whole = unfolded ? wrap(shown(entry.text), room) : headOf(entry, room)
  const lines = whole.map((text, index): ScreenLine => [
    index === 0 ? lead : say('  '),
    tone === undefined ? say(text) : say(text, tone),
  ])
  if (unfolded)
    for (const text of entry.folded)
      for (const part of wrap(shown(text), room)) lines.push([say('  '), say(part, 'dim')])
  return lines
}

/** Folded, a call or a thought has one line; `+` tells that there is more. */
function headOf(entry: ScrollbackEntry, room: number): string[] {
  const lines = wrap(shown(entry.text), room)
  if (entry.is !== 'tool' && entry.is !== 'thought') return lines
  const [first = ''] = lines
  const more = lines.length > 1 || entry.folded.length > 0
  return more && entry.is === 'tool'
    ? [`${wrap(shown(entry.text), Math.max(1, room - 2))[0] ?? ''} +`]
    : more
      ? [`${wrap(first, Math.max(1, room - 2))[0] ?? ''} …`]
      : [first]
}

function leadOf(entry: ScrollbackEntry): [Span, Span['tone']] {
  switch (entry.is) {
    case 'text':
      return [say('  '), undefined]
    case 'thought':
      return [say('· ', 'dim'), 'dim']
    case 'tool':
      if (entry.ok === null) return [say('▸ ', 'head'), 'head']
      return entry.ok ? [say('✓ ', 'good'), 'head'] : [say('✗ ', 'bad'), 'head']
    case 'mark':
      return [say('─ ', 'dim'), 'dim']
    case 'trouble':
      return [say('! ', 'bad'), 'bad']
  }
}
