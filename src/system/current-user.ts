/** The user and the machine, as far as a report must hide them. */
import { homedir, hostname, userInfo } from 'node:os'
import { attempt } from './attempt.ts'

export interface CurrentUser {
  home: string
  user: string
  host: string
}

export function currentUser(): CurrentUser {
  // A user who is not in the system's user table (a container) has no name.
  return { home: homedir(), user: attempt(() => userInfo().username, ''), host: hostname() }
}
