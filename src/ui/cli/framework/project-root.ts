/** Finds the project from the current folder. Commands that need no settings read none, so mistakes in them do no harm. */
import { isAbsolute } from 'node:path'
import type { StoreLocation } from '../../../app/task/task-store.ts'
import { findProject, type Project } from '../../../config/find-project.ts'
import { RalphError } from '../../../core/error.ts'
import type { Io } from './io.ts'

/** A relative `HOME` is ignored: it would depend on the current folder. */
export function homeOf({ env }: Io): string {
  return [env['HOME'], env['USERPROFILE']].find((home) => home !== undefined && isAbsolute(home)) ?? '/'
}

export function requireProject(io: Io): Project {
  const project = findProject(io.cwd, { home: homeOf(io) })
  if (project.kind === 'none') throw notAProject(io)
  if (project.kind === 'flat') {
    throw new RalphError('not-a-project', `${project.root} has the old layout (PROMPT.md in the top folder)`, {
      hint: 'To move it into .ralph/: ralph migrate',
    })
  }
  return project
}

function notAProject(io: Io): RalphError {
  return new RalphError('not-a-project', `${io.cwd} is not a Ralph project (no .ralph folder here or above)`, {
    hint: 'To set one up: ralph init',
  })
}

/** Opens the project's store for commands that need no settings. */
export function storeLocationOf(io: Io): StoreLocation {
  return { root: requireProject(io).root, notice: (text) => io.err(`${text}\n`) }
}
