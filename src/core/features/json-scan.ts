/**
 * What a parser of JSON does not tell: where a text breaks off, and which keys stand twice in one object (of those it keeps the last, and
 * tells nobody). Sign by sign, with a list of what is open instead of calls within calls, so that no nesting is too deep.
 */
import { never } from '../assert-never.ts'
import { json } from '../text/json.ts'
import { clip, escapeInvisible } from '../text/sanitize.ts'

export interface JsonScan {
  /** Where it ceases to be JSON, from 0; null: it is some. */
  broken: number | null
  repeated: RepeatedKey[]
}

export interface RepeatedKey {
  /** Where the object stands: `tasks[2]`; empty: it is the whole. */
  place: string
  key: string
}

export function scanJson(text: string): JsonScan {
  const open: Open[] = []
  const repeated: RepeatedKey[] = []
  let wants: Wanted = 'value'
  for (let i = skipBlanks(text, 0); i < text.length; i = skipBlanks(text, i)) {
    const token = tokenAt(text, i)
    const inner = open.at(-1)
    const next: ReturnType<typeof follows> = token === null ? null : follows(wants, token, inner)
    if (token === null || next === null) return { broken: i, repeated }
    if (token.is === '{') open.push({ is: 'object', keys: new Set(), key: '' })
    else if (token.is === '[') open.push({ is: 'list', index: 0 })
    else if (token.is === '}' || token.is === ']') open.pop()
    else if (token.is === ',' && inner?.is === 'list') inner.index += 1
    else if (inner?.is === 'object' && (wants === 'key' || wants === 'key-or-end'))
      noteKey(open, inner, text.slice(i, token.end), repeated)
    wants = next === 'after-value' ? (open.length === 0 ? 'end' : 'comma-or-end') : next
    i = token.end
  }
  return { broken: wants === 'end' ? null : text.length, repeated }
}

type Open = { is: 'object'; keys: Set<string>; key: string } | { is: 'list'; index: number }
type Wanted = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'end'
type Sign = '{' | '}' | '[' | ']' | ',' | ':'

interface Token {
  is: Sign | 'text' | 'other'
  end: number
}

/** What may come after this token, where this was wanted; null: it may not stand here. */
function follows(wants: Wanted, { is }: Token, inner: Open | undefined): Wanted | 'after-value' | null {
  const closes = (is === ']' && inner?.is === 'list') || (is === '}' && inner?.is === 'object')
  switch (wants) {
    case 'value-or-end':
    case 'value':
      if (closes) return wants === 'value-or-end' ? 'after-value' : null
      if (is === '{') return 'key-or-end'
      if (is === '[') return 'value-or-end'
      return is === 'text' || is === 'other' ? 'after-value' : null
    case 'key-or-end':
    case 'key':
      if (closes) return wants === 'key-or-end' ? 'after-value' : null
      return is === 'text' ? 'colon' : null
    case 'colon':
      return is === ':' ? 'value' : null
    case 'comma-or-end':
      if (closes) return 'after-value'
      if (is !== ',') return null
      return inner?.is === 'list' ? 'value' : 'key'
    case 'end':
      return null
    default:
      return never(wants)
  }
}

const SIGNS: ReadonlySet<string> = new Set<Sign>(['{', '}', '[', ']', ',', ':'])
const OTHER = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

/** Null: nothing that JSON knows stands there. */
function tokenAt(text: string, i: number): Token | null {
  const sign = text[i] ?? ''
  if (SIGNS.has(sign)) return { is: sign as Sign, end: i + 1 }
  if (sign === '"') {
    const end = endOfText(text, i)
    return end === null ? null : { is: 'text', end }
  }
  OTHER.lastIndex = i
  return OTHER.test(text) ? { is: 'other', end: OTHER.lastIndex } : null
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y

/** Behind its last quote; null: it has none, or a sign that JSON does not allow. */
function endOfText(text: string, from: number): number | null {
  for (let i = from + 1; i < text.length;) {
    const code = text.charCodeAt(i)
    if (code === 0x22) return i + 1
    if (code < 0x20) return null
    if (code !== 0x5c) i += 1
    else {
      ESCAPE.lastIndex = i
      if (!ESCAPE.test(text)) return null
      i = ESCAPE.lastIndex
    }
  }
  return null
}

function skipBlanks(text: string, from: number): number {
  let i = from
  while (i < text.length && ' \t\n\r'.includes(text[i] ?? '')) i += 1
  return i
}

/** One of a thousand says as much. */
const REPEATED_MAX = 20
/** What is nested deeper is told by its beginning. */
const PLACE_DEPTH = 6

function noteKey(
  open: Open[],
  object: Extract<Open, { is: 'object' }>,
  quoted: string,
  repeated: RepeatedKey[],
): void {
  const key = json(quoted)
  object.key = typeof key === 'string' ? key : ''
  if (object.keys.has(object.key) && repeated.length < REPEATED_MAX)
    repeated.push({ place: placeOf(open), key: object.key })
  object.keys.add(object.key)
}

/** The way to the innermost that is open, without it. */
function placeOf(open: Open[]): string {
  const depth = open.length - 1
  const way = open.slice(0, Math.min(depth, PLACE_DEPTH))
  const shown = way.map((one) =>
    one.is === 'list' ? `[${one.index}]` : `.${escapeInvisible(clip(one.key, 40))}`,
  )
  return `${shown.join('').replace(/^\./, '')}${depth > PLACE_DEPTH ? '…' : ''}`
}
