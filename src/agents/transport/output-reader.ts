/**
 * Turns the stdout of an agent's program into events: the one reader for the loop, recovery, the screens and `inspect`. Most programs
 * write one event per line. Some also answer in one document (flat, a result object, an array, over many lines) or in plain text,
 * whatever format was requested; the output itself decides. Events of a stream are reported as they come, anything else at the end.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { messageOf } from '../../core/error.ts'
import { jsonReplyFromDocuments, conversationIdOf } from '../../core/agent-output/json-reply.ts'
import { createJsonStreamReader, type JsonDocument } from '../../core/agent-output/json-stream.ts'
import { createTextTail } from '../../core/agent-output/text-tail.ts'
import { createStreamDecoder } from '../../system/text-decoder.ts'
import { createLineReader, type LineReader } from '../../system/line-reader.ts'
import { createLineSkipper, type SkippableLineKind } from './skip-lines.ts'
import { isConversationId } from './conversation-id.ts'
import type { Driver, OutputParsers } from '../driver.ts'
import { type JsonObject } from '../../core/text/json.ts'
import { remarkEvent } from './normalize.ts'
import { TAIL_LINES } from '../error-text/limit-notice.ts'

export type OutputShape =
  /** Lines that only the driver understands. */
  | 'lines'
  | 'stream-json'
  | 'cli-array'
  | 'cli-object'
  /** A flat answer with keys of its own. */
  | 'json'
  | 'text'

export interface OutputReader extends LineReader {
  /** Null: unknown so far, or no output came. */
  shape(): OutputShape | null
  /** The last lines that were not events. */
  lastLines(): string
}

export interface OutputReaderOptions {
  driver: Pick<Driver, 'read' | 'shapes' | 'brief'>
  emit: (event: AgentEvent) => void
  /** Results of successful tool calls are not needed: such lines are not parsed. Screens need them. */
  brief?: boolean
  /** Gets every raw line of programs that write one event per line. */
  onLine?: (line: string) => void
}

export function createOutputReader({
  driver,
  emit,
  brief = false,
  onLine = () => {},
}: OutputReaderOptions): OutputReader {
  const unparsedLines = brief ? (driver.brief ?? []) : []
  if (driver.shapes !== undefined) return shapedReader(driver.shapes, { emit, unparsedLines })
  let came = false
  const reader = createLineReader({
    onLine(line, info) {
      came = true
      if (info.cut) emit({ type: 'remark', text: `a line of ${info.bytes} bytes was too long; Ralph cut it` })
      for (const event of readSafely(line, () => driver.read(line, 'stdout'))) emit(event)
      onLine(line)
    },
  })
  return { ...reader, shape: () => (came ? 'lines' : null), lastLines: () => '' }
}

/** Output is foreign text, perhaps of a version that this driver does not know: it becomes events or a remark. */
export function readSafely(text: string, read: () => AgentEvent[]): AgentEvent[] {
  try {
    return read()
  } catch (thrown) {
    return [remarkEvent(`unreadable (${messageOf(thrown)}): ${text.slice(0, 300)}`)]
  }
}

/** The longest message that is kept, the same as in the reply. */
const TEXT_MAX = 256 * 1024
/** How much output may wait until its shape is known. */
const HELD_MAX = 4 * 1024 * 1024
const LAST_LINE_MAX = 1_000

type HeldPiece = { raw: string } & (
  | { is: 'event'; json: JsonObject; events: AgentEvent[] }
  | { is: 'answer'; json: JsonObject }
  | { is: 'line' }
)

/** An empty line takes memory as well. */
const PIECE_COST = 64

function sizeOf(piece: HeldPiece | undefined): number {
  return piece === undefined ? 0 : piece.raw.length + PIECE_COST
}

interface Told {
  emit: (event: AgentEvent) => void
  unparsedLines: readonly SkippableLineKind[]
}

