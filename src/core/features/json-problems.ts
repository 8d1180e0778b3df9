/**
 * What a parser of JSON does not tell: where a text breaks off, and which keys stand twice in one object (of those it keeps the last, and
 * tells nobody). Token by token, with a list of what is open instead of calls within calls, so that no nesting is too deep.
 */
import { jsonOrNull } from '../text/json.ts'
import { clip, escapeInvisible } from '../text/sanitize.ts'

export interface JsonProblems {
  /** Where it ceases to be JSON, from 0; null: it is some. */
  broken: number | null
  repeated: RepeatedKey[]
}

export interface RepeatedKey {
  /** Where the object stands: `tasks[2]`; empty: it is the whole. */
  place: string
  key: string
}

type OpenObject = { is: 'object'; keys: Set<string>; key: string }
type Open = OpenObject | { is: 'list'; index: number }

/** A bracket, comma or colon; a text; another value; or anything else that is no blank, which JSON does not know. */
const TOKENS =
  // oxlint-disable-next-line no-control-regex -- JSON allows none of them in a text
  /([{}[\],:])|("[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\0-\x1f]*)*")|((?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-]))|[^ \t\n\r]/g

/** Kinds of tokens are told by one letter: the sign itself, `"` for a text, `v` for another value. */
const VALUE = '{["v'

export function findJsonProblems(text: string): JsonProblems {
  const open: Open[] = []
  const repeated: RepeatedKey[] = []
  /** The kinds that may come next. */
  let wants = VALUE
  for (const { index, 0: token, 1: sign, 2: quoted, 3: value } of text.matchAll(TOKENS)) {
    const kind = sign ?? (quoted !== undefined ? '"' : value !== undefined ? 'v' : null)
    if (kind === null || !wants.includes(kind)) return { broken: index, repeated }
    const inner = open.at(-1)
    if (kind === '"' && inner?.is === 'object' && !wants.includes('v')) {
      noteKey(open, inner, token, repeated)
      wants = ':'
    } else if (kind === '{') {
      open.push({ is: 'object', keys: new Set(), key: '' })
      wants = '"}'
    } else if (kind === '[') {
      open.push({ is: 'list', index: 0 })
      wants = `${VALUE}]`
    } else if (kind === ',') {
      if (inner?.is === 'list') inner.index += 1
      wants = inner?.is === 'list' ? VALUE : '"'
    } else if (kind === ':') wants = VALUE
    else {
      if (sign !== undefined) open.pop()
      const outer = open.at(-1)
      wants = outer === undefined ? '' : outer.is === 'list' ? ',]' : ',}'
    }
  }
  return { broken: wants === '' ? null : text.length, repeated }
}

/** One of a thousand says as much. */
const REPEATED_MAX = 20
/** What is nested deeper is told by its beginning. */
const PLACE_DEPTH = 6

function noteKey(open: Open[], object: OpenObject, quoted: string, repeated: RepeatedKey[]): void {
  const key = jsonOrNull(quoted)
  object.key = typeof key === 'string' ? key : ''
  if (object.keys.has(object.key) && repeated.length < REPEATED_MAX)
    repeated.push({ place: placeOf(open), key: object.key })
  object.keys.add(object.key)
}

/** The way to the innermost that is open, without it. */
function placeOf(open: Open[]): string {
  const depth = open.length - 1
  const way = open.slice(0, Math.min(depth, PLACE_DEPTH))
  const shown = way.map((one) => (one.is === 'list' ? `[${one.index}]` : `.${escapeInvisible(clip(one.key, 40))}`))
  return `${shown.join('').replace(/^\./, '')}${depth > PLACE_DEPTH ? '…' : ''}`
}
