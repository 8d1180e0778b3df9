/** The commands of a line that are run one after the other, for asking about each of them whether it is allowed. */

/** Null: the line substitutes, writes into a file or cannot be read, so that no list of its commands would tell what it does. */
export function partsOf(line: string): string[] | null {
  const parts: string[] = []
  let part = ''
  let quote: '"' | "'" | null = null
  let at = 0
  const bare = line.replace(HARMLESS, ' ')
  while (at < bare.length) {
    const sign = bare[at] ?? ''
    if (sign === '\\' && quote !== "'") {
      part += bare.slice(at, at + 2)
      at += 2
      continue
    }
    // Inside double quotes the shell still substitutes.
    if (quote !== "'" && (sign === '`' || (sign === '$' && bare[at + 1] === '('))) return null
    if (quote === null && /[<>(){}]/.test(sign)) return null
    if (quote === null && /[;&|\n]/.test(sign)) {
      parts.push(part)
      part = ''
    } else part += sign
    if (sign === quote) quote = null
    else if (quote === null && (sign === '"' || sign === "'")) quote = sign
    at += 1
  }
  if (quote !== null) return null
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '')
}

/** Redirections that write no file. Quoted they are plain words, which are no command either. */
const HARMLESS =
  /(?<=\s|^)\d?>{1,2}\s*(?:&\d|\/dev\/null)(?=\s|[;&|]|$)|(?<=\s|^)<\s*\/dev\/null(?=\s|[;&|]|$)/g
