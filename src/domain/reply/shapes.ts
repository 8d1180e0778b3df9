/**
 * The agent's words out of a whole reply, in whichever shape it arrives: a flat JSON answer, a CLI's result object, an array of
 * messages, stream-json, the JSONL of the other agents, or plain text. Several documents, cut documents and decimals are all fine.
 * Only what the agent itself said is taken: tool results, echoed prompts and sub-agents stay out.
 */
import { addDenial } from './denials.ts'
import type { Denial, StatusBlock } from './reply.ts'
import { readDocuments } from './documents.ts'
import { asObject, blockOfObject, type JsonObject, wordsOf } from './status-json.ts'

export type Shape = 'json' | 'cli-object' | 'cli-array' | 'stream-json' | 'jsonl' | 'text'

/** What a document tells besides words. */
export interface Hints {
  /** The status block as keys of the document itself. */
  block: StatusBlock | null
  summary: string | null
  errorCount: number | null
  /** The vendor marks the whole reply as an error. */
  failed: boolean
  denials: Denial[]
  conversation: string | null
}

export interface ShapedText {
  text: string
  shape: Shape
  hints: Hints
}

export function textOf(raw: string): ShapedText {
  const read = readDocuments(raw)
  if (read === null) return { text: raw, shape: 'text', hints: hintsOf([]) }
  const { documents, cutResult, array } = read
  const events = documents.filter(isEvent)
  if (events.length === 0 && cutResult === null) return flat(documents, raw)
  const words = lastWords(events)
  const shape = shapeOf(events, { array, cut: cutResult !== null })
  return { text: cutResult ?? words ?? '', shape, hints: hintsOf(documents) }
}

/** An answer in keys of its own. The last document with a status speaks for several. */
function flat(documents: JsonObject[], raw: string): ShapedText {
  const answer = documents.findLast((each) => blockOfObject(each) !== null) ?? documents.at(-1)
  const text = answer === undefined ? '' : (wordsOf(answer) ?? raw)
  const wrapped = answer !== undefined && typeof answer['result'] === 'string'
  return { text, shape: wrapped ? 'cli-object' : 'json', hints: hintsOf(documents) }
}

function shapeOf(events: JsonObject[], read: { array: boolean; cut: boolean }): Shape {
  if (read.array) return 'cli-array'
  if (events.length <= 1 && (read.cut || events[0]?.['type'] === 'result')) return 'cli-object'
  return events.some((event) => STREAM_TYPES.has(String(event['type']))) ? 'stream-json' : 'jsonl'
}

const STREAM_TYPES: ReadonlySet<string> = new Set(['system', 'assistant', 'user', 'stream_event'])

function isEvent(document: JsonObject): boolean {
  return typeof document['type'] === 'string'
}

/** The final message: the result event where it holds words, else all that was said since the last tool call. */
function lastWords(events: JsonObject[]): string | null {
  const said: Said = { text: '', toolSince: false }
  let result: string | null = null
  for (const event of events) {
    if (event['type'] === 'result' && typeof event['result'] === 'string') result = event['result']
    else hear(said, event)
  }
  return result !== null && result.trim() !== '' ? result : said.text === '' ? null : said.text
}

interface Said {
  text: string
  toolSince: boolean
}

function hear(said: Said, event: JsonObject): void {
  if (isToolEvent(event)) said.toolSince = true
  const words = ownWords(event)
  if (words === null) return
  const glue = event['delta'] === true || said.text === '' ? '' : '\n'
  said.text = said.toolSince ? words : `${said.text}${glue}${words}`
  said.toolSince = false
}

function isToolEvent(event: JsonObject): boolean {
  const item = asObject(event['item'])
  if (item !== null) return item['type'] !== 'agent_message' && item['type'] !== 'reasoning'
  if (String(event['type']).startsWith('tool')) return true
  const content = asObject(event['message'])?.['content']
  return Array.isArray(content) && content.some((part) => asObject(part)?.['type'] === 'tool_use')
}

/** What the agent says in one event; null for everybody else's words. */
function ownWords(event: JsonObject): string | null {
  switch (event['type']) {
    case 'assistant': {
      const bySubagent = typeof event['parent_tool_use_id'] === 'string'
      return bySubagent ? null : contentText(asObject(event['message'])?.['content'])
    }
    case 'message':
    case 'message.updated':
    case 'message.completed': {
      const message = asObject(event['message']) ?? event
      return message['role'] === 'assistant' ? contentText(message['content'] ?? message['parts']) : null
    }
    case 'item.completed': {
      const item = asObject(event['item'])
      return item?.['type'] === 'agent_message' ? contentText(item['text'] ?? item['content']) : null
    }
    case 'text':
      return contentText(asObject(event['part'])?.['text'] ?? event['text'])
    case 'assistant.message':
      return contentText(asObject(event['data'])?.['content'])
    default:
      return null
  }
}

/** A string, or the text parts of a list. */
function contentText(content: unknown): string | null {
  if (typeof content === 'string') return content === '' ? null : content
  if (!Array.isArray(content)) return null
  const texts = content.map(asObject).flatMap((part) => {
    const isText = part !== null && /^(?:output_)?text$/.test(String(part['type']))
    return isText && typeof part['text'] === 'string' ? [part['text']] : []
  })
  return texts.length === 0 ? null : texts.join('\n')
}

function hintsOf(documents: JsonObject[]): Hints {
  const hints: Hints = {
    block: null,
    summary: null,
    errorCount: null,
    failed: false,
    denials: [],
    conversation: null,
  }
  for (const document of documents) addHints(hints, document)
  return hints
}

function addHints(hints: Hints, document: JsonObject): void {
  const metadata = asObject(document['metadata'])
  hints.conversation = idOf(document) ?? hints.conversation
  if (!isEvent(document)) {
    hints.block = blockOfObject(document) ?? hints.block
    if (typeof document['summary'] === 'string') hints.summary = document['summary']
    hints.errorCount = errorCount(document, metadata) ?? hints.errorCount
  }
  if (typeof document['is_error'] === 'boolean') hints.failed = document['is_error']
  const denials = document['permission_denials']
  for (const denial of Array.isArray(denials) ? denials.map(asObject) : []) {
    if (denial !== null) addDenial(hints.denials, denialOf(denial))
  }
}

function errorCount(document: JsonObject, metadata: JsonObject | null): number | null {
  const count = document['error_count']
  if (typeof count === 'number' && count > 0) return Math.trunc(count)
  return metadata?.['has_errors'] === true ? 1 : typeof count === 'number' ? 0 : null
}

function denialOf(denial: JsonObject): { tool: string; command?: string } {
  const name = denial['tool_name']
  const tool = typeof name === 'string' ? name : 'unknown'
  const command = asObject(denial['tool_input'])?.['command']
  return typeof command === 'string' ? { tool, command } : { tool }
}

function idOf(document: JsonObject): string | null {
  for (const holder of [document, asObject(document['metadata'])]) {
    for (const key of ['session_id', 'sessionId', 'sessionID', 'thread_id']) {
      const id = holder?.[key]
      if (typeof id === 'string' && id !== '') return id
    }
  }
  return null
}
