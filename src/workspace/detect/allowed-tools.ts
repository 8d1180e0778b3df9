/** The tool list of a project: the configured one, or the default for its languages and gates. */
import { allowsEverything } from '../../core/calls/known-agents.ts'
import { BASH_RALPH_TOOLS, defaultToolList } from '../../core/calls/tool-list.ts'
import { toolchainCommands } from './project-toolchain.ts'

export interface ToolSettings {
  /** `agent.tools`; null: the default list. */
  tools: string[] | null
  permission: string | null
  /** `agent.allow` */
  allow: readonly string[]
  gates: readonly { run: string }[]
  /** The settings are those of bash Ralph, so its list is the default. */
  isBashProject: boolean
}

/** Null: no list, because everything is allowed. */
export function resolveToolList(
  root: string,
  { tools, permission, allow, gates, isBashProject }: ToolSettings,
): string[] | null {
  if (tools === null && permission !== null && allowsEverything(permission)) return null
  const list = tools ?? (isBashProject ? BASH_RALPH_TOOLS : defaultToolList(toolchainCommands(root, gates)))
  return [...new Set([...list, ...allow])]
}
