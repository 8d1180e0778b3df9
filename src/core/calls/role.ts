/** What an agent process is for. */
export type Role =
  /** Changes the project: an iteration. */
  | 'work'
  /** Reads only, and says whether the work is done. */
  | 'review'
