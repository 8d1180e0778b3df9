/** The file name for a title: letters and digits of any script; characters are never split. */
import { firstBytes } from '../text/sanitize.ts'

const BYTES_MAX = 80

export function fileSlugOf(title: string): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu)
  const joined = (words ?? []).join('-')
  // Whole grapheme clusters: a letter keeps its combining marks.
  const characters = Array.from(new Intl.Segmenter().segment(joined), ({ segment }) => segment)
  return firstBytes(joined, BYTES_MAX, characters).replace(/-+$/, '') || 'entry'
}
