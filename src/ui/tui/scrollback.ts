/**
 * The agent's text and tool calls as lines that can be scrolled, folded and searched. Limited in lines and in characters, so that
 * a screen can stay open for days; the oldest lines are dropped first, and a mark shows that lines were dropped.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { findStatusBlock } from '../../core/agent-output/status/status-block.ts'
import { assertNever } from '../../core/assert-never.ts'
import { clip, stripControl } from '../../core/text/sanitize.ts'
import { formatCompact } from '../plain/format-values.ts'

/** One unwrapped line; the screen's width decides how it is wrapped. */
export interface ScrollbackEntry {
  /** Grows by one; identifies the line even after older ones were dropped. */
  id: number
  is: 'text' | 'thought' | 'tool' | 'status' | 'mark' | 'failure'
  text: string
  /** Of a tool call. */
  ok: boolean | null
  /** The output of a tool, the rest of a thought, or the lines of a status block: shown when unfolded. */
  folded: string[]
  tool: string | null
  /** Of the heading of an iteration: which one. */
  heads?: string
}

export interface Scrollback {
  entries: ScrollbackEntry[]
  next: number
  /** The last line may still grow. */
  open: boolean
  /** The number of dropped lines. */
  gone: number
  size: number
}

/** Some hours of a talkative agent; at most about two megabytes. */
const LINES_MAX = 4_000
const SIZE_MAX = 1_000_000
/** Longer lines are split: one would fill the screen by itself. */
const LINE_MAX = 1_000
const FOLDED_MAX = 40
/** Only a few calls run in parallel; results of older ones are not matched. */
const TOOLS_BACK = 200

export function newScrollback(): Scrollback {
  return { entries: [], next: 0, open: false, gone: 0, size: 0 }
}

/** Adds one event. Changes the scrollback in place: it is too large to copy for every word. */
export function addAgentEvent(back: Scrollback, event: AgentEvent): void {
  switch (event.type) {
    case 'text':
      return addText(back, event.text, event.delta)
    case 'thought': {
      const [first = '', ...rest] = linesOf(event.text)
      return add(back, { is: 'thought', text: first, folded: rest })
    }
    case 'tool':
      return add(back, {
        is: 'tool',
        text: clip(stripControl(`${event.name} ${event.input}`), LINE_MAX),
        tool: event.id,
      })
    case 'tool-ended':
      return endTool(back, event)
    case 'limited':
    case 'failed':
      return add(back, { is: 'failure', text: clip(stripControl(event.message), LINE_MAX) })
    case 'denied':
      return add(back, {
        is: 'failure',
        text: clip(stripControl(`denied: ${event.tool} ${event.command ?? ''}`), LINE_MAX),
      })
    case 'started':
    case 'usage':
    case 'ended':
    case 'remark':
      return
    default:
      return assertNever(event)
  }
}

/** Adds the heading above the output of an iteration. */
export function addHeading(back: Scrollback, text: string, heads: string): void {
  add(back, { is: 'mark', text, heads })
}

/** Adds a line of Ralph's own between the agent's. */
export function addMarker(back: Scrollback, text: string): void {
  add(back, { is: 'mark', text })
}

export function addMissedMarker(back: Scrollback, bytes: number): void {
  addMarker(back, `${formatCompact(bytes)} bytes skipped; the log has them`)
}

export function hasOutput(back: Scrollback): boolean {
  return back.entries.some((entry) => entry.is !== 'mark')
}

export function scrollbackEntryAt(back: Scrollback, id: number): ScrollbackEntry | undefined {
  const first = back.entries[0]
  return first === undefined ? undefined : back.entries[id - first.id]
}

/** The nearest line of the agent before or after `from` that contains the searched text, folded lines included. */
export function findInScrollback(
  back: Scrollback,
  words: string,
  { from, back: backwards }: { from: number; back: boolean },
): number | null {
  const wanted = words.toLowerCase()
  const holds = (entry: ScrollbackEntry): boolean =>
    entry.is !== 'mark' && [entry.text, ...entry.folded].some((text) => text.toLowerCase().includes(wanted))
  const found = backwards
    ? back.entries.findLast((entry) => entry.id < from && holds(entry))
    : back.entries.find((entry) => entry.id > from && holds(entry))
  return found?.id ?? null
}

