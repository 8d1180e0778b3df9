/** The state files in a project's `.ralph/`, read and written by name. What stands in them is `compat`'s business. */
import { join } from 'node:path'
import { RalphError } from '../domain/error.ts'
import type { Instant } from '../domain/ids.ts'
import {
  ensureFolder,
  exists,
  modifiedAt,
  readIfThere,
  removeIfThere,
  sizeOf,
  writeLoose,
} from '../system/files/files.ts'
import { isLink } from '../system/files/plain-file.ts'

/** They are small; whatever is larger is not one of them. */
const BYTES_MAX = 1024 * 1024

/** Those that are there and can be read. */
export function readRunFiles<Name extends string>(
  root: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const text = readSmall(runFilePath(root, name))
    if (text !== null) found[name] = text
  }
  return found
}

/** When it was last written; null: it is not there, or nobody can tell. */
export function runFileWrittenAt(root: string, name: string): Instant | null {
  return modifiedAt(runFilePath(root, name))
}

function readSmall(path: string): string | null {
  try {
    return (sizeOf(path) ?? 0) > BYTES_MAX ? null : readIfThere(path)
  } catch (error) {
    if (error instanceof RalphError) return null
    throw error
  }
}

/** Replaces one as a whole; null removes it. */
export function writeRunFile(root: string, name: string, text: string | null): void {
  const path = notALink(runFilePath(root, name))
  if (text === null) removeIfThere(path)
  else writeLoose(path, text)
}

/** Once, and only where the user has none: without it every project of git would show these files as new. */
export function writeGitignore(root: string, text: string): void {
  ensureFolder(runFilePath(root, ''), 0o755)
  const path = notALink(runFilePath(root, '.gitignore'))
  if (!exists(path)) writeLoose(path, text, { mode: 0o644 })
}

export function runFilePath(root: string, name: string): string {
  return join(root, '.ralph', name)
}

/** Whoever may write into the project could otherwise choose where our words go. */
export function notALink(path: string): string {
  if (!isLink(path)) return path
  throw new RalphError('io', `${path} is a link, and nothing is written through links there`, {
    hint: 'Remove the link.',
  })
}
