/** The default tool list of an agent, and warnings about unknown permission modes (ADR 22). */
import type { Driver } from '../../agents/driver.ts'
import { isKnownPermissionMode, KNOWN_PERMISSION_MODES, PERMISSION_MODES } from '../../agents/tool-permission.ts'
import { invalidSettingError } from '../../config/origin.ts'
import type { Settings } from '../../config/resolve.ts'
import { KNOWN_AGENTS, permissionModesOf } from '../../core/calls/known-agents.ts'
import type { Rules } from '../../core/state/rules.ts'
import { suggest } from '../../core/text/suggest.ts'
import { BASH_RALPH_TOOLS, defaultToolList } from '../../core/calls/tool-list.ts'
import { toolchainCommands } from './project-toolchain.ts'

interface ToolListContext {
  root: string
  settings: Settings
  rules: Rules
}

/** The tool list of a run; null: none, because everything is allowed or a vendor's own permission mode decides. */
export function resolveToolList({ root, settings, rules }: ToolListContext): string[] | null {
  const { values, made } = settings
  const { tools, permission } = rules.agent
  const decides = permission === 'list' || permission === 'edits' || permission === 'ask'
  if (tools === null && !decides) return null
  const list =
    tools ?? (made === 'bash' ? [...BASH_RALPH_TOOLS] : defaultToolList(toolchainCommands(root, rules.gates)))
  return [...new Set([...list, ...values['agent.allow']])]
}

/** Throws on a misspelt permission mode: it would allow or deny something nobody wanted. */
export function permissionModeWarnings(drivers: readonly Driver[], settings: Settings): string[] {
  const permission = settings.values['agent.permission']
  const own = KNOWN_AGENTS.find((agent) => permissionModesOf(agent).includes(permission))
  const others = drivers.filter(({ name, protocol }) => protocol === 'lines' && name !== own)
  if (PERMISSION_MODES.some((word) => word === permission)) return []
  if (isKnownPermissionMode(permission))
    return others.map(
      ({ title }) => `${title} has no permission mode ${permission}: its tool list holds (agent.permission)`,
    )
  const near = suggest(permission, KNOWN_PERMISSION_MODES)
  if (near !== null) {
    const known = KNOWN_PERMISSION_MODES.join(', ')
    throw invalidSettingError(
      settings.origin('agent.permission'),
      `found "${permission}", which is no permission mode. Did you mean ${near}? Known are ${known}`,
    )
  }
  return [`agent.permission = "${permission}" is passed on as it is: no mode of that name is known here`]
}