function addText(back: Scrollback, text: string, delta: boolean): void {
  const last = back.entries.at(-1)
  const goesOn = delta && back.open && last !== undefined && last.is === 'text'
  const lines = linesOf(goesOn ? last.text + text : text)
  if (goesOn) drop(back, last)
  for (const line of lines) {
    for (const piece of broken(line)) add(back, { is: 'text', text: piece })
    if (STATUS_END.test(line)) foldStatus(back)
  }
  back.open = delta
}

const STATUS_BEGIN = /^\W*---\s*RALPH\\?_STATUS\s*---/i
const STATUS_END = /^\W*---\s*END\\?_RALPH\\?_STATUS\s*---/i
/** More lines than a status block has. */
const STATUS_LINES = 40

/** The block is for Ralph: one line of it is enough for a person. */
function foldStatus(back: Scrollback): void {
  const from = Math.max(0, back.entries.length - STATUS_LINES)
  const begin = back.entries.findLastIndex(({ is, text }, at) => at >= from && is === 'text' && STATUS_BEGIN.test(text))
  const block = begin === -1 ? [] : back.entries.slice(begin)
  if (block.length === 0 || block.some(({ is }) => is !== 'text')) return
  for (const entry of block.toReversed()) drop(back, entry)
  const lines = block.map(({ text }) => text)
  add(back, { is: 'status', text: statusText(lines), folded: lines.slice(1, -1) })
}

function statusText(lines: string[]): string {
  const { status, exitSignal, recommendation } = findStatusBlock(lines.join('\n'))?.block ?? {}
  const parts = [
    status === undefined ? 'status block' : `status ${status}`,
    exitSignal === true ? 'exit signal' : null,
    recommendation ?? null,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

/** Removes the last line, which is added again together with the text that follows it. */
function drop(back: Scrollback, last: ScrollbackEntry): void {
  back.entries.pop()
  back.next = last.id
  back.size -= sizeOf(last)
}

function endTool(back: Scrollback, { id, ok, output }: Extract<AgentEvent, { type: 'tool-ended' }>): void {
  const from = Math.max(0, back.entries.length - TOOLS_BACK)
  const place = back.entries.findLastIndex(
    (entry, index) => index >= from && entry.is === 'tool' && entry.ok === null && (id === null || entry.tool === id),
  )
  const before = back.entries[place]
  if (before === undefined) return
  const ended = { ...before, ok, folded: foldable(linesOf(output)) }
  back.entries[place] = ended
  back.size += sizeOf(ended) - sizeOf(before)
}

function add(back: Scrollback, given: Pick<ScrollbackEntry, 'is' | 'text'> & Partial<ScrollbackEntry>): void {
  const entry: ScrollbackEntry = { ok: null, tool: null, ...given, folded: foldable(given.folded ?? []), id: back.next }
  back.entries.push(entry)
  back.next += 1
  back.open = false
  back.size += sizeOf(entry)
  if (back.entries.length > LINES_MAX || back.size > SIZE_MAX) forget(back)
}

/** Drops a tenth at a time: removing a single line from the front of an array moves all the others. */
function forget(back: Scrollback): void {
  const share = Math.max(1, Math.ceil(back.entries.length / 10))
  for (const entry of back.entries.splice(0, share)) back.size -= sizeOf(entry)
  back.gone += share
}

function sizeOf(entry: ScrollbackEntry): number {
  return entry.folded.reduce((sum, line) => sum + line.length, entry.text.length)
}

function linesOf(text: string): string[] {
  return stripControl(text).split('\n')
}

function broken(line: string): string[] {
  if (line.length <= LINE_MAX) return [line]
  const pieces: string[] = []
  for (let rest = line; rest !== '';) {
    // Never split a surrogate pair.
    const end = /[\ud800-\udbff]/.test(rest.charAt(LINE_MAX - 1)) ? LINE_MAX - 1 : LINE_MAX
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return pieces
}

function foldable(lines: string[]): string[] {
  const kept = lines.filter((line) => line.trim() !== '').map((line) => clip(line, LINE_MAX))
  if (kept.length <= FOLDED_MAX) return kept
  return [...kept.slice(0, FOLDED_MAX), `… ${kept.length - FOLDED_MAX} more lines`]
}
