/** The name of a file from a title: letters and digits of any writing, and never a part of a character. */
import { firstBytes } from '../text/sanitize.ts'

const BYTES_MAX = 80

export function fileSlugOf(title: string): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu)
  const joined = (words ?? []).join('-')
  // Whole characters as people see them: a letter keeps its marks.
  const characters = Array.from(new Intl.Segmenter().segment(joined), ({ segment }) => segment)
  return firstBytes(joined, BYTES_MAX, characters).replace(/-+$/, '') || 'entry'
}
