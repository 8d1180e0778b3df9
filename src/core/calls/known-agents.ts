/**
 * The agents that Ralph knows by itself, in the order in which they are listed everywhere: settings, completion, `ralph agents`, the
 * guide. A row here and the file `agents/<name>.ts`, which exports the driver by that name, is all that a new one needs: the build writes
 * the registry's list (`agents/drivers.ts`) from these rows and does not compile without the driver.
 */

/** The words that people write for an agent. */
interface KnownRow {
  /** Other names of its program or package. */
  also?: readonly string[]
  /** Its own permission modes (`agent.permission`), where it has some. */
  modes?: readonly string[]
}

const ROWS = {
  claude: {
    also: ['claude-code'],
    modes: ['default', 'manual', 'acceptEdits', 'auto', 'bypassPermissions', 'dontAsk', 'plan'],
  },
  codex: { modes: ['read-only', 'workspace-write', 'danger-full-access'] },
  opencode: { also: ['opencode-ai'] },
  gemini: { also: ['gemini-cli'], modes: ['default', 'auto_edit', 'yolo', 'plan'] },
  copilot: {},
  cursor: { also: ['cursor-agent'] },
  plain: {},
} as const satisfies Record<string, KnownRow>

export type KnownAgent = keyof typeof ROWS

export const KNOWN_AGENTS = Object.keys(ROWS) as readonly KnownAgent[]

/** By each other name, the agent that is meant. */
export const AGENT_ALIASES: Readonly<Record<string, KnownAgent>> = Object.fromEntries(
  KNOWN_AGENTS.flatMap((agent) => (rowOf(agent).also ?? []).map((name): [string, KnownAgent] => [name, agent])),
)

/** The agent that goes by this name, its own or another; null: none of ours. */
export function resolveAgentName(name: string): KnownAgent | null {
  if (isKnownAgent(name)) return name
  return Object.hasOwn(AGENT_ALIASES, name) ? (AGENT_ALIASES[name] ?? null) : null
}

export function isKnownAgent(name: string): name is KnownAgent {
  return Object.hasOwn(ROWS, name)
}

export function permissionModesOf(agent: KnownAgent): readonly string[] {
  return rowOf(agent).modes ?? []
}

function rowOf(agent: KnownAgent): KnownRow {
  return ROWS[agent]
}
