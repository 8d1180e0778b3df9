/** The tool list of a run, and a check that every agent knows its permission mode (ADR 22). */
import type { Driver } from '../../agents/driver.ts'
import { ALL_PERMISSION_MODES, knownPermissionModes } from '../../agents/tool-permission.ts'
import { invalidSettingError } from '../../config/origin.ts'
import type { Settings } from '../../config/resolve.ts'
import { permissionModesOf, similarModeOf } from '../../core/calls/known-agents.ts'
import type { Rules } from '../../core/state/rules.ts'
import { suggest } from '../../core/text/suggest.ts'
import { resolveToolList } from '../../workspace/detect/allowed-tools.ts'

interface ToolListContext {
  root: string
  settings: Settings
  rules: Rules
}

/** The tool list of a run; null: none, because everything is allowed. */
export function toolListOfRun({ root, settings, rules }: ToolListContext): string[] | null {
  const { tools, permission } = rules.agent
  const allow = settings.values['agent.allow']
  const isBashProject = settings.made === 'bash'
  return resolveToolList(root, { tools, permission, allow, gates: rules.gates, isBashProject })
}

/** Throws if an agent of the order does not know the permission mode: it would start with other tools than the user asked for. Returns
 *  warnings about the one exception, a `CLAUDE_PERMISSION_MODE` of bash Ralph, which is about Claude Code alone. */
export function checkPermissionMode(drivers: readonly Driver[], settings: Settings): string[] {
  const permission = settings.values['agent.permission']
  const origin = settings.origin('agent.permission')
  const ignorant = drivers.filter((driver) => !knowsMode(driver, permission))
  const isClaudes = 'name' in origin && origin.name === CLAUDES_OWN && permissionModesOf('claude').includes(permission)
  if (isClaudes)
    return ignorant.map(({ title }) => `${title} ignores ${CLAUDES_OWN}="${permission}"; its tool list applies`)
  const [driver] = ignorant
  if (driver === undefined) return []
  throw invalidSettingError(origin, unknownModeMessage(driver, permission))
}

const CLAUDES_OWN = 'CLAUDE_PERMISSION_MODE'

function knowsMode(driver: Driver, permission: string): boolean {
  const known = knownPermissionModes(driver)
  // Refuses `ask` elsewhere, with the agent to use instead.
  if (permission === 'ask' || known?.includes(permission) === true) return true
  // An ACP agent may have any mode; only a misspelt one is certainly wrong.
  return known === null && (ALL_PERMISSION_MODES.includes(permission) || nearMode(permission) === null)
}

function unknownModeMessage(driver: Driver, permission: string): string {
  const known = knownPermissionModes(driver) ?? ALL_PERMISSION_MODES
  const said = `${driver.title} has no permission mode "${permission}".`
  const meant = similarModeOf(permission) ?? nearMode(permission, known)
  return `${said}${meant === null ? '' : ` Did you mean ${meant}?`} It accepts: ${known.join(', ')}`
}

function nearMode(permission: string, known: readonly string[] = ALL_PERMISSION_MODES): string | null {
  return suggest(permission, [...known])
}
