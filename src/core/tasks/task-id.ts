/** Ids and names of tasks and features, and what a person may type for them. */
import type { TaskId } from './task.ts'

/** Five letters or digits: thirty-three million ids that are still easy to read aloud. */
export const ID_LENGTH = 5

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** What is wrong with a given id, or null. */
export function taskIdProblem(id: string): string | null {
  if (SHAPE.test(id)) return null
  if (id.length > 64) return `an id has at most 64 characters; this one has ${id.length}`
  return 'an id begins with a letter or a digit and has only letters, digits, ".", "_" and "-"'
}

/** What is wrong with a feature's name, or null. A name that looks like an id would be read as one. */
export function featureNameProblem(name: string): string | null {
  if (/^[tf]-/.test(name)) return `a feature name cannot begin with "${name.slice(0, 2)}", because ids do`
  if (SHAPE.test(name)) return null
  if (name.length > 64) return `a feature name has at most 64 characters; this one has ${name.length}`
  return 'a feature name begins with a letter or a digit and has only letters, digits, ".", "_" and "-"'
}

/** What is wrong with the name of a feature with documents, or null: the name is a folder, so every file system must allow it. */
export function featureFolderNameProblem(name: string): string | null {
  const problem = featureNameProblem(name)
  // The message must not offer the dot, which the next check rejects.
  if (problem !== null) return problem.replace(' ".",', '')
  if (name.includes('.')) return 'a feature name cannot contain a dot: it is also a folder name'
  return RESERVED.test(name) ? 'Windows reserves this name' : null
}

const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** The prefixes of ids that this input may mean: with or without `t-`. */
export function idPrefixes(typed: string, mark: 't-' | 'f-'): string[] {
  return typed.startsWith(mark) ? [typed] : [typed, `${mark}${typed}`]
}

/** The first text after all texts with this prefix, in the order of code points; ids are plain ASCII. */
export function prefixUpperBound(beginning: TaskId): string {
  return `${beginning}\u007f`
}
