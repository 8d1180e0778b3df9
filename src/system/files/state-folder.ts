/** Where a user's programs keep what they remember. */
import { isAbsolute, join } from 'node:path'

export interface StateFolderInput {
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** Ralph's own folder there; a relative one in the environment does not count, as the standard says. */
export function stateFolder({ env, home }: StateFolderInput, name: string): string {
  const state = env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(state) ? state : join(home, '.local', 'state'), 'ralph', name)
}
