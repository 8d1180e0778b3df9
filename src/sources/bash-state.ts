/** The state that the bash tool left in a project's `.ralph/`: Ralph reads it once, when a project starts with it for the first time. */
import { join } from 'node:path'
import { IMPORTED_STATE_FILES, parseBashState, type BashState } from '../compat/bash/parse-bash-state.ts'
import { RalphError } from '../core/error.ts'
import type { Instant } from '../core/ids.ts'
import { exists, modifiedAt, readIfExists, sizeOf } from '../system/files/files.ts'
import { formatLocalDateTime, parseTime } from '../system/time-formats.ts'

/** State files are small; anything larger is something else. */
const BYTES_MAX = 1024 * 1024

export function hasBashState(root: string): boolean {
  return IMPORTED_STATE_FILES.some((name) => exists(pathOf(root, name)))
}

export function readBashState(root: string, at: Instant): BashState {
  const files = Object.fromEntries(IMPORTED_STATE_FILES.map((name) => [name, readBashStateFile(root, name)]))
  return parseBashState(files, {
    local: formatLocalDateTime(at),
    readTime: parseTime,
    writtenAt: (name) => modifiedAt(pathOf(root, name)),
  })
}

/** The text of one file; undefined: it does not exist or cannot be read. */
export function readBashStateFile(root: string, name: string): string | undefined {
  const path = pathOf(root, name)
  try {
    return (sizeOf(path) ?? 0) > BYTES_MAX ? undefined : (readIfExists(path) ?? undefined)
  } catch (error) {
    if (error instanceof RalphError) return undefined
    throw error
  }
}

function pathOf(root: string, name: string): string {
  return join(root, '.ralph', name)
}
