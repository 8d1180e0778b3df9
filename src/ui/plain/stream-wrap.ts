/** Wraps text that arrives in pieces to the width of the terminal, between words: a terminal alone breaks inside them. */
import { cellWidth } from '../../core/text/cell-width.ts'

export interface StreamWrap {
  /** What can be printed now. A word at the end is held back until it is complete. */
  take(text: string, columns: number): string
  /** The word that was held back, and a line end unless the text ended with one. */
  endLine(columns: number): string
}

export function createStreamWrap(): StreamWrap {
  let column = 0
  let word = ''
  /** The spaces before the word. */
  let gap = ''

  function place(columns: number): string {
    const wide = cellWidth(gap) + cellWidth(word)
    // A word that is longer than a line is broken by the terminal.
    const breaks = column > 0 && word !== '' && column + wide > columns
    const printed = breaks ? `\n${word}` : `${gap}${word}`
    column = (breaks ? cellWidth(word) : column + wide) % Math.max(1, columns)
    gap = ''
    word = ''
    return printed
  }

  return {
    take(text, columns) {
      let printed = ''
      for (const char of text) {
        if (char !== ' ' && char !== '\n') {
          word += char
          continue
        }
        if (word !== '') printed += place(columns)
        gap = char === ' ' ? `${gap} ` : ''
        if (char === '\n') {
          printed += '\n'
          column = 0
        }
      }
      return printed
    },
    endLine(columns) {
      const rest = word === '' ? '' : place(columns)
      const isInLine = rest !== '' || column > 0 || gap !== ''
      column = 0
      gap = ''
      return isInLine ? `${rest}\n` : ''
    },
  }
}
