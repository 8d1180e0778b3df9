/** The state files in a project's `.ralph/`, written by name. `compat/bash` makes their texts. */
import { join } from 'node:path'
import { RalphError } from '../core/error.ts'
import { ensureFolder, exists, removeIfExists, writeWithoutSync } from '../system/files/files.ts'
import { isLink } from '../system/files/special-files.ts'

/** Replaces a whole state file; null removes it. */
export function writeStateFile(root: string, name: string, text: string | null): void {
  const path = assertNotLink(stateFilePath(root, name))
  if (text === null) removeIfExists(path)
  else writeWithoutSync(path, text)
}

/** Writes it only if the user has none: without it, git would show these files as new. */
export function ensureGitignore(root: string, text: string): void {
  ensureFolder(stateFilePath(root, ''), 0o755)
  const path = assertNotLink(stateFilePath(root, '.gitignore'))
  if (!exists(path)) writeWithoutSync(path, text, { mode: 0o644 })
}

export function stateFilePath(root: string, name: string): string {
  return join(root, '.ralph', name)
}

/** Otherwise anyone who can write into the project could choose where these files are written. */
export function assertNotLink(path: string): string {
  if (!isLink(path)) return path
  throw new RalphError('io', `${path} is a link; Ralph does not write through links there`, {
    hint: 'Remove the link.',
  })
}
