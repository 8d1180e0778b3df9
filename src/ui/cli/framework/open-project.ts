/** The project a command works on: found from the current folder, with its settings resolved. */
import { findProject, type Project } from '../../../config/find-project.ts'
import { resolveSettings, type Settings } from '../../../config/resolve.ts'
import type { CommonInput } from './command.ts'
import type { Io } from './io.ts'
import { homeOf, requireProject } from './project-root.ts'

export { homeOf }

export interface OpenProject {
  root: string
  kind: Project['kind']
  settings: Settings
}

/** The part of a command line that settings come from. */
type Chosen = Pick<CommonInput, 'settings'>

export async function openProject(input: Chosen, io: Io): Promise<OpenProject> {
  const project = requireProject(io)
  return { ...project, settings: await settingsOf(project.root, input, io) }
}

/** The same outside a project too: then the folder is the current one, and the settings are the user's own and the defaults. */
export async function openProjectOrFolder(input: Chosen, io: Io): Promise<OpenProject> {
  const project = findProject(io.cwd, { home: homeOf(io) })
  return { ...project, settings: await settingsOf(project.root, input, io) }
}

export function settingsOf(root: string, input: Chosen, io: Io): Promise<Settings> {
  return resolveSettings({ root, flags: input.settings, env: io.env, home: homeOf(io) })
}
