/** What an agent process is for. */
export type Role =
  | ProjectRole
  /** Turns a document into the files of a project, in a folder outside it. */
  | 'import'

export type ProjectRole =
  /** Changes the project: an iteration. */
  | 'work'
  /** Reads only, and says whether the work is done. */
  | 'review'
