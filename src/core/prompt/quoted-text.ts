/** Text of others in a prompt: between tags that it cannot close by itself, so that nothing in it passes for words of ours. */
import { findCodeFences } from '../text/code-fences.ts'
import { byteSize } from './prompt-budget.ts'

/** Every tag of ours in it is plain text. */
export function escapeTags(text: string): string {
  return text.trim().replace(/<(?=\/?document\b)/gi, '&lt;')
}

export interface QuoteFrame {
  open: string
  close: string
  /** What it takes of a room, besides the text. */
  size: number
}

/** `says`: what it is, as an attribute; a title or a path is text of others as well. */
export function quoteFrame(says: string): QuoteFrame {
  const said = says.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const [open, close] = [`<document ${said}>\n`, '\n</document>']
  return { open, close, size: byteSize(open) + byteSize(close) + FENCE_MAX }
}

/** `text`: harmless, and cut to its room. */
export function wrapInFrame({ open, close }: QuoteFrame, text: string): string {
  return `${open}${closeFence(text)}${close}`
}

/** As much as the end of a fence takes at most. */
export const FENCE_MAX = 16

/** A fence that is open at the end, for want of a line or because of a cut, would swallow what stands below. */
export function closeFence(text: string): string {
  const open = findCodeFences(text.split('\n')).find(({ closed }) => !closed)
  return open === undefined || open.mark.length >= FENCE_MAX ? text : `${text}\n${open.mark}`
}
