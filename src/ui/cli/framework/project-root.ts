/** Where a command works: found from the current folder. Who needs no settings reads none, and no mistake in them is in the way. */
import { isAbsolute } from 'node:path'
import type { StoreLocation } from '../../../app/task/task-store.ts'
import { findProject, type Project } from '../../../config/find-project.ts'
import { RalphError } from '../../../core/error.ts'
import type { Io } from './io.ts'

/** A relative one is nobody's home: it would lie wherever the command is typed. */
export function homeOf({ env }: Io): string {
  return [env['HOME'], env['USERPROFILE']].find((home) => home !== undefined && isAbsolute(home)) ?? '/'
}

export function projectOf(io: Io): Project {
  const project = findProject(io.cwd, { home: homeOf(io) })
  if (project.kind === 'none') throw notAProject(io)
  if (project.kind === 'flat') {
    throw new RalphError('not-a-project', `${project.root} has the old flat layout (PROMPT.md at the top)`, {
      hint: 'Move it into .ralph/ first: ralph migrate',
    })
  }
  return project
}

function notAProject(io: Io): RalphError {
  return new RalphError('not-a-project', `${io.cwd} is not a Ralph project: there is no .ralph folder here or above`, {
    hint: 'Make it one: ralph init',
  })
}

/** The project's store, as commands open it that need no settings. */
export function storeLocationOf(io: Io): StoreLocation {
  return { root: projectOf(io).root, notice: (text) => io.err(`${text}\n`) }
}
