/** Code fences in Markdown: their content is an example, even if it looks like something else. */

export interface CodeFence {
  /** The line of the opening fence. */
  from: number
  /** The line of the closing fence, or the number of lines when it was never closed. */
  to: number
  closed: boolean
  /** The characters of the opening fence. */
  mark: string
}

/** CommonMark: a line of backticks with another backtick after it is inline code. */
const FENCE = /^(\s*)(`{3,}(?=[^`]*$)|~{3,})([^]*)$/

/** As CommonMark reads them: closed only by a bare fence of the same sign, at least as long. `deep`: with any indentation. */
export function findCodeFences(lines: string[], { deep = false }: { deep?: boolean } = {}): CodeFence[] {
  const fences: CodeFence[] = []
  let open: CodeFence | null = null
  for (const [index, line] of lines.entries()) {
    const [, indent = '', mark, rest = ''] = FENCE.exec(line) ?? []
    if (mark === undefined || (!deep && !/^ {0,3}$/.test(indent))) continue
    if (open === null) {
      open = { from: index, to: lines.length, closed: false, mark }
      fences.push(open)
    } else if (mark.startsWith(open.mark) && rest.trim() === '') {
      Object.assign(open, { to: index, closed: true })
      open = null
    }
  }
  return fences
}

/** Line numbers from an opening fence to its closing one. A fence that is never closed is a typo and hides nothing:
 *  hiding the rest of the plan would make open work look done. */
export function fencedLines(lines: string[]): Set<number> {
  const closed = findCodeFences(lines, { deep: true }).filter((fence) => fence.closed)
  return new Set(closed.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)))
}
