/** The status block as JSON: a reply that is one document, or an object with the block's keys at the end of a message. */
import { findCodeFences } from '../../text/code-fences.ts'
import { asObject, parseObject, type JsonObject } from '../../text/json.ts'
import type { StatusBlock } from '../reply.ts'
import { splitLines } from '../prose.ts'
import { isStatusKey, setStatusKey } from './status-keys.ts'

/** The block of a message that is one JSON object; `text` if the agent's message is in a string of it. */
export function statusFromJson(text: string): { block: StatusBlock } | { text: string } | null {
  const object = parseObject(text)
  if (object === null) return null
  const words = messageInJson(object)
  if (words !== null && /RALPH_STATUS/i.test(words)) return { text: words }
  const block = blockOfObject(object)
  return block && { block }
}

/** An object with the block's keys at the end of the message, bare or fenced. */
export function findTrailingStatusJson(text: string): StatusBlock | null {
  const end = text.trimEnd()
  if (!/[}`~]$/.test(end) || !/exit_?signal|status/i.test(end.slice(-MAX_JSON))) return null
  const lines = splitLines(end)
  const fence = findCodeFences(lines).find((each) => each.to >= lines.length - 1)
  const object = fence && parseObject(lines.slice(fence.from + 1, fence.to).join('\n'))
  if (object) return statedBlock(object)
  return fence?.closed ? null : bareObject(splitLines(end.slice(-MAX_JSON)))
}

/** A status object is small; a larger one at the end of a message is something else. */
const MAX_JSON = 8_192

/** Tried from the last opening line upwards: the last one may open a nested object. */
const OPENINGS_TRIED = 5

function bareObject(lines: string[]): StatusBlock | null {
  let tried = 0
  for (let at = lines.length - 1; at >= 0 && tried < OPENINGS_TRIED; at--) {
    if (!/^ {0,3}\{/.test(lines[at] ?? '')) continue
    tried++
    const object = parseObject(lines.slice(at).join('\n'))
    if (object !== null) return statedBlock(object)
  }
  return null
}

/** After prose the keys must be unmistakable: `{"status": "complete"}` alone may be an example. */
function statedBlock(object: JsonObject): StatusBlock | null {
  const block = blockOfObject(object)
  if (block === null) return null
  const named = nested(object) !== null || block.exitSignal !== undefined
  return named || Object.keys(object).filter(isStatusKey).length >= 2 ? block : null
}

/** The block in an object, if it has a status or an exit signal. */
function blockOfObject(object: JsonObject): StatusBlock | null {
  const block = statusFromObject(object)
  return block.status === undefined && block.exitSignal === undefined ? null : block
}

/** The block's keys in an object: below `RALPH_STATUS`, flat, or in `metadata` as older tools wrote them. */
export function statusFromObject(object: JsonObject): StatusBlock {
  const block: StatusBlock = {}
  const keys = nested(object) ?? object
  for (const [key, value] of Object.entries(keys)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    setStatusKey(block, key, String(value))
  }
  const metadata = asObject(keys['metadata'])
  if (metadata !== null) addMetadata(block, metadata)
  return block
}

function addMetadata(block: StatusBlock, metadata: JsonObject): void {
  if (/^complete$/i.test(String(metadata['completion_status']))) block.status = 'COMPLETE'
  const files = metadata['files_changed']
  if (typeof files === 'number' || typeof files === 'string') setStatusKey(block, 'FILES_MODIFIED', String(files))
}

function nested(object: JsonObject): JsonObject | null {
  const key = Object.keys(object).find((each) => /^ralph[_-]?status$/i.test(each))
  return key === undefined ? null : asObject(object[key])
}

/** The agent's message in a document that wraps it. */
export function messageInJson(object: JsonObject): string | null {
  for (const key of ['result', 'response', 'message', 'text', 'content', 'output', 'summary']) {
    const value = object[key]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return null
}
