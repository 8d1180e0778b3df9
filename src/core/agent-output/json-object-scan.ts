/**
 * Scans one JSON object as it arrives, in bounded memory: of a long string it keeps the end, where the status block is, and it drops
 * members that are too large anyway. The scan only finds strings and brackets; the kept text is parsed at the end.
 */
import { asObject, type JsonObject, jsonOrNull } from '../text/json.ts'
import { isEscaped } from './tags/inline-code.ts'

export interface JsonObjectScan {
  /** Reads text, starting at the opening bracket; returns how many characters it consumed. */
  feed(text: string): number
  is(): 'open' | 'whole' | 'broken'
  /** Null: the text is not a JSON object. */
  value(): { json: JsonObject; shortened: boolean } | null
  /** For a truncated text: whether it could be the beginning of an object. */
  isWellFormed(): boolean
  /** For a truncated text: the agent's message as far as it arrived. */
  words(): string | null
}

/** Longer lines, documents and members are not kept in full. Replies of 140 KB occur. */
export const MAX_JSON_PART = 1024 * 1024
/** For a top-level string, of which the end is kept: `reply-fold.ts` keeps no more of a message either. */
const WORDS_MAX = 256 * 1024
/** Nested strings are tool output and images, of which a person sees a few lines. */
const STRING_MAX = 64 * 1024
/** For all members together; small ones are kept beyond that, because one may be the conversation's id. */
const ROOM = 2 * MAX_JSON_PART
const SMALL = 1024
const MEMBERS_MAX = 2_000
/** Real documents are not nested deeper, but prose with many brackets looks like it. */
const DEPTH_MAX = 100

export function createJsonObjectScan(): JsonObjectScan {
  let is: 'open' | 'whole' | 'broken' = 'open'
  let depth = 0
  /** The current string in its escaped form, without quotation marks; null: outside of a string. */
  let string: string | null = null
  let escaped = false
  const members: string[] = []
  let room = ROOM
  /** The current member; null: it became too large. */
  let member: string | null = ''
  let shortened = false
  /** The first key was seen. */
  let keyed = false
  /** `opened`: the previous character opened an object at the start of a line. */
  let last: 'line-end' | 'opened' | 'other' = 'other'

  function keep(text: string): void {
    if (member === null) return
    member += text
    if (member.length <= MAX_JSON_PART) return
    member = null
    shortened = true
  }

  function endMember(): void {
    const fits = member !== null && (member.length <= room || member.length <= SMALL)
    if (member !== null && fits && members.length < MEMBERS_MAX) {
      members.push(member)
      room -= member.length
    } else shortened = true
    member = ''
  }

  function keepString(text: string): void {
    const max = depth === 1 ? WORDS_MAX : STRING_MAX
    string = (string ?? '') + text
    // Let it grow to twice the size before cutting, so that each character is copied only a few times.
    if (string.length > 2 * max) cutString(max)
  }

  function cutString(max: number): void {
    if (string === null || string.length <= max) return
    string = endOfEscaped(string, max)
    shortened = true
  }

  function inString(text: string, from: number): number {
    if (escaped) {
      escaped = false
      keepString(text.charAt(from))
      return from + 1
    }
    const end = next(IN_STRING, text, from)
    keepString(text.slice(from, end))
    const sign = text.charAt(end)
    if (sign === '\\') {
      keepString(sign)
      escaped = true
    } else if (sign === '"') {
      cutString(depth === 1 ? WORDS_MAX : STRING_MAX)
      keep(`"${string}"`)
      string = null
      // A JSON string cannot contain a line break.
    } else if (sign === '\n') is = 'broken'
    return is === 'broken' ? end : Math.min(end + 1, text.length)
  }

  function outside(text: string, from: number): number {
    const end = next(OUTSIDE, text, from)
    if (end > from) last = 'other'
    keep(text.slice(from, end))
    const sign = text.charAt(end)
    const before = last
    last = sign === '\n' ? 'line-end' : sign === '{' && before === 'line-end' ? 'opened' : 'other'
    switch (sign) {
      case '"':
        // `{"` at the start of a line inside an object: the next line of a stream whose previous line was truncated.
        if (before === 'opened') is = 'broken'
        else string = ''
        keyed = true
        break
      case '{':
      case '[':
        depth++
        if (depth > 1) keep(sign)
        if (depth > DEPTH_MAX) is = 'broken'
        break
      case '}':
      case ']':
        depth--
        if (depth > 0) keep(sign)
        else is = 'whole'
        break
      case ',':
        if (depth > 1) keep(sign)
        else endMember()
        break
      default:
        keep(sign)
    }
    // Only whitespace may come before the first key.
    if (!keyed && (member ?? '').trim() !== '') is = 'broken'
    return is === 'broken' ? end : Math.min(end + 1, text.length)
  }

  const kept = (): JsonObject | null => asObject(jsonOrNull(`{${members.join(',')}}`))

  return {
    feed(text) {
      let at = 0
      while (at < text.length && is === 'open') at = string === null ? outside(text, at) : inString(text, at)
      return at
    },
    is: () => is,
    value() {
      if (member === null || member.trim() !== '' || members.length > 0) endMember()
      const read = kept()
      return read && { json: read, shortened }
    },
    isWellFormed() {
      const begun = string !== null || member === null || member.trim() !== '' || members.length > 0
      return begun && kept() !== null && /^\s*(?:$|"(?:[^"\\]|\\.)*"\s*(?:$|:))/.test(member ?? '')
    },
    words() {
      if (string === null || depth !== 1 || !/^\s*"(?:result|response)"\s*:\s*$/.test(member ?? '')) return null
      const words = jsonOrNull(`"${string}"`) ?? jsonOrNull(`"${string.replace(/\\u?[0-9a-f]{0,3}$/i, '')}"`)
      return typeof words === 'string' ? words : null
    },
  }
}

const IN_STRING = /["\\\n]/g
const OUTSIDE = /["{}[\],\n]/g

/** The position of the next of these characters, or the end of the text. */
function next(signs: RegExp, text: string, from: number): number {
  signs.lastIndex = from
  return signs.exec(text)?.index ?? text.length
}

/** The end of an escaped JSON string, not cut inside an escape sequence. */
function endOfEscaped(text: string, max: number): string {
  const from = text.length - max
  if (isEscaped(text, from)) return text.slice(from + (text.charAt(from) === 'u' ? 5 : 1))
  const digits = /\\u([0-9a-f]{0,3})$/i.exec(text.slice(from - 5, from))?.[1]
  const inside = digits !== undefined && isEscaped(text, from - digits.length - 1)
  return text.slice(inside ? from + 4 - digits.length : from)
}
