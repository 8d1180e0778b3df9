/** Processes of unknown origin: they started in the project during an iteration, and their parent has ended. They may be the
 *  agent's or the user's own, so they are named and never ended. */
import type { Event } from '../state/event.ts'
import { createRedactor } from '../trust/redact.ts'
import { listWithMore } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'

export interface Orphan {
  pid: number
  /** Together with the pid it identifies one process. */
  startTime: string
  command: string
}

export interface Orphans {
  named: Orphan[]
  /** How many others there were. */
  more: number
}

/** The event names at most this many. */
const NAMED = 5
const COMMAND_MAX = 100

const redact = createRedactor({ home: null, user: null, host: null, secrets: [] })

/** A foreign command line: control characters and keys removed, cut. */
export function displayableCommand(commandLine: string): string {
  return oneLine(redact(commandLine), COMMAND_MAX)
}

/** As a field of the event that tells of them; no field where there are none. */
export function orphansField(all: Orphan[]): { orphans?: Orphans } {
  if (all.length === 0) return {}
  return { orphans: { named: all.slice(0, NAMED), more: Math.max(0, all.length - NAMED) } }
}

/** Whom an event names. */
export function orphansIn(event: Event): Orphan[] {
  const tells = event.type === 'agent-ended' || event.type === 'gate-ended' || event.type === 'trial-ended'
  return tells ? (event.orphans?.named ?? []) : []
}

/** `4711 node server.js, 4712 sh watch.sh and 2 more`. */
export function describeOrphans({ named, more }: Orphans): string {
  const names = named.map(({ pid, command }) => `${pid} ${command}`)
  return listWithMore(names, more)
}
