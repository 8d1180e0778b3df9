/** The name of a file from a title: letters and digits of any writing, and never a part of a character. */

import { utf8Bytes } from '../text/sanitize.ts'

const BYTES_MAX = 80

export function slugOf(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const slug = firstBytes(words.join('-'), BYTES_MAX).replace(/-+$/, '')
  return slug === '' ? 'entry' : slug
}

/** Whole characters as people see them: a letter keeps its marks. */
function firstBytes(text: string, max: number): string {
  let room = max
  let end = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= utf8Bytes(segment)
    if (room < 0) break
    end += segment.length
  }
  return text.slice(0, end)
}
