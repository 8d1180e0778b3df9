/**
 * Which agents are chosen. The old tools named a program (`[agent] command`, `CLAUDE_CODE_CMD`, `RALPH_AGENT`) where Ralph names
 * agents; this file translates one into the other.
 */
import type { ProjectOrigin } from '../core/settings/rule.ts'
import { joinCommand } from '../core/text/shell.ts'
import { resolveAgentName } from '../core/calls/known-agents.ts'
import { programName } from '../core/text/program-name.ts'
import { originText, type Origin } from './origin.ts'

/** The prefix of an agent that is named by its command line. */
export const ACP_PREFIX = 'acp:'

interface AgentChoice {
  order: string[]
  orderSaid: boolean
  /** The rank of the layer that sets it; 0 is the strongest. */
  orderRank: number
  orderOrigin: Origin
  command: string[] | null
  commandRank: number
  commandOrigin: Origin
  /** Names of the user's own agents. */
  own: readonly string[]
  /** Names that Ralph does not know but that are programs on this machine. */
  installed: ReadonlySet<string>
  made: ProjectOrigin
}

interface ChosenAgents {
  order: string[]
  /** The effect of `agent.command`. */
  command:
    | null
    /** The program to start instead of this agent's own. */
    | { is: 'program'; agent: string; program: string[] }
    /** The only agent of the order, driven by ACP. */
    | { is: 'order' }
  remarks: string[]
}

export function chooseAgents(choice: AgentChoice): ChosenAgents {
  const order = choice.order.map((name) => (isProgram(name, choice) ? `${ACP_PREFIX}${name}` : acpIfCommand(name)))
  const { command } = choice
  const remarks = choice.order.filter((name) => isProgram(name, choice)).map((name) => acpProgramRemark(name, choice))
  const unused: ChosenAgents = { order, command: null, remarks }
  if (command === null || command.length === 0) return unused
  if (isClaudeOnly(choice.commandOrigin)) return { ...unused, command: programFor('claude', command) }
  if (!choice.orderSaid) {
    const name = agentOf(command, choice.own)
    if (name === null) return { ...unused, order: [`${ACP_PREFIX}${joinCommand(command)}`], command: { is: 'order' } }
    return { ...unused, order: [name], command: programFor(name, command), remarks: drivenAsAgentRemarks(name, choice) }
  }
  const [first = ''] = order
  if (choice.orderRank < choice.commandRank || first.startsWith(ACP_PREFIX)) {
    const remark = `agent.command (${originText(choice.commandOrigin)}) is not used, because ${first} takes precedence`
    return { ...unused, remarks: [...remarks, remark] }
  }
  return { ...unused, command: programFor(first, command) }
}

/** A name that is neither a known agent nor a command line. */
export function isUnknownAgent(name: string): boolean {
  return resolveAgentName(name) === null && acpIfCommand(name) === name && !name.startsWith(ACP_PREFIX)
}

/** In the Rust tool `--agent` named a program that speaks ACP. */
function isProgram(name: string, { installed, own }: AgentChoice): boolean {
  return installed.has(name) && !own.includes(name)
}

function acpProgramRemark(name: string, { orderOrigin }: AgentChoice): string {
  return `${originText(orderOrigin)}: Ralph knows no agent ${name}, so it starts the program ${name} as an ACP agent (acp:${name})`
}

/** The Rust tool drove every command by ACP; the program of a known agent is driven as that agent, which can do more. */
function drivenAsAgentRemarks(agent: string, { made, commandOrigin }: AgentChoice): string[] {
  if (made !== 'rust' || commandOrigin.from !== 'project') return []
  return [`${originText(commandOrigin)}: Ralph runs it as the agent ${agent}, not over ACP`]
}

/** A name with arguments is the command line of an ACP agent. */
function acpIfCommand(name: string): string {
  return /\s/.test(name) && !name.startsWith(ACP_PREFIX) ? `${ACP_PREFIX}${name}` : name
}

/** The bash tool's variable names the program of one agent and chooses no agent. */
function isClaudeOnly(origin: Origin): boolean {
  return (origin.from === 'project' || origin.from === 'environment') && origin.name === 'CLAUDE_CODE_CMD'
}

/** The agent's own program is no replacement. */
function programFor(agent: string, program: string[]): ChosenAgents['command'] {
  return program.length === 1 && program[0] === agent ? null : { is: 'program', agent, program }
}

/** The agent whose program a command starts; null: it can only be driven by ACP. */
function agentOf(command: readonly string[], own: readonly string[]): string | null {
  if (command.some((word) => /^(--)?(experimental-)?acp$/.test(word))) return null
  const program = programName(command)
  return resolveAgentName(program) ?? (own.includes(program) ? program : null)
}
