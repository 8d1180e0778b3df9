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

export const PERMISSION_MODES = ['list', 'edits', 'bypass', 'ask'] as const
type Permission = (typeof PERMISSION_MODES)[number]
/** The permissions that agents support that cannot ask. */
export type NonInteractiveMode = Exclude<Permission, 'ask'>

/** Every known value: Ralph's own, and the vendors' modes. */
export const KNOWN_PERMISSION_MODES: readonly string[] = [
  ...PERMISSION_MODES,
  ...KNOWN_AGENTS.flatMap(permissionModesOf),
]

/** One of Ralph's values, or `own`: the vendor's mode as written. `null` is for vendors without modes, `any` for those that report
 *  their modes only at run time. */
export function resolvePermissionMode(
  wishes: ToolPermissions,
  own: readonly string[] | null,
): NonInteractiveMode | { own: string }
export function resolvePermissionMode(wishes: ToolPermissions, own: 'any'): Permission | { own: string }
export function resolvePermissionMode(
  { permission, tools }: ToolPermissions,
  own: readonly string[] | 'any' | null,
): Permission | { own: string } {
  // A call with neither, such as a review, is limited by its arguments.
  if (permission === undefined) return tools === undefined ? 'bypass' : 'list'
  const ours = PERMISSION_MODES.find((word) => word === permission)
  // A run with `ask` starts no agent that cannot ask. If one is configured anyway, its list applies.
  if (ours === 'ask' && own !== 'any') return 'list'
  if (ours !== undefined) return ours
  if (own === null) return 'list'
  return own === 'any' || own.includes(permission) || !isKnownPermissionMode(permission) ? { own: permission } : 'list'
}

/** Whether the tool list decides the answer to an agent that asks. With a vendor's mode it does so only if a list was written. */
export function usesToolList(wishes: ToolPermissions): boolean {
  const how = resolvePermissionMode(wishes, 'any')
  return how === 'list' || how === 'edits' || how === 'ask' || (how !== 'bypass' && wishes.tools !== undefined)
}

export function isKnownPermissionMode(permission: string): boolean {
  return KNOWN_PERMISSION_MODES.includes(permission)
}
