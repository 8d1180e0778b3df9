/** Which lines of a TOML file hold which entry, so that errors can point at them and `ralph config set` can change one and no other. */

/** A `[table]`, a `[[table]]` or a `key = value`. Lines count from 0. */
export interface TomlEntry {
  /** Dotted; the n-th `[[table]]` is `table[n]`, from 0. */
  path: string
  /** The table around it; empty at the top of the file. Of a table: its own path. */
  table: string
  isTable: boolean
  first: number
  /** The last line of a value over several lines. */
  last: number
}

/** Reads only text that the parser accepted. Keys inside an inline table belong to the entry of that table. */
export function tomlEntries(text: string): TomlEntry[] {
  const entries: TomlEntry[] = []
  const counts = new Map<string, number>()
  let table = ''
  let open = CLOSED
  for (const [line, content] of text.split('\n').entries()) {
    const before = entries.at(-1)
    if (isOpen(open) && before !== undefined) before.last = line
    else {
      const header = /^\s*(\[\[?)([^\]]+)\]/.exec(content)
      const key = header === null ? KEY.exec(content)?.[1] : undefined
      if (header !== null) {
        const name = dotted(header[2] ?? '')
        const count = counts.get(name) ?? 0
        if (header[1] === '[[') counts.set(name, count + 1)
        table = header[1] === '[[' ? `${name}[${count}]` : name
        entries.push({ path: table, table, isTable: true, first: line, last: line })
        continue
      }
      if (key !== undefined) {
        const path = table === '' ? dotted(key) : `${table}.${dotted(key)}`
        entries.push({ path, table, isTable: false, first: line, last: line })
      }
    }
    open = openAfter(content, open)
  }
  return entries
}

/** Where the value of a one-line entry ends: before the spaces and the comment that follow it. */
export function valueEnd(line: string): number {
  const comment = openAfter(line, CLOSED).comment ?? line.length
  return line.slice(0, comment).trimEnd().length
}

const KEY = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/

function dotted(name: string): string {
  const parts = name.match(/"[^"]*"|'[^']*'|[^.\s]+/g) ?? []
  return parts.map((part) => part.replace(/^["']|["']$/g, '')).join('.')
}

/** What a line leaves open for the next one: a text over several lines, or arrays and inline tables. */
interface Open {
  quote: string
  depth: number
  /** Where the line's comment begins. */
  comment?: number
}

const CLOSED: Open = { quote: '', depth: 0 }

function isOpen({ quote, depth }: Open): boolean {
  return quote !== '' || depth > 0
}

function openAfter(line: string, before: Open): Open {
  let { quote, depth } = before
  let comment: number | undefined
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
    else if (character === '#') {
      comment = at
      break
    } else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
  }
  const open = { quote: quote.length === 3 ? quote : '', depth: Math.max(0, depth) }
  return comment === undefined ? open : { ...open, comment }
}
