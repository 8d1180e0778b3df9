/** Colours, or plain text where the terminal has none. Six colours need no library. */

export interface Paint {
  dim: (text: string) => string
  bold: (text: string) => string
  good: (text: string) => string
  bad: (text: string) => string
  warn: (text: string) => string
  head: (text: string) => string
}

/** The style of a screen: its colours, and the cells per line. */
export interface ScreenStyle {
  p: Paint
  columns: number
}

export function createPaint(colour: boolean): Paint {
  const style = (open: number, close: number) => (text: string) =>
    colour ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    dim: style(2, 22),
    bold: style(1, 22),
    good: style(32, 39),
    bad: style(31, 39),
    warn: style(33, 39),
    head: style(36, 39),
  }
}

/** A line of a patch. */
export function paintPatchLine(line: string, p: Paint): string {
  if (line.startsWith('+')) return p.good(line)
  if (line.startsWith('-')) return p.bad(line)
  return line.startsWith('@@') || line.startsWith('diff ') ? p.dim(line) : line
}
