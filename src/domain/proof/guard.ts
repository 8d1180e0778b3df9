/** What was found out about the files that judge the work: once at the start of a run, and again when completion is claimed. */
import type { TreeHash } from '../ids.ts'

/** Taken before the first iteration. Small, because it is kept in the state. */
export interface GuardBase {
  /** The tree to compare with; tests and configuration are read from it. */
  tree: TreeHash
  /** The programs that gates start, by the word in their command: `<path>#<hash>`, or `absent`. Also those git ignores. */
  tools: Record<string, string>
  /** Settings that no snapshot holds (inside `.ralph/`), by path: their hash. */
  settings: Record<string, string>
  /** Globs of tests that a person said beforehand may change. */
  mayChange: string[]
  /** Hash of the names of guarded files that git has and the folder did not (a sparse checkout). Absent: all were there. */
  absent?: string
}

export interface GuardReport {
  /** One hash of everything that judges, as it is now; part of the evidence. */
  hash: string
  /** Judge files that changed and tests that were weakened. */
  tampered: { path: string; why: string }[]
  /** Other edits of existing tests: the old ones must still pass. */
  edited: string[]
  /** Edits a person allowed beforehand. */
  permitted: string[]
}

/** For the next prompt: what was touched, and what to do about it. */
export function complainOfTampering(report: GuardReport): string {
  const list = report.tampered.slice(0, 8).map(({ why }) => `- ${why}`)
  const more = report.tampered.length > 8 ? `\n- and ${report.tampered.length - 8} more` : ''
  return `Files that judge the work were changed:\n${list.join('\n')}${more}\nPut them back as they were, then make the work pass them.`
}
