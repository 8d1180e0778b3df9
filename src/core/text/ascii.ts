/** Text for a terminal or a file whose locale is not UTF-8: Ralph's own symbols get an ASCII sign of the same width. */
import { cellWidth } from './cell-width.ts'

const SIGNS: Record<string, string> = {
  '─': '-',
  '│': '|',
  '▏': '|',
  '▸': '>',
  '›': '>',
  '░': '.',
  '▁': '_',
  '▂': ',',
  '▃': ':',
  '▄': '-',
  '▅': '=',
  '▆': '+',
  '▇': '*',
  '█': '#',
  '✓': '+',
  '✗': 'x',
  '×': 'x',
  '·': '.',
  '…': '~',
  '−': '-',
  '–': '-',
  '—': '-',
  '“': '"',
  '”': '"',
  '’': "'",
  '↑': '^',
  '↓': 'v',
  '←': '<',
  '→': '>',
}

/** For lines that people or programs read: only Ralph's own signs, because names and agents' texts must stay what they are. */
export function replaceSigns(text: string): string {
  return Array.from(text, (point) => (point <= '~' ? point : (SIGNS[point] ?? point))).join('')
}

/** For the dashboard: keeps the width, so that nothing moves. */
export function toAscii(text: string): string {
  return Array.from(text, (point) => (point <= '~' ? point : (SIGNS[point] ?? '?'.repeat(cellWidth(point))))).join('')
}

/** Assumes UTF-8 unless the locale says otherwise: containers often set no locale. */
export function supportsUnicode(env: Record<string, string | undefined>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '')
  return locale === undefined || /utf-?8/i.test(locale)
}
