/** Quotes text of others in a prompt: between tags that it cannot close, so that nothing in it looks like Ralph's instructions. */
import { findCodeFences } from '../text/code-fences.ts'
import { byteSize } from './prompt-budget.ts'

/** Escapes Ralph's tags in the text. */
export function escapeDocumentTags(text: string): string {
  return text.trim().replace(/<(?=\/?document\b)/gi, '&lt;')
}

export interface QuoteFrame {
  open: string
  close: string
  /** The bytes it takes besides the text. */
  size: number
}

/** `says`: the attributes; a title or a path is text of others as well. */
export function quoteFrame(says: string): QuoteFrame {
  const said = says.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const [open, close] = [`<document ${said}>\n`, '\n</document>']
  return { open, close, size: byteSize(open) + byteSize(close) + CLOSING_FENCE_MAX_BYTES }
}

/** `text`: already escaped and cut. */
export function wrapInFrame({ open, close }: QuoteFrame, text: string): string {
  return `${open}${closeFence(text)}${close}`
}

/** The most bytes that closing a fence takes. */
export const CLOSING_FENCE_MAX_BYTES = 16

/** Closes a fence that is open at the end: otherwise everything below would become code. */
export function closeFence(text: string): string {
  const open = findCodeFences(text.split('\n')).find(({ closed }) => !closed)
  return open === undefined || open.mark.length >= CLOSING_FENCE_MAX_BYTES ? text : `${text}\n${open.mark}`
}
