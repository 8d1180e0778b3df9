/** Parses TOML and records the line of every key, so that an error can point at it. */
import { parse, TomlError } from 'smol-toml'

export type TomlResult =
  | { ok: true; data: Record<string, unknown>; lines: ReadonlyMap<string, number> }
  | { ok: false; line: number; column: number; source: string; problem: string }

export function parseToml(text: string): TomlResult {
  try {
    const data = parse(text)
    let lines: ReadonlyMap<string, number> | null = null
    // Computed on demand: most commands never report where a setting is.
    return {
      ok: true,
      data,
      get lines() {
        return (lines ??= keyLines(text))
      },
    }
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    const source = text.split('\n')[thrown.line - 1] ?? ''
    const problem = (thrown.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return { ok: false, line: thrown.line, column: thrown.column, source: source.trimEnd(), problem }
  }
}

/**
 * The line of every `[table]` and `key =`, by dotted path; the n-th `[[table]]` is `table[n]`, from 0. Reads only text that `parse`
 * accepted. Keys inside an inline table have the line of that table, which is all a message needs.
 */
function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  const counts = new Map<string, number>()
  let table = ''
  let open = { quote: '', depth: 0 }
  for (const [index, line] of text.split('\n').entries()) {
    if (open.quote === '' && open.depth === 0) {
      const header = /^\s*(\[\[?)([^\]]+)\]/.exec(line)
      if (header !== null) {
        const name = dotted(header[2] ?? '')
        const count = counts.get(name) ?? 0
        if (header[1] === '[[') counts.set(name, count + 1)
        table = header[1] === '[[' ? `${name}[${count}]` : name
        lines.set(table, index + 1)
        continue
      }
      const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)
      if (key !== null) lines.set(table === '' ? dotted(key[1] ?? '') : `${table}.${dotted(key[1] ?? '')}`, index + 1)
    }
    open = stillOpen(line, open)
  }
  return lines
}

function dotted(name: string): string {
  const parts = name.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? []
  return parts.map((part) => part.replace(/^["']|["']$/g, '')).join('.')
}

/** Which multi-line text or array a line leaves open for the next one. */
function stillOpen(line: string, before: { quote: string; depth: number }): { quote: string; depth: number } {
  let { quote, depth } = before
  for (let at = 0; at < line.length; at++) {
    const triple = line.slice(at, at + 3)
    const character = line.charAt(at)
    if (quote !== '') {
      if (quote.startsWith('"') && character === '\\') at++
      else if (line.startsWith(quote, at)) {
        at += quote.length - 1
        quote = ''
      }
    } else if (triple === '"""' || triple === "'''") {
      quote = triple
      at += 2
    } else if (character === '"' || character === "'") quote = character
    else if (character === '#') break
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
  }
  return { quote: quote.length === 3 ? quote : '', depth: Math.max(0, depth) }
}
