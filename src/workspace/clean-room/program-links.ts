/**
 * Links to the programs that a folder of the user's home had at the start: no trial finds a program that an agent adds later. Each link
 * points to the real file; a program that needs its own path is started through a script instead.
 */
import { basename, dirname, join } from 'node:path'
import { quoteShellWord } from '../../core/text/shell.ts'
import { attempt } from '../../system/attempt.ts'
import { ensureFolder, exists, listFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { createLinkTo, realPath } from '../../system/files/links.ts'
import { findProgram } from '../../system/process/process.ts'
import { readFilePart } from '../../system/files/read-part.ts'

export interface ProgramLink {
  name: string
  to: string
  /** `exec`: through a one-line script, so that the program sees its own path. */
  by: 'link' | 'exec'
}

export function findProgramsToLink(folder: string): ProgramLink[] {
  return listFolder(folder).flatMap((name) => {
    const path = join(folder, name)
    const real = findProgram(path) === null ? null : realPath(path)
    if (real === null) return []
    return [looksAround(path, real) ? { name, to: path, by: 'exec' } : { name, to: real, by: 'link' }]
  })
}

/** A script that uses its own path, or the Python of a virtual environment, which finds the environment by the path it is called by. */
function looksAround(path: string, real: string): boolean {
  if (/^(python|pypy)/.test(basename(path)) && exists(join(dirname(dirname(path)), 'pyvenv.cfg'))) return true
  const text = beginning(real) ?? ''
  return text.startsWith('#!') && /\$\{?(0\b|BASH_SOURCE)/.test(text)
}

/** Wrappers are short; a longer script uses `$0` early. */
const SCRIPT_MAX = 16 * 1024

/** Null: the program is executable but not readable. */
function beginning(path: string): string | null {
  return attempt(() => readFilePart(path, { from: 0, max: SCRIPT_MAX }), null)?.bytes.toString('latin1') ?? null
}

/** Creates the folder again, without anything that a gate put into it. */
export function linkPrograms(folder: string, programs: readonly ProgramLink[]): void {
  removeFolder(folder)
  ensureFolder(folder)
  for (const { name, to, by } of programs) {
    if (by === 'link') createLinkTo(to, join(folder, name))
    else writeWithoutSync(join(folder, name), `#!/bin/sh\nexec ${quoteShellWord(to)} "$@"\n`, { mode: 0o700 })
  }
}
