/**
 * How far an agent may go. Ralph has four modes, and each driver maps them as far as its program can:
 *
 *   list     only the tools on the list (`agent.tools`)
 *   edits    files of the project freely, commands by the list
 *   bypass   everything without asking
 *   ask      the list; for anything else Ralph asks the person at the terminal: ACP agents only
 *
 * Any other word is a mode of the vendor's own. The tool list applies there too, unless the mode allows everything. A run refuses a
 * word that one of its agents does not know (`engine/startup/agent-tools.ts`); a resumed run that has one uses `list`.
 */
import { KNOWN_AGENTS, permissionModesOf } from '../core/calls/known-agents.ts'
import type { ToolPermissions } from './driver.ts'

export const PERMISSION_MODES = ['list', 'edits', 'bypass', 'ask'] as const
type Permission = (typeof PERMISSION_MODES)[number]
/** The permissions that agents support that cannot ask. */
export type NonInteractiveMode = Exclude<Permission, 'ask'>

/** The modes that an agent accepts, each once; null: it reports them only at run time. */
export function knownPermissionModes({ name, protocol }: { name: string; protocol: 'lines' | 'acp' }): string[] | null {
  if (protocol === 'acp') return null
  const own = KNOWN_AGENTS.find((agent) => agent === name)
  const ours = PERMISSION_MODES.filter((mode) => mode !== 'ask')
  return [...new Set([...ours, ...(own === undefined ? [] : permissionModesOf(own))])]
}

/** Every mode that Ralph knows, of any agent, each once. */
export const ALL_PERMISSION_MODES: readonly string[] = [
  ...new Set([...PERMISSION_MODES, ...KNOWN_AGENTS.flatMap(permissionModesOf)]),
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
  return own === 'any' || own?.includes(permission) === true ? { own: permission } : 'list'
}

/** Whether the tool list decides the answer to an agent that asks. With a vendor's mode it does so only if there is a list. */
export function usesToolList(wishes: ToolPermissions): boolean {
  const how = resolvePermissionMode(wishes, 'any')
  return typeof how === 'string' ? how !== 'bypass' : wishes.tools !== undefined
}
