/** The person and the machine, as far as a report must hide them. */
import { homedir, hostname, userInfo } from 'node:os'

export interface CurrentUser {
  home: string
  user: string
  host: string
}

export function currentUser(): CurrentUser {
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
