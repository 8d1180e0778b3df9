/** Faults that change nothing anybody could notice, each with its reason. By their text, so that they move with their line. */
export interface Excuse {
  /** Relative to `src/domain`. */
  file: string
  was: string
  /** Absent: whatever becomes of it. */
  becomes?: string
  why: string
}

export const EXCUSED: Excuse[] = []
