/** Names of features that have documents: such a name is a folder, on every disk. */
import { featureNameProblem } from '../tasks/task-id.ts'

/** What is wrong with it, or null. Stricter than for a name over tasks alone. */
export function folderNameProblem(name: string): string | null {
  const problem = featureNameProblem(name)
  // Whoever is told what a name may have must not be told the dot, which is refused next.
  if (problem !== null) return problem.replace(' ".",', '')
  if (name.includes('.')) return "the name of a feature with papers has no dot: it is a folder's"
  if (RESERVED.test(name)) return 'Windows keeps that name for itself'
  return null
}

const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
