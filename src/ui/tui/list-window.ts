/** A list that is longer than its pane: where the cursor may stand, and which part of the list is in sight. */

export interface ListWindow {
  length: number
  rows: number
}

/** The first item in sight, so that the cursor is: the list moves no further than it must. */
export function scrollToCursor(cursor: number, top: number, { length, rows }: ListWindow): number {
  const held = Math.min(Math.max(top, cursor - rows + 1), cursor)
  return Math.max(0, Math.min(held, length - rows))
}

/** So many items up (negative) or down, and no further than the ends. */
export function moveCursor(cursor: number, by: number, length: number): number {
  return Math.max(0, Math.min(length - 1, cursor + by))
}

/** The first line in sight of a text that is read from its top. */
export function scrollTop(top: number, by: number, { length, rows }: ListWindow): number {
  return Math.max(0, Math.min(top + by, length - rows))
}

/** `12–24 of 340`, for a title; empty where all is in sight. */
export function visibleRangeText(top: number, { length, rows }: ListWindow): string {
  if (length <= rows) return ''
  return `${top + 1}–${Math.min(length, top + rows)} of ${length}`
}
