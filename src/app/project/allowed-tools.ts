/** The tools that agents may use without asking, as a run in this folder would start them. */
import type { Settings } from '../../config/resolve.ts'
import { resolveToolList } from '../../workspace/detect/allowed-tools.ts'

/** Null: no list decides. */
export function allowedTools(root: string, settings: Settings): string[] | null {
  const { agent, gates } = settings.rules()
  const { tools, permission } = agent
  const allow = settings.values['agent.allow']
  return resolveToolList(root, { tools, permission, allow, gates, isBashProject: settings.made === 'bash' })
}