function shapedReader(shapes: OutputParsers, { emit, unparsedLines }: Told): OutputReader {
  const decoder = createStreamDecoder()
  const text = createTextTail(TEXT_MAX)
  const seen = { lines: 0, events: 0, answers: 0, array: false, fenced: false }
  const lastLines: string[] = []
  let held: HeldPiece[] = []
  let heldSize = 0
  let shape: OutputShape | null = null
  let cut: string | null = null
  let greeted = false

  function hold(piece: HeldPiece): void {
    held.push(piece)
    heldSize += sizeOf(piece)
    text.push(`${piece.raw}\n`)
    // Cuts only at twice the size, so that each piece is moved only a few times.
    if (heldSize > 2 * HELD_MAX) dropOldest()
  }

  /** They would be remarks, or documents that a later one replaces. */
  function dropOldest(): void {
    let from = 0
    for (; heldSize > HELD_MAX && from < held.length - 1; from++) heldSize -= sizeOf(held[from])
    held = held.slice(from)
  }

  function takeDocument({ json, raw, inArray, shortened }: JsonDocument): void {
    if (shortened) emit({ type: 'remark', text: 'a JSON document was too long; Ralph dropped parts of it' })
    const events = eventsOf(json, raw)
    if (events === null) seen.answers++
    else seen.events++
    if (shape !== null) return events === null ? remarkOn(raw) : tellEvents(json, events)
    if (events === null) return hold({ is: 'answer', json, raw })
    hold({ is: 'event', json, events, raw })
    if (isStream(json)) begin(inArray ? 'cli-array' : 'stream-json')
  }

  function eventsOf(json: JsonObject, raw: string): AgentEvent[] | null {
    let known = true
    const events = readSafely(raw, () => {
      const read = shapes.event(json)
      known = read !== null
      return read ?? []
    })
    return known ? events : null
  }

  /**
   * Text may quote an event and is still text. It is a stream if nothing precedes the events, if they name their conversation outside of
   * any code, or if they are the larger part.
   */
  function isStream(json: JsonObject): boolean {
    const { lines, events, answers, fenced } = seen
    if (lines + answers === 0) return true
    if (!fenced && conversationIdOf(json) !== null) return true
    return events >= 2 && events >= lines + answers
  }

  function begin(as: OutputShape): void {
    shape = as
    dropOldest()
    for (const piece of held) {
      if (piece.is === 'event') tellEvents(piece.json, piece.events)
      else remarkOn(piece.raw)
    }
    held = []
  }

  function takeLine(line: string, isCut: boolean): void {
    if (isCut) emit({ type: 'remark', text: 'a line was too long; Ralph cut it' })
    if (/^ {0,3}(?:```|~~~)/.test(line)) seen.fenced = !seen.fenced
    if (line.trim() !== '') seen.lines++
    if (shape !== null) remarkOn(line)
    else hold({ is: 'line', raw: line })
  }

  function remarkOn(line: string): void {
    if (line.trim() === '') return
    lastLines.push(line.slice(0, LAST_LINE_MAX))
    if (lastLines.length > TAIL_LINES) lastLines.shift()
    emit(remarkEvent(line))
  }

  /** Reports the conversation before the end, if no start event has named it. */
  function tellEvents(json: JsonObject, events: AgentEvent[]): void {
    for (const event of events) {
      if (event.type === 'ended') greet(conversationIdOf(json))
      if (event.type === 'started' && event.conversation !== null) greeted = true
      emit(event)
    }
  }

  function greet(conversation: string | null): void {
    if (greeted || conversation === null || !isConversationId(conversation)) return
    greeted = true
    emit({ type: 'started', conversation })
  }

  /** At the end of the output, if no stream of events began. */
  function settle(): void {
    dropOldest()
    const documents = held.flatMap((piece) => (piece.is === 'answer' ? [piece.json] : []))
    const answers = documents.filter(isAnswer)
    if (seen.lines > 0 && !isText(text.text())) emit({ type: 'remark', text: 'the output is neither JSON nor text' })
    else if (seen.lines > 0) {
      shape = 'text'
      for (const event of readSafely('', () => shapes.text(text.text()))) emit(event)
    } else if (answers.length > 0) {
      shape = 'json'
      greet(answers.map(conversationIdOf).findLast((id) => id !== null) ?? null)
      for (const event of readSafely('', () => shapes.answer(answers))) emit(event)
    } else if (documents.length > 0) begin('stream-json')
    else if (cut !== null) {
      shape = 'cli-object'
      emit({ type: 'text', text: cut, delta: false })
    } else if (seen.array) shape = 'json'
  }

  const pieces = createJsonStreamReader({
    onDocument: takeDocument,
    onText: (line, info) => takeLine(line, info.cut),
    onArray: () => void (seen.array = true),
    onCut({ words, raw }) {
      if (shape !== null || seen.lines > 0) return takeLine(raw, false)
      cut = words
      if (words === null) emit(remarkEvent(raw))
    },
  })

  const lines = createLineSkipper({
    unparsedLines,
    // Only after a stream of events has begun: before that, an apparent event may be text that quotes one.
    may: () => shape !== null && pieces.between(),
    onUnparsed(events) {
      seen.events++
      for (const event of events) emit(event)
    },
    onOther: (bytes) => pieces.push(decoder.push(bytes)),
  })

  return {
    push: lines.push,
    end() {
      lines.end()
      pieces.push(decoder.end())
      pieces.end()
      if (shape === null) settle()
      held = []
    },
    shape: () => (shape === 'stream-json' && isOneResult() ? 'cli-object' : shape),
    lastLines: () => (shape === 'text' ? text.text() : lastLines.join('\n')),
  }

  function isOneResult(): boolean {
    return seen.events === 1 && seen.answers === 0
  }
}

/** An event of an unknown kind is no answer, unless it has a status. */
function isAnswer(json: JsonObject): boolean {
  return typeof json['type'] !== 'string' || jsonReplyFromDocuments([json]).keys !== null
}

/** Bytes that are not text are no answer either; terminal colours and titles are allowed. */
function isText(text: string): boolean {
  const plain = text.replaceAll(SEQUENCES, '')
  const odd = plain.match(/(?!\s)\p{Cc}|\ufffd/gu)?.length ?? 0
  return odd * 10 < plain.length
}

// oxlint-disable-next-line no-control-regex -- they begin with one
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g
