/** How a saved file is looked at: by which agent's words, under whose rules. */
import { findProject } from '../../../../config/find-project.ts'
import type { Settings } from '../../../../config/resolve.ts'
import type { ReadOptions } from '../../../../app/doctor/inspect.ts'
import type { Io } from '../../frame/io.ts'
import { homeOf, settingsOf } from '../../frame/project.ts'
import type { Input } from '../../frame/command.ts'
import type { INSPECT_REPLY } from '../../table/inspect-commands.ts'

type Asked = Pick<Input<typeof INSPECT_REPLY>, 'flags' | 'settings'>

/** A saved file can be looked at anywhere; the rules are then the user's own and the defaults. */
export function settingsOrDefaults(input: Asked, io: Io): Promise<Settings> {
  const { root } = findProject(io.cwd, { home: homeOf(io) })
  return settingsOf(root, input, io)
}

export function readOptionsFrom({ flags: { agent, text } }: Asked, settings: Settings): ReadOptions {
  return { agent, text, custom: settings.agents }
}
