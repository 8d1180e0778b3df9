/** Keys that stand twice in one object of a JSON text. Of such the parser keeps the last and tells nobody. */
import { json } from '../text/json.ts'

export interface RepeatedKey {
  /** Where the object stands: `tasks[2]`; empty: it is the whole. */
  place: string
  key: string
}

/** One of a thousand says as much. */
const FOUND_MAX = 20
/** What is nested deeper is told by its beginning. */
const PLACE_DEPTH = 6

/** `text`: a parser has read it without complaint. */
export function repeatedKeys(text: string): RepeatedKey[] {
  const found: RepeatedKey[] = []
  const open: Open[] = []
  for (let i = 0; i < text.length && found.length < FOUND_MAX; i++) {
    const inner = open.at(-1)
    switch (text[i]) {
      case '{':
        open.push({ is: 'object', keys: new Set(), key: '', wantsKey: true })
        break
      case '[':
        open.push({ is: 'list', index: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (inner?.is === 'list') inner.index += 1
        else if (inner !== undefined) inner.wantsKey = true
        break
      case '"': {
        const end = endOfText(text, i)
        if (inner?.is === 'object' && inner.wantsKey) {
          const key = json(text.slice(i, end + 1))
          inner.key = typeof key === 'string' ? key : ''
          inner.wantsKey = false
          if (inner.keys.has(inner.key)) found.push({ place: placeOf(open), key: inner.key })
          inner.keys.add(inner.key)
        }
        i = end
      }
    }
  }
  return found
}

type Open =
  | { is: 'object'; keys: Set<string>; key: string; wantsKey: boolean }
  | { is: 'list'; index: number }

function endOfText(text: string, from: number): number {
  let i = from + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}

/** The way to the innermost that is open, without it. */
function placeOf(open: Open[]): string {
  const way = open.slice(0, -1).map((one) => (one.is === 'list' ? `[${one.index}]` : `.${one.key}`))
  const shown = way.slice(0, PLACE_DEPTH).join('').replace(/^\./, '')
  return way.length > PLACE_DEPTH ? `${shown}…` : shown
}
