/**
 * The agents that Ralph knows by itself, in the order in which they are listed everywhere: settings, completion, `ralph agents`, the
 * guide. A row here and the file `agents/<name>.ts`, which exports the driver by that name, is all that a new one needs: the build writes
 * the registry's list (`agents/drivers.ts`) from these rows and does not compile without the driver.
 */

/** The words that people write for an agent. */
interface KnownRow {
  /** Other names of its program or package. */
  also?: readonly string[]
  /** Its own permission modes (`agent.permission`), each with the mode of Ralph that means about the same; null: none does. */
  modes?: Readonly<Record<string, SimilarMode | null>>
}

export type SimilarMode = 'list' | 'edits' | 'bypass'

const ROWS = {
  claude: {
    also: ['claude-code'],
    modes: {
      default: 'list',
      manual: 'list',
      acceptEdits: 'edits',
      auto: null,
      bypassPermissions: 'bypass',
      dontAsk: 'list',
      plan: null,
    },
  },
  codex: { modes: { 'read-only': null, 'workspace-write': 'edits', 'danger-full-access': 'bypass' } },
  opencode: { also: ['opencode-ai'] },
  gemini: { also: ['gemini-cli'], modes: { default: 'list', auto_edit: 'edits', yolo: 'bypass', plan: null } },
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
  return Object.keys(rowOf(agent).modes ?? {})
}

/** Ralph's word for a mode of any vendor; null: no vendor here has the mode, or nothing of Ralph's means the same. */
export function similarModeOf(permission: string): SimilarMode | null {
  return KNOWN_AGENTS.map((agent) => rowOf(agent).modes?.[permission]).find((mode) => mode !== undefined) ?? null
}

function rowOf(agent: KnownAgent): KnownRow {
  return ROWS[agent]
}

/** Whether a mode allows everything, so that no tool list applies. */
export function allowsEverything(permission: string): boolean {
  return permission === 'bypass' || similarModeOf(permission) === 'bypass'
}
