/** A list that is longer than its pane: the range of the cursor and the visible part of the list. */

export interface ListWindow {
  length: number
  rows: number
}

/** The first visible item, such that the cursor is visible: the list moves no further than necessary. */
export function topForCursor(cursor: number, top: number, { length, rows }: ListWindow): number {
  const held = Math.min(Math.max(top, cursor - rows + 1), cursor)
  return Math.max(0, Math.min(held, length - rows))
}

/** Moves this many items up (negative) or down, within the list. */
export function moveCursor(cursor: number, by: number, length: number): number {
  return Math.max(0, Math.min(length - 1, cursor + by))
}

/** The first visible line of a text that is read from its top. */
export function scrollTop(top: number, by: number, { length, rows }: ListWindow): number {
  return Math.max(0, Math.min(top + by, length - rows))
}

/** `12–24 of 340`, for a title; empty if all is visible. */
export function visibleRangeText(top: number, { length, rows }: ListWindow): string {
  if (length <= rows) return ''
  return `${top + 1}–${Math.min(length, top + rows)} of ${length}`
}
