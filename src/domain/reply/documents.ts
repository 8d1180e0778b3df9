/**
 * The JSON documents in a text: one, several after each other, one per line, or an array of them; the last may be cut. Text that
 * only happens to begin with a bracket is not JSON.
 */
import { asObject, type JsonObject, parse } from './status-json.ts'

export interface Documents {
  documents: JsonObject[]
  /** The text was one array. */
  array: boolean
  /** The words of a result document that was cut inside them. */
  cutResult: string | null
}

/** The documents of a text, or null when it is plain text. */
export function readDocuments(raw: string): Documents | null {
  const text = raw.replace(/^\ufeff/, '').trim()
  if (!/[[{]/.test(text)) return null
  return oneDocument(text) ?? byLine(text) ?? afterEachOther(text)
}

function oneDocument(text: string): Documents | null {
  if (!/^[[{]/.test(text)) return null
  const value = parse(text)
  if (Array.isArray(value)) {
    const documents = value.map(asObject).filter((each) => each !== null)
    return documents.length === value.length ? { documents, array: true, cutResult: null } : null
  }
  const object = asObject(value)
  return object && { documents: [object], array: false, cutResult: null }
}

/** One document a line. A vendor's stray text between its events is passed over as long as events are the larger part; between
 *  documents that are no events it makes the whole a text. */
function byLine(text: string): Documents | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const candidates = lines.filter((line) => /^\s*\{/.test(line))
  if (lines.length < 2 || candidates.length * 2 < lines.length) return null
  const documents = candidates.map((line) => asObject(parse(line))).filter((each) => each !== null)
  // The last line may be cut.
  const pure = candidates.length === lines.length && documents.length >= lines.length - 1
  const events = documents.filter((document) => typeof document['type'] === 'string').length
  if (documents.length === 0 || (!pure && (events < 2 || events * 2 < lines.length))) return null
  const last = lines.at(-1) ?? ''
  return { documents, array: false, cutResult: parse(last) === undefined ? cutResult(last) : null }
}

/** Documents of many lines, one after the other, with nothing but blanks between them. */
function afterEachOther(text: string): Documents | null {
  if (!/^[[{]/.test(text)) return null
  const documents: JsonObject[] = []
  let from = 0
  for (;;) {
    const end = endOfDocument(text, from)
    const part = end === null ? undefined : parse(text.slice(from, end))
    if (end === null || part === undefined) break
    const objects = Array.isArray(part) ? part.map(asObject) : [asObject(part)]
    for (const object of objects) if (object !== null) documents.push(object)
    from = end
    while (/\s/.test(text.charAt(from))) from++
    if (from >= text.length)
      return documents.length === 0 ? null : { documents, array: false, cutResult: null }
  }
  const rest = text.slice(from)
  if (!/^(?:\{\s*"|\[\s*\{)/.test(rest) || endOfDocument(text, from) !== null) return null
  return { documents, array: false, cutResult: cutResult(rest) }
}

/** Where the document that begins at `from` ends; null when it is cut, or when none begins there. */
function endOfDocument(text: string, from: number): number | null {
  if (!/[[{]/.test(text.charAt(from))) return null
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at)
    if (inString) {
      if (sign === '\\') at++
      else if (sign === '"') inString = false
    } else if (sign === '"') inString = true
    else if (sign === '{' || sign === '[') depth++
    else if ((sign === '}' || sign === ']') && --depth === 0) return at + 1
  }
  return null
}

/** The words of a result document as far as they came. Keys of a cut document do not count: the one that matters may be lost. */
function cutResult(document: string): string | null {
  const start = /"(?:result|response)"\s*:\s*"/.exec(document)
  if (start === null) return null
  const from = start.index + start[0].length
  const words = document.slice(from, endOfString(document, from))
  const value = parse(`"${words}"`) ?? parse(`"${words.replace(/\\u?[0-9a-f]{0,3}$/i, '')}"`)
  return typeof value === 'string' ? value : null
}

/** Where the string that goes on at `from` ends: at its quotation mark, or where the text was cut. */
function endOfString(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return Math.min(at, text.length)
}
