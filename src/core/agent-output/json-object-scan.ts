/**
 * One JSON object, read as it arrives and kept in bounded memory: of a long string the end is kept, where the status block stands,
 * and a member that is too large all the same is left out. It only looks for strings and brackets; what it kept is parsed at the end.
 */
import { asObject, type Json, jsonOrNull } from '../text/json.ts'
import { isEscaped } from './tags/inline-code.ts'

export interface JsonObjectScan {
  /** Takes text from its opening bracket on; gives how much of it was taken. */
  feed(text: string): number
  is(): 'open' | 'whole' | 'broken'
  /** Null: it is no object after all. */
  value(): { json: Json; shortened: boolean } | null
  /** It was cut: what came so far could be the beginning of an object. */
  isWellFormed(): boolean
  /** It was cut: the agent's words as far as they came. */
  words(): string | null
}

/** A line, a document or a member of one that is longer is not kept whole. Replies of 140 KB are real. */
export const MAX_JSON_PART = 1024 * 1024
/** The end of a string that is a member itself: more of a message is not kept either (see `fold.ts`). */
const WORDS_MAX = 256 * 1024
/** Strings deeper down are output of tools and pictures, of which a person sees a few lines. */
const STRING_MAX = 64 * 1024
/** Of all members together; a small one is kept beyond that, for it may be the conversation's id. */
const ROOM = 2 * MAX_JSON_PART
const SMALL = 1024
const MEMBERS_MAX = 2_000
/** Nobody nests deeper, but a text of many brackets looks like it. */
const DEPTH_MAX = 100

export function createJsonObjectScan(): JsonObjectScan {
  let is: 'open' | 'whole' | 'broken' = 'open'
  let depth = 0
  /** The string at hand, as it is written, without its quotation marks; null: outside of one. */
  let string: string | null = null
  let escaped = false
  const members: string[] = []
  let room = ROOM
  /** The member at hand; null: it became too large. */
  let member: string | null = ''
  let shortened = false
  /** A key came. */
  let keyed = false
  /** Just now, where a line begins, an object was opened. */
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
      // A string ends with its line, or it is none.
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
        // `{"` where a line begins, inside an object: a stream's next line, after one that was cut.
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
    // Before the first key there are blanks, and nothing else.
    if (!keyed && (member ?? '').trim() !== '') is = 'broken'
    return is === 'broken' ? end : Math.min(end + 1, text.length)
  }

  const kept = (): Json | null => asObject(jsonOrNull(`{${members.join(',')}}`))

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

/** Where the next of these signs stands, or the end of the text. */
function next(signs: RegExp, text: string, from: number): number {
  signs.lastIndex = from
  return signs.exec(text)?.index ?? text.length
}

/** The end of a string as it is written in JSON, not cut inside an escape. */
function endOfEscaped(text: string, max: number): string {
  const from = text.length - max
  if (isEscaped(text, from)) return text.slice(from + (text.charAt(from) === 'u' ? 5 : 1))
  const digits = /\\u([0-9a-f]{0,3})$/i.exec(text.slice(from - 5, from))?.[1]
  const inside = digits !== undefined && isEscaped(text, from - digits.length - 1)
  return text.slice(inside ? from + 4 - digits.length : from)
}
