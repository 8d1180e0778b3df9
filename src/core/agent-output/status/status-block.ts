/**
 * Finds the status block with which an agent ends its reply. Three forms: between `---RALPH_STATUS---` markers, `RALPH_STATUS:` with
 * keys below it, and a JSON object with the same keys.
 *
 * The last complete block wins. A block that is only quoted never counts: markers must begin their line, so `>`, line numbers and diff
 * signs rule it out. In code (a fence, or indented by four spaces) it counts only at the very end of the message: some agents fence
 * their real block, and a message does not end with an example.
 */
import type { StatusBlock } from '../reply.ts'
import { findCodeFences, type CodeFence } from '../../text/code-fences.ts'
import { splitLines } from '../prose.ts'
import { statusFromJson, findTrailingStatusJson } from './status-json.ts'
import { isStatusKey, setStatusKey } from './status-keys.ts'

export interface FoundBlock {
  block: StatusBlock
  /** Where it was found and why it counts, as text. */
  because: string
}

/** The status block of a message (the agent's own text, not tool output), or null. */
export function findStatusBlock(text: string): FoundBlock | null {
  const whole = wholeJson(text)
  if (whole !== null) return whole
  const json = findTrailingStatusJson(text)
  if (json !== null) return { block: json, because: 'a JSON status object, the last thing of the message' }
  if (!/RALPH\\?_STATUS/i.test(text)) return null
  return lastBlock(splitLines(text))
}

/** A message that is one JSON document: its own keys, or a block inside one of its strings. */
function wholeJson(text: string): FoundBlock | null {
  const found = statusFromJson(text)
  if (found === null) return null
  if ('block' in found) return { block: found.block, because: 'the keys of a JSON reply' }
  const inner = findStatusBlock(found.text)
  return inner && { block: inner.block, because: `${inner.because}, inside a JSON reply` }
}

function lastBlock(lines: string[]): FoundBlock | null {
  const message = { lines, fences: findCodeFences(lines), end: lines.findLastIndex((line) => line.trim() !== '') }
  const said = spansOf(lines).filter((span) => isReadable(span.block) && isSaid(span, message))
  const complete = said.filter((span) => span.closed)
  const last = complete.at(-1)
  if (last !== undefined) {
    const count = complete.length === 1 ? '' : `, the last of ${complete.length}`
    return { block: last.block, because: `a status block in ${last.form} form${count}` }
  }
  const cut = said.at(-1)
  if (cut === undefined || !isSafeUnclosed(cut.block)) return null
  return { block: cut.block, because: 'a status block without its end marker, the last thing of the message' }
}

/** The lines of a block, from its opening line to its last line. */
interface Span {
  form: 'marked' | 'YAML'
  from: number
  to: number
  /** The end marker was found. The YAML form has none: it is complete with its last key. */
  closed: boolean
  block: StatusBlock
}

function spansOf(lines: string[]): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < lines.length; at++) {
    const mark = markOf(lines[at] ?? '')
    if (mark !== 'start' && mark !== 'yaml') continue
    const span = mark === 'start' ? markedSpan(lines, at) : openSpan(lines, at, 'YAML')
    spans.push(span)
    at = span.to
  }
  return spans
}

/** Ends at its end marker, or (unclosed) before the next start marker, or with its last key. */
function markedSpan(lines: string[], from: number): Span {
  for (let at = from + 1; at < lines.length; at++) {
    const mark = markOf(lines[at] ?? '')
    if (mark !== 'end' && mark !== 'start') continue
    const closed = mark === 'end'
    const block = readKeys(lines.slice(from + 1, at))
    return { form: 'marked', from, to: closed ? at : at - 1, closed, block }
  }
  return openSpan(lines, from, 'marked')
}

/** A block without an end marker: takes only lines that can belong to it, so that prose after it is recognised. */
function openSpan(lines: string[], from: number, form: Span['form']): Span {
  const isYaml = form === 'YAML'
  const to = lastKeyLine(lines, from, (line) => isYaml && /^\s+\S/.test(line))
  return { form, from, to, closed: isYaml, block: readKeys(lines.slice(from + 1, to + 1)) }
}

/** The last key line after `from`, over lines that are keys, blank, or continue the previous value. */
function lastKeyLine(lines: string[], from: number, continues: (line: string) => boolean): number {
  let to = from
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const key = keyOf(line)
    if (key !== null && isStatusKey(key.key)) to = at
    else if (to > from && continues(line)) to = at
    else break
  }
  return to
}

function readKeys(lines: string[]): StatusBlock {
  const block: StatusBlock = {}
  /** A recommendation may begin on the line after its key. */
  let waiting = false
  for (const line of lines) {
    const found = keyOf(line)
    if (found !== null && isStatusKey(found.key)) {
      setStatusKey(block, found.key, found.value)
      waiting = /recommendation/i.test(found.key) && block.recommendation === undefined
    } else if (waiting && line.trim() !== '') {
      setStatusKey(block, 'RECOMMENDATION', line)
      waiting = false
    }
  }
  return block
}

/** A template with nothing but placeholders is not a status. */
function isReadable(block: StatusBlock): boolean {
  return block.status !== undefined || block.exitSignal !== undefined
}

/** A block cut after `STATUS: COMPLETE` may have had `EXIT_SIGNAL: false` on the next line: that must not read as done. */
function isSafeUnclosed(block: StatusBlock): boolean {
  return block.exitSignal !== undefined || block.status !== 'COMPLETE'
}

interface Message {
  lines: string[]
  fences: CodeFence[]
  /** The last line that is not blank. */
  end: number
}

/** Whether the block is the agent's own statement and not an example. */
function isSaid(span: Span, { lines, fences, end }: Message): boolean {
  const fence = fences.find((each) => span.from > each.from && span.from < each.to)
  if (fence?.closed) {
    const alone = isBlank(lines.slice(fence.from + 1, span.from)) && isBlank(lines.slice(span.to + 1, fence.to))
    return span.to < fence.to && alone && end <= fence.to
  }
  const inCode = fence !== undefined || /^(?: {4}| {0,3}\t)/.test(lines[span.from] ?? '')
  return inCode || !span.closed ? end <= span.to : true
}

function isBlank(lines: string[]): boolean {
  return lines.every((line) => line.trim() === '')
}

/** Three dashes exactly: a removed line of a diff has four, an added one begins with `+`. */
const MARK = /^[\s*_`#]*(?:---|—{1,3})\s*(END_)?RALPH_STATUS\s*[-—]{1,4}[\s*_`:]*$/i
const YAML_MARK = /^[\s*_`#]*RALPH_STATUS[*_`]*\s*:[\s*_`]*$/i

function markOf(line: string): 'start' | 'end' | 'yaml' | null {
  if (line.length > 200) return null
  const plain = unescaped(line)
  const found = MARK.exec(plain)
  if (found !== null) return found[1] === undefined ? 'start' : 'end'
  return YAML_MARK.test(plain) ? 'yaml' : null
}

const KEY_LINE = /^\s*(?:[-*•+]\s+)?[*_`"']{0,4}([a-z][a-z _-]{0,40}?)[*_`"']{0,4}\s{0,9}:(.*)$/i

function keyOf(line: string): { key: string; value: string } | null {
  const found = KEY_LINE.exec(unescaped(line.slice(0, 2000)))
  return found === null ? null : { key: found[1] ?? '', value: found[2] ?? '' }
}

/** Markdown writes `EXIT\_SIGNAL`. */
function unescaped(line: string): string {
  return line.replaceAll('\\_', '_')
}
