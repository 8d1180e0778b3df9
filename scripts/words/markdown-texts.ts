/** The texts of a Markdown page or a template: one for each paragraph, heading, list item and table row. Code blocks are left out. */
import type { ReadableText } from './readable-text.ts'

export function markdownTexts(file: string, source: string): ReadableText[] {
  const found: ReadableText[] = []
  let open: ReadableText | null = null
  let fence: string | null = null

  for (const [at, line] of source.split(/\r?\n/).entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null
      continue
    }
    if (mark !== undefined) fence = mark
    const begins = mark === undefined && /^\s*(?:[-*+] |\d+[.)] |#|\||>)/.test(line)
    if (mark !== undefined || line.trim() === '' || begins) open = null
    if (mark !== undefined || line.trim() === '' || isMarkup(line)) continue
    if (open === null) found.push((open = { file, line: at + 1, text: line.trim() }))
    else open.text += ` ${line.trim()}`
  }
  return found.filter(({ text }) => /\p{L}{2,} \p{L}+/u.test(text))
}

function isMarkup(line: string): boolean {
  return /^\s*(?:\|[-:| ]+\||<[!/]?[a-z-]+[^>]*>|#:schema .*)\s*$/.test(line)
}
