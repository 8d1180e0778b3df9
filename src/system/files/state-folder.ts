/** Where programs keep their state in a user's home folder. */
import { isAbsolute, join } from 'node:path'

export interface StateFolderInput {
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** Ralph's own folder there; a relative path in the environment is ignored, as the standard requires. */
export function stateFolder({ env, home }: StateFolderInput, name: string): string {
  const state = env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(state) ? state : join(home, '.local', 'state'), 'ralph', name)
}
