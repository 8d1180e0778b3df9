/**
 * The programs in a folder of the user's home, as they were at the start: what an agent adds there afterwards is found by no trial.
 * Each is led to where it really lies; one that looks around from its own place is started there instead.
 */
import { basename, dirname, join } from 'node:path'
import { quoteShellWord } from '../../core/text/shell.ts'
import { attempt } from '../../system/attempt.ts'
import { ensureFolder, exists, listFolder, removeFolder, writeWithoutSync } from '../../system/files/files.ts'
import { createLinkTo, realPath } from '../../system/files/links.ts'
import { findProgram } from '../../system/process/process.ts'
import { readFilePart } from '../../system/files/read-part.ts'

export interface LinkedProgram {
  name: string
  to: string
  /** `exec`: through a script of one line, so that it still sees its own place. */
  by: 'link' | 'exec'
}

export function linkedProgramsIn(folder: string): LinkedProgram[] {
  return listFolder(folder).flatMap((name) => {
    const path = join(folder, name)
    const real = findProgram(path) === null ? null : realPath(path)
    if (real === null) return []
    return [looksAround(path, real) ? { name, to: path, by: 'exec' } : { name, to: real, by: 'link' }]
  })
}

/** A script that asks for its own path, or the Python of a virtual environment, which knows it by the name it is called by. */
function looksAround(path: string, real: string): boolean {
  if (/^(python|pypy)/.test(basename(path)) && exists(join(dirname(dirname(path)), 'pyvenv.cfg'))) return true
  const text = beginning(real) ?? ''
  return text.startsWith('#!') && /\$\{?(0\b|BASH_SOURCE)/.test(text)
}

/** Wrappers are short; a script that is longer than this says `$0` early. */
const SCRIPT_MAX = 16 * 1024

/** Null: a program that may be started and not read. */
function beginning(path: string): string | null {
  return attempt(() => readFilePart(path, { from: 0, max: SCRIPT_MAX }), null)?.bytes.toString('latin1') ?? null
}

/** Lays the folder anew: whatever a gate has put into it is gone. */
export function linkPrograms(folder: string, programs: readonly LinkedProgram[]): void {
  removeFolder(folder)
  ensureFolder(folder)
  for (const { name, to, by } of programs) {
    if (by === 'link') createLinkTo(to, join(folder, name))
    else writeWithoutSync(join(folder, name), `#!/bin/sh\nexec ${quoteShellWord(to)} "$@"\n`, { mode: 0o700 })
  }
}
