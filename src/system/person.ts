/** The person and the machine, as far as a report must hide them. */
import { homedir, hostname, userInfo } from 'node:os'

export interface Who {
  home: string
  user: string
  host: string
}

export function whoAmI(): Who {
  return { home: homedir(), user: userName(), host: hostname() }
}

/** A user without an entry in the machine's table (a container) has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
