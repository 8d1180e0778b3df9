/**
 * Parses a reply that is nothing but JSON, whichever shape the program or the agent uses: the message inside it, and the status keys of
 * the document. It accepts several documents (the last one with a status counts), a truncated one, and decimals.
 */
import type { StatusBlock } from './reply.ts'
import { createJsonStreamReader } from './json-stream.ts'
import { asObject, type JsonObject } from '../text/json.ts'
import { statusFromObject, messageInJson } from './status/status-json.ts'

export interface JsonReply {
  /** The text for a person. */
  words: string
  /** The status block as keys of the document; null: it has no readable status key. */
  keys: StatusBlock | null
  /** The document's own error count; 0: none, or it has no count. */
  errors: number
}

/** The combined content of several documents. */
export function jsonReplyFromDocuments(documents: JsonObject[]): JsonReply {
  const protocol = documents.findLast((each) => keysOf(each) !== null) ?? documents.at(-1) ?? {}
  return {
    words: messageInJson(protocol) ?? (Object.keys(protocol).length === 0 ? '' : JSON.stringify(protocol)),
    keys: keysOf(protocol),
    errors: errorCount(protocol),
  }
}

/** The message as a JSON reply; null: it is prose. */
export function parseJsonReply(message: string): JsonReply | null {
  if (!/^[\ufeff\s]*[[{]/.test(message)) return null
  const documents: JsonObject[] = []
  let isJson = false
  let prose = false
  let cut: string | null = null
  const reader = createJsonStreamReader({
    onDocument: ({ json }) => void documents.push(json),
    onText: (line) => void (prose ||= line.trim() !== ''),
    onArray: () => void (isJson = true),
    onCut: ({ words }) => void (cut = words ?? ''),
  })
  reader.push(message.replace(/^\ufeff/, ''))
  reader.end()
  if (prose || (documents.length === 0 && !isJson && cut === null)) return null
  return cut === null ? jsonReplyFromDocuments(documents) : { words: cut, keys: null, errors: 0 }
}

/** The conversation's id, under any of the names that agents use for it. */
export function conversationIdOf(document: JsonObject): string | null {
  for (const object of [document, asObject(document['metadata'])]) {
    for (const key of ['session_id', 'sessionId', 'sessionID', 'thread_id']) {
      const id = object?.[key]
      if (typeof id === 'string' && id !== '') return id
    }
  }
  return null
}

function keysOf(document: JsonObject): StatusBlock | null {
  const keys = statusFromObject(document)
  const says = keys.status !== undefined || keys.exitSignal !== undefined || keys.workType !== undefined
  return says ? keys : null
}

function errorCount(document: JsonObject): number {
  const count = document['error_count']
  if (typeof count === 'number' && count >= 1) return Math.trunc(count)
  return asObject(document['metadata'])?.['has_errors'] === true ? 1 : 0
}
