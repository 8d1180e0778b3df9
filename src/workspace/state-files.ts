/** The state files in a project's `.ralph/`, written by name. `compat/bash` makes their texts. */
import { join } from 'node:path'
import { RalphError } from '../core/error.ts'
import { ensureFolder, exists, removeIfExists, writeWithoutSync } from '../system/files/files.ts'
import { isLink } from '../system/files/regular-file.ts'

/** Replaces one as a whole; null removes it. */
export function writeStateFile(root: string, name: string, text: string | null): void {
  const path = assertNotLink(stateFilePath(root, name))
  if (text === null) removeIfExists(path)
  else writeWithoutSync(path, text)
}

/** Once, and only where the user has none: without it every project of git would show these files as new. */
export function writeGitignore(root: string, text: string): void {
  ensureFolder(stateFilePath(root, ''), 0o755)
  const path = assertNotLink(stateFilePath(root, '.gitignore'))
  if (!exists(path)) writeWithoutSync(path, text, { mode: 0o644 })
}

export function stateFilePath(root: string, name: string): string {
  return join(root, '.ralph', name)
}

/** Whoever may write into the project could otherwise choose where our words go. */
export function assertNotLink(path: string): string {
  if (!isLink(path)) return path
  throw new RalphError('io', `${path} is a link, and nothing is written through links there`, {
    hint: 'Remove the link.',
  })
}
