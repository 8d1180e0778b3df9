/**
 * How far an agent may go. Four words are ours, and each driver maps them as far as its program can:
 *
 *   list     only the tools on the list (`agent.tools`)
 *   edits    files of the project freely, commands by the list
 *   bypass   everything without asking
 *   ask      the list, and for what it does not name a person at the terminal is asked: agents that speak ACP only
 *
 * Any other word is a mode of the vendor's own. One that only another vendor has is that vendor's business: here `list` holds.
 */
import { KNOWN_AGENTS, permissionModesOf } from '../core/calls/known-agents.ts'
import type { ToolPermissions } from './driver.ts'

export const PERMISSIONS = ['list', 'edits', 'bypass', 'ask'] as const
type Permission = (typeof PERMISSIONS)[number]
/** What agents understand that cannot ask. */
export type NonInteractivePermission = Exclude<Permission, 'ask'>

/** Every word that means something to somebody: ours, and the modes of the vendors that have some. */
export const KNOWN_PERMISSIONS: readonly string[] = [...PERMISSIONS, ...KNOWN_AGENTS.flatMap(permissionModesOf)]

/** A word of ours, or `own`: the vendor's mode as it was written. Null is for vendors without modes, `any` for those that tell their
 *  modes only when they run. */
export function resolvePermission(
  wishes: ToolPermissions,
  own: readonly string[] | null,
): NonInteractivePermission | { own: string }
export function resolvePermission(wishes: ToolPermissions, own: 'any'): Permission | { own: string }
export function resolvePermission(
  { permission, tools }: ToolPermissions,
  own: readonly string[] | 'any' | null,
): Permission | { own: string } {
  // A call without either, such as a review, is limited by what it is started with.
  if (permission === undefined) return tools === undefined ? 'bypass' : 'list'
  const ours = PERMISSIONS.find((word) => word === permission)
  // A run in which somebody is to be asked starts no agent that cannot ask. Should one be meant all the same, its list holds.
  if (ours === 'ask' && own !== 'any') return 'list'
  if (ours !== undefined) return ours
  if (own === null) return 'list'
  return own === 'any' || own.includes(permission) || !isKnownPermission(permission) ? { own: permission } : 'list'
}

/** Whether the list decides what is answered to an agent that asks. A mode of its own goes with a list only where somebody wrote one. */
export function usesToolList(wishes: ToolPermissions): boolean {
  const how = resolvePermission(wishes, 'any')
  return how === 'list' || how === 'edits' || how === 'ask' || (how !== 'bypass' && wishes.tools !== undefined)
}

export function isKnownPermission(permission: string): boolean {
  return KNOWN_PERMISSIONS.includes(permission)
}
