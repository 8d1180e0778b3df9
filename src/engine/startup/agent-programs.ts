/**
 * The programs of a run. The record keeps the programs that the project's files named when the run began, so that an agent that edits
 * these files changes nothing, not even after a crash. The user's own settings are read again.
 */
import { projectAgentPrograms } from '../../config/programs-in-record.ts'
import type { AgentPrograms, Settings } from '../../config/resolve.ts'
import type { ProjectAgents } from '../../core/calls/agent-io.ts'
import { agentNamesOf, type Rules } from '../../core/state/rules.ts'

export function mergeAgentPrograms(users: AgentPrograms, project: ProjectAgents): AgentPrograms {
  return { agents: { ...users.agents, ...project.agents }, programs: { ...users.programs, ...project.programs } }
}

/** Names of agents and gates that the project's files define differently by now; the changes apply to the next run. */
export function changedAgentsAndGates(begun: { rules: Rules; programs: ProjectAgents }, settings: Settings): string[] {
  const now = projectAgentPrograms(settings, begun.rules)
  const agents = agentNamesOf(begun.rules).filter(
    (name) =>
      differs(begun.programs.agents[name], now.agents[name]) ||
      differs(begun.programs.programs[name], now.programs[name]),
  )
  const gates = new Set([...begun.rules.gates, ...settings.gates].map(({ name }) => name))
  const changed = [...gates].filter((name) =>
    differs(
      begun.rules.gates.find((gate) => gate.name === name),
      settings.gates.find((gate) => gate.name === name),
    ),
  )
  return [...new Set(agents.map((name) => `agent ${name}`)), ...changed.map((name) => `gate ${name}`)]
}

export function changedSettingsMessage(run: string, edited: string[]): string {
  return `Changed settings: ${edited.join(', ')} (since run ${run} started). The run keeps its original settings. To start over with the new ones: ralph loop --fresh.`
}

function differs(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}
