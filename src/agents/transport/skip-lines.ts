/**
 * Skips lines that need no parsing. Most of an agent's output is tool results; a successful one has no consequences, and the log has it.
 * Such lines are recognized by their first bytes and are never decoded or parsed. Everything else passes through unchanged and in order.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { createLineBuffer, type LineReader } from '../../system/line-reader.ts'

/** A kind of line whose relevant content is available without parsing. */
export interface SkippableLineKind {
  /** The first bytes of every such line. */
  begins: string
  /** The events of the line, without its line end; null: it must be parsed after all. */
  read: (line: Buffer) => AgentEvent[] | null
}

export interface LineSkipperOptions {
  unparsedLines: readonly SkippableLineKind[]
  /** Whether the next line may be skipped. */
  may: () => boolean
  onUnparsed: (events: AgentEvent[]) => void
  onOther: (bytes: Buffer) => void
}

interface Kind {
  begins: Buffer
  read: SkippableLineKind['read']
}

/** A longer line goes to the normal reader, which can shorten it. */
const HELD_MAX = 1024 * 1024
const LF = 10
const CR = 13

export function createLineSkipper({ unparsedLines, may, onUnparsed, onOther }: LineSkipperOptions): LineReader {
  if (unparsedLines.length === 0) return { push: onOther, end: () => {} }
  const kinds: Kind[] = unparsedLines.map(({ begins, read }) => ({ begins: Buffer.from(begins), read }))
  /** An unfinished line that may be skippable. */
  const held = createLineBuffer(HELD_MAX)
  /** Whether the next byte begins a line. */
  let atStart = true

  function takeHeld(): Buffer {
    const { buffer, kept } = held.take()
    return buffer.subarray(0, kept)
  }

  function release(): void {
    if (held.bytes() > 0) onOther(takeHeld())
  }

  function tellBrief(line: Buffer, kind: Kind | undefined): boolean {
    const events = readBrief(line, kind)
    if (events !== null) onUnparsed(events)
    return events !== null
  }

  /** Continues the unfinished line. Returns where the next one begins. */
  function goOn(bytes: Buffer): number {
    const end = bytes.indexOf(LF)
    const stop = end === -1 ? bytes.length : end
    if (held.bytes() + stop > HELD_MAX) {
      release()
      atStart = false
      return 0
    }
    held.add(bytes, 0, stop)
    if (end === -1) return stop
    const line = takeHeld()
    if (tellBrief(line, kindAt(kinds, line, 0))) return end + 1
    onOther(line)
    atStart = false
    return end
  }

  function push(bytes: Buffer): void {
    let at = held.bytes() > 0 ? goOn(bytes) : 0
    /** Nothing from here on was passed on yet. */
    let from = at
    while (at < bytes.length) {
      const end = bytes.indexOf(LF, at)
      const kind = atStart ? kindAt(kinds, bytes, at) : undefined
      if (kind !== undefined) {
        // Whether it may be skipped depends on the preceding lines.
        if (at > from) onOther(bytes.subarray(from, at))
        from = at
        if (may()) {
          if (end === -1) return held.add(bytes, at, bytes.length)
          if (tellBrief(bytes.subarray(at, end), kind)) from = end + 1
        }
      }
      atStart = end !== -1
      at = end === -1 ? bytes.length : end + 1
    }
    if (from < bytes.length) onOther(from === 0 ? bytes : bytes.subarray(from))
  }

  return { push, end: release }
}

/** The kind whose prefix the available bytes match. */
function kindAt(kinds: readonly Kind[], bytes: Buffer, from: number): Kind | undefined {
  return kinds.find(({ begins }) => {
    const length = Math.min(begins.length, bytes.length - from)
    // From the end: most lines begin alike. For so few bytes a loop is faster than a call.
    for (let at = length - 1; at >= 0; at -= 1) if (bytes[from + at] !== begins[at]) return false
    return true
  })
}

/** The events of a complete line, if it is of this kind throughout. */
function readBrief(line: Buffer, kind: Kind | undefined): AgentEvent[] | null {
  if (kind === undefined || line.length < kind.begins.length || line.length > HELD_MAX) return null
  return kind.read(line[line.length - 1] === CR ? line.subarray(0, -1) : line)
}
