/** Code fences in Markdown: what stands inside is an example, whatever it looks like. */

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/

/** Line numbers from an opening fence to its closing one. A fence that is never closed is a slip of the pen and hides nothing:
 *  swallowing the rest of the plan would make open work look done. */
export function fencedLines(lines: string[]): Set<number> {
  const fenced = new Set<number>()
  let open: { at: number; mark: string } | null = null
  for (const [line, content] of lines.entries()) {
    const match = FENCE.exec(content)
    if (match === null) continue
    const mark = match[1] ?? ''
    const rest = match[2] ?? ''
    if (open === null) {
      // CommonMark: a line of backticks with another backtick after it is inline code.
      if (mark[0] === '~' || !rest.includes('`')) open = { at: line, mark }
    } else if (mark[0] === open.mark[0] && mark.length >= open.mark.length && rest.trim() === '') {
      for (let inside = open.at; inside <= line; inside++) fenced.add(inside)
      open = null
    }
  }
  return fenced
}
