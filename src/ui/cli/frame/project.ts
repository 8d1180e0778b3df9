/** The project a command works on: found from the current folder, with its settings resolved. */
import { isAbsolute } from 'node:path'
import { findProject, type Project } from '../../../config/paths.ts'
import { resolveSettings, type Settings } from '../../../config/resolve.ts'
import { RalphError } from '../../../domain/error.ts'
import type { Typed } from './command.ts'
import type { Io } from './io.ts'

export interface OpenProject {
  root: string
  kind: Project['kind']
  settings: Settings
}

/** What of a command line settings come from. */
type Chosen = Pick<Typed, 'settings'>

/** A relative one is nobody's home: it would lie wherever the command is typed. */
export function homeOf({ env }: Io): string {
  return [env['HOME'], env['USERPROFILE']].find((home) => home !== undefined && isAbsolute(home)) ?? '/'
}

export async function openProject(input: Chosen, io: Io): Promise<OpenProject> {
  const project = findProject(io.cwd, { home: homeOf(io) })
  if (project.kind === 'none') throw notAProject(io)
  if (project.kind === 'flat') {
    throw new RalphError('not-a-project', `${project.root} has the old flat layout (PROMPT.md at the top)`, {
      hint: 'Move it into .ralph/ first: ralph migrate',
    })
  }
  return { ...project, settings: await settingsOf(project.root, input, io) }
}

export function settingsOf(root: string, input: Chosen, io: Io): Promise<Settings> {
  return resolveSettings({ root, flags: input.settings, env: io.env, home: homeOf(io) })
}

function notAProject(io: Io): RalphError {
  return new RalphError(
    'not-a-project',
    `${io.cwd} is not a Ralph project: there is no .ralph folder here or above`,
    {
      hint: 'Make it one: ralph init',
    },
  )
}
