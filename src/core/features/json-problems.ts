/**
 * Finds what `JSON.parse` does not report: where a text stops being JSON, and which keys an object has twice (the parser silently keeps
 * the last). It reads token by token and keeps a stack instead of recursing, so that no nesting is too deep.
 */
import { jsonOrNull } from '../text/json.ts'
import { clip, escapeInvisible } from '../text/sanitize.ts'

export interface JsonProblems {
  /** The index at which the text stops being JSON; null: it is valid. */
  broken: number | null
  repeated: RepeatedKey[]
}

export interface RepeatedKey {
  /** The path of the object: `tasks[2]`; empty: the top level. */
  place: string
  key: string
}

type OpenObject = { is: 'object'; keys: Set<string>; key: string }
type Open = OpenObject | { is: 'list'; index: number }

/** A bracket, comma or colon; a string; another value; or any other character, which is invalid. */
const TOKENS =
  // oxlint-disable-next-line no-control-regex -- JSON allows none of them in a text
  /([{}[\],:])|("[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\0-\x1f]*)*")|((?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-]))|[^ \t\n\r]/g

/** Each kind of token has one letter: the character itself, `"` for a string, `v` for another value. */
const VALUE = '{["v'

export function findJsonProblems(text: string): JsonProblems {
  const open: Open[] = []
  const repeated: RepeatedKey[] = []
  /** The kinds of tokens allowed next. */
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

/** More repetitions add no information. */
const REPEATED_MAX = 20
/** Deeper paths are shortened to their beginning. */
const PLACE_DEPTH = 6

function noteKey(open: Open[], object: OpenObject, quoted: string, repeated: RepeatedKey[]): void {
  const key = jsonOrNull(quoted)
  object.key = typeof key === 'string' ? key : ''
  if (object.keys.has(object.key) && repeated.length < REPEATED_MAX)
    repeated.push({ place: placeOf(open), key: object.key })
  object.keys.add(object.key)
}

/** The path of the innermost open object. */
function placeOf(open: Open[]): string {
  const depth = open.length - 1
  const way = open.slice(0, Math.min(depth, PLACE_DEPTH))
  const shown = way.map((one) => (one.is === 'list' ? `[${one.index}]` : `.${escapeInvisible(clip(one.key, 40))}`))
  return `${shown.join('').replace(/^\./, '')}${depth > PLACE_DEPTH ? '…' : ''}`
}
